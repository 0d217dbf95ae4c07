/// Makes the events of one tab from the parts of a document that change.
public protocol DocumentEventMaker<Document>: Sendable {
    /// The document.
    associatedtype Document: LiveDocument

    /// Makes events.
    ///
    /// - Parameters:
    ///   - changed: The parts that differ from those of the last call, or are new.
    ///   - parts: All parts.
    ///   - document: The document, which is open.
    /// - Returns: The events, in their order.
    mutating func events(
        for changed: [String: String], of parts: [String: String], in document: Document
    ) async -> [ServerSentEvent]
}

/// Makes an event of each part that has changed, under its name.
public struct PartEvents<Document: LiveDocument>: DocumentEventMaker {
    /// Makes events.
    public func events(
        for changed: [String: String], of parts: [String: String], in document: Document
    ) async -> [ServerSentEvent] {
        changed.sorted { $0.key < $1.key }.map { ServerSentEvent(data: $0.value, name: $0.key) }
    }
}

/// The events of one tab about a document, which stays open for as long as the tab listens: about all of its parts at first, and
/// then about those that have changed.
///
/// A stream that is not read, as that of a HEAD request, opens nothing. A document that can't be opened has no events.
public struct DocumentEvents<Maker: DocumentEventMaker>: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent
    /// It never fails.
    public typealias Failure = Never

    private let documents: OpenDocuments<Maker.Document>
    private let key: Maker.Document.Key
    private let maker: Maker

    /// Creates the events of a document.
    public init(of documents: OpenDocuments<Maker.Document>, key: Maker.Document.Key, maker: Maker) {
        self.documents = documents
        self.key = key
        self.maker = maker
    }

    /// Creates the events of a document, each with a part that has changed.
    public init<Document>(of documents: OpenDocuments<Document>, key: Document.Key)
    where Maker == PartEvents<Document> {
        self.init(of: documents, key: key, maker: PartEvents())
    }

    /// Begins to listen at the first event that is asked for.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(documents: documents, key: key, maker: maker)
    }
}

extension DocumentEvents {
    /// Goes from event to event.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let documents: OpenDocuments<Maker.Document>
        fileprivate let key: Maker.Document.Key
        fileprivate var maker: Maker
        private var document: Maker.Document?
        private var parts: AsyncStream<[String: String]>.AsyncIterator?
        private var shown: [String: String] = [:]
        private var waiting: [ServerSentEvent] = []
        private var isEnded = false

        fileprivate init(documents: OpenDocuments<Maker.Document>, key: Maker.Document.Key, maker: Maker) {
            self.documents = documents
            self.key = key
            self.maker = maker
        }

        /// The next event; nil at the end.
        public mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        /// The next event; nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> ServerSentEvent? {
            if isEnded { return nil }
            if document == nil {
                guard let document = try? await documents.lease(key) else {
                    isEnded = true
                    return nil
                }
                self.document = document
                parts = document.parts.values().makeAsyncIterator()
            }
            while waiting.isEmpty {
                guard let document, let all = await parts?.next(isolation: actor) else {
                    isEnded = true
                    await documents.giveBack(key)
                    return nil
                }
                let changed = all.filter { shown[$0.key] != $0.value }
                shown = all
                waiting = await maker.events(for: changed, of: all, in: document)
            }
            return waiting.removeFirst()
        }
    }
}
