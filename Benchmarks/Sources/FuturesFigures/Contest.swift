import CAllocationCount
import Figures

/// One library's way to do what a row says, so many times.
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

/// What several libraries do alike, measured in turns.
struct Row: Sendable {
    let name: String
    /// What is divided by: how many operations one time is.
    var operations = 1
    var contestants: [Contestant]
}

/// What came of a row: for each library, nanoseconds and allocations an operation.
struct Outcome {
    var time: [Library: Series] = [:]
    var allocations: [Library: Double] = [:]
}

extension Row {
    /// How long one measurement takes at the least, so that the clock's own time is nothing beside it.
    private static let least = Duration.milliseconds(20)

    /// Measures all contestants in each of the rounds, so that a machine that is busy for a while is busy for all.
    func measure(rounds: Int) async throws -> Outcome {
        var outcome = Outcome()
        var times: [Library: Int] = [:]
        for contestant in contestants {
            var count = 1
            while try await Self.time(contestant, count) < Self.least { count *= 2 }
            times[contestant.library] = count
            // Warm by now: what is allocated once is allocated.
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
