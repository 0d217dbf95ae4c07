import Capture
import Foundation
import GRDB
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import StoreTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteLibraryStoreTests {
    @Test(arguments: [FileKind.png, .webArchive, .thumbnail])
    func aCaptureIsKeptAllAtOnceOrNotAtAll(_ kind: FileKind) async throws {
        let place = try await SQLitePlace()
        let page = try await place.store.add()
        try await place.refuse(kind)
        let error = await error { _ = try await place.store.keep(.page("A page"), as: page.id, attempt: 1, at: .start) }
        guard case .storage(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("Nothing was written"))
        #expect(try await place.references == [])
        #expect(try await place.store.page(page.id) == page)
        for kind in FileKind.allCases { #expect(try await place.store.content(kind, of: page.id) == nil) }
        try await place.refuseNothing()
        #expect(try await place.store.keep(.page("A page"), as: page.id, attempt: 1, at: .start) != nil)
        #expect(try await place.references == [1, 1, 1])
        #expect(place.fileCount == 3)
        #expect(try await place.store.content(kind, of: page.id) != nil)
    }

    @Test(arguments: 1...2) func whatIsKeptInAnEarlierFormStaysKept(_ form: Int) async throws {
        let path = NSTemporaryDirectory() + "meanwhile-library-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try DataFolder.open(at: path)
        let old = try await Database.open(in: folder, migrations: Array(LibraryMigrations.all.prefix(form)))
        let (found, failed, unfinished) = (KeptPage.ID(), KeptPage.ID(), KeptPage.ID())
        let blob = String(repeating: "a", count: 64)
        try await old.write { connection in
            try connection.execute(
                sql: #"INSERT INTO blob (id, bytes, "references") VALUES (?, 7, 1)"#, arguments: [blob])
            try connection.execute(
                sql: """
                    INSERT INTO library_page (id, owner, address, formats, requested_at, state, attempt, url, captured_at,
                        title, http_status, warnings, interruptions, failure_code, failure_message, failure_can_retry)
                    VALUES (?1, 'ann', 'https://a.example', 'pdf,png', 5, 'found', 2, 'https://a.example/b', 6.5,
                            'A page', 404, '["Look."]', 0, NULL, NULL, NULL),
                        (?2, 'ann', 'https://b.example', 'png', 5, 'failed', 1, NULL, NULL,
                            NULL, NULL, NULL, 0, 'broken', 'It broke.', 0),
                        (?3, 'bob', 'https://c.example', 'png', 4, 'fetching', 3, NULL, NULL,
                            NULL, NULL, NULL, 2, NULL, NULL, NULL),
                        ('no number', 'bob', 'https://d.example', 'png', 4, 'fetching', 3, NULL, NULL,
                            NULL, NULL, NULL, 2, NULL, NULL, NULL)
                    """, arguments: [found.description, failed.description, unfinished.description])
            try connection.execute(
                sql: form == 1
                    ? "INSERT INTO library_file (page, kind, blob, bytes) VALUES (?, 'png', ?, 7)"
                    : "INSERT INTO library_file (page, kind, owner, blob, bytes) VALUES (?, 'png', 'ann', ?, 7)",
                arguments: [found.description, blob])
        }
        old.close()
        let database = try await Database.open(in: folder, migrations: LibraryMigrations.all)
        let store = SQLiteLibraryStore(
            database: database, blobs: BlobStore(database: database, undoWindow: .seconds(1)))
        let pages = try await store.pages(ofOwner: "ann")
        try #require(pages.map(\.id) == [failed, found])
        #expect(pages[0].state == .failed(.broken, previous: nil))
        let url = try #require(URL(string: "https://a.example/b"))
        let content = PageContent(
            title: "A page", url: url, httpStatus: 404, capturedAt: Date(timeIntervalSince1970: 6.5),
            warnings: ["Look."], sizes: [.png: 7])
        #expect(pages[1].state == .found(content))
        #expect(pages[1].request.formats == [.png, .pdf] && pages[1].attempt == 2)
        #expect(pages[1].requestedAt == Date(timeIntervalSince1970: 5))
        #expect(try await store.file(.png, of: found)?.digest == blob)
        let others = try await store.pages(ofOwner: "bob")
        #expect(others.map(\.id) == [unfinished])
        #expect(try await store.ownersOfUnfinishedPages() == ["bob"])
        // The next is newer than those of the same time.
        let next = try await store.add("https://e.example", at: 5 - Date.start.timeIntervalSince1970)
        #expect(try await store.pages(ofOwner: "ann").map(\.id) == [next.id, failed, found])
        // What makes no page stays where it was.
        let left = try await database.read { try String.fetchAll($0, sql: "SELECT id FROM library_page") }
        #expect(left == ["no number"])
        database.close()
    }

    @Test func whatCannotBeReadIsSetAsideAndTheOthersAreThere() async throws {
        let place = try await SQLitePlace()
        let (whole, damaged) = (try await place.store.addKept("whole"), try await place.store.addKept("damaged"))
        try await place.database.write { connection in
            try connection.execute(
                sql: "UPDATE stored_value SET payload = substr(payload, 2) WHERE key LIKE '%' || ?",
                arguments: [damaged.description])
        }
        #expect(try await place.store.pages(ofOwner: "ann").map(\.id) == [whole])
        let setAside = try await SQLiteStore(database: place.database, owner: "ann").setAsideRecords()
        #expect(!setAside.isEmpty && setAside.allSatisfy { $0.key.name.hasSuffix(damaged.description) })
        #expect(await error { try await place.store.delete(damaged, at: .start) } == .notFound)
        #expect(try await place.store.content(.png, of: whole) == "picture of whole")
    }

    @Test func aFailureToReplaceLeavesWhatWasThere() async throws {
        let place = try await SQLitePlace()
        let id = try await place.store.addKept("first")
        _ = try await place.store.beginAgain(id)
        try await place.refuse(.webArchive)
        let error = await error { _ = try await place.store.keep(.page("second"), as: id, attempt: 2, at: .start) }
        #expect(error != nil)
        #expect(try await place.store.content(.png, of: id) == "picture of first")
        #expect(try await place.references == [1, 1, 1])
    }

    @Test func aViewerThatCannotBeKeptLeavesTheOldOne() async throws {
        let place = try await SQLitePlace()
        let id = try await place.store.addKept()
        try await place.store.keepViewer(Data("first".utf8), of: id)
        try await place.refuse(.viewer)
        #expect(await error { try await place.store.keepViewer(Data("second".utf8), of: id) } != nil)
        #expect(try await place.store.content(.viewer, of: id) == "first")
        #expect(try await place.references == [1, 1, 1, 1])
    }

    @Test func whatCannotBeStagedIsNotKept() async throws {
        let place = try await SQLitePlace()
        let page = try await place.store.add()
        // A file where the folder should be.
        try Data().write(to: URL(filePath: place.path + "/blobs"))
        let error = await error { _ = try await place.store.keep(.page("A page"), as: page.id, attempt: 1, at: .start) }
        #expect(error != nil)
        try FileManager.default.removeItem(atPath: place.path + "/blobs")
        #expect(try await place.store.page(page.id) == page)
        #expect(try await place.references == [])
        #expect(try await place.store.keep(.page("A page"), as: page.id, attempt: 1, at: .start) != nil)
    }

    @Test func aCancelledWriteLeavesNothing() async throws {
        let place = try await SQLitePlace()
        let page = try await place.store.add()
        let keeping = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await place.store.keep(.page("A page"), as: page.id, attempt: 1, at: .start)
        }
        await #expect(throws: LibraryError.self) { try await keeping.value }
        #expect(try await place.references == [])
        #expect(place.fileCount == 0)
        #expect(try await place.store.page(page.id) == page)
    }

    @Test func allIsThereAfterARestart() async throws {
        let place = try await SQLitePlace()
        let store = place.store
        let id = try await store.addKept()
        try await store.keepViewer(Data("viewer".utf8), of: id)
        try await store.fail(store.add("https://failed.example", at: 1).id, attempt: 1, failure: .broken)
        let unfinished = try await store.add("https://fetching.example", at: 2).id
        _ = try await store.beginAgain(unfinished)
        try await store.delete(store.add("https://deleted.example", at: 3).id, at: .start)
        let pages = try await store.pages(ofOwner: "ann")
        #expect(pages.count == 4)
        place.database.close()
        #expect(await error { _ = try await store.pages(ofOwner: "ann") } != nil)

        let (other, database) = try await place.another()
        #expect(try await other.pages(ofOwner: "ann") == pages)
        #expect(try await other.ownersOfUnfinishedPages() == ["ann"])
        #expect(try await other.content(.png, of: id) == "picture of A page")
        #expect(try await other.content(.viewer, of: id) == "viewer")
        #expect(try await other.keep(.page("In the end"), as: unfinished, attempt: 2, at: .start) != nil)
        database.close()
    }
}

// MARK: - Two processes

extension SQLiteLibraryStoreTests {
    @Test func twoProcessesSeeTheSame() async throws {
        let place = try await SQLitePlace()
        let (other, database) = try await place.another()
        let id = try await place.store.addKept()
        #expect(try await other.page(id) == place.store.page(id))
        #expect(try await other.content(.png, of: id) == "picture of A page")
        try await other.delete(id, at: .start)
        #expect(try await place.store.content(.png, of: id) == nil)
        try await place.store.restore(id)
        #expect(try await other.content(.png, of: id) == "picture of A page")
        database.close()
    }

    @Test func oneOfTwoProcessesThatCaptureTheSamePageKeepsIt() async throws {
        let place = try await SQLitePlace()
        let (other, database) = try await place.another()
        for round in 1...10 {
            let id = try await place.store.add().id
            async let first = place.store.keep(.page("first \(round)"), as: id, attempt: 1, at: .start)
            async let second = other.keep(.page("second \(round)"), as: id, attempt: 1, at: .start)
            let kept = try await [first, second].compactMap(\.self)
            #expect(kept.count == 1)
            #expect(try await other.page(id)?.state.value == kept.first)
            #expect(try await other.content(.png, of: id) == "picture of \(kept.first?.title ?? "none")")
        }
        #expect(try await place.references == Array(repeating: 1, count: 30))
        #expect(place.fileCount == 30)
        database.close()
    }

    @Test func attemptsOfTwoProcessesHaveDifferentNumbers() async throws {
        let place = try await SQLitePlace()
        let (other, database) = try await place.another()
        let id = try await place.store.add().id
        async let first = place.store.beginAgain(id)
        async let second = other.beginAgain(id)
        #expect(try await [first, second].sorted() == [2, 3])
        #expect(try await place.store.keep(.page("older"), as: id, attempt: 2, at: .start) == nil)
        #expect(try await other.keep(.page("newer"), as: id, attempt: 3, at: .start) != nil)
        database.close()
    }

    @Test func oneKeepsWhatTheOtherPurges() async throws {
        let place = try await SQLitePlace()
        let (other, database) = try await place.another()
        for _ in 1...10 {
            let old = try await place.store.addKept("same")
            try await place.store.delete(old, at: place.time.now)
            place.time.advance(by: 601)
            let limit = place.time.now - 600
            async let purging: Void = other.purge(deletedBefore: limit)
            let new = try await place.store.addKept("same")
            try await purging
            #expect(try await place.store.content(.png, of: new) == "picture of same")
            try await place.store.delete(new, at: place.time.now)
            place.time.advance(by: 601)
            try await other.purge(deletedBefore: place.time.now - 600)
            #expect(place.fileCount == 0)
        }
        database.close()
    }
}
