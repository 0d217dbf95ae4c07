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

    @Test func whatIsKeptIsShownWhenItIsOpen() async throws {
        let bench = try await DocumentBench.open(.test(.dog(1), .dog(2)))
        let document = bench.document
        #expect(document.name == "Pets" && document.art == .test(.dog(1), .dog(2)) && document.revision == 0)
        #expect(document.saving == .saved && !document.isBusy && !document.isGone)
        #expect(document.background == .none && bench.fetcher.fetches == [])
        await document.close()
    }

    @Test func aBoardThatCannotBeReadSaysSoAndCanBeTriedAgain() async throws {
        let bench = DocumentBench()
        bench.store.breakDown()
        #expect(await storeFailure { () async throws(BoardStoreError) in try await bench.document.open() } == .diskFull)
        bench.store.breakDown(nil)
        try await bench.store.delete(.test, owner: "ann")
        #expect(
            await storeFailure { () async throws(BoardStoreError) in try await bench.document.open() }
                == .noBoard(.test))
        try await bench.store.restore(.test, owner: "ann")
        try await bench.document.open()
        // Opening again has no effect.
        try await bench.document.open()
        #expect(bench.document.name == "Pets")
        await bench.document.close()
    }

    @Test func whatHappensWhileItIsOpenedIsNotMissed() async throws {
        let bench = DocumentBench()
        let gate = bench.store.hold(.board, afterwards: true)
        async let opening = storeFailure { () async throws(BoardStoreError) in try await bench.document.open() }
        await gate.arrived()
        try await bench.applyElsewhere("a", .dog(1))
        gate.open()
        #expect(await opening == nil)
        await untilShown { bench.document.revision == 1 }
        #expect(bench.document.art == .test(.dog(1)))
        await bench.document.close()
    }

    @Test func whoeverHasTheAnswerFindsItOnTheBoard() async throws {
        let bench = try await DocumentBench.open()
        let outcome = try await bench.document.apply(.test("a", [.dog(1), .move(9, 5)]), author: "ann")
        #expect(outcome.revision == 1 && outcome.refused.map(\.reason) == [.gone])
        #expect(bench.document.revision == 1 && bench.document.art == .test(.dog(1)))
        // A batch that is sent again gets the same response, and isn't applied again.
        let again = try await bench.document.apply(.test("a", [.dog(1), .move(9, 5)]), author: "ann")
        #expect(again == BatchOutcome(revision: outcome.revision, refused: outcome.refused))
        #expect(bench.document.revision == 1)
        #expect(await bench.store.log.map(\.author) == ["ann"])
        await bench.document.close()
    }

    @Test func whatAnotherProcessDoesComesInByItself() async throws {
        let bench = try await DocumentBench.open()
        let news = bench.document.entries()
        try await bench.applyElsewhere("a", .dog(1))
        try await bench.applyElsewhere("b", .move(1, 5))
        await untilShown { bench.document.revision == 2 }
        #expect(bench.document.art.x(1) == 5)
        try await bench.store.rename(.test, to: "Farm", owner: "ann")
        await untilShown { bench.document.name == "Farm" }
        await bench.document.close()
        var heard: [Int] = []
        for await news in news { heard += Self.revisions(news) ?? [] }
        #expect(heard == [1, 2])
    }

    @Test func theBatchesOfAGestureReadNothingFromTheStore() async throws {
        let bench = try await DocumentBench.open(.test(.dog(1)))
        let news = bench.document.entries()
        let opened = bench.store.readCount
        for number in 1...10 {
            _ = try await bench.document.apply(.test("\(number)", [.move(1, Double(number))]), author: "ann")
            #expect(bench.document.art.x(1) == Double(number))
        }
        // The notices of all batches precede the one of this change, which reads the log once and the name once.
        try await bench.store.rename(.test, to: "Farm", owner: "ann")
        await untilShown { bench.document.name == "Farm" }
        #expect(bench.store.readCount - opened == 2)
        await bench.document.close()
        var heard: [Int] = []
        for await news in news { heard += Self.revisions(news) ?? [] }
        #expect(heard == Array(1...10))
    }

    @Test func anEntryOfAnotherProcessDuringAnApplyComesFirst() async throws {
        let bench = try await DocumentBench.open()
        let news = bench.document.entries()
        let gate = bench.store.hold(.apply)
        async let own = bench.document.apply(.test("own", [.move(1, 7)]), author: "ann")
        await gate.arrived()
        try await bench.applyElsewhere("other", .dog(1))
        await untilShown { bench.document.revision == 1 }
        gate.open()
        #expect(try await own.revision == 2)
        #expect(bench.document.revision == 2 && bench.document.art.x(1) == 7)
        await bench.document.close()
        var heard: [Int] = []
        for await news in news { heard += Self.revisions(news) ?? [] }
        #expect(heard == [1, 2])
    }

    @Test func anAnswerThatIsLateNeverTakesTheBoardBack() async throws {
        let bench = try await DocumentBench.open()
        let gate = bench.store.hold(.changes, afterwards: true)
        try await bench.applyElsewhere("a", .dog(1))
        await gate.arrived()
        // While that response is pending, more batches arrive; the caller that applied one still finds it.
        async let own = bench.document.apply(.test("own", [.move(1, 7)]), author: "ann")
        try await bench.applyElsewhere("b", .dog(2))
        gate.open()
        _ = try await own
        await untilShown { bench.document.revision == 3 }
        #expect(bench.document.art == .test(.dog(1, x: 7), .dog(2)))
        await bench.document.close()
    }

    @Test func aStoreThatCannotBeReadIsAskedAgainLater() async throws {
        let bench = try await DocumentBench.open()
        let gate = bench.store.hold(.changes)
        try await bench.applyElsewhere("other", .dog(2))
        // The response arrives all the same; the document follows once the store can be read.
        async let own = bench.document.apply(.test("own", [.dog(1)]), author: "ann")
        await gate.arrived()
        gate.fail()
        #expect(try await own.revision == 2)
        // It may be in a pause by now, or about to begin one.
        while bench.document.revision < 2, !Task.isCancelled {
            bench.clock.advance(by: .seconds(60))
            await Task.yield()
        }
        #expect(bench.document.revision == 2)
        await bench.document.close()
    }

    @Test func questionsThatFailComeInGrowingPauses() async throws {
        let bench = try await DocumentBench.open()
        bench.store.breakDown()
        bench.store.tell()
        await bench.clock.waitForSleepers(1)
        #expect(bench.store.count(.changes) == 1)
        bench.clock.advance(by: .milliseconds(999))
        #expect(bench.clock.sleeperCount == 1)
        bench.clock.advance(by: .milliseconds(1))
        await bench.clock.waitForSleepers(1)
        #expect(bench.store.count(.changes) == 2)
        bench.clock.advance(by: .milliseconds(1_999))
        #expect(bench.clock.sleeperCount == 1)
        bench.store.breakDown(nil)
        try await bench.store.rename(.test, to: "Farm", owner: "ann")
        bench.clock.advance(by: .milliseconds(1))
        await untilShown { bench.document.name == "Farm" }
        await bench.document.close()
    }

    @Test func aDeletedBoardIsGoneAndComesBackAsItWas() async throws {
        let bench = try await DocumentBench.open(.test(.dog(1)))
        try await bench.store.delete(.test, owner: "ann")
        await untilShown { bench.document.isGone }
        #expect(
            await storeFailure { () async throws(BoardStoreError) in
                _ = try await bench.document.apply(.test("a", [.dog(2)]), author: "ann")
            } == .noBoard(.test))
        try await bench.store.restore(.test, owner: "ann")
        await untilShown { !bench.document.isGone }
        _ = try await bench.document.apply(.test("b", [.dog(2)]), author: "ann")
        #expect(bench.document.art == .test(.dog(1), .dog(2)))
        await bench.document.close()
    }

    @Test func aRefreshFindsARestoredBoardBeforeTheNewsOfItComes() async throws {
        let bench = try await DocumentBench.open(.test(.dog(1)))
        try await bench.store.delete(.test, owner: "ann")
        await untilShown { bench.document.isGone }
        await bench.document.refresh()
        #expect(bench.document.isGone)
        await bench.store.restoreSilently()
        bench.store.breakDown()
        await bench.document.refresh()
        #expect(bench.document.isGone)
        bench.store.breakDown(nil)
        await bench.document.refresh()
        #expect(!bench.document.isGone && bench.document.art == .test(.dog(1)))
        await bench.document.close()
        await bench.document.refresh()
    }

    @Test func whoIsTooFarBehindTakesTheBoardAnew() async throws {
        let bench = try await DocumentBench.open()
        let news = bench.document.entries()
        let gate = bench.store.hold(.changes)
        try await bench.applyElsewhere("a", .dog(1))
        await gate.arrived()
        try await bench.applyElsewhere("b", .dog(2))
        await bench.store.forgetLog()
        gate.open()
        await untilShown { bench.document.revision == 2 }
        #expect(bench.document.art == .test(.dog(1), .dog(2)))
        await bench.document.close()
        var heard: [BoardNews] = []
        for await news in news { heard.append(news) }
        #expect(heard == [.whole(revision: 2)])
    }

    @Test func manyOperationsAreAppliedElsewhereAndTheSame() async throws {
        let bench = try await DocumentBench.open()
        let dogs = (1...2_000).map { ArtOperation.dog($0) }
        _ = try await bench.document.apply(.test("many", dogs), author: "ann")
        #expect(bench.document.revision == 1 && bench.document.art.emojis.count == 2_000)
        _ = try await bench.document.apply(.test("more", [.move(7, 5)]), author: "ann")
        #expect(bench.document.art == (await bench.store.kept)?.art)
        await bench.document.close()
    }

    @Test func aSlowListenerIsToldToTakeTheBoardAnewAndTheOthersAreNot() async throws {
        let bench = try await DocumentBench.open(newsLimit: 3)
        let (slow, quick) = (bench.document.entries(), bench.document.entries())
        var reader = quick.makeAsyncIterator()
        for number in 1...5 {
            _ = try await bench.document.apply(.test("\(number)", [.dog(number)]), author: "ann")
            #expect(Self.revisions(await reader.next()) == [number])
        }
        var iterator = slow.makeAsyncIterator()
        #expect(Self.revisions(await iterator.next()) == [-5])
        _ = try await bench.document.apply(.test("6", [.dog(6)]), author: "ann")
        #expect(Self.revisions(await iterator.next()) == [6])
        await bench.document.close()
        #expect(await iterator.next() == nil)
    }

    @Test func afterTheEndNothingIsHeardAndNothingOpens() async throws {
        let bench = try await DocumentBench.open()
        await bench.document.close()
        await bench.document.close()
        try await bench.applyElsewhere("a", .dog(1))
        #expect(bench.document.revision == 0)
        for await _ in bench.document.entries() { Issue.record("Something is told after the end.") }
        // A request in progress still gets its response.
        #expect(try await bench.document.apply(.test("b", [.dog(2)]), author: "ann").revision == 2)
        #expect(bench.document.perform("Add 🐶", [.dog(3)]) == [])
        #expect(
            await storeFailure { () async throws(BoardStoreError) in try await bench.document.open() } != nil)
    }

    @Test func aBoardThatIsClosedWhileItIsOpenedStaysClosed() async throws {
        let bench = DocumentBench(.test(.draw(on: "https://example.org/a")))
        let gate = bench.store.hold(.board)
        async let opening = storeFailure { () async throws(BoardStoreError) in try await bench.document.open() }
        await gate.arrived()
        await bench.document.close()
        gate.open()
        #expect(await opening != nil)
        #expect(bench.fetcher.fetches == [] && !bench.document.isOpen)
    }

    @Test func whoLetsGoOfADocumentEndsIt() async throws {
        let store = FakeBoardStore()
        var document: EmojiArtDocument? = .test(store, FakeFetcher(), clock: ManualClock())
        try await document?.open()
        let news = document?.entries()
        weak let released = document
        document = nil
        #expect(released == nil)
        if let news {
            for await _ in news { Issue.record("Something is told after the end.") }
        }
    }

    @Test func aPictureIsKeptUnderItsName() async throws {
        let bench = try await DocumentBench.open()
        let png = TestPictures.png(640, 480)
        let picture = try await bench.document.keep(CheckedPicture(png))
        #expect(picture.width == 640 && picture.height == 480 && picture.type == "image/png")
        #expect(try await bench.store.picture(picture.id, of: .test, owner: "ann")?.data == png)
        await #expect(throws: PictureError.self) {
            _ = try await bench.document.keep(CheckedPicture(TestPictures.svg("<script/>")))
        }
        bench.store.breakDown()
        await #expect(throws: PictureError.store(.diskFull)) { _ = try await bench.document.keep(CheckedPicture(png)) }
        await bench.document.close()
    }
}
