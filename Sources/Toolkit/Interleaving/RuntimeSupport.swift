import Futures

#if os(Linux) && compiler(>=6.3)
    import CInterleaving
    @_spi(ExperimentalCustomExecutors) import _Concurrency
#endif

/// The features of the runtime on this platform.
enum RuntimeSupport {
    /// The feature that this platform lacks for exploring every hop in virtual time; `nil` if it lacks none.
    static let missing: String? = {
        #if os(Linux) && compiler(>=6.3)
            if let missing = missingAtInstallation { return missing }
            return selfTest()
        #else
            return "Linux and Swift 6.3"
        #endif
    }()

    /// Returns the best runner for this runtime; prints once which feature is missing.
    static func runner(missing: String?, hangTimeout: Duration, preemptsAtLocks: Bool) -> any ScheduleRunner {
        #if os(Linux) && compiler(>=6.3)
            if missing == nil {
                return Engine(hangTimeout: hangTimeout, preemptsAtLocks: preemptsAtLocks && interleaving_sees_locks())
            }
        #endif
        if let missing {
            isReported.withLock { isReported in
                if !isReported { Environment.warn(limitation(missing)) }
                isReported = true
            }
        }
        return TaskExecutorEngine(hangTimeout: hangTimeout)
    }

    /// Returns a description of what is still explored without the missing feature; `nil` if everything is.
    static func limitation(_ missing: String?, preemptsAtLocks: Bool) -> String? {
        if let missing { return limitation(missing) }
        #if os(Linux) && compiler(>=6.3)
            if preemptsAtLocks, !interleaving_sees_locks() {
                return "with the thread sanitizer, tasks aren't interrupted at locks; blocks of queues run elsewhere"
            }
        #endif
        return nil
    }

    private static func limitation(_ missing: String) -> String {
        "without \(missing) only tasks that prefer an executor are explored; \(TaskExecutorEngine.limits)"
    }

    private static let isReported = Lock(false)

    #if os(Linux) && compiler(>=6.3)
        /// The feature that the runtime lacks for the interposed executors; `nil` if it lacks none.
        ///
        /// The first use installs these executors, and must precede the use of any other executor.
        static let missingAtInstallation: String? = {
            _createExecutors(factory: InterposingExecutors.self)
            return interleaving_install().map { String(cString: $0) }
        }()

        /// Checks that the private interfaces behave as expected: hops are choices, time is virtual, tasks have the
        /// known layout.
        private static func selfTest() -> String? {
            let probe = Probe()
            var chooser = Chooser(.inOrder)
            let engine = Engine(hangTimeout: .milliseconds(100))
            // Finding them takes long. It also reads all files that the process has mapped, and crashes if another thread
            // ends such a mapping meanwhile.
            engine.findsLines = false
            let schedule = engine.run(
                {
                    let start = ContinuousClock.now
                    async let other: Void = probe.note(1)
                    await probe.note(2)
                    await other
                    try await Task.sleep(for: .seconds(3600))
                    await MainActor.run { MainActor.assertIsolated() }
                    guard ContinuousClock.now - start == .seconds(3600) else { throw Unfit() }
                    await Task { await probe.note(3) }.value
                },
                &chooser, seed: 0, stepLimit: 1000, traces: true)
            guard schedule.outcome == .passed else {
                return "a runtime that passes the self-test of Interleaving (\(schedule.outcome.summary))"
            }
            guard schedule.choices.count >= 2 else { return "a runtime that reports its hops" }
            return nil
        }

        private struct Unfit: Error {}

        private actor Probe {
            private var notes: [Int] = []

            func note(_ number: Int) { notes.append(number) }
        }
    #endif
}

#if os(Linux) && compiler(>=6.3)
    /// Called by the loader before `main`, and thus before any other thread starts.
    @_cdecl("interleaving_boot")
    public func interleavingBoot() {
        _ = RuntimeSupport.missingAtInstallation
    }
#endif
