/// A dictionary of limited size: when it is full, the least recently used entry is evicted.
///
/// Complexity: all operations except ``removeAll()`` take constant time on average.
package struct LRUCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var value: Value
        var lastUse: Int
    }

    private var entries: [Key: Entry] = [:]
    /// The uses in order, from ``firstUseIndex`` on; only the last use of a key counts.
    private var uses: [(key: Key, number: Int)] = []
    private var firstUseIndex = 0
    private var lastUseNumber = 0
    private let limit: Int

    /// Creates an empty cache for up to `limit` entries, at least 1.
    package init(limit: Int = .max) {
        self.limit = max(1, limit)
    }
}

extension LRUCache {
    /// The number of entries.
    package var count: Int { entries.count }

    /// The value of a key; reading it doesn't count as a use.
    package subscript(key: Key) -> Value? { entries[key]?.value }

    /// Returns the value of a key and marks it as used now.
    package mutating func use(_ key: Key) -> Value? {
        guard let value = entries[key]?.value else { return nil }
        let number = noteUse(of: key)
        entries[key]?.lastUse = number
        return value
    }

    /// Sets the value of a key and marks it as used now.
    ///
    /// - Returns: The removed values: the key's previous value, and evicted ones. Releasing them may take time, which
    ///   callers can spend outside their lock.
    @discardableResult
    package mutating func set(_ value: Value, for key: Key) -> [Value] {
        var removed: [Value] = []
        let entry = Entry(value: value, lastUse: noteUse(of: key))
        if let old = entries.updateValue(entry, forKey: key) { removed.append(old.value) }
        while entries.count > limit, let oldest = removeLeastRecentlyUsed() { removed.append(oldest.value) }
        return removed
    }

    /// Removes an entry and returns its value.
    @discardableResult
    package mutating func remove(_ key: Key) -> Value? {
        entries.removeValue(forKey: key)?.value
    }

    /// Removes and returns the least recently used entry.
    package mutating func removeLeastRecentlyUsed() -> (key: Key, value: Value)? {
        while firstUseIndex < uses.count {
            let (key, number) = uses[firstUseIndex]
            firstUseIndex += 1
            if entries[key]?.lastUse == number, let value = remove(key) { return (key, value) }
        }
        return nil
    }

    /// Removes all entries and returns their values.
    @discardableResult
    package mutating func removeAll() -> [Value] {
        let removed = entries.values.map(\.value)
        self = LRUCache(limit: limit)
        return removed
    }

    private mutating func noteUse(of key: Key) -> Int {
        // Compacted at twice the number of entries, so that this takes constant time on average.
        if uses.count > 2 * entries.count + 16 {
            uses = uses[firstUseIndex...].filter { entries[$0.key]?.lastUse == $0.number }
            firstUseIndex = 0
        }
        lastUseNumber += 1
        uses.append((key, lastUseNumber))
        return lastUseNumber
    }
}
