/// An app's in-memory model of what its pages show, with the HTML of its parts.
@MainActor
public protocol LiveDocument: AnyObject, Sendable {
    /// Identifies a document: an owner, a board or a page of a list, for example.
    associatedtype Key: Hashable & Sendable
    /// The error if a document can't be opened.
    associatedtype Failure: Error

    /// The error for documents requested while the server shuts down.
    static var ending: Failure { get }

    /// The parts of the page that change: HTML by the name of the part's event.
    nonisolated var parts: Broadcast<[String: String]> { get }

    /// Whether the document has work in progress that must not be dropped.
    var isBusy: Bool { get }

    /// Loads the stored state, and begins to follow its changes.
    func open() async throws(Failure)

    /// Ends all work of the document without losing an acknowledged change.
    func close() async
}

/// A registry of open documents: one for each key, created on first use and shared by all tabs.
///
/// A document is closed after its last lease is released, once it isn't busy; its state is in a store.
@MainActor
public final class OpenDocuments<Document: LiveDocument> {
    private struct Place {
        let opening: Task<Result<Document, Document.Failure>, Never>
        /// Set as soon as the document is created; it is open when ``opening`` has ended.
        var document: Document?
        var leases = 0
    }

    private let make: @MainActor (_ key: Document.Key) async throws(Document.Failure) -> Document
    private var places: [Document.Key: Place] = [:]
    /// Documents that are being closed: a new one of the same key opens only after the old one has written its
    /// changes.
    private var closings: [Document.Key: Task<Void, Never>] = [:]
    private var isEnding = false

    /// Creates an empty registry.
    public init(make: @escaping @MainActor (_ key: Document.Key) async throws(Document.Failure) -> Document) {
        self.make = make
    }
}

extension OpenDocuments {
    /// The keys of the open documents.
    public var keys: Set<Document.Key> { Set(places.keys) }

    /// The documents that are open or being opened.
    public var documents: [Document] { places.values.compactMap(\.document) }

    /// The open documents, after waiting for those that are being opened.
    public var opened: [Document] {
        get async {
            var opened: [Document] = []
            for place in places.values {
                if case .success(let document) = await place.opening.value { opened.append(document) }
            }
            return opened
        }
    }

    /// Leases a document while a closure runs.
    ///
    /// - Returns: The closure's result.
    /// - Throws: The error in opening the document, or the closure's error.
    public func use<Value: Sendable>(
        _ key: Document.Key, _ body: @MainActor (Document) async throws -> Value
    ) async throws -> Value {
        let document = try await lease(key)
        defer { giveBack(key) }
        return try await body(document)
    }

    /// Returns the document of a key, which stays open until the lease is released.
    ///
    /// - Returns: The document.
    /// - Throws: The error in opening the document; the next call tries again.
    public func lease(_ key: Document.Key) async throws(Document.Failure) -> Document {
        while let closing = closings[key] { await closing.value }
        if isEnding, places[key] == nil { throw Document.ending }
        var place = places[key] ?? place(for: key)
        place.leases += 1
        places[key] = place
        switch await place.opening.value {
        case .success(let document): return document
        case .failure(let error):
            // Concurrent callers also receive this error, and may have retried since: remove only the failed attempt.
            if places[key]?.opening == place.opening { places[key] = nil }
            throw error
        }
    }

    /// Releases a lease.
    public func giveBack(_ key: Document.Key) {
        places[key]?.leases -= 1
    }

    private func place(for key: Document.Key) -> Place {
        // An unstructured task, because all waiting callers share it; it isn't cancelled with any of them.
        let opening = Task { () -> Result<Document, Document.Failure> in
            do throws(Document.Failure) {
                let document = try await make(key)
                places[key]?.document = document
                if isEnding { throw Document.ending }
                try await document.open()
                return .success(document)
            } catch {
                return .failure(error)
            }
        }
        return Place(opening: opening)
    }
}

// MARK: - Lifecycle

extension OpenDocuments {
    /// Closes the documents that are neither leased nor busy.
    public func tidy() async {
        for (key, place) in places {
            guard case .success(let document) = await place.opening.value else { continue }
            // It may have been leased again during the wait.
            guard let leases = places[key]?.leases, leases <= 0, !document.isBusy, closings[key] == nil
            else { continue }
            places[key] = nil
            // An unstructured task, so that it always completes. It removes itself before callers that wait for it
            // continue.
            let closing = Task {
                await document.close()
                closings[key] = nil
            }
            closings[key] = closing
            await closing.value
        }
    }

    /// Refuses to open further documents; those that are open can still be leased.
    public func beginShutdown() {
        isEnding = true
    }

    /// Closes all documents, and returns when they are closed.
    public func shutDown() async {
        beginShutdown()
        for place in places.values {
            // A document that couldn't be opened needs no closing.
            if case .success(let document) = await place.opening.value { await document.close() }
        }
        while let closing = closings.values.first { await closing.value }
        places = [:]
    }
}
