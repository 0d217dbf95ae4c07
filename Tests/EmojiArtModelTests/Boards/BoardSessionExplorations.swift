import Interleaving
import StoreTesting
import Testing

@testable import EmojiArtModel

/// Explores pages that send to a server with faults: the server applies each change once and in order, pages show the
/// server's board, and the browser stores each change until the server has it.
///
/// Each exploration is repeated with a mistake that it must find.
@Suite(.timeLimit(.minutes(20))) struct BoardSessionExplorations {
    private typealias Body = @Sendable () async throws -> Void

    private static let schedules = isSoak ? 20_000 : 300
    private static let start = EmojiArt.test(.dog(1), .dog(2), .dog(5))

    /// Explores a body with a mistake, and expects that a check fails.
    private static func expectFailure(_ body: @escaping Body) {
        let found = exploration(schedules: 2_000, body)
        let isFailure = if case .failed = found.outcome { true } else { false }
        #expect(isFailure, "\(found.report)")
    }

    /// Waits until no task can run, and all timers have ended.
    private static func waitUntilIdle() async throws {
        // Longer than the delay of `Page` after a refused stream.
        try await Task.sleep(for: .seconds(600))
        await waitForOtherTasks()
    }

    /// Checks that the server has applied what was done on a page, once and in order.
    private static func compare(_ page: Page, _ server: BoardServer) async {
        let (done, operations) = await (page.done, server.operations)
        let applied = operations.filter { done.contains($0) }
        check(applied == done, "\(applied) was applied, and \(done) was done on the page \(page.tab)")
    }

    /// Checks that a page shows the server's board, and that nothing waits there or in the browser's storage.
    private static func checkEnd(_ page: Page, _ server: BoardServer, _ storage: BrowserStorage) async {
        await compare(page, server)
        let (shown, stored) = await (page.art, server.art)
        check(shown == stored, "\(shown.emojis) are shown, and \(stored.emojis) are stored")
        let (waiting, pending) = await (page.waitingCount, page.pendingCount)
        check(waiting == 0 && pending == 0, "\(waiting) batches wait, and \(pending) are pending")
        check(storage.isEmpty, "a batch is still in the browser's storage")
    }

    /// Checks the end, undoes all steps of a page, and checks that only the other changes are left.
    private static func finish(
        _ page: Page, _ server: BoardServer, _ storage: BrowserStorage, others: [ArtOperation]
    ) async throws {
        try await waitUntilIdle()
        await checkEnd(page, server, storage)
        await page.undoAll()
        try await waitUntilIdle()
        await checkEnd(page, server, storage)
        var expected = start
        expected.apply(.test("others", others))
        let stored = await server.art
        check(stored == expected, "\(stored.emojis) are stored, and \(expected.emojis) were expected after undoing")
        await page.end()
        await waitForOtherTasks()
    }

    /// Does steps, of which the server refuses one, and undoes one.
    private static func work(on page: Page) async {
        await page.change(.move(1, 10))
        await Task.yield()
        await page.change(.dog(3))
        await Task.yield()
        await page.change(.move(2, 77), isRefused: true)
        await page.change(.dog(4))
        await Task.yield()
        await page.undo()
        await Task.yield()
        await page.change(.move(1, 20))
    }

    // MARK: Lost responses

    /// Loses requests and responses while another person deletes what was added on the page: a batch that is applied
    /// again would add it again.
    private static func loseResponses(remembersBatches: Bool) async throws {
        let server = BoardServer(
            start,
            replies: [
                .responseLost, .answer, .requestLost, .responseLost, .answer, .unavailable, .answer, .responseLost,
            ], remembersBatches: remembersBatches)
        let storage = BrowserStorage(of: server)
        let page = await Page.open("page", of: server, in: storage)
        async let working: Void = work(on: page)
        async let dragging: Void = page.drag(5)
        async let others: Void = changeAndDelete(server)
        _ = await (working, dragging, others)
        try await finish(page, server, storage, others: [.move(2, 5), .dog(9)])
    }

    private static func changeAndDelete(_ server: BoardServer) async {
        await server.change(.move(2, 5))
        for _ in 0..<8 {
            await server.change(.delete(EmojiID(3)))
            await Task.yield()
        }
        await server.change(.dog(9))
    }

    @Test func changesWithLostResponsesAreAppliedOnce() {
        explore(schedules: Self.schedules) { try await Self.loseResponses(remembersBatches: true) }
    }

    @Test func serverThatAppliesBatchesAgainIsFound() {
        Self.expectFailure { try await Self.loseResponses(remembersBatches: false) }
    }

    // MARK: Lost connections

    /// Drops streams, discards the log, restarts the server, and hides the page, while the page sends and others change
    /// the board.
    private static func loseConnections(mistake: Page.Mistake?) async throws {
        let server = BoardServer(start, replies: [.responseLost, .answer, .unavailable])
        let storage = BrowserStorage(of: server)
        let page = await Page.open("page", of: server, in: storage, mistake: mistake)
        async let working: Void = work(on: page)
        async let dragging: Void = page.drag(5)
        async let others: Void = change(server)
        async let disturbing: Void = disturb(server)
        async let hiding: Void = hideAndShow(page)
        _ = await (working, dragging, others, disturbing, hiding)
        try await finish(page, server, storage, others: [.move(2, 7), .dog(9)])
    }

    private static func change(_ server: BoardServer) async {
        await server.change(.move(2, 5))
        await Task.yield()
        await server.change(.dog(9))
        await Task.yield()
        await server.change(.move(2, 7))
    }

    private static func disturb(_ server: BoardServer) async {
        await server.dropStreams()
        await server.makeNextEntryUnreadable()
        await server.forgetLog()
        await Task.yield()
        await server.failNextRequest()
        await server.dropStreams()
        await Task.yield()
        await server.restart()
    }

    private static func hideAndShow(_ page: Page) async {
        await Task.yield()
        await page.hide()
        await Task.yield()
        await page.show()
    }

    @Test func pageCatchesUpAfterLostConnectionsWhileItSends() {
        explore(schedules: Self.schedules) { try await Self.loseConnections(mistake: nil) }
    }

    @Test func pageThatMissesEntriesBetweenStreamsIsFound() {
        Self.expectFailure { try await Self.loseConnections(mistake: .missesEntriesBetweenStreams) }
    }

    // MARK: Several pages of one browser

    /// Ends two pages one after the other: the second takes over the batches of the first, and a third those of both.
    ///
    /// Requests of pages that have ended may still arrive. A change that the server has in another batch has no effect
    /// then, because each emoji is added and moved only once.
    private static func inherit(crashes: Bool, mistake: Page.Mistake?) async throws {
        let server = BoardServer(
            start,
            replies: [.responseLost, .answer, .unavailable, .requestLost, .answer, .responseLost, .unavailable])
        let storage = BrowserStorage(of: server)
        let first = await Page.open("first", of: server, in: storage, mistake: mistake)
        let second = await Page.open("second", of: server, in: storage, mistake: mistake)
        async let working: Void = add(11, to: first)
        async let alsoWorking: Void = add(21, to: second)
        async let ending: Void = end(first, crashes: crashes, heir: second)
        async let others: Void = change(server)
        _ = await (working, alsoWorking, ending, others)
        let third = await Page.open("third", of: server, in: storage, mistake: mistake)
        async let endingSecond: Void = end(second, crashes: crashes, heir: third)
        async let more: Void = add(31, to: third)
        _ = await (endingSecond, more)
        try await waitUntilIdle()
        await compare(first, server)
        await compare(second, server)
        let left = await first.done + second.done
        try await finish(third, server, storage, others: [.move(2, 7), .dog(9)] + left)
    }

    private static func add(_ number: Int, to page: Page) async {
        await page.change(.dog(number))
        await Task.yield()
        await page.change(.move(number, 20))
        await page.change(.dog(number + 1))
        await Task.yield()
        await page.change(.move(number + 1, 30))
    }

    private static func end(_ page: Page, crashes: Bool, heir: Page) async {
        await Task.yield()
        await Task.yield()
        if crashes { await page.end() } else { await page.leave() }
        await heir.takeOver(page.tab)
    }

    @Test(arguments: [false, true]) func changesOfEndedPagesAreSentByOthersOfTheBrowser(crashes: Bool) {
        explore(schedules: Self.schedules) { try await Self.inherit(crashes: crashes, mistake: nil) }
    }

    @Test func pageThatForgetsBatchesBeforeTheAnswerIsFound() {
        Self.expectFailure { try await Self.inherit(crashes: true, mistake: .forgetsBatchesBeforeTheAnswer) }
    }
}
