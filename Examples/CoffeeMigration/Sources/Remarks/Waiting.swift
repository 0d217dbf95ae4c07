import Dispatch

/// Step 5: `await` is like `DispatchQueue.sync`, except that the caller is suspended and not blocked.
enum Waiting {
    /// Runs the work on another queue and blocks the caller's queue until it ends.
    static func blocked<Result>(_ work: () -> Result) -> Result {
        DispatchQueue(label: "coffee-tracker.other-queue").sync(execute: work)
    }

    /// Runs the work on another actor and suspends the caller until it ends: its queue is free meanwhile.
    static func suspended<Result: Sendable>(_ work: @Sendable () -> Result) async -> Result {
        await OtherActor().run(work)
    }
}

private actor OtherActor {
    func run<Result: Sendable>(_ work: @Sendable () -> Result) -> Result { work() }
}
