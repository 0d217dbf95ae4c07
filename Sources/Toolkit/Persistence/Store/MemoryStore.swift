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
    private var contents: [SetAsideRecord.ID: StoredContent] = [:]
    private var writes = 0
    private var setAsides = 0
    private let listeners = ChangeListeners<StoreKey>()
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
            revisions[write.key] = put(content, under: write.key)
        }
        listeners.report(Set(writes.map(\.key)))
        return .committed(revisions)
    }

    /// Moves content away, where ``setAsideContent(of:)`` finds it.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(PersistenceError) -> SetAsideRecord? {
        guard let entry = entries[key], entry.current.revision == revision else { return nil }
        let record = copyAside(entry.current.content, of: key, because: reason)
        entries[key] = entry.previous.map { Entry(current: $0, previous: nil) }
        listeners.report([key])
        return record
    }

    /// The values that are set aside, the oldest first.
    public func setAsideRecords() async throws(PersistenceError) -> [SetAsideRecord] {
        records
    }

    /// Reads a value that was set aside; its bytes are its payload.
    public func setAsideContent(of record: SetAsideRecord) async throws(PersistenceError) -> SetAsideContent? {
        contents[record.id].map { SetAsideContent(bytes: $0.payload, content: .success($0)) }
    }

    /// Stores a value that was set aside again.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(PersistenceError) -> RestoredRecord {
        guard let content = contents[record.id] else { throw .noLongerSetAside(record) }
        let stored = entries[record.key]?.current
        guard try StoreWrite(record.key, content, expecting: expectation).isAllowed(over: stored?.keptVersion) else {
            throw .conflict(restoring: record)
        }
        let replaced = stored.map { copyAside($0.content, of: record.key, because: reason) }
        let revision = put(content, under: record.key)
        forget(record)
        listeners.report([record.key])
        return RestoredRecord(revision: revision, replaced: replaced)
    }

    /// Deletes a value that was set aside.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(PersistenceError) -> Bool {
        forget(record)
    }

    /// Names that may have changed, from now on.
    public nonisolated func updates() -> Updates<Set<StoreKey>> {
        listeners.updates()
    }
}

extension MemoryStore {
    private func put(_ content: StoredContent, under key: StoreKey) -> Revision {
        writes += 1
        let record = StoredRecord(content: content, revision: Revision("\(writes)"))
        entries[key] = Entry(current: record, previous: entries[key]?.current)
        return record.revision
    }

    private func copyAside(_ content: StoredContent, of key: StoreKey, because reason: String) -> SetAsideRecord {
        setAsides += 1
        let record = SetAsideRecord(key: key, place: "\(key)#\(setAsides)", reason: reason, time: now())
        records.append(record)
        contents[record.id] = content
        return record
    }

    @discardableResult
    private func forget(_ record: SetAsideRecord) -> Bool {
        records.removeAll { $0.id == record.id }
        return contents.removeValue(forKey: record.id) != nil
    }
}
