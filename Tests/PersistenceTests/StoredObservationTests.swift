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

    private func kept(_ key: StoreKey = "numbers") async -> Stored<[Int]> {
        await Stored(
            key, in: store, format: .numbers, default: [0], settings: settings, validating: { $0.isEmpty ? nil : $0 }
        ).load()
    }

    /// The names of the observable properties whose observers an action notifies.
    private func woken(
        _ kept: Stored<[Int]>, _ action: @MainActor () async throws -> Void
    ) async throws -> Set<String> {
        let reads: [(String, @MainActor () -> Void)] = [
            ("value", { _ = kept.value }), ("status", { _ = kept.status }), ("reports", { _ = kept.reports }),
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

    /// Shows why `Stored` has its own registrar: `@Observable` observes stored properties only, and a store isn't one.
    @Test func aComputedPropertyOverAStoreNotifiesOnlyByAccessAndMutation() async {
        let silent = UnregisteredNumbers()
        #expect(await !wakes({ _ = silent.numbers }, when: { silent.numbers = [1] }))
        #expect(silent.numbers == [1])
        let observed = RegisteredNumbers()
        #expect(await wakes({ _ = observed.numbers }, when: { observed.numbers = [1] }))
        #expect(observed.numbers == [1])
    }

    @Test func settingWakesWhoReadsTheValueAndTheFirstTimeTheStatus() async throws {
        let kept = await kept()
        #expect(try await woken(kept) { kept.value = [1] } == ["value", "status"])
        #expect(try await woken(kept) { kept.value = [2] } == ["value"])
        #expect(try await woken(kept) { try await kept.flush() } == ["status"])
    }

    @Test func whatIsEqualOrRefusedWakesNobodyAndIsNotWritten() async throws {
        let kept = await kept()
        #expect(try await woken(kept) { kept.value = [0] } == [])
        #expect(try await woken(kept) { kept.value = [] } == [])
        #expect(try await woken(kept) { try await kept.flush() } == [])
        #expect(store.commits.isEmpty)
    }

    @Test func anotherKeyWakesNobody() async throws {
        let kept = await kept()
        let other = await self.kept("others")
        let isWoken = try await woken(kept) {
            other.value = [1]
            try await other.flush()
        }
        #expect(isWoken == [])
        #expect(kept.value == [0])
    }

    @Test func whatOthersWriteWakesWhoReadsTheValue() async throws {
        let kept = await kept()
        let isWoken = try await woken(kept) {
            try await store.write([1], "numbers")
            await until { kept.value == [1] }
        }
        #expect(isWoken == ["value"])
        // Another write of the same value changes nothing visible.
        let reads = store.reads
        let isWokenAgain = try await woken(kept) {
            try await store.write([1], "numbers")
            while store.reads < reads + 2, !Task.isCancelled { await Task.yield() }
            try await kept.flush()
        }
        #expect(isWokenAgain == [])
    }

    @Test func aWriteThatFailsWakesWhoReadsTheStatus() async throws {
        let kept = await kept()
        kept.value = [1]
        store.failCommits([.broken])
        #expect(try await woken(kept) { try? await kept.flush() } == ["status"])
        #expect(try await woken(kept) { try await kept.flush() } == ["status"])
    }

    @Test func aConflictWakesWhoReadsTheReports() async throws {
        try await store.write([1], "numbers")
        let kept = Stored("numbers", in: store, format: .numbers, default: [0], settings: settings)
        kept.value = [2]
        #expect(try await woken(kept) { try await kept.flush() } == ["status", "reports"])
        #expect(try await woken(kept) { kept.dismissReports() } == ["reports"])
        #expect(try await woken(kept) { kept.dismissReports() } == [])
    }

    @Test func observationsOfAnObservableClassSeeIt() async throws {
        let palettes = Palettes(store, settings)
        await palettes.$names.load()
        let isWoken = await wakes({ _ = palettes.names }, when: { palettes.names.append("Math") })
        #expect(isWoken)
        #expect(palettes.names == ["Vehicles", "Math"])
        let isWokenByAnother = await wakes({ _ = palettes.names }, when: { palettes.cursor = 1 })
        #expect(!isWokenByAnother)
        let isWokenByStatus = try await wakes({ _ = palettes.names }, when: { try await palettes.$names.flush() })
        #expect(!isWokenByStatus)
        #expect(palettes.$names.status.isSaved)
    }

    @Test func aStreamOfObservationsSeesTheNewest() async throws {
        let kept = await kept()
        let stream = Observations { kept.value }
        let last = Task { @MainActor in
            for await value in stream where value == [3] { return value }
            return []
        }
        for number in 1...3 {
            kept.value = [number]
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

/// The course's first version, which compiles, but notifies no observers.
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
