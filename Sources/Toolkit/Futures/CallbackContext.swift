/// Determines where callbacks run, if not on the thread that settles their future.
///
/// The callbacks of one context run one after another, in the order in which they became due.
public final class CallbackContext: Sendable {
    private struct Mailbox: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var isBeingEmptied = false
    }

    private let mailbox = Lock(Mailbox())
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a context from a function that runs blocks.
    ///
    /// - Parameter start: Runs the block once, on the thread of its choice, at once or later. It must not hold a lock
    ///   that callbacks acquire.
    public init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.start = start
    }
}

extension CallbackContext {
    /// Runs callbacks on the main actor.
    public static let main = CallbackContext { job in
        Task { @MainActor in job() }
    }

    /// Runs callbacks isolated to an actor, so that they may use `assumeIsolated`.
    ///
    /// Store the context where the order of several callbacks matters: two contexts of one actor don't coordinate their
    /// order.
    public static func actor(_ actor: some Actor) -> CallbackContext {
        CallbackContext { job in
            Task { await run(job, on: actor) }
        }
    }

    private static func run(_ job: @Sendable () -> Void, on actor: isolated some Actor) {
        job()
    }

    /// Runs callbacks on a task executor.
    public static func executor(_ executor: any TaskExecutor) -> CallbackContext {
        CallbackContext { job in
            Task(executorPreference: executor) { job() }
        }
    }

    /// Returns a block that calls another one in this context.
    @usableFromInline
    func calling<Argument: Sendable>(
        _ block: @escaping @Sendable (Argument) -> Void
    ) -> @Sendable (Argument) -> Void {
        { argument in self.run { block(argument) } }
    }

    /// Runs a job after the jobs that this context received before.
    private func run(_ job: @escaping @Sendable () -> Void) {
        let mustStart = mailbox.withLock { mailbox in
            mailbox.jobs.append(job)
            defer { mailbox.isBeingEmptied = true }
            return !mailbox.isBeingEmptied
        }
        if mustStart { start { self.empty() } }
    }

    private func empty() {
        while true {
            let jobs = mailbox.withLock { mailbox in
                var jobs: [@Sendable () -> Void] = []
                swap(&jobs, &mailbox.jobs)
                if jobs.isEmpty { mailbox.isBeingEmptied = false }
                return jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job() }
        }
    }
}
