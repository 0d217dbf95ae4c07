#if INTERPOSED
    // Linking it is what is measured: nothing here explores.
    import Interleaving
#endif

/// What a hop to an actor and back, and a task, cost in nanoseconds: built with the interposed functions, and without.
@main
enum HopCost {
    static func main() async {
        #if INTERPOSED
            _ = exploration(.inOrder) {}
        #endif
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
        print(hop, task)
    }
}

private actor Counter {
    private var sum = 0

    func add() { sum += 1 }
}
