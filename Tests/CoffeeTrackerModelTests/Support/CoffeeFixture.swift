import CoffeeTrackerModel
import Foundation
import Futures
import HealthSamples
import Observation
import Persistence

/// An owner's data with its fake store, health store and clock.
@MainActor
struct CoffeeFixture {
    let store = FaultyCoffeeStore()
    let samples: MemorySampleStore
    let health: HealthKitController
    let time: TestTime
    let data: CoffeeData
    private let settings: MemoryStore

    init(health hasHealth: Bool = false) async throws {
        let (time, settings) = (TestTime(), MemoryStore())
        samples = MemorySampleStore(consent: .always, now: { time.now })
        for source in [SampleSource.coffeeTracker, .scale] {
            try await samples.grant(.share, to: [.dietaryCaffeine], source: source)
            try await samples.grant(.read, to: [.dietaryCaffeine], source: source)
        }
        health = HealthKitController(samples: samples, store: store)
        self.time = time
        self.settings = settings
        data = Self.data(store, settings, hasHealth ? health : nil, time)
        try await data.open()
    }

    private static func data(
        _ store: FaultyCoffeeStore, _ settings: MemoryStore, _ health: HealthKitController?, _ time: TestTime
    ) -> CoffeeData {
        var configuration = CoffeeData.Configuration()
        configuration.now = { time.now }
        configuration.makeID = { time.nextID() }
        return CoffeeData(
            owner: "ann", store: store, settings: CoffeeSettings.kept(in: settings), health: health,
            configuration: configuration)
    }

    /// Opens data of the same owner, like another process.
    func another() async throws -> CoffeeData {
        let data = Self.data(store, settings, nil, time)
        try await data.open()
        return data
    }
}

/// A clock that a test sets, and consecutive IDs.
final class TestTime: Sendable {
    private let state = Lock((seconds: 0.0, lastID: 0))
    static let start = moment("2026-03-14 12:00")

    var now: Date { Self.start.addingTimeInterval(state.withLock { $0.seconds }) }

    func advance(hours: Double) {
        state.withLock { $0.seconds += hours * 3600 }
    }

    func nextID() -> UUID {
        .test(
            state.withLock { state in
                state.lastID += 1
                return state.lastID
            })
    }
}

extension SampleSource {
    static let scale = SampleSource(identifier: "scale", name: "Scale")
}

extension Sample {
    /// A sample of another program.
    static func scale(
        _ number: Int, _ milligrams: Double = 50, at start: Date = TestTime.start, sync: SyncIdentity? = nil
    ) -> Sample {
        Sample(
            id: .test(number), type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: start,
            source: .scale, sync: sync)
    }
}

extension DrinkKind {
    /// A kind of the sample application.
    static func sample(_ id: String) -> DrinkKind {
        DrinkCatalogue.sample.first { $0.id == "sample/\(id)" } ?? DrinkCatalogue.sample[0]
    }
}

/// Waits until an observed condition is true, or the test's time limit cancels the task.
@MainActor
func wait(until isMet: @escaping @MainActor () -> Bool) async {
    while !isMet(), !Task.isCancelled {
        let change = Promise<Void, any Error>()
        let isMetNow = withObservationTracking(isMet) { change.resolve(()) }
        if isMetNow { return }
        try? await change.future.value
        // Observation notifies before the change is made.
        await Task.yield()
    }
}

/// Returns the error that an operation throws; `nil` if it succeeds.
@MainActor
func failure(_ operation: @MainActor () async throws -> Void) async -> CoffeeError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? CoffeeError ?? .storage("another error: \(error)")
    }
}
