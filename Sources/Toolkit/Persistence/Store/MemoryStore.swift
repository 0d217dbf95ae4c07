public import Foundation

/// A store that is gone with its process: for tests, and for what is to be forgotten.
public actor MemoryStore {
    /// What is kept under a name, and what was before.
    private struct Entry {
        var current: StoredRecord
        var previous: StoredRecord?
    }

    private var entries: [StoreKey: Entry] = [:]
    private var records: [SetAsideRecord] = []
    private var contents: [String: StoredContent] = [:]
    private var writes = 0
    private let listeners = StoreListeners()
    private let now: @Sendable () -> Date

    /// Creates an empty store.
    ///
    /// - Parameter now: The time, for what is set aside.
    public init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }
}

extension MemoryStore: Store {
    /// Reads what is kept under a name.
    public func read(_ key: StoreKey) async throws(PersistenceError) -> StoredRecord? {
        entries[key]?.current
    }

    /// The names that begin so, in order.
    public func keys(beginningWith prefix: String) async throws(PersistenceError) -> [StoreKey] {
        entries.keys.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Writes all, or nothing; durable as long as the process.
    public func commit(_ writes: [StoreWrite]) async throws(PersistenceError) -> CommitResult {
        try StoreWrite.check(writes)
        var conflicts: [StoreKey: StoredRecord?] = [:]
        for write in writes {
            let kept = entries[write.key]?.current
            guard try !write.isAllowed(over: kept?.keptVersion) else { continue }
            conflicts.updateValue(kept, forKey: write.key)
        }
        guard conflicts.isEmpty else { return .conflict(conflicts) }
        var revisions: [StoreKey: Revision] = [:]
        for write in writes {
            guard let content = write.content else {
                entries[write.key] = nil
                continue
            }
            self.writes += 1
            let record = StoredRecord(content: content, revision: Revision("\(self.writes)"))
            entries[write.key] = Entry(current: record, previous: entries[write.key]?.current)
            revisions[write.key] = record.revision
        }
        listeners.report(Set(writes.map(\.key)))
        return .committed(revisions)
    }

    /// Moves content away, where ``content(setAsideAt:)`` finds it.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(PersistenceError) -> SetAsideRecord? {
        guard let entry = entries[key], entry.current.revision == revision else { return nil }
        let record = SetAsideRecord(key: key, place: "\(key)#\(revision)", reason: reason, time: now())
        records.append(record)
        contents[record.place] = entry.current.content
        entries[key] = entry.previous.map { Entry(current: $0, previous: nil) }
        listeners.report([key])
        return record
    }

    /// All that was ever set aside, the oldest first.
    public func setAsideRecords() async throws(PersistenceError) -> [SetAsideRecord] {
        records
    }

    /// Names that may have changed, from now on.
    public nonisolated func changes() -> StoreChanges {
        listeners.changes()
    }
}

extension MemoryStore {
    /// What was set aside.
    ///
    /// - Parameter place: Where it is.
    /// - Returns: The content; `nil` if nothing is there.
    public func content(setAsideAt place: String) -> StoredContent? {
        contents[place]
    }
}
