import Testing

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
}
