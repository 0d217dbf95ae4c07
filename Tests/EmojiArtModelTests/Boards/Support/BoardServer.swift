import EmojiArtModel
import Futures
import ModelJSON

/// A server of one board: it applies each batch once, and loses requests and connections as a test says.
actor BoardServer {
    /// What becomes of one request that sends a batch.
    enum Reply: Sendable {
        case answer, requestLost, responseLost, unavailable
    }

    /// What a stream delivers.
    enum Event: Sendable {
        /// Entries; `nil` if the page doesn't know one of their operations.
        case entries([ServerEntry]?)
        /// The revision, because entries before it aren't stored any more.
        case revision(Int)
    }

    /// The name of batches that the server refuses.
    static let refusedName = "Refused"

    private(set) var art: EmojiArt
    private var log: [ServerEntry] = []
    /// The revision up to which pages can't request entries any more.
    private var logStart = 0
    private var epoch = 1
    private var answers: [OperationBatch.ID: JSON] = [:]
    /// What becomes of the next requests; all later ones are answered.
    private var replies: [Reply]
    private let remembersBatches: Bool
    private var streams: [AsyncStream<Event>.Continuation] = []
    private var failingRequests = 0
    private var unreadableEntries = 0
    private nonisolated let received = Lock<Set<ArtOperation>>([])

    /// - Parameters:
    ///   - art: The board at revision 0.
    ///   - replies: What becomes of the first requests.
    ///   - remembersBatches: Whether it applies a batch once, and not each time that the batch is sent.
    init(_ art: EmojiArt, replies: [Reply], remembersBatches: Bool = true) {
        (self.art, self.replies, self.remembersBatches) = (art, replies, remembersBatches)
    }
}

// MARK: - Control by the test

extension BoardServer {
    /// All operations that had an effect, in their order.
    var operations: [ArtOperation] { log.flatMap(\.operations) }

    /// Whether the server has applied or refused an operation.
    nonisolated func hasReceived(_ operation: ArtOperation) -> Bool {
        received.withLock { $0.contains(operation) }
    }

    /// Applies operations of another person.
    func change(_ operations: ArtOperation...) {
        apply(OperationBatch(id: "other-\(log.count)", name: "Step", operations: operations))
    }

    /// Ends all streams.
    func dropStreams() {
        for stream in streams { stream.finish() }
        streams = []
    }

    /// Discards the log up to now.
    func forgetLog() { logStart = log.count }

    /// Ends all streams, and begins another epoch with the same board.
    func restart() {
        epoch += 1
        forgetLog()
        dropStreams()
    }

    /// Makes the next request for entries or for the board fail.
    func failNextRequest() { failingRequests += 1 }

    /// Makes the next entry one that pages don't know.
    func makeNextEntryUnreadable() { unreadableEntries += 1 }
}

// MARK: - Requests

extension BoardServer {
    /// The whole board.
    var board: ServerBoard { ServerBoard(revision: log.count, epoch: "\(epoch)", art: art) }

    /// Takes a batch; the status is `nil` if there is no response.
    func post(_ batch: OperationBatch) -> (status: Int?, json: JSON) {
        let reply: Reply = replies.isEmpty ? .answer : replies.removeFirst()
        switch reply {
        case .answer: return answer(to: batch)
        case .requestLost: return (nil, .null)
        case .unavailable: return (503, .null)
        case .responseLost:
            _ = answer(to: batch)
            return (nil, .null)
        }
    }

    private func answer(to batch: OperationBatch) -> (status: Int?, json: JSON) {
        received.withLock { $0.formUnion(batch.operations) }
        if batch.name == Self.refusedName {
            return (422, .object([JSON.Member("detail", .string("The server refuses it."))]))
        }
        if remembersBatches, let answer = answers[batch.id] { return (200, answer) }
        let refused = apply(batch).map { refusal in
            JSON.object([
                JSON.Member("index", .number(Double(refusal.index))),
                JSON.Member("reason", .string(refusal.reason.rawValue)),
                JSON.Member("message", .string("The server refuses it.")),
            ])
        }
        let answer = JSON.object([
            JSON.Member("revision", .number(Double(log.count))), JSON.Member("refused", .array(refused)),
        ])
        answers[batch.id] = answer
        return (200, answer)
    }

    @discardableResult
    private func apply(_ batch: OperationBatch) -> [RefusedOperation] {
        let (applied, refused) = art.apply(batch)
        guard !applied.isEmpty else { return refused }
        let entry = ServerEntry(revision: log.count + 1, batch: batch.id, operations: applied)
        log.append(entry)
        let isUnreadable = unreadableEntries > 0
        if isUnreadable { unreadableEntries -= 1 }
        for stream in streams { stream.yield(.entries(isUnreadable ? nil : [entry])) }
        return refused
    }

    /// The entries since a revision, or the whole board; `nil` if the request fails.
    func entries(since revision: Int, epoch: String) -> BoardSession.EntryResponse? {
        if failsRequest() { return nil }
        guard epoch == "\(self.epoch)", revision >= logStart else { return .board(board) }
        return .entries(Array(log[revision...]))
    }

    /// The whole board; `nil` if the request fails.
    func state() -> ServerBoard? { failsRequest() ? nil : board }

    private func failsRequest() -> Bool {
        guard failingRequests > 0 else { return false }
        failingRequests -= 1
        return true
    }

    /// The events since a revision, or from now on if it is `nil`; `nil` if the epoch has ended.
    func events(since revision: Int?, epoch: String) -> AsyncStream<Event>? {
        guard epoch == "\(self.epoch)" else { return nil }
        let (events, stream) = AsyncStream<Event>.makeStream()
        streams.append(stream)
        let revision = revision ?? log.count
        if revision < logStart {
            stream.yield(.revision(log.count))
        } else if revision < log.count {
            stream.yield(.entries(Array(log[revision...])))
        }
        return events
    }
}
