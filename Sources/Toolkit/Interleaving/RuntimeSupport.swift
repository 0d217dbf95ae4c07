import Futures

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
#if os(Linux) && compiler(>=6.3)
    import CInterleaving
    @_spi(ExperimentalCustomExecutors) import _Concurrency
#endif

/// What the runtime offers here.
enum RuntimeSupport {
    /// What is missing for making every hop a choice, and for virtual time; `nil` if nothing is.
    static let missing: String? = {
        #if os(Linux) && compiler(>=6.3)
            if let missing = installed { return missing }
            return selfTest()
        #else
            return "that needs Linux and Swift 6.3"
        #endif
    }()

    /// The best runner that there is here; prints once what the runtime lacks.
    static func runner(missing: String?, patience: Duration) -> any ScheduleRunner {
        #if os(Linux) && compiler(>=6.3)
            if missing == nil { return Engine(patience: patience) }
        #endif
        if let missing {
            isSaid.withLock { isSaid in
                if !isSaid {
                    let line = Array("Interleaving: \(limitation(missing))\n".utf8)
                    _ = unsafe write(STDERR_FILENO, line, line.count)
                }
                isSaid = true
            }
        }
        return TaskExecutorEngine(patience: patience)
    }

    /// What is explored in spite of what is missing.
    static func limitation(_ missing: String) -> String {
        "without \(missing) only tasks that prefer an executor are explored; \(TaskExecutorEngine.limits)"
    }

    private static let isSaid = Lock(false)

    #if os(Linux) && compiler(>=6.3)
        /// Puts the interposed executors in place, before any other is used; what is missing for that.
        static let installed: String? = {
            _createExecutors(factory: InterposingExecutors.self)
            return interleaving_install().map { String(cString: $0) }
        }()

        /// Whether the private interfaces are what they were: a hop is a choice, time stands, tasks look as expected.
        private static func selfTest() -> String? {
            let probe = Probe()
            var chooser = Chooser(.inOrder, points: 1)
            let schedule = Engine(patience: .milliseconds(100)).run(
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
                return "the runtime does not do what it did when this was written: \(schedule.outcome.summary)"
            }
            guard schedule.choices.count >= 2 else { return "hops that the runtime tells of" }
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
    /// Called by the loader: before main, and so before any other thread.
    @_cdecl("interleaving_boot")
    public func interleavingBoot() {
        _ = RuntimeSupport.installed
    }
#endif
