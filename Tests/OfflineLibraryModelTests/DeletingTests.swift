import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import StoreTesting
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct DeletingTests {
    let bench = Bench()
    var library: Library { bench.library }

    @Test func aKeptPageIsDeletedAndBroughtBack() async throws {
        let id = try await bench.saved()
        try await library.delete(id)
        #expect(library.item(id)?.isDeleted == true)
        #expect(await error { () throws(LibraryError) in _ = try await library.file(.png, of: id) } == .notFound)
        #expect(await error { () throws(LibraryError) in try await library.delete(id) } == .notFound)
        #expect(await error { () throws(LibraryError) in try await library.retry(id) } == .notFound)
        #expect(await error { () throws(LibraryError) in try await library.stop(id) } == .notFound)
        try await library.restore(id)
        // Another tab may be late.
        try await library.restore(id)
        #expect(library.item(id)?.isDeleted == false)
        #expect(library.item(id)?.state.isFound == true)
        #expect(try await library.file(.png, of: id).read() == Data("png of A page".utf8))
        #expect(bench.capturer.callCount == 1)
    }

    @Test func twoTabsBringThePageBackAtATime() async throws {
        let id = try await bench.saved()
        try await library.delete(id)
        let tabs = (0..<2).map { _ in Task { try await library.restore(id) } }
        for tab in tabs { try await tab.value }
        #expect(library.item(id)?.isDeleted == false)
    }

    @Test func deletingEndsTheCaptureAndUndoBeginsItAgain() async throws {
        let (id, call) = try await bench.saving()
        try await library.delete(id)
        try await call.cancellation.future.value
        // The capture has ended long before the deletion is undone.
        await library.idle()
        #expect(library.item(id)?.state.isFetching == true)
        try await library.restore(id)
        #expect(library.item(id)?.state.isFetching == true)
        try await bench.capturer.call().succeed()
        await library.item(id) { $0.state.isFound }
        #expect(await bench.kept(id)?.state.isFound == true)
    }

    @Test func undoAtOnceBeginsAgainToo() async throws {
        let bench = Bench(isStubborn: true)
        let (id, older) = try await bench.saving()
        try await bench.library.delete(id)
        try await bench.library.restore(id)
        let newer = try await bench.capturer.call()
        older.succeed(title: "The older one")
        newer.succeed(title: "The newer one")
        await bench.library.item(id) { $0.state.isFound }
        await bench.library.idle()
        #expect(bench.library.item(id)?.state.value?.title == "The newer one")
    }

    @Test func whatIsDeletedWhileTheFilesAreWrittenIsNotKept() async throws {
        let (id, call) = try await bench.saving()
        let gate = bench.store.hold(.keep)
        call.succeed()
        await gate.arrived()
        try await library.delete(id)
        gate.open()
        await library.idle()
        #expect(library.item(id)?.state.isFetching == true)
        #expect(await bench.kept(id)?.state.isFetching == true)
        try await library.restore(id)
        try await bench.capturer.call().succeed()
        await library.item(id) { $0.state.isFound }
    }

    @Test func whatIsDeletedBeforeItIsWrittenDownIsDeleted() async throws {
        let gate = bench.store.hold(.add)
        async let saving = library.save("https://example.org", formats: [.png])
        await gate.arrived()
        let id = try #require(library.items.first?.id)
        let deleting = Task { try await library.delete(id) }
        await library.turn()
        gate.open()
        _ = try await (saving, deleting.value)
        await library.idle()
        #expect(library.item(id)?.isDeleted == true)
        #expect(await bench.kept(id)?.deletedAt != nil)
    }

    @Test func whatCannotBeDeletedGoesOn() async throws {
        let (id, call) = try await bench.saving()
        bench.store.breakDown([.delete])
        #expect(await error { () throws(LibraryError) in try await library.delete(id) } == .diskFull)
        #expect(library.item(id)?.isDeleted == false)
        call.succeed()
        await library.item(id) { $0.state.isFound }
    }

    @Test func theSameAddressIsSavedAnewAfterADeletion() async throws {
        let (id, _) = try await bench.saving()
        try await library.delete(id)
        let (other, _) = try await bench.saving()
        #expect(id != other)
    }

    @Test func whatWasDeletedLongAgoIsForgotten() async throws {
        let id = try await bench.saved()
        let other = try await bench.saved("https://other.example")
        try await library.delete(id)
        bench.time.advance(by: 599)
        try await library.purge()
        #expect(library.items.count == 2)
        bench.time.advance(by: 2)
        try await library.purge()
        #expect(library.items.map(\.id) == [other])
        #expect(await bench.kept(id) == nil)
        #expect(await error { () throws(LibraryError) in try await library.restore(id) } == .tooLate)
    }

    @Test func whatCannotBeForgottenCanStillBeBroughtBack() async throws {
        let id = try await bench.saved()
        try await library.delete(id)
        bench.time.advance(by: 601)
        bench.store.breakDown([.purge])
        #expect(await error { () throws(LibraryError) in try await library.purge() } == .diskFull)
        try await library.restore(id)
        #expect(library.item(id)?.isDeleted == false)
    }
}
