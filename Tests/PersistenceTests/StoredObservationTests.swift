import Foundation
import Observation
import Testing
import VirtualTime

@testable import Persistence

/// Which observers each change notifies.
@MainActor
@Suite(.timeLimit(.minutes(20))) struct StoredObservationTests {
    private let store = FaultyStore()
    private let clock = ManualClock()

    private var settings: AutosaveSettings { AutosaveSettings(delay: .seconds(1), clock: clock) }

    private func stored(_ key: StoreKey = "numbers") async -> Stored<[Int]> {
        await Stored(
            key, in: store, format: .numbers, default: [0], settings: settings, validating: { $0.isEmpty ? nil : $0 }
        ).load()
    }

    /// The names of the observable properties whose observers an action notifies.
    private func notifiedProperties(
        _ stored: Stored<[Int]>, _ action: @MainActor () async throws -> Void
    ) async throws -> Set<String> {
        let reads: [(String, @MainActor () -> Void)] = [
            ("value", { _ = stored.value }), ("status", { _ = stored.status }), ("reports", { _ = stored.reports }),
        ]
        var flags: [String: Flag] = [:]
        for (name, read) in reads {
            let flag = Flag()
            flags[name] = flag
            withObservationTracking(read) { flag.raise() }
        }
        try await action()
        return Set(flags.filter { $0.value.isRaised }.keys)
    }

    /// Shows why `Stored` has its own registrar: `@Observable` doesn't observe computed properties.
    @Test func aComputedPropertyOverAStoreNotifiesOnlyByAccessAndMutation() async {
        let silent = UnregisteredNumbers()
        #expect(await !notifies({ _ = silent.numbers }, when: { silent.numbers = [1] }))
        #expect(silent.numbers == [1])
        let observed = RegisteredNumbers()
        #expect(await notifies({ _ = observed.numbers }, when: { observed.numbers = [1] }))
        #expect(observed.numbers == [1])
    }

    @Test func onlyTheFirstSetNotifiesTheStatusBesidesTheValue() async throws {
        let stored = await stored()
        #expect(try await notifiedProperties(stored) { stored.value = [1] } == ["value", "status"])
        #expect(try await notifiedProperties(stored) { stored.value = [2] } == ["value"])
        #expect(try await notifiedProperties(stored) { try await stored.flush() } == ["status"])
    }

    @Test func equalOrInvalidValueNotifiesNoObserverAndIsNotWritten() async throws {
        let stored = await stored()
        #expect(try await notifiedProperties(stored) { stored.value = [0] } == [])
        #expect(try await notifiedProperties(stored) { stored.value = [] } == [])
        #expect(try await notifiedProperties(stored) { try await stored.flush() } == [])
        #expect(store.commits.isEmpty)
    }

    @Test func changeOfAnotherKeyNotifiesNoObserver() async throws {
        let stored = await stored()
        let other = await self.stored("others")
        let notified = try await notifiedProperties(stored) {
            other.value = [1]
            try await other.flush()
        }
        #expect(notified == [])
        #expect(stored.value == [0])
    }

    @Test func writeOfAnotherWriterNotifiesOnlyTheValue() async throws {
        let stored = await stored()
        let notified = try await notifiedProperties(stored) {
            try await store.write([1], "numbers")
            await until { stored.value == [1] }
        }
        #expect(notified == ["value"])
        // Another write of the same value changes nothing visible.
        let reads = store.reads
        let notifiedAgain = try await notifiedProperties(stored) {
            try await store.write([1], "numbers")
            while store.reads < reads + 2, !Task.isCancelled { await Task.yield() }
            try await stored.flush()
        }
        #expect(notifiedAgain == [])
    }

    @Test func failedWriteNotifiesOnlyTheStatus() async throws {
        let stored = await stored()
        stored.value = [1]
        store.failCommits([.temporary])
        #expect(try await notifiedProperties(stored) { try? await stored.flush() } == ["status"])
        #expect(try await notifiedProperties(stored) { try await stored.flush() } == ["status"])
    }

    @Test func conflictNotifiesStatusAndReports() async throws {
        try await store.write([1], "numbers")
        let stored = Stored("numbers", in: store, format: .numbers, default: [0], settings: settings)
        stored.value = [2]
        #expect(try await notifiedProperties(stored) { try await stored.flush() } == ["status", "reports"])
        #expect(try await notifiedProperties(stored) { stored.dismissReports() } == ["reports"])
        #expect(try await notifiedProperties(stored) { stored.dismissReports() } == [])
    }

    @Test func observerOfAnObservableClassSeesItsStoredProperty() async throws {
        let palettes = Palettes(store, settings)
        await palettes.$names.load()
        let isNotified = await notifies({ _ = palettes.names }, when: { palettes.names.append("Math") })
        #expect(isNotified)
        #expect(palettes.names == ["Vehicles", "Math"])
        let isNotifiedByCursor = await notifies({ _ = palettes.names }, when: { palettes.cursor = 1 })
        #expect(!isNotifiedByCursor)
        let isNotifiedByStatus = try await notifies({ _ = palettes.names }, when: { try await palettes.$names.flush() })
        #expect(!isNotifiedByStatus)
        #expect(palettes.$names.status.isSaved)
    }

    @Test func observationStreamDeliversTheLatestValue() async throws {
        let stored = await stored()
        let stream = Observations { stored.value }
        let last = Task { @MainActor in
            for await value in stream where value == [3] { return value }
            return []
        }
        for number in 1...3 {
            stored.value = [number]
            await Task.yield()
        }
        #expect(await last.value == [3])
    }
}

/// A class with a stored value: one line declares it, and one creates it.
@MainActor @Observable private final class Palettes {
    @ObservationIgnored @Stored var names: [String]
    var cursor = 0

    init(_ store: any Store, _ settings: AutosaveSettings) {
        _names = Stored(
            "palettes/Main", in: store, format: StoredFormat("palettes"), default: ["Vehicles"], settings: settings)
    }
}

/// Represents `UserDefaults`, which `@Observable` can't observe.
@MainActor private final class Defaults {
    var numbers = [0]
}

/// The first version in the course (text 002 in docs/origins.md): it compiles, but notifies no observers.
@MainActor @Observable private final class UnregisteredNumbers {
    @ObservationIgnored private let defaults = Defaults()

    var numbers: [Int] {
        get { defaults.numbers }
        set { defaults.numbers = newValue }
    }
}

/// The version that notifies observers.
@MainActor @Observable private final class RegisteredNumbers {
    @ObservationIgnored private let defaults = Defaults()

    var numbers: [Int] {
        get {
            access(keyPath: \.numbers)
            return defaults.numbers
        }
        set { withMutation(keyPath: \.numbers) { defaults.numbers = newValue } }
    }
}
