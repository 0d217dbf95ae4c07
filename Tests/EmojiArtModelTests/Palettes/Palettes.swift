import Futures
import Observation
import Persistence

@testable import EmojiArtModel

extension Palette {
    /// A palette with a dog in it.
    static func test(_ id: Int, _ name: String = "Pets", _ emojis: String = "🐶") throws(PaletteError) -> Palette {
        try Palette(id: id, name: name, emojis: emojis.map(String.init))
    }
}

extension Store {
    /// The palettes that are stored under a name; `nil` if there are none.
    func palettes(_ name: String = "Main") async throws -> PaletteList? {
        try await read(try StoreKey("PaletteStore:" + name)).map { try PaletteList.format.value(of: $0.content) }
    }
}

/// Returns whether the action notifies an observer of what `read` accesses.
@MainActor
func notifiesObservers(
    _ read: @MainActor () -> Void, when action: @MainActor () async throws -> Void
) async rethrows -> Bool {
    let isNotified = Lock(false)
    withObservationTracking(read) { isNotified.withLock { $0 = true } }
    try await action()
    return isNotified.withLock { $0 }
}

/// Returns when an observed condition is true, or the test's time limit cancels the task.
@MainActor
func waitForPalettes(_ condition: @MainActor () -> Bool) async {
    while !Task.isCancelled {
        let change = Promise<Void, any Error>()
        let isTrue = withObservationTracking(condition) { change.resolve(()) }
        if isTrue {
            change.resolve(())
            return
        }
        try? await change.future.value
    }
}

/// Returns the error that a palette operation throws; `nil` if it succeeds.
@MainActor
func paletteError(_ body: @MainActor () async throws(PaletteError) -> Void) async -> PaletteError? {
    do throws(PaletteError) { try await body() } catch { return error }
    return nil
}

/// An in-memory store that can fail, and counts its commits.
final class FailingStore: Store {
    private struct State {
        var error: StoreError?
        var commits = 0
    }

    private let memory: MemoryStore
    private let state = Lock(State())

    init(_ memory: MemoryStore = MemoryStore()) {
        self.memory = memory
    }

    /// The number of attempted commits.
    var commits: Int { state.withLock { $0.commits } }

    /// Makes every read and commit of values fail from now on; `nil` makes them succeed again.
    func fail(_ error: StoreError?) { state.withLock { $0.error = error } }

    private func check() throws(StoreError) {
        if let error = state.withLock({ $0.error }) { throw error }
    }

    func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        try check()
        return try await memory.read(key)
    }

    func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        state.withLock { $0.commits += 1 }
        try check()
        return try await memory.commit(writes)
    }

    func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        try await memory.keys(beginningWith: prefix)
    }

    func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try await memory.setAside(key, revision: revision, reason: reason)
    }

    func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        try await memory.setAsideRecords()
    }

    func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        try await memory.setAsideContent(of: record)
    }

    func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try await memory.restore(record, expecting: expectation, reason: reason)
    }

    func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try await memory.removeSetAside(record)
    }

    func updates() -> Updates<Set<StoreKey>> { memory.updates() }
}
