import Formats

/// Makes one tab's events from the changed parts of a document.
public protocol DocumentEventMaker<Document>: Sendable {
    /// The type of document.
    associatedtype Document: LiveDocument

    /// Makes the events for a change.
    ///
    /// - Parameters:
    ///   - changed: The parts that are new or differ from those of the previous call.
    ///   - parts: All parts.
    ///   - document: The open document.
    /// - Returns: The events, in order.
    mutating func events(
        for changed: [String: String], of parts: [String: String], in document: Document
    ) async -> [ServerSentEvent]
}

/// Makes an event of each changed part, named after the part.
public struct PartEvents<Document: LiveDocument>: DocumentEventMaker {
    /// Returns one event for each changed part, sorted by name.
    public func events(
        for changed: [String: String], of parts: [String: String], in document: Document
    ) async -> [ServerSentEvent] {
        changed.sorted { $0.key < $1.key }.map { ServerSentEvent(data: $0.value, name: $0.key) }
    }
}

/// One tab's event stream of a document: all parts first, then those that change.
///
/// The document is leased from the first event until the stream ends. A stream that is never iterated, as for a HEAD
/// request, opens nothing. If the document can't be opened, the stream is empty.
public struct DocumentEvents<Maker: DocumentEventMaker>: AsyncSequence, Sendable {
    /// The type of the events.
    public typealias Element = ServerSentEvent
    /// The stream never fails.
    public typealias Failure = Never

    private let documents: OpenDocuments<Maker.Document>
    private let key: Maker.Document.Key
    private let maker: Maker
    private let formats = ReaderFormats.current

    /// Creates the event stream of a document for the reader whom the current task serves.
    public init(of documents: OpenDocuments<Maker.Document>, key: Maker.Document.Key, maker: Maker) {
        self.documents = documents
        self.key = key
        self.maker = maker
    }

    /// Creates the event stream of a document with one event for each changed part.
    public init<Document>(of documents: OpenDocuments<Document>, key: Document.Key)
    where Maker == PartEvents<Document> {
        self.init(of: documents, key: key, maker: PartEvents())
    }

    /// Creates an iterator, which opens the document when its first event is requested.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(documents: documents, key: key, maker: maker, formats: formats)
    }
}

extension DocumentEvents {
    /// The iterator of a document's events.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let documents: OpenDocuments<Maker.Document>
        fileprivate let key: Maker.Document.Key
        fileprivate var maker: Maker
        private let formats: ReaderFormats
        private var document: Maker.Document?
        private var parts: AsyncStream<LiveParts>.AsyncIterator?
        private var shown: [String: String] = [:]
        private var waiting: [ServerSentEvent] = []
        private var isEnded = false

        fileprivate init(
            documents: OpenDocuments<Maker.Document>, key: Maker.Document.Key, maker: Maker, formats: ReaderFormats
        ) {
            self.documents = documents
            self.key = key
            self.maker = maker
            self.formats = formats
        }

        /// Returns the next event, or `nil` at the end.
        public mutating func next() async -> ServerSentEvent? {
            await next(isolation: #isolation)
        }

        /// Returns the next event, or `nil` at the end.
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
                guard let document, let all = await parts?.next(isolation: actor)?.parts(for: formats) else {
                    isEnded = true
                    await documents.release(key)
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
