import BoardTraces
import ModelJSON
import Testing

@testable import BoardModel
@testable import EmojiArtModel

/// Tests what a page sends and receives, without a browser or a server.
@Suite struct BoardSessionTests {
    private static func session(_ emojis: [Emoji] = [.test(1), .test(2), .test(3)]) -> BoardSession {
        BoardSession(ServerBoard(revision: 0, epoch: "", art: .of(emojis)))
    }

    private static func move(_ number: Int, to x: Double) -> ArtOperation {
        .move(EmojiID(number), x: x, y: 0)
    }

    private static func batch(_ id: String, _ operations: [ArtOperation], parts: [(String, Int)] = []) -> PendingBatch {
        PendingBatch(
            id: id, name: .plain("Move"), operations: operations,
            parts: parts.map { PendingBatch.Part(id: $0.0, count: $0.1) })
    }

    private static func waiting(_ session: BoardSession) -> [String] { session.replica.batches.map(\.id) }

    // MARK: Batches of other tabs

    @Test func batchesOfAnEndedTabComeBeforeThoseOfThisOne() {
        var session = Self.session()
        session.change(.plain("Move"), [Self.move(1, to: 5)])
        let own = Self.waiting(session)
        _ = session.takeEffects()
        session.inherit([Self.batch("a", [Self.move(1, to: 9)]), Self.batch("b", [Self.move(2, to: 9)])], sending: nil)
        #expect(Self.waiting(session) == ["a", "b"] + own)
        #expect(session.art.emojis.map(\.x) == [5, 9, 0])
        let effects = session.takeEffects()
        #expect(effects.stored.map(\.id) == ["a", "b"] && effects.forgotten == [] && effects.hasNews)
    }

    @Test func joinedBatchReplacesTheOriginalOnes() {
        var session = Self.session()
        let (first, second) = (Self.move(1, to: 1), Self.move(2, to: 2))
        let joined = Self.batch("joined", [first, second], parts: [("a", 1), ("b", 1)])
        session.inherit([Self.batch("a", [first]), joined, Self.batch("b", [second])], sending: nil)
        #expect(Self.waiting(session) == ["joined"])
        let effects = session.takeEffects()
        #expect(effects.stored.map(\.id) == ["joined"] && effects.forgotten == ["a", "b"])
    }

    @Test func partsThatWereTakenOverBeforeAreNotSentAgain() {
        var session = Self.session()
        session.inherit([Self.batch("a", [Self.move(1, to: 1)])], sending: nil)
        session.receiveAnswer(to: "a", revision: 0, refused: [])
        #expect(Self.waiting(session) == [])
        let parts = [("a", 1), ("b", 1), ("c", 1)]
        let operations = [Self.move(1, to: 1), Self.move(2, to: 2), Self.move(3, to: 3)]
        session.inherit([Self.batch("joined", operations, parts: parts)], sending: nil)
        #expect(session.batch("joined")?.operations == Array(operations.dropFirst()))
        #expect(session.batch("joined")?.parts.map(\.id) == ["b", "c"])
        _ = session.takeEffects()
        let known = [Self.batch("a", [operations[0]]), Self.batch("all", [operations[0]], parts: [("a", 1)])]
        session.inherit(known, sending: nil)
        #expect(Self.waiting(session) == ["joined"])
        let effects = session.takeEffects()
        #expect(effects.forgotten == ["a", "all"])
    }

    @Test func batchThatIsPendingIsNeitherTakenOverNorForgotten() {
        var session = Self.session()
        session.inherit([Self.batch("a", [Self.move(1, to: 1)])], sending: nil)
        _ = session.takeEffects()
        session.inherit([Self.batch("a", [Self.move(1, to: 1)])], sending: nil)
        #expect(Self.waiting(session) == ["a"])
        let effects = session.takeEffects()
        #expect(effects.stored == [] && effects.forgotten == [] && !effects.hasNews)
    }

    @Test func batchesOfAnEndedTabComeAfterTheOneBeingSent() {
        var session = Self.session()
        session.change(.plain("Move"), [Self.move(1, to: 5)])
        session.change(.plain("Move"), [Self.move(2, to: 5)])
        let own = Self.waiting(session)
        session.inherit([Self.batch("a", [Self.move(3, to: 9)])], sending: own[0])
        #expect(Self.waiting(session) == [own[0], "a", own[1]])
    }

    // MARK: Responses to batches

