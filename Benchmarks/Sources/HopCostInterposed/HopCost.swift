import Synchronization

#if INTERPOSED
    import Interleaving
#endif

/// Measures the durations of an actor hop and of a task, in nanoseconds.
///
/// The program is built with and without the interposed functions of `Interleaving`: the difference is the cost of
/// linking them when nothing is explored. With them, the program also measures the schedules explored per second.
@main
enum HopCost {
    static func main() async {
        let (hop, task) = await measured()
        #if INTERPOSED
            print(hop, task, schedulesASecond())
        #else
            print(hop, task)
        #endif
    }

    #if INTERPOSED
        /// Explores two tasks that each call an actor five times, as `FigureTests` does.
        private static func schedulesASecond() -> Double {
            let body: @Sendable () async -> Void = {
                let counter = Counter()
                async let first: Void = counter.count(to: 5)
                async let second: Void = counter.count(to: 5)
                _ = await (first, second)
            }
            _ = exploration(.random, schedules: 2_000, body)
            let schedules = 200_000
            let clock = ContinuousClock()
            let start = clock.now
            let explored = exploration(.random, schedules: schedules, seed: 9, body)
            precondition(explored.outcome == .passed, explored.report)
            return Double(schedules) / (start.duration(to: clock.now) / .seconds(1))
        }
    #endif

    /// Runs off the main actor, as tests do: from the main actor, each hop would switch threads.
    @concurrent private static func measured() async -> (hop: Double, task: Double) {
        let counter = Counter()
        let hops = 200_000
        let tasks = 100_000
        let clock = ContinuousClock()
        // Warm-up.
        for _ in 0..<10_000 { await counter.add() }
        var start = clock.now
        for _ in 0..<hops { await counter.add() }
        let hop = start.duration(to: clock.now) / .nanoseconds(1) / Double(hops)
        start = clock.now
        for _ in 0..<tasks { await Task { await counter.add() }.value }
        let task = start.duration(to: clock.now) / .nanoseconds(1) / Double(tasks)
        return (hop, task)
    }
}

private let completedCalls = Atomic(0)

private actor Counter {
    private var sum = 0

    func add() { sum += 1 }

    /// Counts the calls, because the compiler would remove the hops if nothing happened between them.
    nonisolated func count(to number: Int) async {
        for _ in 0..<number {
            await add()
            completedCalls.add(1, ordering: .relaxed)
        }
    }
}
