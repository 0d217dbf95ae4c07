import Testing

@testable import Meanwhile

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Processes that don't exit by themselves.
@Suite(.timeLimit(.minutes(10))) struct ForcedExitTests {
    @Test func aSignalEndsAProcessWhoseThreadsAreBlocked() async throws {
        await #expect(processExitsWith: .success) {
            signal(SIGTERM, SIG_IGN)
            let watch = ForcedExit.schedule(secondsAfterSignal: 0.1, [SIGTERM, SIGINT])
            for _ in 0..<64 { Task.detached { while true { pause() } } }
            withExtendedLifetime(watch) {
                // Dispatch starts listening shortly after the source was created, so send the signal repeatedly.
                while true {
                    kill(getpid(), SIGTERM)
                    poll(nil, 0, 10)
                }
            }
        }
    }

    @Test func scheduledExitEndsAHangingProcess() async throws {
        await #expect(processExitsWith: .exitCode(3)) {
            ForcedExit.schedule(after: 0.1, status: 3)
            while true { pause() }
        }
    }
}
