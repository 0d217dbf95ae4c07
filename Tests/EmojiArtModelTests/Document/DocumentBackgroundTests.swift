import BoardTraces
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

    fileprivate static func fixture(_ operations: ArtOperation...) -> DocumentFixture {
        var art = EmojiArt()
        art.apply(.test("start", operations))
        let fixture = DocumentFixture(art)
        fixture.fetcher.set(one, TestPictures.png(1))
        fixture.fetcher.set(two, TestPictures.png(2))
        return fixture
    }

    @Test func openingFetchesPictureOnceAndReusesStoredOne() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        // The document isn't open.
        #expect(fixture.fetcher.fetches == [] && fixture.document.background == .none)
        let gate = fixture.fetcher.hold(Self.one)
        try await fixture.document.open()
        await gate.arrived()
        #expect(fixture.document.background == .fetching(address: Self.one, fraction: nil, previous: nil))
        #expect(fixture.document.background.isFetching && fixture.document.background.addressBeingFetched == Self.one)
        gate.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        #expect(await fixture.store.addresses == [Self.one])
        let other = try await fixture.openAnother()
        await waitUntilShown { Self.isShown(other.background, Self.one, 1) }
        #expect(fixture.fetcher.fetches == [Self.one])
        await fixture.document.close()
        await other.close()
    }

    @Test func fetchReportsProgress() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        fixture.fetcher.report(FetchProgress(received: 25, expected: 100))
        let gate = fixture.fetcher.hold(Self.one)
        try await fixture.document.open()
        await waitUntilShown {
            fixture.document.background == .fetching(address: Self.one, fraction: 0.25, previous: nil)
        }
        gate.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        await fixture.document.close()
    }

    @Test func previousPictureStaysDuringFetchAndAfterFailure() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        try await fixture.document.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        fixture.fetcher.fail(Self.two, "There is nothing at that address (404). Check it.")
        let gate = fixture.fetcher.hold(Self.two)
        // Another process sets the second address.
        try await fixture.applyAsAnotherProcess("a", .background(at: Self.two))
        await gate.arrived()
        #expect(fixture.document.background.isFetching && Self.width(fixture.document.background) == 1)
        gate.open()
        await waitUntilShown { fixture.document.background.failureReason != nil }
        let reason = "Couldn't set background: There is nothing at that address (404). Check it."
        #expect(fixture.document.background.failureReason == reason && BackgroundState.alertTitle == "Set Background")
        #expect(Self.width(fixture.document.background) == 1)
        await fixture.document.close()
    }

    @Test func failedPictureIsRefetchedOnRetryOrWhenSetAgain() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        fixture.fetcher.fail(Self.one)
        try await fixture.document.open()
        await waitUntilShown { fixture.document.background.failureReason != nil }
        fixture.document.retryBackground()
        #expect(fixture.document.background.isFetching)
        await waitUntilShown { fixture.document.background.failureReason != nil }
        // In the course, setting the same address again does nothing.
        fixture.fetcher.set(Self.one, TestPictures.png(3))
        try await fixture.applyAsAnotherProcess("a", .background(at: Self.one))
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 3) }
        #expect(fixture.fetcher.fetches.count == 3)
        // Setting the address of the shown picture doesn't fetch it again.
        try await fixture.applyAsAnotherProcess("b", .background(at: Self.one))
        await waitUntilShown { fixture.document.revision == 2 }
        #expect(Self.isShown(fixture.document.background, Self.one, 3))
        #expect(fixture.fetcher.fetches.count == 3)
        await fixture.document.close()
    }

    @Test func emojiChangeDoesNotFetchBackground() async throws {
        for isFailing in [false, true] {
            let fixture = Self.fixture(.background(at: Self.one), .add(.test(1)))
            if isFailing { fixture.fetcher.fail(Self.one) }
            try await fixture.document.open()
            await waitUntilShown { !fixture.document.background.isFetching && fixture.document.background != .none }
            let before = fixture.document.background
            try await fixture.applyAsAnotherProcess("a", .move(EmojiID(1), x: 7, y: 8))
            await waitUntilShown { fixture.document.revision == 1 }
            #expect(fixture.document.background == before && fixture.fetcher.fetches == [Self.one])
            // If the move had started a fetch, it would precede the fetch of this address.
            try await fixture.applyAsAnotherProcess("b", .background(at: Self.two))
            await waitUntilShown { Self.isShown(fixture.document.background, Self.two, 2) }
            #expect(fixture.fetcher.fetches == [Self.one, Self.two])
            await fixture.document.close()
        }
    }

    @Test func temporaryFailureIsRetriedAutomatically() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        fixture.fetcher.fail(Self.one, "The server is busy.", .retry(after: .seconds(5)))
        try await fixture.document.open()
        await fixture.clock.waitForSleepers(1)
        #expect(fixture.document.background.isFetching)
        fixture.fetcher.set(Self.one, TestPictures.png(1))
        fixture.clock.advance(by: .seconds(6))
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        await fixture.document.close()
    }

    @Test func invalidPictureIsNeitherShownNorStored() async throws {
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
            let fixture = Self.fixture(.background(at: Self.one))
            fixture.fetcher.set(Self.one, data)
            try await fixture.document.open()
            if words == "cut off" {
                // The next fetch may be complete.
                for _ in 0..<3 {
                    await fixture.clock.waitForSleepers(1)
                    fixture.clock.advance(by: .seconds(30))
                }
            }
            await waitUntilShown { fixture.document.background.failureReason != nil }
            let reason = fixture.document.background.failureReason ?? ""
            #expect(reason.hasPrefix("Couldn't set background: ") && reason.contains(words), "\(reason)")
            #expect(await fixture.store.addresses == [])
            await fixture.document.close()
        }
    }

    /// Parsing these bytes finds neither a type nor a size.
    @Test func storedPictureOfKnownSizeIsNotParsed() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        let stored = PictureContent(
            data: Data("nothing".utf8), type: "image/png", size: PictureSize(width: 1, height: 100))
        _ = try await fixture.store.add(stored, fetchedFrom: Self.one, for: .test, owner: "ann")
        try await fixture.document.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        #expect(fixture.fetcher.fetches == [] && fixture.fetcher.checks == 0)
        let checked = try await fixture.document.reader.checkedPicture(of: .address(Self.one))
        #expect(checked.picture == stored && checked.height == 100)
        #expect(fixture.fetcher.checks == 0)
        await fixture.document.close()
    }

    @Test func storedPictureWithoutSizeIsCheckedOnce() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        let stored = PictureContent(data: TestPictures.png(3), type: "image/png")
        let id = try await fixture.store.add(stored, fetchedFrom: Self.one, for: .test, owner: "ann")
        try await fixture.document.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 3) }
        #expect(fixture.fetcher.checks == 1)
        #expect(try await fixture.store.picture(id, of: .test, owner: "ann")?.size?.width == 3)
        _ = try await fixture.document.reader.checkedPicture(of: .address(Self.one))
        #expect(fixture.fetcher.checks == 1 && fixture.fetcher.fetches == [])
        await fixture.document.close()
    }

    /// An earlier version stored pictures like this one.
    @Test func storedPictureWithoutBodyIsFetchedAgain() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        let stored = PictureContent(data: RealPictures.pngHeader(1, 100), type: "image/png")
        _ = try await fixture.store.add(stored, fetchedFrom: Self.one, for: .test, owner: "ann")
        try await fixture.document.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        #expect(fixture.fetcher.fetches == [Self.one])
        await fixture.document.close()
    }

    @Test func previousPictureStaysWhenNewOneIsCorrupt() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        fixture.fetcher.set(Self.two, RealPictures.pngWithWrongChecksum(2, 100))
        try await fixture.document.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        let earlier = fixture.document.background.picture
        try await fixture.applyAsAnotherProcess("a", .background(at: Self.two))
        await waitUntilShown { fixture.document.background.failureReason != nil }
        #expect(fixture.document.background.picture == earlier)
        fixture.fetcher.set(Self.two, TestPictures.png(2))
        fixture.document.retryBackground()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.two, 2) }
        await fixture.document.close()
    }

    @Test func blankBackgroundShowsNoPicture() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        try await fixture.document.open()
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        try await fixture.applyAsAnotherProcess("a", .setBackground(.blank))
        await waitUntilShown { fixture.document.revision == 1 }
        #expect(fixture.document.background == .none)
        // The earlier picture isn't shown while another one loads.
        let gate = fixture.fetcher.hold(Self.two)
        try await fixture.applyAsAnotherProcess("b", .background(at: Self.two))
        await gate.arrived()
        #expect(fixture.document.background == .fetching(address: Self.two, fraction: nil, previous: nil))
        try await fixture.applyAsAnotherProcess("c", .setBackground(.blank))
        await waitUntilShown { fixture.document.background == .none }
        gate.open()
        await fixture.document.close()
    }

    @Test func droppedPictureIsShownWithoutAddress() async throws {
        let fixture = Self.fixture()
        try await fixture.document.open()
        let picture = try await fixture.document.add(CheckedPicture(TestPictures.png(7)))
        _ = try await fixture.document.apply(.test("a", [.setBackground(.picture(picture.id))]), author: "ann")
        await waitUntilShown { fixture.document.background == .shown(address: nil, picture: picture) }
        #expect(fixture.fetcher.fetches == [])
        await fixture.document.close()
    }

    @Test func missingStoredPictureFailsWithReason() async throws {
        var art = EmojiArt()
        let missing = try FakeBoardStore.name(of: Data("nobody has it".utf8))
        art.apply(.test("start", [.setBackground(.picture(missing))]))
        let fixture = DocumentFixture(art)
        try await fixture.document.open()
        await waitUntilShown { fixture.document.background.failureReason != nil }
        #expect(fixture.document.background.failureReason?.contains("no longer stored") == true)
        await fixture.document.close()
    }

    @Test func pictureThatCannotBeStoredIsNotShown() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        let gates = (0..<4).map { _ in fixture.store.hold(.add) }
        try await fixture.document.open()
        for (index, gate) in gates.enumerated() {
            await gate.arrived()
            gate.fail()
            guard index < 3 else { break }
            await fixture.clock.waitForSleepers(1)
            fixture.clock.advance(by: .seconds(30))
        }
        await waitUntilShown { fixture.document.background.failureReason != nil }
        #expect(fixture.document.background.failureReason == "Couldn't set background: The disk is full: make room.")
        await fixture.document.close()
    }

    @Test func backgroundIsRetriedWhenBoardIsBrieflyMissing() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        let gate = fixture.store.hold(.storedPicture)
        try await fixture.document.open()
        await gate.arrived()
        gate.fail(.notFound(.test))
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(1))
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        await fixture.document.close()
    }

    @Test func closingCancelsTheFetch() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        let gate = fixture.fetcher.hold(Self.one)
        try await fixture.document.open()
        await gate.arrived()
        await fixture.document.close()
        while fixture.fetcher.cancelled.isEmpty, !Task.isCancelled { await Task.yield() }
        #expect(fixture.fetcher.cancelled == [Self.one])
        #expect(!fixture.document.background.isFetching)
        fixture.document.retryBackground()
        #expect(!fixture.document.background.isFetching)
    }

    @Test func deletedBoardFetchesNothingUntilRestored() async throws {
        let fixture = Self.fixture(.background(at: Self.one))
        let gate = fixture.fetcher.hold(Self.one)
        try await fixture.document.open()
        await gate.arrived()
        try await fixture.store.delete(.test, owner: "ann")
        await waitUntilShown { fixture.document.isGone && !fixture.document.background.isFetching }
        fixture.document.retryBackground()
        #expect(!fixture.document.background.isFetching)
        try await fixture.store.restore(.test, owner: "ann")
        await waitUntilShown { Self.isShown(fixture.document.background, Self.one, 1) }
        await fixture.document.close()
    }
}

