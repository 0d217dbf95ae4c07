import Foundation
import SeededChance
import Testing

@testable import EmojiArtModel

/// Tests every event in every state: requests, deliveries, and that the revision advances by consecutive entries only.
@Suite struct BoardReplicaTests {
    private enum Event: Hashable {
        case applied(Int)
        case changed
        case entries([Int])
        case whole(Int)
        case gone, failed
        case pauseEnded(Int)
        case end
    }

    private static func entry(_ revision: Int) -> LogEntry {
        LogEntry(revision: revision, batch: .test("b\(revision)", [.dog(revision)]), author: "")
    }

    private static func board(_ revision: Int) -> Board {
        Board(
            summary: BoardSummary(
                id: .test, name: "Pets", emojiCount: 0, created: .test, changed: .test, revision: revision),
            art: EmojiArt())
    }

    private static func update(_ revisions: ClosedRange<Int>) -> BoardReplica.Update { .entries(revisions.map(entry)) }

    private static func send(_ event: Event, to replica: inout BoardReplica) -> BoardReplica.Action {
        switch event {
        case .applied(let revision): return replica.applied(revision)
        case .changed: return replica.changed()
        case .entries(let revisions): return replica.answered(.changes(.entries(revisions.map(entry))))
        case .whole(let revision): return replica.answered(.changes(.whole(board(revision))))
        case .gone: return replica.answered(.gone)
        case .failed: return replica.answered(.failed)
        case .pauseEnded(let failures): return replica.pauseEnded(failures: failures)
        case .end:
            replica.close()
            return BoardReplica.Action()
        }
    }

    /// A replica at revision 5 after these events.
    private static func replica(_ events: Event...) -> BoardReplica {
        var replica = BoardReplica(revision: 5)
        for event in events { _ = send(event, to: &replica) }
        return replica
    }

    /// Expects the effect of an event: the delivery, the next action, the phase and the revision.
    private static func expect(
        _ before: BoardReplica, _ event: Event, update: BoardReplica.Update = .nothing,
        next: BoardReplica.Next = .nothing, phase: BoardReplica.Phase, revision: Int = 5,
        location: SourceLocation = #_sourceLocation
    ) {
        var after = before
        let action = send(event, to: &after)
        #expect(action == BoardReplica.Action(update: update, next: next), "\(event)", sourceLocation: location)
        #expect(after.phase == phase, "\(event)", sourceLocation: location)
        #expect(after.revision == revision, "\(event)", sourceLocation: location)
    }

    @Test func idleReplicaRequestsOnlyWhenStoreHasMore() {
        let idle = Self.replica()
        Self.expect(idle, .applied(6), next: .ask(since: 5), phase: .asking(failures: 0, wanted: 0))
        // A batch that was sent again, or whose operations were all refused.
        Self.expect(idle, .applied(5), phase: .idle)
        Self.expect(idle, .applied(2), phase: .idle)
        Self.expect(idle, .changed, next: .ask(since: 5), phase: .asking(failures: 0, wanted: 0))
        Self.expect(idle, .entries([6]), phase: .idle)
        Self.expect(idle, .whole(9), phase: .idle)
        Self.expect(idle, .gone, phase: .idle)
        Self.expect(idle, .failed, phase: .idle)
        Self.expect(idle, .pauseEnded(1), phase: .idle)
        Self.expect(idle, .end, phase: .ended)
    }

    @Test func requestingReplicaTakesResponse() {
        let asking = Self.replica(.changed)
        Self.expect(asking, .applied(6), phase: .asking(failures: 0, wanted: 6))
        Self.expect(asking, .applied(5), phase: .asking(failures: 0, wanted: 0))
        Self.expect(asking, .changed, phase: .asking(failures: 0, wanted: .max))
        Self.expect(asking, .entries([]), phase: .idle)
        Self.expect(asking, .entries([6, 7]), update: Self.update(6...7), phase: .idle, revision: 7)
        Self.expect(asking, .whole(9), update: .whole(Self.board(9)), phase: .idle, revision: 9)
        // After a restore from a backup, the replica takes the database's lower revision.
        Self.expect(asking, .whole(2), update: .whole(Self.board(2)), phase: .idle, revision: 2)
        Self.expect(asking, .gone, update: .gone, phase: .gone)
        Self.expect(asking, .failed, next: .pause(failures: 1), phase: .pausing(failures: 1))
        Self.expect(asking, .pauseEnded(0), phase: .asking(failures: 0, wanted: 0))
        Self.expect(asking, .end, phase: .ended)
    }

