import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct ViewerTests {
    let bench = Bench()
    var library: Library { bench.library }

    @Test func oneCopyIsMadeForAllWhoAsk() async throws {
        let id = try await bench.saved()
        let askers = (0..<20).map { _ in Task { try await library.file(.viewer, of: id) } }
        let call = try await bench.capturer.viewerCall()
        #expect(try WebArchive(propertyList: await call.archive.read()).mainResource.url == "https://example.org")
        // Cancelling one call doesn't fail the others.
        askers[0].cancel()
        call.outcome.resolve(Data("<p>A page</p>".utf8))
        for asker in askers { #expect(try await asker.value.read() == Data("<p>A page</p>".utf8)) }
        #expect(try await library.file(.viewer, of: id).read() == Data("<p>A page</p>".utf8))
        #expect(bench.capturer.viewerCallCount == 1)
        #expect(!library.isBusy)
    }

    @Test func whoAsksAfterAFailureGetsAnother() async throws {
        let id = try await bench.saved()
        async let asking = error { () throws(LibraryError) in _ = try await library.file(.viewer, of: id) }
        try await bench.capturer.viewerCall().outcome.reject(CaptureError(.browserExited, "Chromium exited."))
        let message = "The web archive could not be made ready to be shown: Chromium exited."
        #expect(await asking == .rendering(message))
        async let again = library.file(.viewer, of: id)
        try await bench.capturer.viewerCall().outcome.resolve(Data("<p>A page</p>".utf8))
        #expect(try await again.byteCount == 13)
    }

    @Test func whatIsDeletedMeanwhileHasNoViewer() async throws {
        let id = try await bench.saved()
        async let asking = error { () throws(LibraryError) in _ = try await library.file(.viewer, of: id) }
        let call = try await bench.capturer.viewerCall()
        try await library.delete(id)
        call.outcome.resolve(Data("<p>A page</p>".utf8))
        #expect(await asking == .notFound)
    }

    @Test func aPageWithoutAnArchiveHasNoViewer() async throws {
        let id = try await library.save("https://example.org", formats: [.pdf])
        try await bench.capturer.call().succeed()
        await library.item(id) { $0.state.isFound }
        for kind in [FileKind.viewer, .webArchive, .png] {
            let error = await error { () throws(LibraryError) in _ = try await library.file(kind, of: id) }
            #expect(error == .notFound)
        }
        #expect(try await library.file(.thumbnail, of: id).byteCount == 12)
        #expect(bench.capturer.viewerCallCount == 0)
    }

    @Test func noViewerIsBegunAtTheEnd() async throws {
        let id = try await bench.saved()
        await library.shutDown()
        #expect(await error { () throws(LibraryError) in _ = try await library.file(.viewer, of: id) } == .ending)
    }
}
