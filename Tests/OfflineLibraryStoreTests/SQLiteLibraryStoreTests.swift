import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct SQLiteLibraryStoreTests {
    @Test(arguments: DatabaseKind.allCases, [FileKind.png, .webArchive, .thumbnail])
    func captureIsStoredAtomically(_ kind: DatabaseKind, file: FileKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let page = try await fixture.store.add()
        try await fixture.refuse(file)
        let error = await error {
            _ = try await fixture.store.save(.page("A page"), as: page.id, attempt: 1, at: .start)
        }
        guard case .storage(let message) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(message.contains("Nothing was written"))
        #expect(try await fixture.references == [])
        #expect(try await fixture.store.page(page.id) == page)
        for kind in FileKind.allCases { #expect(try await fixture.store.content(kind, of: page.id) == nil) }
        try await fixture.refuseNothing()
        #expect(try await fixture.store.save(.page("A page"), as: page.id, attempt: 1, at: .start) != nil)
        #expect(try await fixture.references == [1, 1, 1])
        #expect(fixture.fileCount == 3)
        #expect(try await fixture.store.content(file, of: page.id) != nil)
    }

    /// If only a part of the sample page were added, the next start would capture it from the network.
    @Test(arguments: DatabaseKind.allCases)
    func capturedPageIsAddedWholeOrNotAtAll(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        let url = try #require(URL(string: "https://example.org"))
        let request = CaptureRequest(url: url, formats: [.png, .webArchive])
        let id = SavedPage.ID()
        try await fixture.refuse(.webArchive)
        let failure = await error {
            try await store.add(.page("A page"), as: id, of: request, owner: "ann", at: .start)
        }
        #expect(failure != nil)
        #expect(try await store.pages(ofOwner: "ann").isEmpty)
        #expect(try await fixture.references == [])
        try await fixture.refuseNothing()
        try await store.add(.page("A page"), as: id, of: request, owner: "ann", at: .start)
        #expect(try await store.page(id)?.state.value?.title == "A page")
        #expect(try await store.content(.thumbnail, of: id) == "small A page")
        #expect(try await store.ownersWithWork().isEmpty)
    }

    @Test(arguments: DatabaseKind.allCases)
    func failedReplacementLeavesTheOldCapture(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.addCaptured("first")
        _ = try await fixture.store.beginAgain(id)
        try await fixture.refuse(.webArchive)
        let error = await error { _ = try await fixture.store.save(.page("second"), as: id, attempt: 2, at: .start) }
        #expect(error != nil)
        #expect(try await fixture.store.content(.png, of: id) == "picture of first")
        #expect(try await fixture.references == [1, 1, 1])
    }

    @Test(arguments: DatabaseKind.allCases)
    func failedViewerWriteLeavesTheOldCopy(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.addCaptured()
        try await fixture.store.saveViewer(Data("first".utf8), of: id)
        try await fixture.refuse(.viewer)
        #expect(await error { try await fixture.store.saveViewer(Data("second".utf8), of: id) } != nil)
        #expect(try await fixture.store.content(.viewer, of: id) == "first")
        #expect(try await fixture.references == [1, 1, 1, 1])
    }

    @Test(arguments: DatabaseKind.allCases)
    func captureThatCannotBeStagedIsNotStored(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let page = try await fixture.store.add()
        // A file in place of the folder makes staging fail.
        try Data().write(to: URL(filePath: fixture.path + "/blobs"))
        let error = await error {
            _ = try await fixture.store.save(.page("A page"), as: page.id, attempt: 1, at: .start)
        }
        #expect(error != nil)
        try FileManager.default.removeItem(atPath: fixture.path + "/blobs")
        #expect(try await fixture.store.page(page.id) == page)
        #expect(try await fixture.references == [])
        #expect(try await fixture.store.save(.page("A page"), as: page.id, attempt: 1, at: .start) != nil)
    }

    @Test(arguments: DatabaseKind.allCases)
    func aCancelledWriteLeavesNothing(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let page = try await fixture.store.add()
        let saving = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await fixture.store.save(.page("A page"), as: page.id, attempt: 1, at: .start)
        }
        await #expect(throws: LibraryError.self) { try await saving.value }
        #expect(try await fixture.references == [])
        #expect(fixture.fileCount == 0)
        #expect(try await fixture.store.page(page.id) == page)
    }

    @Test(arguments: DatabaseKind.allCases)
    func everythingPersistsAcrossARestart(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        let id = try await store.addCaptured()
        try await store.saveViewer(Data("viewer".utf8), of: id)
        try await store.fail(store.add("https://failed.example", at: 1).id, attempt: 1, failure: .broken)
        let unfinished = try await store.add("https://fetching.example", at: 2).id
        _ = try await store.beginAgain(unfinished)
        try await store.delete(store.add("https://deleted.example", at: 3).id, at: .start)
        let pages = try await store.pages(ofOwner: "ann")
        #expect(pages.count == 4)
        fixture.database.close()
        #expect(await error { _ = try await store.pages(ofOwner: "ann") } != nil)

        let (other, database) = try await fixture.another()
        #expect(try await other.pages(ofOwner: "ann") == pages)
        #expect(try await other.ownersWithWork() == ["ann"])
        #expect(try await other.content(.png, of: id) == "picture of A page")
        #expect(try await other.content(.viewer, of: id) == "viewer")
        #expect(try await other.save(.page("In the end"), as: unfinished, attempt: 2, at: .start) != nil)
        database.close()
    }
}

