/// A few values by key, of which those go that were used least recently.
struct RecentlyUsed<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private var values: [Key: (value: Value, lastUse: Int)] = [:]
    private var uses = 0
    private let limit: Int

    /// - Parameter limit: How many there may be.
    init(limit: Int) {
        self.limit = max(1, limit)
    }

    var count: Int { values.count }

    /// The value of a key, which has just been used.
    mutating func use(_ key: Key) -> Value? {
        guard let found = values[key] else { return nil }
        uses += 1
        values[key]?.lastUse = uses
        return found.value
    }

    /// Adds a value, which has just been used.
    ///
    /// - Returns: What went for it: its owner may have to do something about it, which takes time.
    mutating func add(_ value: Value, for key: Key) -> [Value] {
        uses += 1
        var gone = [values.updateValue((value, uses), forKey: key)?.value].compactMap(\.self)
        while values.count > limit, let oldest = values.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            gone += [values.removeValue(forKey: oldest.key)?.value].compactMap(\.self)
        }
        return gone
    }

    /// Removes a value.
    mutating func remove(_ key: Key) -> Value? {
        values.removeValue(forKey: key)?.value
    }

    /// Removes all of them.
    mutating func removeAll() -> [Value] {
        defer { values = [:] }
        return values.values.map(\.value)
    }
}
