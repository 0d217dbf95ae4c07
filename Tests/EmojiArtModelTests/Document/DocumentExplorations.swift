import Foundation
import Interleaving
import Persistence
import StoreTesting
import Testing

@testable import EmojiArtModel

/// Explores schedules of documents: all converge, each step is stored once, and no outdated picture is shown.
@Suite(.timeLimit(.minutes(20))) struct DocumentExplorations {
    private static let schedules = isSoak ? 20_000 : 300
    private static let (one, two) = ("https://example.org/one", "https://example.org/two")

    private static func fetcher() -> FakeFetcher {
        let fetcher = FakeFetcher()
        fetcher.set(one, TestPictures.png(1))
        fetcher.set(two, TestPictures.png(2))
        return fetcher
    }

    @MainActor
    private static func open(
        _ store: FakeBoardStore, _ fetcher: FakeFetcher = fetcher(), name: String = "own"
    ) async throws -> EmojiArtDocument {
        let document = EmojiArtDocument.test(store, fetcher, name: name)
        try await document.open()
        return document
    }

    /// Checks that a document matches its store and shows the board's background, and closes it.
    @MainActor
    private static func checkAndClose(_ document: EmojiArtDocument, _ store: FakeBoardStore) async {
        await waitForOtherTasks()
        let stored = await store.storedBoard
        check(
            document.art == stored?.art, "\(document.art.emojis) are shown, and \(stored?.art.emojis ?? []) are stored")
        let revision = stored?.summary.revision ?? -1
        check(document.revision == revision, "revision \(document.revision) is shown, and \(revision) is stored")
        check(document.saving == .saved, "\(document.saving)")
        check(document.confirmed == nil, "a batch is pending")
        switch (document.art.background, document.background) {
        case (.blank, .none): break
        case (.address(let address), .shown(let shown, let picture)):
            let width = address == one ? 1 : 2
            check(
                shown == address && picture.width == width,
                "\(shown ?? "-") with width \(picture.width) is shown for \(address)")
        case (let background, let state): check(false, "the state is \(state) for \(background)")
        }
        await document.close()
    }

    /// Collects the revisions that a document delivers until it is closed.
    private static func listen(_ document: EmojiArtDocument) async -> Task<[Int], Never> {
        let news = await document.entries()
        return Task {
            var received: [Int] = []
            for await news in news {
                switch news {
                case .entries(let entries): received += entries.map(\.revision)
                case .whole(let revision): received = Array(1...max(revision, 1))
                }
            }
            return received
        }
    }

    @Test func twoDocumentsOfOneStoreConverge() {
        explore(schedules: Self.schedules) {
            let store = FakeBoardStore(.test(.dog(1), .dog(2)))
            let first = try await Self.open(store)
            let second = try await Self.open(store, name: "other")
            let listening = await Self.listen(second)
            async let one: Void = Self.perform(first, [.move(1, 5)], [.delete(EmojiID(2))], [.dog(3)])
            async let two: Void = Self.perform(second, [.move(1, 7), .move(2, 7)], [.dog(3, x: 9)])
            async let page = first.apply(.test("page", [.move(1, 11), .dog(4)]), author: "page")
            _ = try await (one, two, page)
            await waitForOtherTasks()
            let log = await store.log
            check(log.map(\.revision) == Array(1...log.count), "the log is \(log.map(\.revision))")
            await Self.checkAndClose(first, store)
            await Self.checkAndClose(second, store)
            let delivered = await listening.value
            check(delivered == log.map(\.revision), "\(delivered) were delivered, of \(log.count)")
        }
    }

    @MainActor
    private static func perform(_ document: EmojiArtDocument, _ steps: [ArtOperation]...) async {
        for step in steps {
            document.perform("Step", step)
            await Task.yield()
        }
    }

    @Test func entryOfAnotherProcessDuringApplyIsAppliedOnceInOrder() {
        explore(schedules: Self.schedules) {
            let store = FakeBoardStore(.test(.dog(1)))
            let document = try await Self.open(store)
            let listening = await Self.listen(document)
            async let own = document.apply(.test("own", [.move(1, 5)]), author: "ann")
            async let other = store.apply(.test("other", [.move(1, 7)]), to: .test, owner: "ann", author: "bob")
            let (mine, theirs) = try await (own, other)
            check(mine.revision + theirs.revision == 3, "\(mine.revision) and \(theirs.revision)")
            // Once a caller has the response, the document contains the batch.
            let revision = await document.revision
            check(revision >= mine.revision, "the document has revision \(revision), and the response \(mine.revision)")
            await Self.checkAndClose(document, store)
            let delivered = await listening.value
            check(delivered == [1, 2], "\(delivered)")
        }
    }

    @Test func temporaryStoreFailureLosesNoStep() {
        explore(schedules: Self.schedules) {
            let store = FakeBoardStore()
            let document = try await Self.open(store)
            async let steps: Void = Self.perform(document, [.dog(1)], [.dog(2)], [.move(1, 5)])
            async let failing: Void = Self.failTemporarily(store)
            _ = await (steps, failing)
            // Longer than any retry pause.
            try await Task.sleep(for: .seconds(600))
            let log = await store.log
            let ids = log.map(\.batch.id)
            check(ids == ["own-1", "own-2", "own-3"], "\(ids)")
            await Self.checkAndClose(document, store)
        }
    }

    private static func failTemporarily(_ store: FakeBoardStore) async {
        store.failOperations()
        for _ in 0..<3 { await Task.yield() }
        store.failOperations(nil)
    }

    @Test func lastAddressSetDuringFetchIsShown() {
        explore(schedules: Self.schedules) {
            let store = FakeBoardStore(.test(.background(at: Self.one)))
            let fetcher = Self.fetcher()
            let document = try await Self.open(store, fetcher)
            async let other = store.apply(
                .test("other", [.background(at: Self.two)]), to: .test, owner: "ann", author: "bob")
            async let own: Void = Self.perform(document, [.background(at: Self.one)])
            async let retrying: Void = document.retryBackground()
            _ = try await (other, own, retrying)
            await Self.checkAndClose(document, store)
        }
    }

    @Test func retryDuringAddressChangeShowsNewAddress() {
        explore(schedules: Self.schedules) {
            let store = FakeBoardStore(.test(.background(at: "https://example.org/none")))
            let document = try await Self.open(store)
            async let retrying: Void = document.retryBackground()
            async let own = document.apply(.test("own", [.background(at: Self.two)]), author: "ann")
            async let again: Void = document.retryBackground()
            _ = try await (retrying, own, again)
            await Self.checkAndClose(document, store)
        }
    }

    @Test func closingDuringWorkEndsItAndLosesNothing() {
        explore(schedules: Self.schedules) {
            let store = FakeBoardStore(.test(.background(at: Self.one)))
            let document = try await Self.open(store)
            let listening = await Self.listen(document)
            async let closing: Void = document.close()
            async let own = document.apply(.test("own", [.background(at: Self.two), .dog(1)]), author: "ann")
            async let step: Void = Self.perform(document, [.dog(2)])
            async let retrying: Void = document.retryBackground()
            _ = try await (closing, own, step, retrying)
            await waitForOtherTasks()
            let (background, saving) = await (document.background, document.saving)
            check(!background.isFetching, "\(background) after closing")
            check(saving == .saved, "\(saving) after closing")
            let delivered = await listening.value
            check(delivered == delivered.indices.map { $0 + 1 }, "\(delivered)")
            // A batch that was confirmed or is shown is stored.
            let stored = await store.storedBoard?.art
            check(stored?.contains(EmojiID(1)) == true, "the acknowledged batch is lost")
            if await document.art.contains(EmojiID(2)) {
                check(stored?.contains(EmojiID(2)) == true, "a shown step is lost")
            }
        }
    }

    @Test func documentMatchesStoreAfterDeletionAndRestoreDuringUse() {
        explore(schedules: Self.schedules) {
            let store = FakeBoardStore(.test(.dog(1), .background(at: Self.one)))
            let document = try await Self.open(store)
            async let deletion: Void = Self.deleteAndRestore(store)
            async let steps: Void = Self.perform(document, [.move(1, 5)], [.background(at: Self.two)])
            _ = try await (deletion, steps)
            // A batch that was refused while the board was deleted is retried.
            try await Task.sleep(for: .seconds(600))
            await waitForOtherTasks()
            check(await !document.isGone, "the document still shows the board as deleted")
            await Self.checkAndClose(document, store)
        }
    }

    private static func deleteAndRestore(_ store: FakeBoardStore) async throws {
        try await store.delete(.test, owner: "ann")
        await Task.yield()
        try await store.restore(.test, owner: "ann")
    }
}
