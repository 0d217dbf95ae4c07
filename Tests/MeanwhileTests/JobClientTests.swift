import Capture
import Dispatch
import Foundation
import FuturesFoundation
import Jobs
import MemoryJobs
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

@testable import Meanwhile

/// What the server does with the results of jobs.
@Suite(.timeLimit(.minutes(10))) struct JobClientTests {
    /// If a server is killed before it has stored a page, the next one reads the output again: the website may no
    /// longer have the page.
    @Test func captureOutputCanBeReadAgainUntilThePageIsStored() async throws {
        try await Workspace.with { workspace in
            let data = try DataFolder.open(at: workspace.data)
            let storage = try await Storage.open(in: data)
            defer { storage.close() }
            let client = JobClient(storage, captureOptions: CaptureOptions())
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
            // The transaction doesn't remove the output itself: other transactions would have to wait for it, and a
            // compromised job may have written very many files.
            let gate = DispatchSemaphore(value: 0)
            JobFolder.removals.add { gate.wait() }
            do {
                defer { gate.signal() }
                try await storage.sqlite?.write { [queue = client.queue] transaction in
                    try queue.discard(beginningWith: job.id.description, in: transaction)
                }
                #expect(FileManager.default.fileExists(atPath: output.path))
            }
            await JobFolder.waitForRemovals(atMost: .seconds(300))
            #expect(!FileManager.default.fileExists(atPath: output.path))
        }
    }

    /// A process that ends before it has removed an output leaves it behind.
    @Test func sweepRemovesOldOutputsThatNoJobNeeds() async throws {
        try await Workspace.with { workspace in
            let data = try DataFolder.open(at: workspace.data)
            let queue = MemoryJobQueue()
            _ = try queue.enqueue(Job(id: "a", owner: "ann", kind: JobKind.drawing.rawValue))
            let lease = try #require(try queue.lease(lanes: ["default"], worker: "w", for: 1e9))
            let (needed, old) = (data.jobs.output(lease.outputName), data.jobs.output("0-1"))
            for folder in [needed, old] { try folder.make() }
            await data.jobs.sweep(queue, now: Date())
            await JobFolder.waitForRemovals(atMost: .seconds(300))
            #expect(FileManager.default.fileExists(atPath: old.path))
            await data.jobs.sweep(queue, now: Date(timeIntervalSinceNow: 3_600))
            await JobFolder.waitForRemovals(atMost: .seconds(300))
            #expect(!FileManager.default.fileExists(atPath: old.path))
            #expect(FileManager.default.fileExists(atPath: needed.path))
        }
    }
}
