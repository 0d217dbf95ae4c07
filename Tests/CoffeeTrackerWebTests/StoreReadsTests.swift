import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import Futures
import HealthSamples
import Persistence
import Testing

@testable import CoffeeTrackerWeb

/// Tests how often a tap reads and writes the owner's drinks, through the page's form and the health store.
@Suite(.timeLimit(.minutes(10))) struct StoreReadsTests {
    @Test func addAndDeleteDoNotReadDrinksAgain() async throws {
        let counter = CallCounter()
        let base = Lock<CoffeeDataStore?>(nil)
        let wrapping: @Sendable (CoffeeDataStore) -> any CoffeeStoring = { store in
            base.withLock { $0 = store }
            return CountingStore(base: store, counter: counter)
        }
        try await CoffeeServer.run(wrapping: wrapping) { server in
            try await server.samples.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
            try await server.samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
            // The health store notifies Coffee Tracker even of Coffee Tracker's own change, which causes the last call.
            func settle() async { for await call in counter.calls where call == "changes" { return } }
            func tap() async throws {
                #expect(try await server.post("/coffee/drinks", ["kind": "sourced/espresso"]).status == 200)
                await settle()
            }
            #expect(try await server.get("/coffee/").status == 200)
            await settle()
            // Until the store observes its database, the commits that it reports don't contain the changed drinks.
            var commits = try #require(base.withLock { $0 }).updates().makeAsyncIterator()
            repeat { try await tap() } while try #require(await commits.next()).contains { $0.drinks == nil }

            /// The calls of an action. Every five seconds, the store looks for changes. If it finds a commit before that
            /// is reported, the model reads all drinks, and the action is repeated.
            func calls(of action: () async throws -> Void) async throws -> [String: Int] {
                for _ in 0..<10 {
                    counter.reset()
                    try await action()
                    if counter.counts["snapshot"] == nil { break }
                }
                return counter.counts
            }
            let expected = ["apply": 1, "progress": 2, "outbox": 1, "answers": 1, "changes": 1]
            #expect(try await calls(of: tap) == expected)
            let deletion = try await calls {
                let drinks = try await server.use { $0.drinks }
                let drink = try #require(drinks.first)
                #expect(try await server.post("/coffee/drinks/\(drink.id.uuidString)/delete", [:]).status == 200)
                await settle()
                #expect(try await server.use { $0.drinks } == Array(drinks.dropFirst()))
            }
            #expect(deletion == expected)
        }
    }
}

/// Counts calls by name.
private final class CallCounter: Sendable {
    private let state = Lock<[String: Int]>([:])
    /// The names of the calls that have ended.
    let calls: AsyncStream<String>
    private let continuation: AsyncStream<String>.Continuation

    init() {
        (calls, continuation) = AsyncStream.makeStream()
    }

    var counts: [String: Int] { state.withLock { $0 } }

    func reset() { state.withLock { $0 = [:] } }

    func count<Value, Failure: Error>(
        _ name: String, _ call: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        state.withLock { $0[name, default: 0] += 1 }
        let value = try await call()
        continuation.yield(name)
        return value
    }
}

/// A store that counts its calls.
private struct CountingStore: CoffeeStoring {
    let base: any CoffeeStoring
    let counter: CallCounter

    func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try await counter.count("snapshot") { () async throws(CoffeeError) in try await base.snapshot(since: start) }
    }

    func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await counter.count("drinks") { () async throws(CoffeeError) in try await base.drinks(from: start, to: end)
        }
    }

    func drinks(withIDPrefix prefix: String) async throws(CoffeeError) -> [Drink] {
        try await counter.count("idPrefix") { () async throws(CoffeeError) in
            try await base.drinks(withIDPrefix: prefix)
        }
    }

    func apply(_ changes: [DrinkChange]) async throws(CoffeeError) -> CoffeeCommit {
        try await counter.count("apply") { () async throws(CoffeeError) in try await base.apply(changes) }
    }

    func progress() async throws(CoffeeError) -> HealthProgress {
        try await counter.count("progress") { () async throws(CoffeeError) in try await base.progress() }
    }

    func outbox() async throws(CoffeeError) -> [DrinkRecord] {
        try await counter.count("outbox") { () async throws(CoffeeError) in try await base.outbox() }
    }

    func recordAnswers(_ answers: [SentDrink]) async throws(CoffeeError) -> CoffeeCommit {
        try await counter.count("answers") { () async throws(CoffeeError) in try await base.recordAnswers(answers) }
    }

    func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample] {
        try await counter.count("known") { () async throws(CoffeeError) in try await base.known(own: own) }
    }

    func apply(
        _ changes: HealthChanges, after anchor: Anchor?, own: SampleSource
    ) async throws(CoffeeError) -> CoffeeCommit? {
        try await counter.count("changes") { () async throws(CoffeeError) in
            try await base.apply(changes, after: anchor, own: own)
        }
    }

    func updates() -> Updates<Set<CoffeeCommit>> { base.updates() }
}