    private static func response(
        _ status: Int?, _ body: String, to session: inout BoardSession
    ) throws -> BoardSession.Next {
        session.change(.plain("Move"), [move(1, to: (session.art.emojis.first?.x ?? 0) + 5)])
        let id = try #require(session.nextBatch()?.id)
        _ = session.takeEffects()
        return session.receiveResponse(to: id, status: status, try JSON(Array(body.utf8)))
    }

    private static func status(_ session: BoardSession) -> (BoardSaveStatus.Kind, String) {
        let status = BoardSaveStatus(
            waiting: session.waitingCount, failure: session.failure, isDeleted: session.isGone,
            isDisconnected: session.isDisconnected, isStored: true)
        return (status.kind, status.sentences.map(\.words).joined(separator: " "))
    }

    @Test func answeredBatchIsFollowedByTheNextOne() throws {
        var session = Self.session()
        let next = try Self.response(200, #"{"revision":0,"refused":[]}"#, to: &session)
        #expect(next == .next && session.waitingCount == 0 && session.failure == nil)
    }

    /// No response, statuses that aren't about the batch, and pages of other servers.
    @Test(arguments: [
        (nil, "null", false), (503, "null", false), (200, "null", true), (200, #"{"a":1}"#, true), (404, "null", true),
        (403, #"{"detail":"No."}"#, true), (429, #"{"detail":"No."}"#, true),
    ])
    func batchWithoutAnAnswerIsSentAgain(status: Int?, body: String, isStuck: Bool) throws {
        var session = Self.session()
        let next = try Self.response(status, body, to: &session)
        #expect(next == .retry && session.waitingCount == 1)
        #expect(session.failure?.isStuck == isStuck)
        let again = try Self.response(200, #"{"revision":0,"refused":[]}"#, to: &session)
        #expect(again == .next && session.failure == nil)
    }

    @Test func fullDiskStopsSendingUntilTheNextChange() throws {
        var session = Self.session()
        let next = try Self.response(507, #"{"detail":"The disk is full."}"#, to: &session)
        let (kind, words) = Self.status(session)
        #expect(next == .stop && kind == .failed && words.contains("The disk is full."))
    }

    @Test func rejectedBatchIsTakenBackWithTheReason() throws {
        var session = Self.session()
        let next = try Self.response(422, #"{"detail":"Too long."}"#, to: &session)
        let messages = session.takeEffects().messages.map(\.words)
        #expect(next == .next && session.waitingCount == 0 && session.art.emojis.first?.x == 0)
        #expect(messages.count == 1 && messages[0].contains("Too long."))
    }

    @Test(arguments: [404, 410])
    func batchOfADeletedBoardStaysPending(status: Int) throws {
        var session = Self.session()
        let next = try Self.response(status, #"{"detail":"Gone."}"#, to: &session)
        #expect(next == .next && session.isGone && session.waitingCount == 1)
        #expect(session.nextBatch() == nil)
        #expect(Self.status(session).0 == .failed)
    }

    // MARK: Following

    private static func actions(_ session: inout BoardSession) -> [BoardSession.FollowingAction] {
        session.takeEffects().following
    }

    private static func followed() -> BoardSession {
        var session = session()
        session.follow()
        session.streamOpened()
        _ = session.takeEffects()
        return session
    }

    private static func entry(_ revision: Int) -> ServerEntry {
        ServerEntry(revision: revision, batch: "other\(revision)", operations: [move(1, to: Double(revision))])
    }

    private static func board(_ revision: Int, epoch: String = "") -> ServerBoard {
        ServerBoard(revision: revision, epoch: epoch, art: .of([.test(1)]))
    }

    @Test func gapIsFilledByOneRequestAtATime() {
        var session = Self.followed()
        session.receive([Self.entry(2)])
        #expect(Self.actions(&session) == [.requestEntries])
        session.receive([Self.entry(4)])
        session.receive(revision: 4)
        #expect(Self.actions(&session) == [])
        // The response is older than the second gap, so that another request follows.
        let isReplaced = session.receive(.entries([Self.entry(1), Self.entry(2)]))
        #expect(!isReplaced && Self.actions(&session) == [.requestEntries])
        _ = session.receive(.entries([Self.entry(3), Self.entry(4)]))
        #expect(Self.actions(&session) == [] && session.replica.revision == 4)
    }

    @Test func unknownOperationIsFollowedByTheWholeBoard() {
        var session = Self.followed()
        session.receive(nil)
        session.receive(nil)
        #expect(Self.actions(&session) == [.requestState])
        let isReplaced = session.receive(Self.board(3))
        #expect(isReplaced && session.replica.revision == 3 && Self.actions(&session) == [])
    }

    @Test func boardThatIsOlderThanThePageIsRequestedAgain() {
        var session = Self.followed()
        session.receive([Self.entry(1), Self.entry(2)])
        session.receive(nil)
        session.receive([Self.entry(3)])
        _ = session.takeEffects()
        let isReplaced = session.receive(Self.board(2))
        #expect(!isReplaced && Self.actions(&session) == [.requestState])
        let isReplacedNow = session.receive(Self.board(3))
        #expect(isReplacedNow)
    }

    /// The response of a server that has ended may arrive after one of the next server.
    @Test func responsesOfAnEarlierEpochAreNotTaken() {
        var session = Self.followed()
        session.receive(nil)
        session.streamRefused()
        #expect(Self.actions(&session) == [.requestState, .requestEntries])
        _ = session.receive(.board(Self.board(5, epoch: "later")))
        #expect(Self.actions(&session) == [.openStream])
        let isReplaced = session.receive(Self.board(7))
        #expect(!isReplaced && session.replica.epoch == "later" && session.replica.revision == 5)
        #expect(Self.actions(&session) == [.requestState])
        session.streamRefused()
        #expect(Self.actions(&session) == [.requestEntries])
        let isReplacedNow = session.receive(Self.board(6, epoch: "latest"))
        #expect(isReplacedNow)
        // Entries don't say of which epoch they are.
        _ = session.receive(.entries([Self.entry(7)]))
        #expect(session.replica.revision == 6 && Self.actions(&session) == [.requestEntries])
        _ = session.receive(.entries([Self.entry(7)]))
        #expect(session.replica.revision == 7 && Self.actions(&session) == [.openStream])
    }

    @Test func streamIsOpenedAgainAfterAnotherEpoch() {
        var session = Self.followed()
        session.streamLost()
        #expect(session.isDisconnected)
        session.streamRefused()
        #expect(Self.actions(&session) == [.requestEntries])
        let isReplaced = session.receive(.board(Self.board(0, epoch: "later")))
        #expect(isReplaced && Self.actions(&session) == [.openStream] && !session.isDisconnected)
    }

    @Test func streamWithoutTheExpectedEntryIsOpenedAgain() throws {
        var session = Self.followed()
        _ = try Self.response(200, #"{"revision":1,"refused":[]}"#, to: &session)
        #expect(Self.actions(&session) == [.awaitEntry])
        session.entryIsLate()
        #expect(Self.actions(&session) == [.openStream])
        session.streamOpened()
        _ = try Self.response(200, #"{"revision":2,"refused":[]}"#, to: &session)
        session.receive([Self.entry(1), Self.entry(2)])
        _ = session.takeEffects()
        session.entryIsLate()
        #expect(Self.actions(&session) == [])
    }

    @Test func deletedBoardIsPolledUntilItIsRestored() {
        var session = Self.followed()
        session.receiveGone()
        #expect(Self.actions(&session) == [.resetPolling, .closeStream, .poll, .showGone])
        session.poll()
        #expect(Self.actions(&session) == [.requestEntries])
        session.requestFailed(isForState: false, isGone: true)
        #expect(Self.actions(&session) == [.poll])
        session.poll()
        _ = session.takeEffects()
        _ = session.receive(.entries([]))
        #expect(Self.actions(&session) == [.resetPolling, .continueRestored, .openStream])
        #expect(!session.isGone)
    }

    @Test func failedRequestOpensTheStreamAfterADelayWhileThePageIsVisible() {
        var session = Self.followed()
        session.streamRefused()
        session.requestFailed(isForState: false, isGone: false)
        #expect(Self.actions(&session) == [.requestEntries, .retryStream])
        session.unfollow()
        session.streamRefused()
        _ = session.takeEffects()
        session.requestFailed(isForState: false, isGone: false)
        #expect(Self.actions(&session) == [])
    }

    @Test func requestOfADeletedBoardShowsThatItIsGone() {
        var session = Self.followed()
        session.unfollow()
        session.streamRefused()
        _ = session.takeEffects()
        session.requestFailed(isForState: false, isGone: true)
        #expect(Self.actions(&session) == [.resetPolling, .closeStream, .showGone])
        session.follow()
        #expect(Self.actions(&session) == [.requestEntries])
    }
}
