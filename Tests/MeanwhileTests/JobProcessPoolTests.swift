import BrowserDriver
import Foundation
import Jobs
import Persistence
import SystemPackage
import Testing

@testable import Meanwhile

/// Processes for jobs that don't do what they should.
///
/// Each test runs in a process of its own: the pool takes all children of its process that it didn't start for orphans, and ends them;
/// those of other tests, too.
@Suite(.timeLimit(.minutes(10))) struct JobProcessPoolTests {
    /// The error of an attempt whose process runs another program.
    private static func error(of program: FilePath) async throws -> JobError? {
        guard case .lost(let error) = try await attempt(of: program, .request) else { return nil }
        return error
    }

    /// An attempt whose process runs another program.
    private static func attempt(of program: FilePath, _ lifetime: Job.Lifetime) async throws -> JobAttempt {
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
        let attempt = await pool.run(lease) { _ in }
        await pool.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: configuration.data.jobs.path).isEmpty)
        return attempt
    }

    @Test func aProgramThatCannotBeStartedFailsTheJobOfARequest() async throws {
        await #expect(processExitsWith: .success) {
            let error = try #require(try await Self.error(of: "/no/such/program"))
            #expect(
                error.code == JobError.notBegunCode && error.message.contains("couldn't be started"),
                "\(error.message)")
        }
    }

    /// The machine may have no process or memory left.
    @Test func aProgramThatCannotBeStartedPostponesADurableJob() async throws {
        await #expect(processExitsWith: .success) {
            let attempt = try await Self.attempt(of: "/no/such/program", .durable)
            #expect(attempt == .postponed)
        }
    }

    @Test func aProgramThatEndsWithoutAnAnswerFailsTheJob() async throws {
        await #expect(processExitsWith: .success) {
            let error = try #require(try await Self.error(of: "/bin/true"))
            #expect(error.code == JobError.lostCode && error.message.contains("It ended."), "\(error.message)")
        }
    }

    /// It would hold a place of the worker for ever.
    @Test func aProgramThatClosesItsSocketAndGoesOnIsKilled() async throws {
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
