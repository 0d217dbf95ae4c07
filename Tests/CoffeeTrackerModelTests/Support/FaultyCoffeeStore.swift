import CoffeeTrackerModel
import Foundation
import Futures
import HealthSamples
import MemoryStores
import Persistence

/// An in-memory store that is slow or fails as the test says.
final class FaultyCoffeeStore: Sendable {
    /// Holds one change before it is made.
    struct Gate: Sendable {
        fileprivate let arrival = Promise<Void, any Error>()
        fileprivate let opening = Promise<Void, CoffeeError>(valueOnAbandon: {})

        /// Waits until the change arrives, or the test's time limit cancels the task.
        func arrived() async { try? await arrival.future.value }

        /// Resumes the change.
        func open() { opening.resolve(()) }

        /// Makes the change fail.
        func fail() { opening.reject(.diskFull) }
    }

    private struct Faults {
        var gates: [Gate] = []
        var isBroken = false
        var isUnreadable = false
    }

    let wrapped = MemoryCoffeeStore()
    private let faults = Lock(Faults())
}

extension CoffeeError {
    static let diskFull = CoffeeError.storage("The disk is full: make room, then try again.")
}

extension FaultyCoffeeStore {
    /// Makes the next change wait.
    func hold() -> Gate {
        let gate = Gate()
        faults.withLock { $0.gates.append(gate) }
        return gate
    }

    /// Makes every call fail from now on; `false` makes calls succeed again.
    func failOperations(_ isBroken: Bool = true) {
        faults.withLock { $0.isBroken = isBroken }
    }

    /// Makes only snapshots fail from now on; `false` makes them succeed again.
    func failSnapshots(_ isUnreadable: Bool = true) {
        faults.withLock { $0.isUnreadable = isUnreadable }
    }

    private func check() throws(CoffeeError) {
        if faults.withLock({ $0.isBroken }) { throw .diskFull }
    }
}

extension FaultyCoffeeStore: CoffeeStoring {
    func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try check()
        if faults.withLock({ $0.isUnreadable }) { throw .diskFull }
        return await wrapped.snapshot(since: start)
    }

    func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try check()
        return await wrapped.drinks(from: start, to: end)
    }

    func drinks(withIDPrefix prefix: String) async throws(CoffeeError) -> [Drink] {
        try check()
        return await wrapped.drinks(withIDPrefix: prefix)
    }

    func apply(_ changes: [DrinkChange]) async throws(CoffeeError) -> CoffeeCommit {
        if let gate = faults.withLock({ $0.gates.isEmpty ? nil : $0.gates.removeFirst() }) {
            gate.arrival.resolve(())
            try await gate.opening.future.value
        }
        try check()
        return try await wrapped.apply(changes)
    }

    func outbox() async throws(CoffeeError) -> [DrinkRecord] {
        try check()
        return await wrapped.outbox()
    }

    func recordAnswers(_ answers: [SentDrink]) async throws(CoffeeError) -> CoffeeCommit {
        try check()
        return try await wrapped.recordAnswers(answers)
    }

    func progress() async throws(CoffeeError) -> HealthProgress {
        try check()
        return await wrapped.progress()
    }

    func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample] {
        try check()
        return await wrapped.known(own: own)
    }

    func apply(
        _ changes: HealthChanges, after anchor: Anchor?, own: SampleSource
    ) async throws(CoffeeError) -> CoffeeCommit? {
        try check()
        return try await wrapped.apply(changes, after: anchor, own: own)
    }

    func updates() -> Updates<Set<CoffeeCommit>> { wrapped.updates() }
}
