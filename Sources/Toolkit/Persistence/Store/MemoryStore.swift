public import Foundation

/// A store in memory, whose values are lost when the process ends: for tests and temporary values.
public actor MemoryStore {
    private var items = StoredItems()
    private let listeners = ChangeListeners<StoreKey>()
    private let now: @Sendable () -> Date

    /// Creates an empty store.
    public init(now: @escaping @Sendable () -> Date = { Date() }) {
        self.now = now
    }

    private func change<Value>(
        of keys: Set<StoreKey>, _ body: (inout StoredItems) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        var changed = items
        changed.now = now()
        let value = try body(&changed)
        defer { items = changed }
        if items.items != changed.items { listeners.report(keys) }
        return value
    }
}

extension MemoryStore: Store {
    /// Reads the record of a key.
    public func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        try change(of: [key]) { (items) throws(StoreError) in try items.read(key) }
    }

    /// The keys with a prefix, sorted.
    public func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        items.keys(beginningWith: prefix)
    }

    /// Performs all writes, or none; they last as long as the process.
    public func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        try change(of: Set(writes.map(\.key))) { (items) throws(StoreError) in try items.commit(writes) }
    }

    /// Moves a value to a place where ``setAsideContent(of:)`` finds it.
    public func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try change(of: [key]) { (items) throws(StoreError) in
            try items.setAside(key, revision: revision, reason: reason)
        }
    }

    /// The values that are set aside, oldest first.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        items.setAsideRecords()
    }

    /// Reads a value that is set aside.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        var found = items.setAsideContent(of: record)
        // In memory, `bytes` is the payload, without the header line that the bytes of a file have.
        if case .success(let content)? = found?.content { found?.bytes = content.payload }
        return found
    }

    /// Restores a value that is set aside: it is stored under its key again.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try change(of: [record.key]) { (items) throws(StoreError) in
            try items.restore(record, expecting: expectation, reason: reason)
        }
    }

    /// Deletes a value that is set aside.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try change(of: []) { (items) throws(StoreError) in try items.removeSetAside(record) }
    }

    /// The keys that may have changed, from now on.
    public nonisolated func updates() -> Updates<Set<StoreKey>> {
        listeners.updates()
    }
}
