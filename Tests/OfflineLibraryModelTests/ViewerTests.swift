import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct ViewerTests {
    let fixture = LibraryFixture()
    var library: Library { fixture.library }

    @Test func concurrentRequestsShareOneViewerCopy() async throws {
        let id = try await fixture.savePage()
        let requests = (0..<20).map { _ in Task { try await library.file(.viewer, of: id) } }
        let call = try await fixture.capturer.viewerCall()
        #expect(try WebArchive(propertyList: await call.archive.read()).mainResource.url == "https://example.org")
        // Cancelling one call doesn't fail the others.
        requests[0].cancel()
        call.outcome.resolve(Data("<p>A page</p>".utf8))
        for request in requests { #expect(try await request.value.read() == Data("<p>A page</p>".utf8)) }
        #expect(try await library.file(.viewer, of: id).read() == Data("<p>A page</p>".utf8))
        #expect(fixture.capturer.viewerCallCount == 1)
        #expect(!library.isBusy)
    }

    @Test func displayedCopyLinksIntoTheLibraryAndADownloadedOneToTheWeb() async throws {
        let id = try await fixture.savePage()
        let copies: [(kind: FileKind, linkPath: String?)] = [(.viewer, "/open?url="), (.html, nil)]
        for (kind, linkPath) in copies {
            async let request = library.file(kind, of: id)
            let call = try await fixture.capturer.viewerCall()
            #expect(call.linkPath == linkPath)
            call.outcome.resolve(Data("\(kind)".utf8))
            #expect(try await request.read() == Data("\(kind)".utf8))
        }
        #expect(try await library.file(.viewer, of: id).read() == Data("viewer".utf8))
        #expect(fixture.capturer.viewerCallCount == 2)
    }

    @Test func viewerCopyIsRetriedAfterAFailure() async throws {
        let id = try await fixture.savePage()
        async let request = error { () throws(LibraryError) in _ = try await library.file(.viewer, of: id) }
        try await fixture.capturer.viewerCall().outcome.reject(CaptureError(.browserExited, "Chromium exited."))
        let message = "The web archive couldn't be prepared for viewing: Chromium exited."
        #expect(await request == .rendering(message))
        async let again = library.file(.viewer, of: id)
        try await fixture.capturer.viewerCall().outcome.resolve(Data("<p>A page</p>".utf8))
        #expect(try await again.byteCount == 13)
    }

    @Test func viewerCopyOfAReplacedArchiveIsMadeAgain() async throws {
        let (id, call) = try await fixture.startSaving()
        call.succeed(title: "Not found", status: 404)
        await library.waitForItem(id) { $0.state.isFound }
        async let request = library.file(.viewer, of: id)
        let older = try await fixture.capturer.viewerCall()
        try await library.retry(id)
        try await fixture.capturer.call().succeed()
        await library.waitForItem(id) { $0.state.isFound }
        older.outcome.resolve(Data("<p>Not found</p>".utf8))
        try await fixture.capturer.viewerCall().outcome.resolve(Data("<p>A page</p>".utf8))
        #expect(try await request.read() == Data("<p>A page</p>".utf8))
        #expect(try await library.file(.viewer, of: id).read() == Data("<p>A page</p>".utf8))
        #expect(fixture.capturer.viewerCallCount == 2)
    }

    @Test func pageDeletedDuringRenderingHasNoViewer() async throws {
        let id = try await fixture.savePage()
        async let request = error { () throws(LibraryError) in _ = try await library.file(.viewer, of: id) }
        let call = try await fixture.capturer.viewerCall()
        try await library.delete(id)
        call.outcome.resolve(Data("<p>A page</p>".utf8))
        #expect(await request == .notFound)
    }

    @Test func aPageWithoutAnArchiveHasNoViewer() async throws {
        let id = try await library.save("https://example.org", formats: [.pdf])
        try await fixture.capturer.call().succeed()
        await library.waitForItem(id) { $0.state.isFound }
        for kind in [FileKind.viewer, .webArchive, .png] {
            let error = await error { () throws(LibraryError) in _ = try await library.file(kind, of: id) }
            #expect(error == .notFound)
        }
        #expect(try await library.file(.thumbnail, of: id).byteCount == 12)
        #expect(fixture.capturer.viewerCallCount == 0)
    }

    @Test func noViewerCopyIsMadeAfterShutdown() async throws {
        let id = try await fixture.savePage()
        await library.shutDown()
        #expect(await error { () throws(LibraryError) in _ = try await library.file(.viewer, of: id) } == .shuttingDown)
    }
}
