import Synchronization

#if INTERPOSED
    import Interleaving
#endif

/// What a hop to an actor and back, and a task, cost in nanoseconds: built with the interposed functions, and without.
///
/// Linking them is what is measured, without an exploration. With them it also says how many schedules a second are explored.
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
        /// Of two tasks that each call an actor five times: the body of the figure in a debug build, too.
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

    /// Where tests run: not on the main actor, from which each hop is to another thread.
    @concurrent private static func measured() async -> (hop: Double, task: Double) {
        let counter = Counter()
        let hops = 200_000
        let tasks = 100_000
        let clock = ContinuousClock()
        // Warm.
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

private let passages = Atomic(0)

private actor Counter {
    private var sum = 0

    func add() { sum += 1 }

    /// Work of the caller's own between the calls, without which the compiler leaves out the hops between them.
    nonisolated func count(to number: Int) async {
        for _ in 0..<number {
            await add()
            passages.add(1, ordering: .relaxed)
        }
    }
}
