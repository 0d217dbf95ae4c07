import CAllocationCount
import Figures

/// A library's implementation of an operation: a closure that runs the operation a number of times.
struct Contestant: Sendable {
    let library: Library
    let run: @Sendable (_ times: Int) async throws -> Void

    init(_ library: Library, _ run: @escaping @Sendable (_ times: Int) async throws -> Void) {
        self.library = library
        self.run = run
    }
}

enum Library: String, CaseIterable, Sendable {
    case meanwhile = "Futures"
    case nio = "NIO"
    case openCombine = "OpenCombine"
    case plain = "plain Swift"
}

/// An operation that several libraries implement, measured in alternating rounds.
struct Row: Sendable {
    let name: String
    /// The number of operations in one run, by which the results are divided.
    var operations = 1
    var contestants: [Contestant]
}

/// The results of a row: nanoseconds and allocations per operation, for each library.
struct Outcome {
    var time: [Library: Series] = [:]
    var allocations: [Library: Double] = [:]
}

extension Row {
    /// The minimum duration of a measurement, so that reading the clock is negligible.
    private static let minimumDuration = Duration.milliseconds(20)

    /// Measures all contestants in each round, so that a temporary load on the machine affects all of them.
    func measure(rounds: Int) async throws -> Outcome {
        var outcome = Outcome()
        var times: [Library: Int] = [:]
        for contestant in contestants {
            var count = 1
            while try await Self.time(contestant, count) < Self.minimumDuration { count *= 2 }
            times[contestant.library] = count
            // Warmed up: one-time allocations are done.
            let before = allocation_count()
            try await contestant.run(count)
            outcome.allocations[contestant.library] = Double(allocation_count() - before) / Double(count * operations)
        }
        for _ in 0..<rounds {
            for contestant in contestants {
                let count = times[contestant.library, default: 1]
                let duration = try await Self.time(contestant, count)
                outcome.time[contestant.library, default: Series()].add(
                    duration / .nanoseconds(1) / Double(count * operations))
            }
        }
        return outcome
    }

    private static func time(_ contestant: Contestant, _ count: Int) async throws -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try await contestant.run(count)
        return start.duration(to: clock.now)
    }
}
