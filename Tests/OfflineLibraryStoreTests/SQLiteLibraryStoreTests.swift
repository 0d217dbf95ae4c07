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
        // A file in place of the folder makes staging fail.
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
