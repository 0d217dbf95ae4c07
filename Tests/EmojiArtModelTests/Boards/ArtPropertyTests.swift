import BoardTraces
import Testing

@testable import EmojiArtModel

/// Tests properties of any board and any operations.
@Suite struct ArtPropertyTests {
    @Test(arguments: 0..<300)
    func operationFollowedByItsInverseRestoresBoard(seed: Int) throws {
        var chance = BoardChance(seed: seed)
        let board = chance.board()
        for operation in chance.operations(20..<21) {
            var art = board
            let inverse = art.inverse(of: operation)
            let isRefused = refusal { () throws(OperationRefusal) in try art.apply(operation) } != nil
            if let inverse { try art.apply(inverse) }
            #expect(art == board, "\(operation) and \(String(describing: inverse))")
            #expect(!isRefused || inverse == nil)
        }
    }

    @Test(arguments: 0..<300)
    func batchFollowedByItsInverseRestoresBoard(seed: Int) {
        var chance = BoardChance(seed: seed)
        let board = chance.board()
        let batch = chance.batch("a", 1..<60)
        var art = board
        let inverse = art.inverse(of: batch.operations)
        let (applied, _) = art.apply(batch)
        #expect(inverse.count == applied.count)
        #expect(art.apply(OperationBatch(id: "b", name: batch.name, operations: inverse)).refused.isEmpty)
        #expect(art == board)
        #expect(art.faults == [])
    }

    @Test(arguments: 0..<300)
    func batchEqualsItsOperationsAppliedOneByOne(seed: Int) {
        var chance = BoardChance(seed: seed)
        var (whole, single) = (chance.board(), EmojiArt())
        single = whole
        // A batch with more than a few reorderings sorts once.
        let batch = chance.batch("a", seed.isMultiple(of: 2) ? 1..<10 : 40..<80)
        let (applied, refused) = whole.apply(batch)
        var (refusals, done): ([Int: OperationRefusal], [ArtOperation]) = ([:], [])
        for (index, operation) in batch.operations.enumerated() {
            let before = single
            refusals[index] = refusal { () throws(OperationRefusal) in try single.apply(operation) }
            let setsBackground = if case .setBackground = operation { true } else { false }
            if refusals[index] == nil, before != single || setsBackground { done.append(operation) }
        }
        #expect(whole == single)
        #expect(Dictionary(uniqueKeysWithValues: refused.map { ($0.index, $0.reason) }) == refusals)
        // An operation that sets an emoji's current value isn't applied.
        #expect(done == applied)
        #expect(whole.faults == [])
    }

    @Test(arguments: 0..<100)
    func replayingLoggedOperationsGivesSameBoard(seed: Int) {
        var chance = BoardChance(seed: seed)
        let board = chance.board()
        var (art, copy) = (board, board)
        let (applied, _) = art.apply(chance.batch("a", 1..<60))
        let again = copy.apply(OperationBatch(id: "a", name: "", operations: applied))
        #expect(again.applied == applied && again.refused.isEmpty)
        #expect(copy == art)
    }

    @Test(arguments: 0..<200)
    func coalescedOperationsGiveSameBoard(seed: Int) {
        var chance = BoardChance(seed: seed)
        var (art, board) = (chance.board(), EmojiArt())
        board = art
        let (applied, _) = art.apply(chance.batch("a", 1..<60))
        let fewer = ArtOperation.coalesced(applied)
        #expect(fewer.count <= applied.count)
        #expect(board.apply(OperationBatch(id: "b", name: "", operations: fewer)).refused.isEmpty)
        #expect(board == art)
    }

    /// Two people change one board, and their pages and the server converge.
    ///
    /// Each page shows its own changes at once. The server orders all batches, and its responses and events arrive at any time.
    @Test(arguments: 0..<300)
    func anyInterleavingOfTwoPeoplesOperationsConverges(seed: Int) {
        var chance = BoardChance(seed: seed)
        let board = chance.board()
        var server = SharedBoard(art: board)
        var people = [Replica(confirmed: board), Replica(confirmed: board)]
        var batchCount = 0
        for _ in 0..<60 {
            let who = chance.number(in: 0..<2)
            switch chance.number(in: 0..<4) {
            case 0:
                batchCount += 1
                people[who].change(chance.batch("\(batchCount)"))
            case 1:
                people[who].send(to: &server, isAnswerLost: chance.number(in: 0..<4) == 0)
            default:
                people[who].receive(from: server, atMost: chance.number(in: 1..<4))
            }
            #expect(people[who].shown.faults == [])
        }
        for who in people.indices {
            while !people[who].pending.isEmpty { people[who].send(to: &server, isAnswerLost: false) }
        }
        for who in people.indices {
            people[who].receive(from: server, atMost: .max)
            #expect(people[who].confirmed == server.art)
            #expect(people[who].shown == server.art)
        }
        #expect(server.art.faults == [])
    }

    @Test func aFullBoardStaysSortedUnderManyOperations() {
        var chance = BoardChance(seed: 7)
        var art = EmojiArt.of((0..<BoardLimits.emojis).map { .test($0, z: Double($0 % 50)) })
        for round in 0..<20 {
            let operations = (0..<200).map { _ -> ArtOperation in
                let id = EmojiID(chance.number(in: 0..<12_000))
                switch chance.number(in: 0..<4) {
                case 0: return .delete(id)
                case 1: return .reorder(id, z: Double(chance.number(in: 0..<50)))
                case 2: return .move(id, x: chance.place(), y: chance.place())
                default: return .add(Emoji(id: id, text: "🐱", x: 0, y: 0, size: 1, z: chance.depth()))
                }
            }
            // Alternately as one batch and one by one.
            if round.isMultiple(of: 2) {
                art.apply(OperationBatch(id: "a", name: "", operations: operations))
            } else {
                for operation in operations {
                    _ = refusal { () throws(OperationRefusal) in try art.apply(operation) }
                }
            }
        }
        #expect(art.faults == [])
    }
}

/// The server's board: one order of all batches, each applied once.
private struct SharedBoard {
    var art: EmojiArt
    var log: [LogEntry] = []
    var known: Set<String> = []

    mutating func take(_ batch: OperationBatch) {
        guard known.insert(batch.id).inserted else { return }
        let (applied, _) = art.apply(batch)
        guard !applied.isEmpty else { return }
        log.append(
            LogEntry(
                revision: log.count + 1, batch: OperationBatch(id: batch.id, name: batch.name, operations: applied),
                author: ""))
    }
}

/// One person's page: the server's board as far as it is known, and the pending batches.
private struct Replica {
    var confirmed: EmojiArt
    var pending: [OperationBatch] = []
    var revision = 0

    var shown: EmojiArt {
        pending.reduce(into: confirmed) { art, batch in _ = art.apply(batch) }
    }

    mutating func change(_ batch: OperationBatch) { pending.append(batch) }

    /// Sends the oldest batch; the response brings all entries up to it.
    ///
    /// If the response is lost, the batch is sent again under the same ID.
    mutating func send(to server: inout SharedBoard, isAnswerLost: Bool) {
        guard let batch = pending.first else { return }
        server.take(batch)
        guard !isAnswerLost else { return }
        receive(from: server, atMost: .max)
        pending.removeAll { $0.id == batch.id }
    }

    mutating func receive(from server: SharedBoard, atMost count: Int) {
        for entry in server.log.dropFirst(revision).prefix(count) {
            let (applied, refused) = confirmed.apply(entry.batch)
            #expect(applied == entry.batch.operations && refused.isEmpty)
            pending.removeAll { $0.id == entry.batch.id }
            revision = entry.revision
        }
    }
}
