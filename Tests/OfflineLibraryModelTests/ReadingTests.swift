import Foundation
import Futures
import Loading
import OfflineLibraryModel
import StoreTesting
import Testing

@testable import Capture

/// The reader view, and positions at which pages are read.
@MainActor @Suite(.timeLimit(.minutes(10))) struct ReadingTests {
    let fixture = LibraryFixture()
    var library: Library { fixture.library }

    @Test func emptyArticleIsNone() async throws {
        let id = try await fixture.savePage()
        async let request = library.article(of: id)
        try await fixture.capturer.viewerCall().outcome.resolve(Data())
        #expect(try await request == nil)
        // It's stored, so that the archive isn't read again.
        #expect(try await library.article(of: id) == nil)
        #expect(fixture.capturer.viewerCallCount == 1)
    }

    @Test func articleIsMadeOnceAndStored() async throws {
        let id = try await fixture.savePage()
        async let request = library.article(of: id)
        let call = try await fixture.capturer.viewerCall()
        #expect(call.linkPath == "/open?url=")
        call.outcome.resolve(Data("<p>A page</p>".utf8))
        #expect(try await request?.byteCount == 13)
        #expect(try await library.file(.article, of: id).read() == Data("<p>A page</p>".utf8))
        #expect(fixture.capturer.viewerCallCount == 1)
    }

    @Test func laterPositionWinsAndIsStored() async throws {
        let id = try await fixture.savePage()
        let now = fixture.time.now
        let first = ReadingPosition(share: 0.5, paragraph: 3, changedAt: now.addingTimeInterval(-10))
        try await library.setPosition(first, in: .reader, of: id)
        #expect(library.item(id)?.positions == [.reader: first])
        let earlier = ReadingPosition(share: 0.1, paragraph: nil, changedAt: now.addingTimeInterval(-20))
        try await library.setPosition(earlier, in: .reader, of: id)
        #expect(library.item(id)?.positions == [.reader: first])
        // A device whose clock is ahead can't block those of others.
        let future = ReadingPosition(share: 2, paragraph: -4, changedAt: now.addingTimeInterval(1e9))
        try await library.setPosition(future, in: .picture, of: id)
        #expect(library.item(id)?.positions[.picture]?.changedAt == now)
        #expect(library.item(id)?.lastPosition == ReadingPosition(share: 1, paragraph: 0, changedAt: now))
        #expect(library.item(id)?.lastPosition?.isFinished == true)
        #expect(await fixture.storedPage(id)?.positions == library.item(id)?.positions)
        let another = fixture.another()
        try await another.open()
        #expect(another.item(id)?.positions == library.item(id)?.positions)
        try await library.delete(id)
        let error = await error { () throws(LibraryError) in try await library.setPosition(first, in: .reader, of: id) }
        #expect(error == .notFound)
    }

    @Test func positionThatIsNoNumberIsTheTop() {
        for share in [Double.nan, .infinity, -.infinity, -1] {
            #expect(ReadingPosition(share: share, paragraph: nil, changedAt: .distantPast).share == 0)
        }
    }

    @Test func pageWithAChosenIdentifierIsSavedOnce() async throws {
        let id = SavedPage.ID()
        let first = try await library.save("https://example.org", formats: [.png], id: id)
        let call = try await fixture.capturer.call()
        #expect(first == id)
        #expect(try await library.save("https://example.org", formats: [.png], id: id) == id)
        call.succeed()
        await library.waitForItem(id) { $0.state.isFound }
        #expect(try await library.save("https://example.org", formats: [.png], id: id) == id)
        try await library.delete(id)
        #expect(try await library.save("https://example.org", formats: [.png], id: id) == id)
        #expect(fixture.capturer.callCount == 1 && library.newest.count == 1)
    }
}