    @Test func knownEntriesAreSkippedAndGapsReloadBoard() {
        let asking = Self.replica(.changed)
        Self.expect(asking, .entries([4, 5, 6]), update: Self.update(6...6), phase: .idle, revision: 6)
        Self.expect(asking, .entries([4, 5]), phase: .idle)
        Self.expect(asking, .entries([7]), next: .askForAll, phase: .asking(failures: 0, wanted: 0))
        Self.expect(
            asking, .entries([6, 8]), update: Self.update(6...6), next: .askForAll,
            phase: .asking(failures: 0, wanted: 0), revision: 6)
        Self.expect(
            asking, .entries([6, 6]), update: Self.update(6...6), next: .askForAll,
            phase: .asking(failures: 0, wanted: 0), revision: 6)
    }

    @Test func changesDuringRequestCauseOneFurtherRequest() {
        let one = Self.replica(.changed, .applied(7))
        Self.expect(one, .entries([6, 7]), update: Self.update(6...7), phase: .idle, revision: 7)
        Self.expect(
            one, .entries([6]), update: Self.update(6...6), next: .ask(since: 6),
            phase: .asking(failures: 0, wanted: 0), revision: 6)
        let any = Self.replica(.changed, .changed, .applied(6))
        Self.expect(
            any, .entries([6]), update: Self.update(6...6), next: .ask(since: 6),
            phase: .asking(failures: 0, wanted: 0), revision: 6)
        Self.expect(
            any, .whole(8), update: .whole(Self.board(8)), next: .ask(since: 8),
            phase: .asking(failures: 0, wanted: 0), revision: 8)
        // The board may have been restored since.
        Self.expect(any, .gone, update: .gone, next: .ask(since: 5), phase: .asking(failures: 0, wanted: 0))
        Self.expect(any, .failed, next: .pause(failures: 1), phase: .pausing(failures: 1))
        // A store that never reaches the revision it announced isn't asked forever.
        Self.expect(Self.replica(.changed, .applied(9), .entries([6])), .entries([]), phase: .idle, revision: 6)
    }

    @Test func pausingReplicaRequestsAfterPauseOrOnNotice() {
        let pausing = Self.replica(.changed, .failed, .pauseEnded(1), .failed)
        Self.expect(pausing, .applied(6), next: .ask(since: 5), phase: .asking(failures: 2, wanted: 0))
        Self.expect(pausing, .applied(5), phase: .pausing(failures: 2))
        Self.expect(pausing, .changed, next: .ask(since: 5), phase: .asking(failures: 2, wanted: 0))
        Self.expect(pausing, .entries([6]), phase: .pausing(failures: 2))
        Self.expect(pausing, .whole(9), phase: .pausing(failures: 2))
        Self.expect(pausing, .gone, phase: .pausing(failures: 2))
        Self.expect(pausing, .failed, phase: .pausing(failures: 2))
        Self.expect(pausing, .pauseEnded(2), next: .ask(since: 5), phase: .asking(failures: 2, wanted: 0))
        Self.expect(pausing, .pauseEnded(1), phase: .pausing(failures: 2))
        Self.expect(pausing, .end, phase: .ended)
        // The pauses grow until a request succeeds.
        Self.expect(
            Self.replica(.changed, .failed, .pauseEnded(1)), .failed, next: .pause(failures: 2),
            phase: .pausing(failures: 2))
        Self.expect(
            Self.replica(.changed, .failed, .pauseEnded(1), .entries([]), .changed), .failed,
            next: .pause(failures: 1), phase: .pausing(failures: 1))
    }

