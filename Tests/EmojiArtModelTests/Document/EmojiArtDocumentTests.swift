import EmojiArtReading
import Persistence
import Testing
import VirtualTime

@testable import EmojiArtModel

/// Tests that a document follows its board: each batch arrives once and in order, and is delivered to all listeners.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct EmojiArtDocumentTests {
    private static func revisions(_ news: BoardNews?) -> [Int]? {
        switch news {
        case .entries(let entries): entries.map(\.revision)
        case .whole(let revision): [-revision]
        case nil: nil
        }
    }

    @Test func openingShowsStoredBoard() async throws {
        let fixture = try await DocumentFixture.open(.test(.dog(1), .dog(2)))
        let document = fixture.document
        #expect(document.name == "Pets" && document.art == .test(.dog(1), .dog(2)) && document.revision == 0)
        #expect(document.saving == .saved && !document.isBusy && !document.isGone)
        #expect(document.background == .none && fixture.fetcher.fetches == [])
        await document.close()
    }

    @Test func failedOpenThrowsAndCanBeRetried() async throws {
        let fixture = DocumentFixture()
        fixture.store.failOperations()
        #expect(
            await storeFailure { () async throws(BoardStoreError) in try await fixture.document.open() } == .diskFull)
        fixture.store.failOperations(nil)
        try await fixture.store.delete(.test, owner: "ann")
        #expect(
            await storeFailure { () async throws(BoardStoreError) in try await fixture.document.open() }
                == .notFound(.test))
        try await fixture.store.restore(.test, owner: "ann")
        try await fixture.document.open()
        // Opening again has no effect.
        try await fixture.document.open()
        #expect(fixture.document.name == "Pets")
        await fixture.document.close()
    }

    @Test func changeDuringOpeningIsNotMissed() async throws {
        let fixture = DocumentFixture()
        let gate = fixture.store.hold(.board, afterwards: true)
        async let opening = storeFailure { () async throws(BoardStoreError) in try await fixture.document.open() }
        await gate.arrived()
        try await fixture.applyAsAnotherProcess("a", .dog(1))
        gate.open()
        #expect(await opening == nil)
        await waitUntilShown { fixture.document.revision == 1 }
        #expect(fixture.document.art == .test(.dog(1)))
        await fixture.document.close()
    }

    @Test func applyReturnsOnceBoardContainsBatch() async throws {
        let fixture = try await DocumentFixture.open()
        let outcome = try await fixture.document.apply(.test("a", [.dog(1), .move(9, 5)]), author: "ann")
        #expect(outcome.revision == 1 && outcome.refused.map(\.reason) == [.gone])
        #expect(fixture.document.revision == 1 && fixture.document.art == .test(.dog(1)))
        // A batch that is sent again gets the same response, and isn't applied again.
        let again = try await fixture.document.apply(.test("a", [.dog(1), .move(9, 5)]), author: "ann")
        #expect(again == BatchOutcome(revision: outcome.revision, refused: outcome.refused))
        #expect(fixture.document.revision == 1)
        #expect(await fixture.store.log.map(\.author) == ["ann"])
        await fixture.document.close()
    }

    @Test func changesByAnotherProcessAreApplied() async throws {
        let fixture = try await DocumentFixture.open()
        let news = fixture.document.entries()
        try await fixture.applyAsAnotherProcess("a", .dog(1))
        try await fixture.applyAsAnotherProcess("b", .move(1, 5))
        await waitUntilShown { fixture.document.revision == 2 }
        #expect(fixture.document.art.x(1) == 5)
        try await fixture.store.rename(.test, to: "Farm", owner: "ann")
        await waitUntilShown { fixture.document.name == "Farm" }
        await fixture.document.close()
        var received: [Int] = []
        for await news in news { received += Self.revisions(news) ?? [] }
        #expect(received == [1, 2])
    }

    @Test func gestureBatchesDoNotReadFromStore() async throws {
        let fixture = try await DocumentFixture.open(.test(.dog(1)))
        let news = fixture.document.entries()
        let opened = fixture.store.readCount
        for number in 1...10 {
            _ = try await fixture.document.apply(.test("\(number)", [.move(1, Double(number))]), author: "ann")
            #expect(fixture.document.art.x(1) == Double(number))
        }
        // The notice of this change follows those of all batches, and causes one read of the log and one of the name.
        try await fixture.store.rename(.test, to: "Farm", owner: "ann")
        await waitUntilShown { fixture.document.name == "Farm" }
        #expect(fixture.store.readCount - opened == 2)
        await fixture.document.close()
        var received: [Int] = []
        for await news in news { received += Self.revisions(news) ?? [] }
        #expect(received == Array(1...10))
    }

    @Test func entryOfAnotherProcessDuringApplyComesFirst() async throws {
        let fixture = try await DocumentFixture.open()
        let news = fixture.document.entries()
        let gate = fixture.store.hold(.apply)
        async let own = fixture.document.apply(.test("own", [.move(1, 7)]), author: "ann")
        await gate.arrived()
        try await fixture.applyAsAnotherProcess("other", .dog(1))
        await waitUntilShown { fixture.document.revision == 1 }
        gate.open()
        #expect(try await own.revision == 2)
        #expect(fixture.document.revision == 2 && fixture.document.art.x(1) == 7)
        await fixture.document.close()
        var received: [Int] = []
        for await news in news { received += Self.revisions(news) ?? [] }
        #expect(received == [1, 2])
    }

    @Test func lateResponseNeverRevertsBoard() async throws {
        let fixture = try await DocumentFixture.open()
        let gate = fixture.store.hold(.changes, afterwards: true)
        try await fixture.applyAsAnotherProcess("a", .dog(1))
        await gate.arrived()
        // While that response is pending, more batches arrive; the document must contain the caller's batch in the end.
        async let own = fixture.document.apply(.test("own", [.move(1, 7)]), author: "ann")
        try await fixture.applyAsAnotherProcess("b", .dog(2))
        gate.open()
        _ = try await own
        await waitUntilShown { fixture.document.revision == 3 }
        #expect(fixture.document.art == .test(.dog(1, x: 7), .dog(2)))
        await fixture.document.close()
    }

    @Test func failedReadIsRetriedLater() async throws {
        let fixture = try await DocumentFixture.open()
        let gate = fixture.store.hold(.changes)
        try await fixture.applyAsAnotherProcess("other", .dog(2))
        // The call still returns; the document catches up once the store can be read.
        async let own = fixture.document.apply(.test("own", [.dog(1)]), author: "ann")
        await gate.arrived()
        gate.fail()
        #expect(try await own.revision == 2)
        // The document may be in a retry pause by now, or about to begin one.
        while fixture.document.revision < 2, !Task.isCancelled {
            fixture.clock.advance(by: .seconds(60))
            await Task.yield()
        }
        #expect(fixture.document.revision == 2)
        await fixture.document.close()
    }

    @Test func failedReadsAreRetriedWithBackoff() async throws {
        let fixture = try await DocumentFixture.open()
        fixture.store.failOperations()
        fixture.store.notify()
        await fixture.clock.waitForSleepers(1)
        #expect(fixture.store.count(.changes) == 1)
        fixture.clock.advance(by: .milliseconds(999))
        #expect(fixture.clock.sleeperCount == 1)
        fixture.clock.advance(by: .milliseconds(1))
        await fixture.clock.waitForSleepers(1)
        #expect(fixture.store.count(.changes) == 2)
        fixture.clock.advance(by: .milliseconds(1_999))
        #expect(fixture.clock.sleeperCount == 1)
        fixture.store.failOperations(nil)
        try await fixture.store.rename(.test, to: "Farm", owner: "ann")
        fixture.clock.advance(by: .milliseconds(1))
        await waitUntilShown { fixture.document.name == "Farm" }
        await fixture.document.close()
    }

    @Test func deletedBoardIsGoneUntilRestoredUnchanged() async throws {
        let fixture = try await DocumentFixture.open(.test(.dog(1)))
        try await fixture.store.delete(.test, owner: "ann")
        await waitUntilShown { fixture.document.isGone }
        #expect(
            await storeFailure { () async throws(BoardStoreError) in
                _ = try await fixture.document.apply(.test("a", [.dog(2)]), author: "ann")
            } == .notFound(.test))
        try await fixture.store.restore(.test, owner: "ann")
        await waitUntilShown { !fixture.document.isGone }
        _ = try await fixture.document.apply(.test("b", [.dog(2)]), author: "ann")
        #expect(fixture.document.art == .test(.dog(1), .dog(2)))
        await fixture.document.close()
    }

    @Test func refreshFindsRestoredBoardBeforeItsNotice() async throws {
        let fixture = try await DocumentFixture.open(.test(.dog(1)))
        try await fixture.store.delete(.test, owner: "ann")
        await waitUntilShown { fixture.document.isGone }
        await fixture.document.refresh()
        #expect(fixture.document.isGone)
        await fixture.store.restoreSilently()
        fixture.store.failOperations()
        await fixture.document.refresh()
        #expect(fixture.document.isGone)
        fixture.store.failOperations(nil)
        await fixture.document.refresh()
        #expect(!fixture.document.isGone && fixture.document.art == .test(.dog(1)))
        await fixture.document.close()
        await fixture.document.refresh()
    }

    @Test func documentTooFarBehindReloadsWholeBoard() async throws {
        let fixture = try await DocumentFixture.open()
        let news = fixture.document.entries()
        let gate = fixture.store.hold(.changes)
        try await fixture.applyAsAnotherProcess("a", .dog(1))
        await gate.arrived()
        try await fixture.applyAsAnotherProcess("b", .dog(2))
        await fixture.store.forgetLog()
        gate.open()
        await waitUntilShown { fixture.document.revision == 2 }
        #expect(fixture.document.art == .test(.dog(1), .dog(2)))
        await fixture.document.close()
        var received: [BoardNews] = []
        for await news in news { received.append(news) }
        #expect(received == [.whole(revision: 2)])
    }

    @Test func largeBatchMatchesStoredBoard() async throws {
        let fixture = try await DocumentFixture.open()
        let dogs = (1...2_000).map { ArtOperation.dog($0) }
        _ = try await fixture.document.apply(.test("many", dogs), author: "ann")
        #expect(fixture.document.revision == 1 && fixture.document.art.emojis.count == 2_000)
        _ = try await fixture.document.apply(.test("more", [.move(7, 5)]), author: "ann")
        #expect(fixture.document.art == (await fixture.store.storedBoard)?.art)
        await fixture.document.close()
    }

    @Test func slowListenerMustReloadBoardAndOthersNeedNot() async throws {
        let fixture = try await DocumentFixture.open(newsLimit: 3)
        let (slow, quick) = (fixture.document.entries(), fixture.document.entries())
        var reader = quick.makeAsyncIterator()
        for number in 1...5 {
            _ = try await fixture.document.apply(.test("\(number)", [.dog(number)]), author: "ann")
            #expect(Self.revisions(await reader.next()) == [number])
        }
        var iterator = slow.makeAsyncIterator()
        #expect(Self.revisions(await iterator.next()) == [-5])
        _ = try await fixture.document.apply(.test("6", [.dog(6)]), author: "ann")
        #expect(Self.revisions(await iterator.next()) == [6])
        await fixture.document.close()
        #expect(await iterator.next() == nil)
    }

    @Test func closedDocumentDeliversNothingAndCannotReopen() async throws {
        let fixture = try await DocumentFixture.open()
        await fixture.document.close()
        await fixture.document.close()
        try await fixture.applyAsAnotherProcess("a", .dog(1))
        #expect(fixture.document.revision == 0)
        for await _ in fixture.document.entries() { Issue.record("News was delivered after the document was closed.") }
        // A request in progress still gets its response.
        #expect(try await fixture.document.apply(.test("b", [.dog(2)]), author: "ann").revision == 2)
        #expect(fixture.document.perform("Add 🐶", [.dog(3)]) == [])
        #expect(
            await storeFailure { () async throws(BoardStoreError) in try await fixture.document.open() } != nil)
    }

    @Test func closingDuringOpeningLeavesDocumentClosed() async throws {
        let fixture = DocumentFixture(.test(.background(at: "https://example.org/a")))
        let gate = fixture.store.hold(.board)
        async let opening = storeFailure { () async throws(BoardStoreError) in try await fixture.document.open() }
        await gate.arrived()
        await fixture.document.close()
        gate.open()
        #expect(await opening != nil)
        #expect(fixture.fetcher.fetches == [] && !fixture.document.isOpen)
    }

    @Test func releasingDocumentEndsItsNews() async throws {
        let store = FakeBoardStore()
        var document: EmojiArtDocument? = .test(store, FakeFetcher(), clock: ManualClock())
        try await document?.open()
        let news = document?.entries()
        weak let released = document
        document = nil
        #expect(released == nil)
        if let news {
            for await _ in news { Issue.record("News was delivered after the document was released.") }
        }
    }

    @Test func pictureIsStoredUnderItsID() async throws {
        let fixture = try await DocumentFixture.open()
        let png = TestPictures.png(640, 480)
        let picture = try await fixture.document.add(CheckedPicture(png))
        #expect(picture.width == 640 && picture.height == 480 && picture.type == "image/png")
        #expect(try await fixture.store.picture(picture.id, of: .test, owner: "ann")?.data == png)
        await #expect(throws: PictureError.self) {
            _ = try await fixture.document.add(CheckedPicture(TestPictures.svg("<script/>")))
        }
        fixture.store.failOperations()
        await #expect(throws: PictureError.store(.diskFull)) {
            _ = try await fixture.document.add(CheckedPicture(png))
        }
        await fixture.document.close()
    }
}