// MARK: - Two processes

extension SQLiteLibraryStoreTests {
    @Test(arguments: DatabaseKind.allCases)
    func twoProcessesSeeTheSamePages(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let (other, database) = try await fixture.another()
        let id = try await fixture.store.addCaptured()
        #expect(try await other.page(id) == fixture.store.page(id))
        #expect(try await other.content(.png, of: id) == "picture of A page")
        try await other.delete(id, at: .start)
        #expect(try await fixture.store.content(.png, of: id) == nil)
        try await fixture.store.restore(id)
        #expect(try await other.content(.png, of: id) == "picture of A page")
        database.close()
    }

    @Test(arguments: DatabaseKind.allCases)
    func onlyOneOfTwoConcurrentCapturesIsStored(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let (other, database) = try await fixture.another()
        for round in 1...10 {
            let id = try await fixture.store.add().id
            async let first = fixture.store.save(.page("first \(round)"), as: id, attempt: 1, at: .start)
            async let second = other.save(.page("second \(round)"), as: id, attempt: 1, at: .start)
            let stored = try await [first, second].compactMap(\.self)
            #expect(stored.count == 1)
            #expect(try await other.page(id)?.state.value == stored.first)
            #expect(try await other.content(.png, of: id) == "picture of \(stored.first?.title ?? "none")")
        }
        #expect(try await fixture.references == Array(repeating: 1, count: 30))
        #expect(fixture.fileCount == 30)
        database.close()
    }

    @Test(arguments: DatabaseKind.allCases)
    func attemptsOfTwoProcessesHaveDifferentNumbers(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let (other, database) = try await fixture.another()
        let id = try await fixture.store.add().id
        async let first = fixture.store.beginAgain(id)
        async let second = other.beginAgain(id)
        #expect(try await [first, second].sorted() == [2, 3])
        #expect(try await fixture.store.save(.page("older"), as: id, attempt: 2, at: .start) == nil)
        #expect(try await other.save(.page("newer"), as: id, attempt: 3, at: .start) != nil)
        database.close()
    }

    @Test(arguments: DatabaseKind.allCases)
    func blobsSharedWithANewPageSurviveAPurge(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let (other, database) = try await fixture.another()
        for _ in 1...10 {
            let old = try await fixture.store.addCaptured("same")
            try await fixture.store.delete(old, at: fixture.time.now)
            fixture.time.advance(by: 601)
            let limit = fixture.time.now - 600
            async let purging: Void = other.purge(deletedBefore: limit)
            let new = try await fixture.store.addCaptured("same")
            try await purging
            #expect(try await fixture.store.content(.png, of: new) == "picture of same")
            try await fixture.store.delete(new, at: fixture.time.now)
            fixture.time.advance(by: 601)
            try await other.purge(deletedBefore: fixture.time.now - 600)
            #expect(fixture.fileCount == 0)
        }
        database.close()
    }
}
