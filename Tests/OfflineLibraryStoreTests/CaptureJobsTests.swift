import Capture
import Foundation
import Futures
import Jobs
import Loading
import OfflineLibraryModel
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import OfflineLibraryStore

/// Jobs that change in the same transactions as their pages.
@Suite(.timeLimit(.minutes(10))) struct CaptureJobsTests {
    private final class Fixture: Sendable {
        let folder: TemporaryFolder
        let database: any SQLDatabase
        let queue: SQLiteJobQueue
        let store: SQLiteLibraryStore

        init(_ kind: DatabaseKind) async throws {
            folder = try TemporaryFolder()
            let data = try DataFolder.open(at: folder.path)
            database = try await kind.open(
                in: folder.path, SQLiteJobQueue.migrations + LibraryMigrations.all,
                BlobStore.postgreSQLMigrations + SQLiteJobQueue.postgreSQLMigrations + LibraryMigrations.postgreSQL)
            queue = SQLiteJobQueue(in: database, signal: database.changeSignal(of: "jobs"))
            let blobs = BlobStore(in: database, folder: data)
            store = SQLiteLibraryStore(
                in: database, blobs: blobs,
                captures: CaptureJobs(queue: queue, options: CaptureOptions(), path: { blobs.path(of: $0) }))
        }

        func job(_ page: SavedPage.ID, attempt: Int = 1) async throws -> Job? {
            try await queue.record(Job.ID("capture/\(page)/\(attempt)"))?.job
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func jobExistsWhileItsPageIsWaiting(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let store = fixture.store
        let id = try await store.add().id
        #expect(try await fixture.job(id)?.owner == "ann")
        #expect(try await store.fail(id, attempt: 1, failure: .broken))
        #expect(try await fixture.job(id) == nil)
        #expect(try await store.beginAgain(id) == 2)
        #expect(try await fixture.job(id, attempt: 2) != nil)
        _ = try await store.save(.page("A page"), as: id, attempt: 2, at: .start)
        #expect(try await fixture.job(id, attempt: 2) == nil)
        let deleted = try await store.add().id
        try await store.delete(deleted, at: .start)
        #expect(try await fixture.job(deleted) == nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func jobOfAnUploadHasItsFile(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let url = try #require(URL(string: "https://page.example/"))
        let request = CaptureRequest(url: url, formats: [.png])
        let page = SavedPage(request: request, requestedAt: .start, state: .fetching(request, previous: nil))
        try await fixture.store.addUpload(page, source: .webArchive, content: Data("archive".utf8), owner: "ann")
        let job = try #require(try await fixture.job(page.id))
        #expect(job.kind == CaptureJobs.uploadKind)
        #expect(try Data(contentsOf: URL(filePath: try #require(job.input))) == Data("archive".utf8))
    }

    @Test(arguments: DatabaseKind.allCases)
    func scheduledCaptureIsEnqueuedOnce(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let url = try #require(URL(string: "https://page.example/"))
        let schedule = RecaptureSchedule(
            CaptureRequest(url: url, formats: [.png]), .daily, from: .start, zone: "UTC")
        try await fixture.store.setSchedule(schedule, owner: "ann")
        let begun = try #require(
            try await fixture.store.beginScheduled(ofAddress: schedule.key, owner: "ann", at: schedule.nextAt))
        let id = try #require(begun.running)
        #expect(try await fixture.job(id) != nil)
        try await fixture.store.removeSchedule(ofAddress: schedule.key, owner: "ann")
        #expect(try await fixture.job(id) == nil)
    }

    /// Uploads and captures take the same locks, also while blobs are swept.
    @Test(arguments: DatabaseKind.allCases)
    func concurrentChangesSucceed(_ kind: DatabaseKind) async throws {
        let fixture = try await Fixture(kind)
        let store = fixture.store
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                let owner: OwnerID = number % 2 == 0 ? "ann" : "bob"
                group.addTask {
                    let url = try #require(URL(string: "https://page.example/\(number)"))
                    let request = CaptureRequest(url: url, formats: [.png])
                    let page = SavedPage(
                        request: request, requestedAt: .start, state: .fetching(request, previous: nil))
                    try await store.addUpload(
                        page, source: .webArchive, content: Data("archive \(number % 4)".utf8), owner: owner)
                }
                group.addTask {
                    let id = try await store.add(owner: owner).id
                    _ = try await store.save(
                        .page("page \(number % 4)"), as: id, owner: owner, attempt: 1, at: .start)
                    try await store.delete(id, owner: owner, at: .start)
                    try await store.purge(owner: owner, deletedBefore: .distantFuture)
                }
            }
            try await group.waitForAll()
        }
        for owner: OwnerID in ["ann", "bob"] {
            #expect(try await store.pages(ofOwner: owner).count == 10)
            let usage = try await fixture.database.usage(of: [.pages, .waitingCaptures], owner: owner)
            #expect(usage.amounts == [10, 10])
        }
    }
}
