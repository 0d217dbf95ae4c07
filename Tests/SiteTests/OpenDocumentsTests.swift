import Formats
import Testing

@testable import Site

/// Tests how long a document stays open, and which events its tabs receive.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct OpenDocumentsTests {
    private enum Failure: Error {
        case shuttingDown, broken
    }

    /// A document that records calls, and opens and closes when the test allows it.
    private final class Document: LiveDocument {
        typealias Key = String

        static let shuttingDownError = Failure.shuttingDown

        final class Journal {
            var entries: [String] = []
            var isBroken = false
            var isBusy = false
            /// Awaited while a document opens or closes, if set.
            var opening: AsyncStream<Void>?
            var closing: AsyncStream<Void>?
        }

        nonisolated let parts = Broadcast<LiveParts>()
        private let journal: Journal

        init(_ journal: Journal) {
            self.journal = journal
            journal.entries.append("made")
        }

        var isBusy: Bool { journal.isBusy }

        func open() async throws(Failure) {
            if let opening = journal.opening { for await _ in opening { break } }
            if journal.isBroken { throw .broken }
            journal.entries.append("opened")
        }

        func close() async {
            if let closing = journal.closing { for await _ in closing { break } }
            parts.finish()
            journal.entries.append("closed")
        }
    }

    private let journal = Document.Journal()
    private let documents: OpenDocuments<Document>

    init() {
        documents = OpenDocuments { [journal] _ async throws(Failure) in Document(journal) }
    }

    /// Waits until earlier tasks have reached their suspension points; the main actor runs tasks in order.
    private func afterEarlierTasks() async {
        await Task {}.value
    }

    @Test func tabsOfAnOwnerShareOneDocument() async throws {
        let first = try await documents.lease("one")
        let second = try await documents.lease("one")
        let other = try await documents.lease("two")
        #expect(first === second && first !== other)
        #expect(documents.keys == ["one", "two"])
        #expect(journal.entries == ["made", "opened", "made", "opened"])
    }

    @Test func unusedDocumentIsClosedUnlessItIsBusy() async throws {
        _ = try await documents.lease("one")
        try await documents.use("one") { _ in }
        await documents.tidy()
        #expect(documents.keys == ["one"])
        documents.release("one")
        journal.isBusy = true
        await documents.tidy()
        #expect(documents.keys == ["one"])
        journal.isBusy = false
        await documents.tidy()
        #expect(documents.keys.isEmpty)
        #expect(journal.entries == ["made", "opened", "closed"])
    }

    @Test func leaseDuringCloseWaitsAndOpensANewDocument() async throws {
        let (closing, goOn) = AsyncStream.makeStream(of: Void.self)
        try await documents.use("one") { _ in }
        journal.closing = closing
        async let tidying: Void = documents.tidy()
        while !documents.keys.isEmpty, !Task.isCancelled { await Task.yield() }
        let next = Task { try await documents.lease("one") }
        await afterEarlierTasks()
        #expect(journal.entries == ["made", "opened"])
        goOn.yield()
        _ = try await next.value
        await tidying
        #expect(journal.entries == ["made", "opened", "closed", "made", "opened"])
        #expect(documents.keys == ["one"])
    }

    @Test func overlappingCallsOfTidyCloseEachDocumentOnce() async throws {
        let (closing, goOn) = AsyncStream.makeStream(of: Void.self)
        for key in ["one", "two"] { try await documents.use(key) { _ in } }
        journal.closing = closing
        async let tidying: Void = documents.tidy()
        while documents.keys.count == 2, !Task.isCancelled { await Task.yield() }
        await afterEarlierTasks()
        // While one document closes, another call closes the other one, which is then opened again.
        journal.closing = nil
        let key = try #require(documents.keys.first)
        await documents.tidy()
        try await documents.use(key) { _ in }
        goOn.yield()
        await tidying
        #expect(documents.keys == [key])
        #expect(journal.entries.count { $0 == "closed" } == 2)
    }

    @Test func failedOpenIsRetriedByTheNextUse() async throws {
        journal.isBroken = true
        await #expect(throws: Failure.broken) { try await documents.use("one") { _ in } }
        #expect(documents.keys.isEmpty)
        journal.isBroken = false
        try await documents.use("one") { _ in }
        #expect(journal.entries == ["made", "made", "opened"])
    }

    @Test func noDocumentIsOpenedAfterShutdownBegins() async throws {
        let leased = try await documents.lease("one")
        documents.beginShutdown()
        // A document that is already open stays usable.
        #expect(try await documents.use("one") { $0 === leased })
        await #expect(throws: Failure.shuttingDown) { try await documents.use("two") { _ in } }
        await documents.shutDown()
        #expect(journal.entries == ["made", "opened", "closed"])
        await #expect(throws: Failure.shuttingDown) { try await documents.use("one") { _ in } }
    }

    @Test func documentOpeningDuringShutdownIsClosed() async throws {
        let (opening, goOn) = AsyncStream.makeStream(of: Void.self)
        journal.opening = opening
        let lease = Task { try await documents.lease("one") }
        while documents.documents.isEmpty, !Task.isCancelled { await Task.yield() }
        let end = Task { await documents.shutDown() }
        await afterEarlierTasks()
        goOn.yield()
        _ = try? await lease.value
        await end.value
        #expect(journal.entries == ["made", "opened", "closed"])
        #expect(documents.keys.isEmpty)
    }

    @Test func tabReceivesAllPartsAndThenOnlyChangedParts() async throws {
        let events = DocumentEvents(of: documents, key: "one")
        // The document isn't opened until the events are iterated.
        #expect(documents.keys.isEmpty)
        var iterator = events.makeAsyncIterator()
        var event: ServerSentEvent?
        let document = try await documents.lease("one")
        document.parts.send(["a": "1", "b": "1"])
        event = await iterator.next()
        #expect(event == ServerSentEvent(data: "1", name: "a"))
        event = await iterator.next()
        #expect(event == ServerSentEvent(data: "1", name: "b"))
        document.parts.send(["a": "1", "b": "2"])
        event = await iterator.next()
        #expect(event == ServerSentEvent(data: "2", name: "b"))
        documents.release("one")
        await documents.tidy()
        #expect(documents.keys == ["one"])
        document.parts.finish()
        event = await iterator.next()
        #expect(event == nil)
        event = await iterator.next()
        #expect(event == nil)
        await documents.tidy()
        #expect(documents.keys.isEmpty)
    }

    @Test func eachTabReceivesPartsInTheFormatsOfItsReader() async throws {
        let document = try await documents.lease("one")
        document.parts.send(LiveParts { ["number": ReaderFormats.current.number(1_234.5)] })
        var texts: [String?] = []
        for language in ["de-DE", "en-US"] {
            var iterator = events(inLanguage: language).makeAsyncIterator()
            let event = await iterator.next()
            texts.append(event?.data)
        }
        #expect(texts == ["1.234,5", "1,234.5"])
    }

    private func events(inLanguage language: String) -> DocumentEvents<PartEvents<Document>> {
        ReaderFormats.local.withValue(ReaderFormats(languages: language)) { DocumentEvents(of: documents, key: "one") }
    }

    @Test func eventsEndIfTheDocumentCannotBeOpened() async {
        journal.isBroken = true
        var iterator = DocumentEvents(of: documents, key: "one").makeAsyncIterator()
        let event = await iterator.next()
        #expect(event == nil)
    }
}
