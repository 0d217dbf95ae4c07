import EmojiArtReading
import Foundation
import Interleaving
import Loading
import Persistence
import RealPictures
import Testing
import VirtualTime

@testable import EmojiArtModel

/// Tests the background's states: the requested picture or its error is shown, and never that of an earlier request.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct DocumentBackgroundTests {
    fileprivate static let (one, two) = ("https://example.org/one", "https://example.org/two")

    /// The width of the shown picture, which identifies it.
    private static func width(_ background: BackgroundState) -> Int? { background.picture?.width }

    fileprivate static func isShown(_ background: BackgroundState, _ address: String?, _ width: Int) -> Bool {
        if case .shown(address, let picture) = background { picture.width == width } else { false }
    }

    fileprivate static func bench(_ operations: ArtOperation...) -> DocumentBench {
        var art = EmojiArt()
        art.apply(.test("start", operations))
        let bench = DocumentBench(art)
        bench.fetcher.set(one, TestPictures.png(1))
        bench.fetcher.set(two, TestPictures.png(2))
        return bench
    }

    @Test func openingFetchesAndWhatIsKeptIsNotFetchedAgain() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        // The document isn't open.
        #expect(bench.fetcher.fetches == [] && bench.document.background == .none)
        let gate = bench.fetcher.hold(Self.one)
        try await bench.document.open()
        await gate.arrived()
        #expect(bench.document.background == .fetching(address: Self.one, fraction: nil, previous: nil))
        #expect(bench.document.background.isFetching && bench.document.background.addressBeingFetched == Self.one)
        gate.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        #expect(await bench.store.addresses == [Self.one])
        let other = try await bench.another()
        await untilShown { Self.isShown(other.background, Self.one, 1) }
        #expect(bench.fetcher.fetches == [Self.one])
        await bench.document.close()
        await other.close()
    }

    @Test func itSaysHowMuchHasArrived() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        bench.fetcher.report(FetchProgress(received: 25, expected: 100))
        let gate = bench.fetcher.hold(Self.one)
        try await bench.document.open()
        await untilShown {
            bench.document.background == .fetching(address: Self.one, fraction: 0.25, previous: nil)
        }
        gate.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        await bench.document.close()
    }

    @Test func thePictureFromBeforeStaysWhileAnotherLoadsAndWhenItCannotBeHad() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        try await bench.document.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        bench.fetcher.fail(Self.two, "There is nothing at that address (404). Check it.")
        let gate = bench.fetcher.hold(Self.two)
        // Another process sets it.
        try await bench.applyElsewhere("a", .draw(on: Self.two))
        await gate.arrived()
        #expect(bench.document.background.isFetching && Self.width(bench.document.background) == 1)
        gate.open()
        await untilShown { bench.document.background.failureReason != nil }
        let reason = "Couldn't set background: There is nothing at that address (404). Check it."
        #expect(bench.document.background.failureReason == reason && BackgroundState.alertTitle == "Set Background")
        #expect(Self.width(bench.document.background) == 1)
        await bench.document.close()
    }

    @Test func whatFailedIsFetchedAgainWhenSomebodyAsksOrSetsItAgain() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        bench.fetcher.fail(Self.one)
        try await bench.document.open()
        await untilShown { bench.document.background.failureReason != nil }
        bench.document.retryBackground()
        #expect(bench.document.background.isFetching)
        await untilShown { bench.document.background.failureReason != nil }
        // In the course, setting the same address again does nothing.
        bench.fetcher.set(Self.one, TestPictures.png(3))
        try await bench.applyElsewhere("a", .draw(on: Self.one))
        await untilShown { Self.isShown(bench.document.background, Self.one, 3) }
        #expect(bench.fetcher.fetches.count == 3)
        // Setting the address of the shown picture doesn't fetch it again.
        try await bench.applyElsewhere("b", .draw(on: Self.one))
        await untilShown { bench.document.revision == 2 }
        #expect(Self.isShown(bench.document.background, Self.one, 3))
        #expect(bench.fetcher.fetches.count == 3)
        await bench.document.close()
    }

    @Test func aChangeOfAnEmojiFetchesNothing() async throws {
        for isFailing in [false, true] {
            let bench = Self.bench(.draw(on: Self.one), .add(.test(1)))
            if isFailing { bench.fetcher.fail(Self.one) }
            try await bench.document.open()
            await untilShown { !bench.document.background.isFetching && bench.document.background != .none }
            let before = bench.document.background
            try await bench.applyElsewhere("a", .move(EmojiID(1), x: 7, y: 8))
            await untilShown { bench.document.revision == 1 }
            #expect(bench.document.background == before && bench.fetcher.fetches == [Self.one])
            // A fetch would have started before this one.
            try await bench.applyElsewhere("b", .draw(on: Self.two))
            await untilShown { Self.isShown(bench.document.background, Self.two, 2) }
            #expect(bench.fetcher.fetches == [Self.one, Self.two])
            await bench.document.close()
        }
    }

    @Test func whatMayGoBetterIsTriedAgainByItself() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        bench.fetcher.fail(Self.one, "The server is busy.", .retry(after: .seconds(5)))
        try await bench.document.open()
        await bench.clock.waitForSleepers(1)
        #expect(bench.document.background.isFetching)
        bench.fetcher.set(Self.one, TestPictures.png(1))
        bench.clock.advance(by: .seconds(6))
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        await bench.document.close()
    }

    @Test func whatIsNoPictureIsNotShownAndNotKept() async throws {
        for (data, words) in [
            (Data("<!DOCTYPE html><p>Not found".utf8), "an HTML page"),
            (RealPictures.pngHeader(50_000, 50_000), "pixels"),
            (TestPictures.png(5, padding: BoardLimits.pictureBytes), "MB"),
            (TestPictures.svg("<script>a()</script>"), "a script"),
            (TestPictures.png(5).prefix(20), "cut off"),
            (RealPictures.pngHeader(5, 5), "cut off"),
            (RealPictures.png(5, 5).dropLast(20), "cut off"),
            (RealPictures.pngWithWrongChecksum(5, 5), "checksum"),
        ] {
            let bench = Self.bench(.draw(on: Self.one))
            bench.fetcher.set(Self.one, data)
            try await bench.document.open()
            if words == "cut off" {
                // The next fetch may be complete.
                for _ in 0..<3 {
                    await bench.clock.waitForSleepers(1)
                    bench.clock.advance(by: .seconds(30))
                }
            }
            await untilShown { bench.document.background.failureReason != nil }
            let reason = bench.document.background.failureReason ?? ""
            #expect(reason.hasPrefix("Couldn't set background: ") && reason.contains(words), "\(reason)")
            #expect(await bench.store.addresses == [])
            await bench.document.close()
        }
    }

    /// Parsing these bytes finds neither a type nor a size.
    @Test func aStoredPictureOfKnownSizeIsNotParsed() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        let stored = KeptPicture(
            data: Data("nothing".utf8), type: "image/png", size: PictureSize(width: 1, height: 100))
        _ = try await bench.store.keep(stored, fetchedFrom: Self.one, for: .test, owner: "ann")
        try await bench.document.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        #expect(bench.fetcher.fetches == [] && bench.fetcher.checks == 0)
        let checked = try await bench.document.reader.checkedPicture(of: .address(Self.one))
        #expect(checked.picture == stored && checked.height == 100)
        #expect(bench.fetcher.checks == 0)
        await bench.document.close()
    }

    @Test func thePictureOfAnEarlierVersionIsCheckedOnce() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        let stored = KeptPicture(data: TestPictures.png(3), type: "image/png")
        let id = try await bench.store.keep(stored, fetchedFrom: Self.one, for: .test, owner: "ann")
        try await bench.document.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 3) }
        #expect(bench.fetcher.checks == 1)
        #expect(try await bench.store.picture(id, of: .test, owner: "ann")?.size?.width == 3)
        _ = try await bench.document.reader.checkedPicture(of: .address(Self.one))
        #expect(bench.fetcher.checks == 1 && bench.fetcher.fetches == [])
        await bench.document.close()
    }

    /// As an earlier version stored it.
    @Test func aStoredPictureWithoutBodyIsFetchedAnew() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        let stored = KeptPicture(data: RealPictures.pngHeader(1, 100), type: "image/png")
        _ = try await bench.store.keep(stored, fetchedFrom: Self.one, for: .test, owner: "ann")
        try await bench.document.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        #expect(bench.fetcher.fetches == [Self.one])
        await bench.document.close()
    }

    @Test func theEarlierPictureStaysWhileAnUndecodableOneFails() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        bench.fetcher.set(Self.two, RealPictures.pngWithWrongChecksum(2, 100))
        try await bench.document.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        let earlier = bench.document.background.picture
        try await bench.applyElsewhere("a", .draw(on: Self.two))
        await untilShown { bench.document.background.failureReason != nil }
        #expect(bench.document.background.picture == earlier)
        bench.fetcher.set(Self.two, TestPictures.png(2))
        bench.document.retryBackground()
        await untilShown { Self.isShown(bench.document.background, Self.two, 2) }
        await bench.document.close()
    }

    @Test func withoutABackgroundThereIsNone() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        try await bench.document.open()
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        try await bench.applyElsewhere("a", .setBackground(.blank))
        await untilShown { bench.document.revision == 1 }
        #expect(bench.document.background == .none)
        // The earlier picture isn't shown while another one loads.
        let gate = bench.fetcher.hold(Self.two)
        try await bench.applyElsewhere("b", .draw(on: Self.two))
        await gate.arrived()
        #expect(bench.document.background == .fetching(address: Self.two, fraction: nil, previous: nil))
        try await bench.applyElsewhere("c", .setBackground(.blank))
        await untilShown { bench.document.background == .none }
        gate.open()
        await bench.document.close()
    }

    @Test func aPictureThatWasDroppedIsShownAndHasNoAddress() async throws {
        let bench = Self.bench()
        try await bench.document.open()
        let picture = try await bench.document.keep(CheckedPicture(TestPictures.png(7)))
        _ = try await bench.document.apply(.test("a", [.setBackground(.picture(picture.id))]), author: "ann")
        await untilShown { bench.document.background == .shown(address: nil, picture: picture) }
        #expect(bench.fetcher.fetches == [])
        await bench.document.close()
    }

    @Test func aPictureThatIsNotKeptIsToldAndCannotBeHad() async throws {
        var art = EmojiArt()
        let missing = try FakeBoardStore.name(of: Data("nobody has it".utf8))
        art.apply(.test("start", [.setBackground(.picture(missing))]))
        let bench = DocumentBench(art)
        try await bench.document.open()
        await untilShown { bench.document.background.failureReason != nil }
        #expect(bench.document.background.failureReason?.contains("no longer kept") == true)
        await bench.document.close()
    }

    @Test func whatCannotBeKeptIsNotShown() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        let gates = (0..<4).map { _ in bench.store.hold(.keep) }
        try await bench.document.open()
        for (index, gate) in gates.enumerated() {
            await gate.arrived()
            gate.fail()
            guard index < 3 else { break }
            await bench.clock.waitForSleepers(1)
            bench.clock.advance(by: .seconds(30))
        }
        await untilShown { bench.document.background.failureReason != nil }
        #expect(bench.document.background.failureReason == "Couldn't set background: The disk is full: make room.")
        await bench.document.close()
    }

    @Test func aBoardThatIsBackBeforeAnybodyHasNoticedIsAskedAgain() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        let gate = bench.store.hold(.storedPicture)
        try await bench.document.open()
        await gate.arrived()
        gate.fail(.noBoard(.test))
        await bench.clock.waitForSleepers(1)
        bench.clock.advance(by: .seconds(1))
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        await bench.document.close()
    }

    @Test func closingCancelsTheFetch() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        let gate = bench.fetcher.hold(Self.one)
        try await bench.document.open()
        await gate.arrived()
        await bench.document.close()
        while bench.fetcher.cancelled.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(bench.fetcher.cancelled == [Self.one])
        #expect(!bench.document.background.isFetching)
        bench.document.retryBackground()
        #expect(!bench.document.background.isFetching)
    }

    @Test func whileTheBoardIsGoneNothingIsFetched() async throws {
        let bench = Self.bench(.draw(on: Self.one))
        let gate = bench.fetcher.hold(Self.one)
        try await bench.document.open()
        await gate.arrived()
        try await bench.store.delete(.test, owner: "ann")
        await untilShown { bench.document.isGone && !bench.document.background.isFetching }
        bench.document.retryBackground()
        #expect(!bench.document.background.isFetching)
        try await bench.store.restore(.test, owner: "ann")
        await untilShown { Self.isShown(bench.document.background, Self.one, 1) }
        await bench.document.close()
    }
}