/// Responses that arrive after the document has requested something else.
///
/// In virtual time: a dropped response leaves no trace that a test could wait for, so each test waits until nothing can run.
@Suite(.timeLimit(.minutes(10))) struct LateBackgroundTests {
    @Test func lateResponseForOlderAddressIsNeverShown() {
        withVirtualTime { try await Self.respondLate(isFailure: false) }
    }

    @Test func lateFailureForOlderAddressIsNeverShown() {
        // In the course the failure overwrites the newer picture.
        withVirtualTime { try await Self.respondLate(isFailure: true) }
    }

    @MainActor
    private static func respondLate(isFailure: Bool) async throws {
        let (one, two) = (DocumentBackgroundTests.one, DocumentBackgroundTests.two)
        let fixture = DocumentBackgroundTests.fixture(.background(at: one))
        if isFailure { fixture.fetcher.fail(one) }
        let late = fixture.fetcher.hold(one, ignoresCancellation: true)
        try await fixture.document.open()
        await late.arrived()
        try await fixture.applyAsAnotherProcess("a", .background(at: two))
        await waitUntilShown { DocumentBackgroundTests.isShown(fixture.document.background, two, 2) }
        late.open()
        await waitForOtherTasks()
        let background = fixture.document.background
        check(DocumentBackgroundTests.isShown(background, two, 2), "\(background)")
        let addresses = await fixture.store.addresses
        check(addresses == [two], "\(addresses)")
        await fixture.document.close()
    }
}
