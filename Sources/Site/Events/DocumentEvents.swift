/// What one tab is told of a document, which stays open for as long as the tab listens: all of its parts at first, and
/// then those that have changed.
///
/// A stream that nobody reads, as the answer to a HEAD request has, opens nothing.
public struct DocumentEvents<Document: LiveDocument>: AsyncSequence, Sendable {
    /// An event is a part of the page, under its name.
    public typealias Element = ServerSentEvent
    /// What cannot be opened has no events.
    public typealias Failure = Never

    private let documents: OpenDocuments<Document>
    private let owner: String

    /// Creates the events of an owner's document.
    ///
    /// - Parameters:
    ///   - documents: Where it is open.
    ///   - owner: Whose it is.
    public init(of documents: OpenDocuments<Document>, owner: String) {
        self.documents = documents
        self.owner = owner
    }

    /// Begins to listen at the first event that is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(documents: documents, owner: owner)
    }
}

extension DocumentEvents {
    /// Goes from event to event.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let documents: OpenDocuments<Document>
        fileprivate let owner: String
        private var parts: AsyncStream<[String: String]>.AsyncIterator?
        private var shown: [String: String] = [:]
        private var waiting: [ServerSentEvent] = []
        private var isEnded = false

        fileprivate init(documents: OpenDocuments<Document>, owner: String) {
            self.documents = documents
            self.owner = owner
        }

        /// The next event; nil at the end.
        public mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        /// The next event; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            if isEnded { return nil }
            if parts == nil {
                guard let document = try? await documents.lease(owner) else {
                    isEnded = true
                    return nil
                }
                parts = document.parts.values().makeAsyncIterator()
            }
            while waiting.isEmpty {
                guard let all = await parts?.next(isolation: actor) else {
                    isEnded = true
                    await documents.giveBack(owner)
                    return nil
                }
                waiting = all.filter { shown[$0.key] != $0.value }.sorted { $0.key < $1.key }
                    .map { ServerSentEvent(data: $0.value, name: $0.key) }
                shown = all
            }
            return waiting.removeFirst()
        }
    }
}
