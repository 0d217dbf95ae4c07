import Persistence
import Synchronization

/// A store that counts the commits of another store.
final class CountingStore: Store {
    private let store: any Store
    private let count = Atomic(0)

    var commits: Int { count.load(ordering: .relaxed) }

    init(_ store: any Store) {
        self.store = store
    }

    func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        try await store.read(key)
    }

    func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        try await store.keys(beginningWith: prefix)
    }

    func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        count.add(1, ordering: .relaxed)
        return try await store.commit(writes)
    }

    func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try await store.setAside(key, revision: revision, reason: reason)
    }

    func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        try await store.setAsideRecords()
    }

    func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        try await store.setAsideContent(of: record)
    }

    func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try await store.restore(record, expecting: expectation, reason: reason)
    }

    func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try await store.removeSetAside(record)
    }

    func updates() -> Updates<Set<StoreKey>> {
        store.updates()
    }
}
