import Dispatch
import Drinks
import Foundation
import HealthKitFacade
import HealthSamples
import Interleaving
import Synchronization

/// All that an app finds around it, made anew for each run.
final class World: Sendable {
    static let own = SampleSource(identifier: "coffee-tracker", name: "Coffee Tracker")
    static let other = SampleSource(identifier: "bean-diary", name: "Bean Diary")
    static let noon = Date(timeIntervalSince1970: 1_700_000_000)

    let samples: MemorySampleStore
    let healthStore: HealthStore
    let queues: AppQueues
    let file: MemoryFile
    let journal = Journal()

    init(_ queues: Queues = .explored, _ samples: MemorySampleStore, isEntitled: Bool, file: MemoryFile) {
        self.samples = samples
        self.file = file
        self.healthStore = HealthStore(samples, source: Self.own, answers: queues.answers, isEntitled: isEntitled)
        self.queues = AppQueues(main: queues.main, background: queues.background)
    }

    /// Makes a world in which the app may read, and the other app may write.
    ///
    /// - Parameters:
    ///   - queues: Where blocks run.
    ///   - isAllowed: Whether the app may do anything; if not, it has not asked yet.
    ///   - mayWrite: Whether the app may write too; if not, somebody has refused it.
    ///   - isAvailable: Whether there is a health store.
    ///   - isEntitled: Whether the app has been signed for it.
    ///   - file: What keeps the drinks.
    /// - Returns: The world.
    /// - Throws: What its store says.
    static func make(
        _ queues: Queues = .explored, isAllowed: Bool = true, mayWrite: Bool = true, isAvailable: Bool = true,
        isEntitled: Bool = true, file: MemoryFile = MemoryFile()
    ) async throws -> World {
        let samples = MemorySampleStore(isAvailable: isAvailable, consent: .always, now: { noon })
        if isAllowed {
            try await samples.grant(.read, to: [.dietaryCaffeine], source: own)
            try await samples.grant(.share, to: [.dietaryCaffeine], source: own)
        }
        if !mayWrite { try await samples.revoke(.share, to: [.dietaryCaffeine], source: own) }
        try await samples.grant(.share, to: [.dietaryCaffeine], source: other)
        return World(queues, samples, isEntitled: isEntitled, file: file)
    }

    /// Another app notes a drink.
    func noteElsewhere(_ milligrams: Double) async throws -> UUID {
        let sample = Sample(
            type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: Self.noon, source: Self.other)
        try await samples.save(sample, as: Self.other)
        return sample.id
    }

    static func drink(_ milligrams: Double) -> Drink {
        Drink(milligrams: milligrams, date: noon)
    }
}

/// What was logged, or otherwise noted.
final class Journal: Sendable {
    private let entries = Mutex<[String]>([])

    var lines: [String] { entries.withLock { $0 } }

    func note(_ line: String) {
        entries.withLock { $0.append(line) }
    }
}

/// A file that exists in memory.
final class MemoryFile: DrinkFile {
    private struct State {
        var drinks: [Drink]
        var failures: Int
    }

    struct Full: Error {}

    private let state: Mutex<State>
    private let willWrite: @Sendable () -> Void

    /// Creates a file.
    ///
    /// - Parameters:
    ///   - drinks: What it has.
    ///   - failures: How many writes fail before one succeeds.
    ///   - willWrite: Called before each write.
    init(_ drinks: [Drink] = [], failures: Int = 0, willWrite: @escaping @Sendable () -> Void = {}) {
        self.state = Mutex(State(drinks: drinks, failures: failures))
        self.willWrite = willWrite
    }

    var drinks: [Drink] { state.withLock { $0.drinks } }

    func read() -> [Drink] { drinks }

    func write(_ drinks: [Drink]) throws {
        willWrite()
        let isFull = state.withLock { state in
            if state.failures > 0 {
                state.failures -= 1
                return true
            }
            state.drinks = drinks
            return false
        }
        if isFull { throw Full() }
    }
}