    @Test func goneReplicaRecoversWhenBoardIsRestored() {
        let gone = Self.replica(.changed, .gone)
        #expect(gone.isGone)
        Self.expect(gone, .applied(6), next: .ask(since: 5), phase: .asking(failures: 0, wanted: 0))
        Self.expect(gone, .applied(5), phase: .gone)
        Self.expect(gone, .changed, next: .ask(since: 5), phase: .asking(failures: 0, wanted: 0))
        Self.expect(gone, .entries([6]), phase: .gone)
        Self.expect(gone, .whole(9), phase: .gone)
        Self.expect(gone, .gone, phase: .gone)
        Self.expect(gone, .failed, phase: .gone)
        Self.expect(gone, .pauseEnded(1), phase: .gone)
        Self.expect(gone, .end, phase: .ended)
        let asking = Self.replica(.changed, .gone, .changed)
        #expect(asking.isGone)
        // The deletion is delivered once.
        Self.expect(asking, .gone, phase: .gone)
        Self.expect(asking, .entries([6]), update: Self.update(6...6), phase: .idle, revision: 6)
        #expect(!Self.replica(.changed, .gone, .changed, .entries([])).isGone)
        #expect(!Self.replica(.changed, .gone, .changed, .whole(9)).isGone)
        #expect(Self.replica(.changed, .gone, .changed, .failed).isGone)
    }

    @Test func endedReplicaIgnoresAllEvents() {
        for ended in [
            Self.replica(.end), Self.replica(.changed, .end), Self.replica(.changed, .failed, .end),
            Self.replica(.changed, .gone, .end),
        ] {
            for event in [
                Event.applied(6), .changed, .entries([6]), .whole(9), .gone, .failed, .pauseEnded(1), .end,
            ] {
                Self.expect(ended, event, phase: .ended)
            }
        }
    }

    @Test(arguments: 0..<50) func replicaConvergesToStoreUnderRandomEvents(seed: UInt64) {
        var chance = SeededChance(seed: seed)
        var replica = BoardReplica(revision: 0)
        var (log, seen): ([Int], [Int]) = ([], [])
        /// The store's response to the request, not yet delivered.
        var response: BoardReplica.Answer?
        var request: BoardReplica.Next = .nothing
        func take(_ action: BoardReplica.Action) {
            switch action.update {
            case .nothing, .gone: break
            case .entries(let entries): seen += entries.map(\.revision)
            case .whole(let board): seen = Array(log.prefix(board.summary.revision))
            }
            switch action.next {
            case .nothing: break
            case .ask, .askForAll, .pause:
                // A notification ends a pause, but not a request.
                let isFree = if case .pause = request { true } else { request == .nothing }
                #expect(isFree, "two requests at a time")
                request = action.next
            }
        }
        for _ in 0..<400 {
            switch Int.random(in: 0..<6, using: &chance) {
            case 0:
                log.append(log.count + 1)
                take(replica.changed())
            case 1:
                log.append(log.count + 1)
                take(replica.applied(log.count))
            case 2, 3:
                guard response == nil else { continue }
                switch request {
                case .ask(let since):
                    response = .changes(.entries(log.filter { $0 > since }.map(Self.entry)))
                    if Int.random(in: 0..<10, using: &chance) == 0 {
                        response = .changes(.whole(Self.board(log.count)))
                    }
                    if Int.random(in: 0..<5, using: &chance) == 0 { response = .failed }
                case .askForAll: response = .changes(.whole(Self.board(log.count)))
                case .pause(let failures):
                    request = .nothing
                    take(replica.pauseEnded(failures: failures))
                case .nothing: break
                }
            default:
                guard let given = response else { continue }
                (response, request) = (nil, .nothing)
                take(replica.answered(given))
            }
            #expect(seen == Array(log.prefix(replica.revision)))
        }
        // Without further random events, the replica must catch up.
        for _ in 0..<10 {
            switch request {
            case .ask(let since):
                request = .nothing
                take(replica.answered(response ?? .changes(.entries(log.filter { $0 > since }.map(Self.entry)))))
                response = nil
            case .askForAll:
                request = .nothing
                take(replica.answered(.changes(.whole(Self.board(log.count)))))
            case .pause(let failures):
                request = .nothing
                take(replica.pauseEnded(failures: failures))
            case .nothing: take(replica.changed())
            }
        }
        #expect(seen == log)
    }
}
