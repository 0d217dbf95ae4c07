import Foundation
import Interleaving
import Testing

/// The figures of docs/figures.md: `script/bench interleaving` prints them, and ordinary runs check limits with fewer
/// schedules.
@Suite(.timeLimit(.minutes(30)), .serialized) struct FigureTests {
    private static let isFull = ProcessInfo.processInfo.environment["INTERLEAVING_FIGURES"] == "1"

    private static let strategies: [(name: String, strategy: Strategy)] = [
        ("portfolio", .portfolio), ("random", .random), ("PCT-2", .pct(2)), ("PCT-3", .pct(3)), ("PCT-5", .pct(5)),
        ("≤ 2 preemptions", .exhaustive()),
    ]

    /// The number of schedules that each strategy needs to find each bug.
    @Test func everyBugIsFoundByAStrategy() {
        let seeds: ClosedRange<UInt64> = Self.isFull ? 1...20 : 1...1
        let limit = Self.isFull ? 5_000 : 500
        var rows = ["| bug | " + Self.strategies.map(\.name).joined(separator: " | ") + " |"]
        rows.append("|---|" + String(repeating: "---:|", count: Self.strategies.count))
        for bug in Bug.all {
            var cells: [String] = []
            var isFound = false
            for (_, strategy) in Self.strategies {
                let finds = seeds.map { seed in
                    let found = exploration(
                        strategy, schedules: limit, seed: seed, hangTimeout: .milliseconds(1), bug.faulty)
                    return found.outcome == .passed ? nil : found.schedules
                }
                let sorted = finds.compactMap(\.self).sorted()
                isFound = isFound || !sorted.isEmpty
                guard let maximum = sorted.last, finds.count == sorted.count else {
                    cells.append(sorted.isEmpty ? "–" : "\(sorted.count) of \(finds.count)")
                    continue
                }
                cells.append("\(sorted[sorted.count / 2]) (\(maximum))")
            }
            #expect(isFound, "\(bug.name)")
            rows.append("| \(bug.name) | " + cells.joined(separator: " | ") + " |")
        }
        if Self.isFull { print(rows.joined(separator: "\n")) }
    }

    /// The number of schedules that each search needs for all behaviours of correct code.
    @Test func searchesEndWithoutAFailure() {
        let searches: [Strategy] = [
            .exhaustive(preemptions: 1), .exhaustive(preemptions: 2), .exhaustive(preemptions: nil), .partialOrder,
        ]
        let limit = Self.isFull ? 100_000 : 200
        var rows = ["| bug | ≤ 1 preemption | ≤ 2 preemptions | all | one of each order |"]
        rows.append("|---|---:|---:|---:|---:|")
        for bug in Bug.all {
            let cells = searches.map { search in
                let run = exploration(search, schedules: limit, hangTimeout: .milliseconds(1), bug.correct)
                #expect(run.outcome == .passed, "\(bug.name): \(run.report)")
                #expect(run.isExhausted || run.schedules == limit)
                return run.isExhausted ? "\(run.schedules)" : "> \(limit)"
            }
            rows.append("| \(bug.name) | " + cells.joined(separator: " | ") + " |")
        }
        if Self.isFull { print(rows.joined(separator: "\n")) }
    }

    /// The number of schedules a second, and the memory that they leave allocated.
    ///
    /// Measured in a separate process, so that allocations of other tests don't count.
    @Test func manySchedulesLeaveLittleMemoryAllocated() async throws {
        let result = try await #require(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let schedules = FigureTests.isFull ? 1_000_000 : 5_000
            let body: @Sendable () async -> Void = {
                let counter = Counter()
                async let first: Void = counter.count(to: 5)
                async let second: Void = counter.count(to: 5)
                _ = await (first, second)
            }
            // Warms up, and allocates all memory that is allocated once.
            _ = exploration(.random, schedules: 2_000, body)
            let before = try residentKilobytes()
            let clock = ContinuousClock()
            let start = clock.now
            let explored = exploration(.random, schedules: schedules, seed: 9, body)
            let duration = start.duration(to: clock.now)
            let after = try residentKilobytes()
            #expect(explored.outcome == .passed && explored.schedules == schedules)
            #expect(after - before < 32_000, "from \(before) to \(after) kB")
            let rate = Double(schedules) / (duration / .seconds(1))
            print("\(Int(rate)) schedules a second; \(before) kB before \(schedules) schedules, \(after) kB after")
        }
        if Self.isFull { print(String(decoding: result.standardOutputContent, as: UTF8.self)) }
    }
}

/// The resident memory of this process, in kilobytes.
private func residentKilobytes() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return try #require(line?.split(separator: " ").compactMap { Int($0) }.first)
}

private actor Counter {
    private var sum = 0

    func add() { sum += 1 }

    nonisolated func count(to number: Int) async {
        for _ in 0..<number {
            await add()
            keepActorHop()
        }
    }
}
