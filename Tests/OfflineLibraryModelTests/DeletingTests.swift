import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import StoreTesting
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct DeletingTests {
    let fixture = LibraryFixture()
    var library: Library { fixture.library }

    @Test func deletedPageCanBeRestored() async throws {
        let id = try await fixture.savePage()
        try await library.delete(id)
        #expect(library.item(id)?.isDeleted == true)
        #expect(await error { () throws(LibraryError) in _ = try await library.file(.png, of: id) } == .notFound)
        #expect(await error { () throws(LibraryError) in try await library.delete(id) } == .notFound)
        #expect(await error { () throws(LibraryError) in try await library.retry(id) } == .notFound)
        #expect(await error { () throws(LibraryError) in try await library.stop(id) } == .notFound)
        try await library.restore(id)
        // Another tab may restore the page again.
        try await library.restore(id)
        #expect(library.item(id)?.isDeleted == false)
        #expect(library.item(id)?.state.isFound == true)
        #expect(try await library.file(.png, of: id).read() == Data("png of A page".utf8))
        #expect(fixture.capturer.callCount == 1)
    }

    @Test func pagesDeletedTogetherCanBeRestoredTogether() async throws {
        let ids = [
            try await fixture.savePage("https://a.example"), try await fixture.savePage("https://b.example"),
            try await fixture.savePage("https://c.example"),
        ]
        try await library.delete(ids[0])
        #expect(library.newest.deletedTogether.isEmpty)
        fixture.time.advance(by: 1)
        // A page that was deleted earlier is skipped, and isn't a part of this deletion.
        try await library.deleteAll(Set(ids))
        #expect(library.items.allSatisfy { $0.isDeleted })
        let together = Set(library.newest.deletedTogether.map(\.id))
        #expect(together == [ids[1], ids[2]])
        // Another process, or this one after a restart, offers the same.
        let other = fixture.another()
        try await other.open()
        #expect(Set(other.newest.deletedTogether.map(\.id)) == together)
        let time = try #require(library.item(ids[1])?.deletedAt)
        try await library.restoreAll(deletedAt: time)
        #expect(library.items.filter(\.isDeleted).map(\.id) == [ids[0]])
        #expect(library.newest.deletedTogether.isEmpty)
        // Another tab may restore them again.
        try await library.restoreAll(deletedAt: time)
        fixture.time.advance(by: 601)
        #expect(
            await error { () throws(LibraryError) in try await library.restoreAll(deletedAt: time) } == .tooLate)
    }

    @Test func emptySelectionIsRefused() async {
        #expect(await error { () throws(LibraryError) in try await library.deleteAll([]) } == .noSelection)
    }

    @Test func failedDeletionDoesNotPreventTheOthers() async throws {
        let ids = [try await fixture.savePage("https://a.example"), try await fixture.savePage("https://b.example")]
        let gate = fixture.store.hold(.delete)
        let deleting = Task {
            await error { () throws(LibraryError) in try await library.deleteAll(Set(ids)) }
        }
        await gate.arrived()
        gate.fail()
        #expect(await deleting.value == .diskFull)
        #expect(library.items.count { $0.isDeleted } == 1)
    }

    @Test func concurrentRestoresBothSucceed() async throws {
        let id = try await fixture.savePage()
        try await library.delete(id)
        let tabs = (0..<2).map { _ in Task { try await library.restore(id) } }
        for tab in tabs { try await tab.value }
        #expect(library.item(id)?.isDeleted == false)
    }

    @Test func deleteCancelsTheCaptureAndRestoreStartsItAgain() async throws {
        let (id, call) = try await fixture.startSaving()
        try await library.delete(id)
        try await call.cancellation.future.value
        // The capture has ended long before the deletion is undone.
        await library.waitUntilIdle()
        #expect(library.item(id)?.state.isFetching == true)
        try await library.restore(id)
        #expect(library.item(id)?.state.isFetching == true)
        try await fixture.capturer.call().succeed()
        await library.waitForItem(id) { $0.state.isFound }
        #expect(await fixture.storedPage(id)?.state.isFound == true)
    }

    @Test func immediateRestoreStartsANewCapture() async throws {
        let fixture = LibraryFixture(ignoresCancellation: true)
        let (id, older) = try await fixture.startSaving()
        try await fixture.library.delete(id)
        try await fixture.library.restore(id)
        let newer = try await fixture.capturer.call()
        older.succeed(title: "The older one")
        newer.succeed(title: "The newer one")
        await fixture.library.waitForItem(id) { $0.state.isFound }
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state.value?.title == "The newer one")
    }

    @Test func captureOfAPageDeletedDuringTheWriteIsDropped() async throws {
        let (id, call) = try await fixture.startSaving()
        let gate = fixture.store.hold(.save)
        call.succeed()
        await gate.arrived()
        try await library.delete(id)
        gate.open()
        await library.waitUntilIdle()
        #expect(library.item(id)?.state.isFetching == true)
        #expect(await fixture.storedPage(id)?.state.isFetching == true)
        try await library.restore(id)
        try await fixture.capturer.call().succeed()
        await library.waitForItem(id) { $0.state.isFound }
    }

    @Test func pageDeletedBeforeItIsStoredStaysDeleted() async throws {
        let gate = fixture.store.hold(.add)
        async let saving = library.save("https://example.org", formats: [.png])
        await gate.arrived()
        let id = try #require(library.items.first?.id)
        let deleting = Task { try await library.delete(id) }
        await library.runPendingTasks()
        gate.open()
        _ = try await (saving, deleting.value)
        await library.waitUntilIdle()
        #expect(library.item(id)?.isDeleted == true)
        #expect(await fixture.storedPage(id)?.deletedAt != nil)
    }

    @Test func failedDeletionLetsTheCaptureContinue() async throws {
        let (id, call) = try await fixture.startSaving()
        fixture.store.failOperations([.delete])
        #expect(await error { () throws(LibraryError) in try await library.delete(id) } == .diskFull)
        #expect(library.item(id)?.isDeleted == false)
        call.succeed()
        await library.waitForItem(id) { $0.state.isFound }
    }

    @Test func addressOfADeletedPageIsSavedAsANewPage() async throws {
        let (id, _) = try await fixture.startSaving()
        try await library.delete(id)
        let (other, _) = try await fixture.startSaving()
        #expect(id != other)
    }

    @Test func purgeRemovesPagesDeletedLongAgo() async throws {
        let id = try await fixture.savePage()
        let other = try await fixture.savePage("https://other.example")
        try await library.delete(id)
        fixture.time.advance(by: 599)
        try await library.purge()
        #expect(library.items.count == 2)
        fixture.time.advance(by: 2)
        try await library.purge()
        #expect(library.items.map(\.id) == [other])
        #expect(await fixture.storedPage(id) == nil)
        #expect(await error { () throws(LibraryError) in try await library.restore(id) } == .tooLate)
    }

    @Test func pageCanBeRestoredAfterAFailedPurge() async throws {
        let id = try await fixture.savePage()
        try await library.delete(id)
        fixture.time.advance(by: 601)
        fixture.store.failOperations([.purge])
        #expect(await error { () throws(LibraryError) in try await library.purge() } == .diskFull)
        try await library.restore(id)
        #expect(library.item(id)?.isDeleted == false)
    }
}
