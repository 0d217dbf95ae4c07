/// Where callbacks run that are not to run on the thread that settles their future.
///
/// Callbacks that are given to one context run one after another, in the order in which their turn came.
public final class CallbackContext: Sendable {
    private struct Mailbox: Sendable {
        var jobs: [@Sendable () -> Void] = []
        var isBeingEmptied = false
    }

    private let mailbox = Lock(Mailbox())
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a context of whatever runs blocks.
    ///
    /// - Parameter start: Runs the block, once, wherever it is to be run: at once or later. Not while it holds a lock that
    ///   callbacks want.
    public init(start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.start = start
    }
}

extension CallbackContext {
    /// The main actor.
    public static let main = CallbackContext { job in
        Task { @MainActor in job() }
    }

    /// An actor: callbacks run isolated to it, and may assume so (`assumeIsolated`).
    ///
    /// Keep the context where order matters between several callbacks; two contexts of one actor know nothing of each
    /// other.
    public static func actor(_ actor: some Actor) -> CallbackContext {
        CallbackContext { job in
            Task { await run(job, on: actor) }
        }
    }

    private static func run(_ job: @Sendable () -> Void, on actor: isolated some Actor) {
        job()
    }

    /// A task executor.
    public static func executor(_ executor: any TaskExecutor) -> CallbackContext {
        CallbackContext { job in
            Task(executorPreference: executor) { job() }
        }
    }

    /// A block that calls another one in this context.
    @usableFromInline
    func calling<Argument: Sendable>(
        _ block: @escaping @Sendable (Argument) -> Void
    ) -> @Sendable (Argument) -> Void {
        { argument in self.run { block(argument) } }
    }

    /// Runs a job after those that were given to this context before.
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
