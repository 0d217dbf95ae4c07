import Persistence
import Testing

@testable import EmojiArtModel

/// Tests that a listener receives all entries in order, or is told to reload the board.
@Suite(.timeLimit(.minutes(10))) struct NewsListenerTests {
    private static func entries(_ revisions: ClosedRange<Int>) -> [LogEntry] {
        revisions.map { LogEntry(revision: $0, batch: .test("b\($0)", []), author: "") }
    }

    @Test func pendingEntriesAreCombinedInOrder() {
        var outbox = NewsOutbox(limit: 4)
        #expect(outbox.take() == nil)
        outbox.add(.entries(Self.entries(1...2)))
        outbox.add(.entries([]))
        outbox.add(.entries(Self.entries(3...4)))
        #expect(outbox.take() == .entries(Self.entries(1...4)))
        #expect(outbox.take() == nil)
        outbox.add(.entries([]))
        #expect(outbox.take() == nil)
    }

    @Test func entriesBeyondLimitBecomeWholeBoard() {
        var outbox = NewsOutbox(limit: 3)
        outbox.add(.entries(Self.entries(1...2)))
        outbox.add(.entries(Self.entries(3...4)))
        outbox.add(.entries(Self.entries(5...5)))
        #expect(outbox.take() == .whole(revision: 5))
        outbox.add(.entries(Self.entries(6...6)))
        #expect(outbox.take() == .entries(Self.entries(6...6)))
        outbox.add(.entries(Self.entries(7...10)))
        #expect(outbox.take() == .whole(revision: 10))
        outbox.add(.entries(Self.entries(11...11)))
        outbox.add(.whole(revision: 20))
        #expect(outbox.take() == .whole(revision: 20))
        outbox.add(.whole(revision: 21))
        outbox.add(.whole(revision: 3))
        #expect(outbox.take() == .whole(revision: 3))
    }

    @Test func waitingReaderReceivesNewsUntilFinish() async {
        let listener = NewsListener(limit: 4)
        let reading = Task {
            var received: [BoardNews] = []
            for await news in listener.news() { received.append(news) }
            return received
        }
        listener.tell(.entries(Self.entries(1...1)))
        listener.tell(.whole(revision: 7))
        listener.finish()
        // After the end nothing is delivered.
        listener.tell(.whole(revision: 8))
        #expect(await reading.value.last == .whole(revision: 7))
    }

    @Test func newsRetainTheirListener() async {
        var news: Updates<BoardNews>?
        weak var held: NewsListener?
        do {
            let listener = NewsListener(limit: 4)
            (held, news) = (listener, listener.news())
        }
        #expect(held != nil)
        held?.tell(.whole(revision: 8))
        var iterator = news?.makeAsyncIterator()
        #expect(await iterator?.next() == .whole(revision: 8))
        (news, iterator) = (nil, nil)
        #expect(held == nil)
    }

    @Test func cancelledReaderEnds() async {
        let listener = NewsListener(limit: 4)
        let reading = Task {
            for await _ in listener.news() {}
        }
        reading.cancel()
        await reading.value
        listener.tell(.whole(revision: 8))
    }
}
