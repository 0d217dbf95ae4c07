import BrowserDriver
import Foundation
import Jobs
import Persistence
import SystemPackage
import Testing

@testable import Meanwhile

/// Processes for jobs that don't do what they should.
@Suite(.timeLimit(.minutes(10))) struct JobProcessPoolTests {
    /// The error of an attempt whose process runs another program.
    private static func error(of program: FilePath) async throws -> JobError? {
        let path = FilePath(NSTemporaryDirectory()).appending("jobs-\(UUID().uuidString)").string
        defer { try? FileManager.default.removeItem(atPath: path) }
        var configuration = JobProcessPool.Configuration(data: try DataFolder.open(at: path))
        configuration.process.executable = program
        configuration.process.exitLimit = .milliseconds(200)
        let pool = JobProcessPool(configuration)
        let queue = MemoryJobQueue()
        _ = try queue.enqueue(
            Job(id: "a", owner: "ann", kind: JobKind.pictureCheck.rawValue, attemptLimit: .seconds(300)))
        let lease = try #require(try queue.lease(lanes: ["default"], worker: "a worker", for: 300))
        let attempt = await pool.run(lease) { _ in }
        await pool.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: configuration.data.jobs.path).isEmpty)
        guard case .lost(let error) = attempt else { return nil }
        return error
    }

    @Test func aProgramThatCannotBeStartedFailsTheJob() async throws {
        let error = try #require(try await Self.error(of: "/no/such/program"))
        #expect(error.code == JobError.lostCode && error.message.contains("couldn't be started"), "\(error.message)")
    }

    @Test func aProgramThatEndsWithoutAnAnswerFailsTheJob() async throws {
        let error = try #require(try await Self.error(of: "/bin/true"))
        #expect(error.code == JobError.lostCode && error.message.contains("It ended."), "\(error.message)")
    }

    /// It would hold a place of the worker for ever.
    @Test func aProgramThatClosesItsSocketAndGoesOnIsKilled() async throws {
        let script = NSTemporaryDirectory() + "meanwhile-deaf-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: script) }
        try Data("#!/bin/sh\nexec 0<&-\nexec sleep 3600\n".utf8).write(to: URL(filePath: script))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: script)
        let error = try #require(try await Self.error(of: FilePath(script)))
        #expect(error.code == JobError.lostCode && error.message.contains("It was killed"), "\(error.message)")
    }
}