/// Responses that arrive after the document has requested something else.
///
/// In virtual time: a dropped response leaves no trace that a test could wait for, so each test waits until nothing can run.
@Suite(.timeLimit(.minutes(10))) struct LateBackgroundTests {
    @Test func aLateAnswerForAnOlderAddressIsNeverShown() {
        withVirtualTime { try await Self.answerLate(isFailure: false) }
    }

    @Test func aLateFailureForAnOlderAddressIsNeverShown() {
        // In the course the failure overwrites the newer picture.
        withVirtualTime { try await Self.answerLate(isFailure: true) }
    }

    @MainActor
    private static func answerLate(isFailure: Bool) async throws {
        let (one, two) = (DocumentBackgroundTests.one, DocumentBackgroundTests.two)
        let bench = DocumentBackgroundTests.bench(.draw(on: one))
        if isFailure { bench.fetcher.fail(one) }
        let late = bench.fetcher.hold(one, isDeaf: true)
        try await bench.document.open()
        await late.arrived()
        try await bench.applyElsewhere("a", .draw(on: two))
        await untilShown { DocumentBackgroundTests.isShown(bench.document.background, two, 2) }
        late.open()
        await settle()
        let background = bench.document.background
        check(DocumentBackgroundTests.isShown(background, two, 2), "\(background)")
        let addresses = await bench.store.addresses
        check(addresses == [two], "\(addresses)")
        await bench.document.close()
    }
}
