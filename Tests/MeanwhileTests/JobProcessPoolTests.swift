import BrowserDriver
import Foundation
import SystemPackage
import Testing

@testable import Meanwhile

/// Processes for jobs that don't do what they should.
@Suite(.timeLimit(.minutes(10))) struct JobProcessPoolTests {
    /// The error of a job whose process runs another program.
    private static func error(of program: FilePath) async throws -> JobError? {
        let folder = FilePath(NSTemporaryDirectory()).appending("jobs-\(UUID().uuidString)").string
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = JobProcessPool.Configuration(folder: folder)
        configuration.process.executable = program
        let pool = JobProcessPool(configuration)
        var failure: JobError?
        do throws(JobError) {
            _ = try await pool.run(.pictureCheck, true, limit: .seconds(300))
        } catch {
            failure = error
        }
        await pool.close()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
        return failure
    }

    @Test func aProgramThatCannotBeStartedFailsTheJob() async throws {
        let error = try #require(try await Self.error(of: "/no/such/program"))
        #expect(error.code == JobError.lostCode && error.message.contains("couldn't be started"), "\(error.message)")
    }

    @Test func aProgramThatEndsWithoutAnAnswerFailsTheJob() async throws {
        let error = try #require(try await Self.error(of: "/bin/true"))
        #expect(error.code == JobError.lostCode && error.message.contains("It ended."), "\(error.message)")
    }
}
