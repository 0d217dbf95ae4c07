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
        let restore = try descriptors.map(Self.limitDescriptors)
        let attempt = await pool.run(lease) { _ in }
        restore?()
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

    /// Leaves only the given number of descriptors to this process.
    ///
    /// - Returns: Ends the limit.
    private static func limitDescriptors(_ count: Int) throws -> () -> Void {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        // Some of the numbers above the lowest free one can be in use.
        let free = Array((CInt(0)...).lazy.filter { fcntl($0, F_GETFD) == -1 }.prefix(count + 1))
        var lower = limit
        lower.rlim_cur = rlim_t(free[count])
        try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lower) == 0)
        return { setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) }
    }

    /// Without resources, a durable job's attempt is postponed and doesn't count, and a request's job fails with a code.
    ///
    /// Jobs start again once descriptors are free. A process needs six: the null device, which stays open, a socket pair,
    /// and three of Subprocess. Dispatch needs one more: once a second it opens a file in `/proc` for each of its threads,
    /// and traps if it can't.
    ///
    /// Regression test: if Subprocess had too few for its first process, it reported no end of a process from then on.
    @Test(arguments: [Job.Lifetime.durable, .request], [2, 3, 5])
    func jobIsNotStartedWithoutFreeDescriptors(lifetime: Job.Lifetime, descriptors: Int) async throws {
        await #expect(processExitsWith: .success) {
            [isDurable = (lifetime == .durable) as Bool, descriptors = descriptors as Int] in
            let attempt = try await Self.attempt(
                of: "/bin/true", isDurable ? .durable : .request, descriptors: descriptors)
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

    /// Regression test: the process started, and its end was never noticed.
    @Test func jobEndsIfTheDescriptorOfItsProcessCanNotBeOpened() async throws {
        await #expect(processExitsWith: .success) {
            _ = try await Self.error(of: "/bin/true")
            guard case .lost(let error) = try await Self.attempt(of: "/bin/true", .request, descriptors: 2) else {
                Issue.record("The job wasn't lost.")
                return
            }
            #expect(error.code == JobError.notStartedCode, "\(error.message)")
        }
    }

    /// Regression test: if the null device couldn't be opened, no job started until the program ended.
    @Test func jobStartsAfterTheNullDeviceCouldNotBeOpened() async throws {
        await #expect(processExitsWith: .success) {
            let restore = try Self.limitDescriptors(0)
            let child = Result { try ChildProcess("job", ChildProcess.Configuration()) { _ in true } }
            restore()
            #expect(throws: Errno.tooManyOpenFiles) { try child.get() }
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
