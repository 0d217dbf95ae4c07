import Capture
import Foundation
import Jobs
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

@testable import Meanwhile

/// What the server does with the results of jobs.
@Suite(.timeLimit(.minutes(10))) struct JobClientTests {
    /// If a server is killed before it has stored a page, the next one reads the output again, because the page may be gone.
    @Test func captureOutputCanBeReadAgainUntilThePageIsStored() async throws {
        try await Workspace.with { workspace in
            let data = try DataFolder.open(at: workspace.data)
            let database = try await AppDatabase.open(in: data, migrations: DatabaseSchema.migrations)
            defer { database.close() }
            let client = JobClient(database: database, captureOptions: CaptureOptions())
            let attempt = CaptureAttempt(page: SavedPage.ID(), owner: "ann", number: 1)
            let url = try #require(URL(string: "http://page.example/"))
            let request = CaptureRequest(url: url, formats: [.png])
            let job = try client.captures.job(attempt, request)
            _ = try await client.queue.enqueue(job)
            let lease = try #require(try await client.queue.lease(lanes: [job.lane], worker: "w", for: 100))
            let output = data.jobs.output(lease.outputName)
            try output.make()
            let report = try CapturedPage(
                PageCapture(
                    requestedURL: url, url: url, title: "Page", httpStatus: 200, contentSize: (10, 10),
                    readiness: .almostIdle,
                    data: [.png: Data("PNG".utf8)], resources: [], warnings: [], duration: .seconds(1)),
                in: output)
            #expect(try await client.queue.end(lease, .succeeded(try JSONEncoder().encode(report))))
            for _ in 0..<2 {
                let capture = try await client.capture(request, for: attempt, options: CaptureOptions()) { _ in }
                #expect(capture.data == [.png: Data("PNG".utf8)])
            }
            try await database.write { [queue = client.queue] transaction in
                try queue.discard(beginningWith: job.id.description, in: transaction)
            }
            #expect(!FileManager.default.fileExists(atPath: output.path))
        }
    }
}
