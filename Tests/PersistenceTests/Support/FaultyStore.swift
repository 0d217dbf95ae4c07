import Foundation
import Futures

@testable import Persistence

/// A store in memory that fails or blocks when a test requests it, and records its calls.
final class FaultyStore: Store {
    /// Blocks commits until it is opened.
    struct Gate: Sendable {
        fileprivate let arrival = Promise<Void, Never>()
        fileprivate let opening = Promise<Void, Never>()

        /// Returns when a commit is waiting at the gate.
        func arrived() async { await arrival.future.value }

        /// Resumes the waiting commits; later ones don't wait.
        func open() { opening.resolve(()) }
    }

    private struct State: Sendable {
        var commits: [[StoreWrite]] = []
        var reads = 0
        var commitFailures: [StoreError] = []
        var readFailures: [StoreError] = []
        var failsAfterCommit = false
        var gate: Gate?
    }

    let memory = MemoryStore()
    private let state = Lock(State())

    /// The writes of all attempted commits, in order.
    var commits: [[StoreWrite]] { state.withLock { $0.commits } }
    var reads: Int { state.withLock { $0.reads } }

    /// Makes the next commits fail, one with each error; nothing is written.
    func failCommits(_ errors: [StoreError]) { state.withLock { $0.commitFailures = errors } }

    /// Makes the next reads fail, one with each error.
    func failReads(_ errors: [StoreError]) { state.withLock { $0.readFailures = errors } }

    /// Makes the next commit throw after it was written.
    func failAfterCommit() { state.withLock { $0.failsAfterCommit = true } }

    /// Makes all commits wait from now on.
    func hold() -> Gate {
        let gate = Gate()
        state.withLock { $0.gate = gate }
        return gate
    }

    func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        let failure = state.withLock { state -> StoreError? in
            state.reads += 1
            return state.readFailures.isEmpty ? nil : state.readFailures.removeFirst()
        }
        if let failure { throw failure }
        return try await memory.read(key)
    }

    func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        let gate = state.withLock { state -> Gate? in
            state.commits.append(writes)
            return state.gate
        }
        if let gate {
            gate.arrival.resolve(())
            await gate.opening.future.value
        }
        let (failure, failsAfterCommit) = state.withLock { state -> (StoreError?, Bool) in
            defer { state.failsAfterCommit = false }
            let failure = state.commitFailures.isEmpty ? nil : state.commitFailures.removeFirst()
            return (failure, state.failsAfterCommit)
        }
        if let failure { throw failure }
        let result = try await memory.commit(writes)
        if failsAfterCommit { throw .temporary }
        return result
    }

    /// Writes numbers as another writer would: without waiting, failing or being recorded.
    func write(_ numbers: [Int], _ key: StoreKey) async throws {
        try await memory.write(numbers, key)
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

    func updates() -> Updates<Set<StoreKey>> {
        memory.updates()
    }
}

extension StoreError {
    /// A disk error that may be temporary.
    static let temporary = StoreError(.inputOutput, "The disk is broken. Try again.")
    /// An error that retrying can't resolve.
    static let permanent = StoreError(.notEncodable, "This cannot be written.")
}

extension StoredFormat where Value == [Int] {
    static var numbers: StoredFormat { StoredFormat("numbers") }
}

extension Store {
    /// The numbers that are stored under a key.
    func numbers(_ key: StoreKey) async throws -> [Int]? {
        try await read(key).map { try StoredFormat.numbers.value(of: $0.content) }
    }

    /// Writes numbers as another writer would.
    func write(_ numbers: [Int], _ key: StoreKey) async throws {
        _ = try await commit([StoreWrite(key, StoredFormat.numbers.content(of: numbers))])
    }

    /// All numbers that are stored under any key.
    func allNumbers() async throws -> Set<Int> {
        var all: Set<Int> = []
        for key in try await keys(beginningWith: "") { all.formUnion(try await numbers(key) ?? []) }
        return all
    }
}
