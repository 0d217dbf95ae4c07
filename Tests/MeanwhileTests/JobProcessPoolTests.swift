import BrowserDriver
import Foundation
import Futures
import Jobs
import MemoryJobs
import Persistence
import SystemPackage
import Testing

@testable import Meanwhile

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// Tests the pool with job processes that misbehave.
///
/// The pool kills every child of its process that it didn't start, even a child of another test. Each test therefore
/// runs in its own process.
@Suite(.timeLimit(.minutes(10))) struct JobProcessPoolTests {
    /// Runs an attempt whose process runs another program, and returns its error if it was lost.
    private static func error(of program: FilePath) async throws -> JobError? {
        guard case .lost(let error) = try await attempt(of: program, .request) else { return nil }
        return error
    }

    /// Runs an attempt whose process runs another program, optionally with a limited number of further file
    /// descriptors.
    private static func attempt(
        of program: FilePath, _ lifetime: Job.Lifetime, descriptors: Int? = nil
    ) async throws -> JobAttempt {
        let path = FilePath(NSTemporaryDirectory()).appending("jobs-\(UUID().uuidString)").string
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = JobProcessPool.Configuration(data: try DataFolder.open(at: path))
        configuration.process.executable = program
        configuration.process.exitLimit = .milliseconds(200)
        let pool = JobProcessPool(configuration)
        let queue = MemoryJobQueue()
        _ = try queue.enqueue(
            Job(
                id: "a", owner: "ann", kind: JobKind.pictureCheck.rawValue, attemptLimit: .seconds(300),
                lifetime: lifetime))
        let lease = try #require(try queue.lease(lanes: ["default"], worker: "a worker", for: 300))
        // Dispatch opens a descriptor for the timers of this clock at the first sleep that has to wait, and traps if it
        // can't. A real worker has opened it before descriptors run out.
        while try !hasTimer() { try await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(1)) }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        if let descriptors {
            // Some of the numbers above the lowest free one can be in use.
            let free = (CInt(0)...).lazy.filter { fcntl($0, F_GETFD) == -1 }.prefix(descriptors)
            var lower = limit
            lower.rlim_cur = rlim_t(try #require(free.reversed().first) + 1)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lower)
        }
        let attempt = await pool.run(lease) { _ in }
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        await pool.close()
        await JobFolder.waitForRemovals(atMost: .seconds(300))
        #expect(try FileManager.default.contentsOfDirectory(atPath: configuration.data.jobs.path).isEmpty)
        return attempt
    }

    /// Whether there is a timer of `CLOCK_BOOTTIME`, the clock with the number 7; see proc_pid_fdinfo(5).
    private static func hasTimer() throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fdinfo").contains { file in
            (try? String(contentsOfFile: "/proc/self/fdinfo/\(file)", encoding: .utf8))?.contains("clockid: 7\n")
                == true
        }
    }

    @Test func missingProgramIsALostAttempt() async throws {
        await #expect(processExitsWith: .success) {
            let error = try #require(try await Self.error(of: "/no/such/program"))
            #expect(
                error.code == JobError.lostCode && error.message.contains("couldn't be started"), "\(error.message)")
        }
    }

    /// Without resources, a durable job's attempt is postponed and doesn't count, and a request's job fails with a code.
    ///
    /// Later jobs are started again.
    ///
    /// The first process needs the null device, which stays open, and a socket pair: two descriptors aren't enough.
    /// Dispatch needs the one that remains: once a second it opens a file in `/proc` for each of its threads, and traps
    /// if it can't.
    ///
    /// Regression test: if the null device couldn't be opened, no job was started until the process exited.
    @Test(arguments: [Job.Lifetime.durable, .request])
    func jobIsNotStartedWithoutFreeDescriptors(lifetime: Job.Lifetime) async throws {
        await #expect(processExitsWith: .success) { [isDurable = (lifetime == .durable) as Bool] in
            let attempt = try await Self.attempt(of: "/bin/true", isDurable ? .durable : .request, descriptors: 2)
            if isDurable {
                #expect(attempt == .postponed)
            } else if case .lost(let error) = attempt {
                #expect(error.code == JobError.notStartedCode, "\(error.message)")
            } else {
                Issue.record("\(attempt)")
            }
            let later = try #require(try await Self.error(of: "/bin/true"))
            #expect(later.code == JobError.lostCode && later.message.contains("It exited."), "\(later.message)")
        }
    }

    @Test func programThatExitsWithoutAResultFailsTheJob() async throws {
        await #expect(processExitsWith: .success) {
            let error = try #require(try await Self.error(of: "/bin/true"))
            #expect(error.code == JobError.lostCode && error.message.contains("It exited."), "\(error.message)")
        }
    }

    /// A program that kept running would occupy a slot of the worker forever.
    @Test func programThatClosesItsSocketAndKeepsRunningIsKilled() async throws {
        await #expect(processExitsWith: .success) {
            let script = NSTemporaryDirectory() + "meanwhile-deaf-\(UUID().uuidString)"
            defer { try? FileManager.default.removeItem(atPath: script) }
            try Data("#!/bin/sh\nexec 0<&-\nexec sleep 3600\n".utf8).write(to: URL(filePath: script))
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
            let error = try #require(try await Self.error(of: FilePath(script)))
            #expect(error.code == JobError.lostCode && error.message.contains("It was killed"), "\(error.message)")
        }
    }
}
