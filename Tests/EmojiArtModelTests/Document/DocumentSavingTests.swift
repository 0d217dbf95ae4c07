import Persistence
import Testing
import VirtualTime

@testable import EmojiArtModel

/// Tests that steps are shown at once, and stored in order as soon as the store can.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct DocumentSavingTests {
    @Test func stepIsShownBeforeItIsStored() async throws {
        let fixture = try await DocumentFixture.open()
        let (document, store) = (fixture.document, fixture.store)
        let gate = store.hold(.apply)
        document.perform("Add 🐶", [.dog(1)])
        #expect(document.art == .test(.dog(1)) && document.revision == 0 && document.saving == .saving)
        #expect(document.isBusy)
        await gate.arrived()
        document.perform("Move 🐶", [.move(1, 5)])
        #expect(document.art.x(1) == 5)
        #expect(await store.log.isEmpty)
        gate.open()
        // The store notifies of a change before it responds, so the revision may be known first.
        await waitUntilShown { document.revision == 2 && document.saving == .saved }
        #expect(document.saving == .saved && document.art == .test(.dog(1, x: 5)))
        #expect(await store.log.map(\.batch.name) == ["Add 🐶", "Move 🐶"])
        #expect(await store.log.map(\.author) == ["own", "own"])
        await document.close()
    }

    @Test func unsavedStepsAreShownOnTopOfOthersChanges() async throws {
        let fixture = try await DocumentFixture.open(.test(.dog(1)))
        let document = fixture.document
        let gate = fixture.store.hold(.apply)
        document.perform("Move 🐶", [.move(1, 5)])
        await gate.arrived()
        try await fixture.applyAsAnotherProcess("other", .move(1, 9), .dog(2))
        await waitUntilShown { document.revision == 1 }
        #expect(document.art == .test(.dog(1, x: 5), .dog(2)))
        gate.open()
        await waitUntilShown { document.revision == 2 && document.saving == .saved }
        #expect(document.art == .test(.dog(1, x: 5), .dog(2)) && document.saving == .saved)
        #expect(await fixture.store.storedBoard?.art == document.art)
        await document.close()
    }

    @Test func entryArrivingBeforeItsResponseIsAppliedOnce() async throws {
        let fixture = try await DocumentFixture.open(.test(.dog(1)))
        let document = fixture.document
        let gate = fixture.store.hold(.apply, afterwards: true)
        document.perform("Move 🐶", [.move(1, 5)])
        await gate.arrived()
        await waitUntilShown { document.revision == 1 }
        #expect(document.saving == .saving)
        // A later entry wins, though the response is still pending.
        try await fixture.applyAsAnotherProcess("other", .move(1, 9))
        await waitUntilShown { document.revision == 2 }
        #expect(document.art.x(1) == 9)
        gate.open()
        await waitUntilShown { document.saving == .saved }
        #expect(document.art.x(1) == 9)
        await document.close()
    }

    @Test func failedSavesAreRetriedWithBackoffAndLoseNothing() async throws {
        let fixture = try await DocumentFixture.open()
        let (document, store, clock) = (fixture.document, fixture.store, fixture.clock)
        store.failOperations()
        for number in 1...5 { document.perform("Add 🐶", [.dog(number)]) }
        await waitUntilShown { document.saving == .failed("The disk is full: make room.") }
        #expect(document.saving.description == "Not saved yet, trying again: The disk is full: make room.")
        #expect(document.art.emojis.count == 5 && document.isBusy)
        for (attempt, pause) in [1, 2, 4, 8, 16, 32, 60, 60].enumerated() {
            await clock.waitForSleepers(1)
            #expect(store.count(.apply) == attempt + 1)
            clock.advance(by: .seconds(pause) - .milliseconds(1))
            #expect(clock.sleeperCount == 1)
            clock.advance(by: .milliseconds(1))
        }
        await clock.waitForSleepers(1)
        document.perform("Add 🐶", [.dog(6)])
        store.failOperations(nil)
        clock.advance(by: .seconds(60))
        await waitUntilShown { document.saving == .saved && document.revision == 6 }
        #expect(await store.log.map(\.batch.id) == (1...6).map { "own-\($0)" })
        #expect(await store.storedBoard?.art == document.art)
        await document.close()
    }

    @Test func retrySavingSkipsPause() async throws {
        let fixture = try await DocumentFixture.open()
        fixture.store.failOperations()
        fixture.document.perform("Add 🐶", [.dog(1)])
        await fixture.clock.waitForSleepers(1)
        fixture.store.failOperations(nil)
        fixture.document.retrySaving()
        await waitUntilShown { fixture.document.saving == .saved }
        #expect(await fixture.store.log.count == 1)
        await fixture.document.close()
    }

    @Test func lostResponseDoesNotApplyStepTwice() async throws {
        let fixture = try await DocumentFixture.open()
        let gate = fixture.store.hold(.apply, afterwards: true)
        fixture.document.perform("Add 🐶", [.dog(1)])
        await gate.arrived()
        gate.fail()
        await fixture.clock.waitForSleepers(1)
        fixture.clock.advance(by: .seconds(1))
        await waitUntilShown { fixture.document.saving == .saved && fixture.document.revision == 1 }
        #expect(await fixture.store.log.count == 1)
        await fixture.document.close()
    }

    @Test func closingSavesPendingSteps() async throws {
        let fixture = try await DocumentFixture.open()
        fixture.store.failOperations()
        for number in 1...3 { fixture.document.perform("Add 🐶", [.dog(number)]) }
        await fixture.clock.waitForSleepers(1)
        fixture.store.failOperations(nil)
        await fixture.document.close()
        #expect(await fixture.store.log.count == 3 && fixture.document.saving == .saved)
    }

    @Test func closingEndsWithFailureWhenStoreFails() async throws {
        let fixture = try await DocumentFixture.open()
        fixture.store.failOperations()
        fixture.document.perform("Add 🐶", [.dog(1)])
        await fixture.document.close()
        #expect(fixture.document.saving == .failed("The disk is full: make room."))
    }

    @Test func permanentlyRefusedStepIsReportedAndReverted() async throws {
        let store = FakeBoardStore()
        var configuration = EmojiArtDocument.Configuration()
        configuration.makeBatchID = { "unusable" }
        let document = EmojiArtDocument(
            id: .test, owner: "ann", store: store, fetching: FakeFetcher(), configuration: configuration)
        try await document.open()
        document.perform("Add 🐶", [.dog(1)])
        await waitUntilShown { document.saving == .saved }
        await waitUntilShown { document.art == EmojiArt() }
        #expect(document.notice == "The batch is invalid.")
        document.dismissNotice()
        #expect(document.notice == nil)
        await document.close()
    }

    @Test func refusedOperationsAreReportedAtOnceAndOthersApplied() async throws {
        let fixture = try await DocumentFixture.open()
        let refused = fixture.document.perform("Move 🐶", [.move(1, 5), .dog(2), .move(3, 5)])
        #expect(refused.map(\.index) == [0, 2] && fixture.document.art == .test(.dog(2)))
        // The same reason is reported once.
        #expect(fixture.document.notice == refused.first?.message)
        await waitUntilShown { fixture.document.revision == 1 }
        #expect(await fixture.store.log.first?.batch.operations == [.dog(2)])
        await fixture.document.close()
    }

    @Test func stepMadeImpossibleByAnotherPersonIsReported() async throws {
        let fixture = try await DocumentFixture.open(.test(.dog(1)))
        let gate = fixture.store.hold(.apply)
        fixture.document.perform("Move 🐶", [.move(1, 5)])
        await gate.arrived()
        try await fixture.applyAsAnotherProcess("other", .delete(EmojiID(1)))
        gate.open()
        await waitUntilShown { fixture.document.notice != nil }
        #expect(fixture.document.notice?.contains("because it was deleted") == true)
        await waitUntilShown { fixture.document.art == EmojiArt() }
        #expect(fixture.document.saving == .saved)
        await fixture.document.close()
    }

    @Test func undoAndRedoSendBatchesNamedAfterSteps() async throws {
        let fixture = try await DocumentFixture.open()
        let document = fixture.document
        document.perform("Add 🐶", [.dog(1)])
        document.perform("Move 🐶", [.move(1, 5)])
        #expect(document.undoNames == ["Move 🐶", "Add 🐶"] && document.redoNames == [])
        document.undo()
        #expect(document.art.x(1) == 0 && document.undoNames == ["Add 🐶"] && document.redoNames == ["Move 🐶"])
        document.undo()
        document.undo()
        #expect(document.art == EmojiArt() && document.undoNames == [] && document.notice == nil)
        document.redo()
        document.redo()
        document.redo()
        #expect(document.art.x(1) == 5 && document.undoNames == ["Move 🐶", "Add 🐶"])
        await waitUntilShown { document.saving == .saved && document.revision == 6 }
        let names = await fixture.store.log.map(\.batch.name)
        #expect(names == ["Add 🐶", "Move 🐶", "Move 🐶", "Add 🐶", "Add 🐶", "Move 🐶"])
        #expect(await fixture.store.storedBoard?.art == document.art)
        await document.close()
    }

    @Test func impossibleUndoIsReportedAndOthersChangesStay() async throws {
        let fixture = try await DocumentFixture.open()
        let document = fixture.document
        document.perform("Add 🐶", [.dog(1)])
        document.perform("Move 🐶", [.move(1, 5)])
        await waitUntilShown { document.revision == 2 }
        try await fixture.applyAsAnotherProcess("other", .delete(EmojiID(1)), .dog(2))
        await waitUntilShown { document.revision == 3 }
        document.undo()
        #expect(document.notice?.hasPrefix("“Move 🐶” can't be undone: ") == true)
        document.undo()
        #expect(document.notice == "“Add 🐶” can't be undone: someone else has already done that.")
        #expect(document.art == .test(.dog(2)) && document.undoNames == [] && document.redoNames == [])
        await document.close()
    }

    @Test func undoRestoresPreviousBackground() async throws {
        let fixture = try await DocumentFixture.open()
        let document = fixture.document
        fixture.fetcher.set("https://example.org/one", TestPictures.png(1))
        document.perform("Set Background", [.background(at: "https://example.org/one")])
        #expect(document.background.addressBeingFetched == "https://example.org/one")
        await waitUntilShown { document.background.picture?.width == 1 }
        document.undo()
        #expect(document.background == .none)
        document.redo()
        await waitUntilShown { document.background.picture?.width == 1 }
        #expect(fixture.fetcher.fetches.count == 1)
        await document.close()
    }
}
