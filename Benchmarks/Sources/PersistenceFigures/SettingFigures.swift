import Figures
import Foundation
import Observation
import Persistence

/// Measures the cost of setting a `Stored` value on the main actor.
@MainActor
enum SettingFigures {
    private static let count = 100_000

    struct Palette: Codable, Hashable, Sendable {
        var id = UUID()
        var name: String
        var emojis: String
    }

    /// The baseline: the same property, without persistence.
    @Observable
    final class Plain<Value> {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    static func print(rounds: Int) async throws {
        var table = MarkdownTable(
            columns: [
                "on the main actor, ns", "a property of an @Observable class", "a Stored value", "difference",
                "encoding",
            ])
        let palettes = (0..<9).map { Palette(name: "Palette \($0)", emojis: "🚗🚕🚙🚌🚎🏎") }
        try await add("set an Int", 0, to: &table, rounds: rounds) { $0 += 1 }
        try await add("set one of 9 palettes", palettes, to: &table, rounds: rounds) { $0[4].emojis += "" }
        try await add("set the name of one of 9 palettes", palettes, to: &table, rounds: rounds) { palettes in
            palettes[4].name = palettes[4].name == "a" ? "b" : "a"
        }
        Swift.print(table)
        Swift.print(
            "Processor time, medians of \(rounds) alternating rounds, \(count) sets each. Encoding isn't done on the "
                + "main actor.\n")
        try await coalesced(rounds: rounds)
    }

    private static func add<Value: Codable & Equatable & Sendable>(
        _ name: String, _ value: Value, to table: inout MarkdownTable, rounds: Int, _ change: (inout Value) -> Void
    ) async throws {
        let format = StoredFormat<Value>("value")
        var (plainTimes, storedTimes, encodes) = (Series(), Series(), Series())
        for _ in 0..<rounds {
            let plain = Plain(value)
            plainTimes.add(nanoseconds { for _ in 0..<count { change(&plain.value) } })
            let stored = await Stored("value", in: MemoryStore(), format: format, default: value).load()
            storedTimes.add(nanoseconds { for _ in 0..<count { change(&stored.value) } })
            try await stored.flush()
            encodes.add(
                try nanoseconds { for _ in 0..<count / 100 { _ = try format.content(of: value) } } * 100)
        }
        let (stored, plain) = (storedTimes.median, plainTimes.median)
        table.add([name, plain.digits(0), stored.digits(0), (stored - plain).digits(0), encodes.median.digits(0)])
    }

    /// The thread's processor time per call, which is independent of other load on the machine.
    private static func nanoseconds(_ body: @MainActor () throws -> Void) rethrows -> Double {
        let start = processorTime
        try body()
        return (processorTime - start) / Double(count)
    }

    private static var processorTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
    }

    private static func coalesced(rounds: Int) async throws {
        var times = Series()
        var writes = Series()
        for _ in 0..<rounds {
            try await PersistenceFigures.withFolder { path in
                let store = CountingStore(try await FolderStore.open(at: path))
                let stored = await Stored("value", in: store, format: StoredFormat<Int>("value"), default: 0).load()
                let clock = ContinuousClock()
                let start = clock.now
                for number in 1...count {
                    stored.value = number
                    // The main actor is free in between, as it is in a program.
                    if number.isMultiple(of: 100) { await Task.yield() }
                }
                try await stored.flush()
                times.add(start.duration(to: clock.now).milliseconds)
                writes.add(Double(store.commits))
            }
        }
        Swift.print(
            "\(count) sets and a flush, into a folder: \(times.median.digits(0)) ms, "
                + "\(writes.median.digits(0)) durable writes (medians of \(rounds)).\n")
    }
}
