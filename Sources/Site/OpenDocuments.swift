import Persistence

/// An app's in-memory model of what its pages show, with the HTML of its parts.
@MainActor
public protocol LiveDocument: AnyObject, Sendable {
    /// Identifies a document: an owner, a board or a page of a list, for example.
    associatedtype Key: Hashable & Sendable
    /// The error if a document can't be opened.
    associatedtype Failure: Error

    /// The error for documents requested while the server shuts down.
    static var shuttingDownError: Failure { get }

    /// The parts of the page that change.
    nonisolated var parts: Broadcast<LiveParts> { get }

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
    private struct Entry {
        let opening: Task<Result<Document, Document.Failure>, Never>
        /// Set as soon as the document is created; it is open when ``opening`` has ended.
        var document: Document?
        var leases = 0
    }

    private let make: @MainActor (_ key: Document.Key) async throws(Document.Failure) -> Document
    private var entries: [Document.Key: Entry] = [:]
    /// Documents that are being closed: a new one of the same key opens only after the old one has written its
    /// changes.
    private var closings: [Document.Key: Task<Void, Never>] = [:]
    private var isShuttingDown = false

    /// Creates an empty registry.
    public init(make: @escaping @MainActor (_ key: Document.Key) async throws(Document.Failure) -> Document) {
        self.make = make
    }
}

extension OpenDocuments {
    /// The keys of the documents that are open or being opened.
    public var keys: Set<Document.Key> { Set(entries.keys) }

    /// The documents that are open or being opened.
    public var documents: [Document] { entries.values.compactMap(\.document) }

    /// The open documents, after waiting for those that are being opened.
    public var opened: [Document] {
        get async {
            var opened: [Document] = []
            for entry in entries.values {
                if case .success(let document) = await entry.opening.value { opened.append(document) }
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
        defer { release(key) }
        return try await body(document)
    }

    /// Returns the document of a key, which stays open until the lease is released.
    ///
    /// - Returns: The document.
    /// - Throws: The error in opening the document; the next call tries again.
    public func lease(_ key: Document.Key) async throws(Document.Failure) -> Document {
        while let closing = closings[key] { await closing.value }
        if isShuttingDown, entries[key] == nil { throw Document.shuttingDownError }
        var entry = entries[key] ?? entry(for: key)
        entry.leases += 1
        entries[key] = entry
        switch await entry.opening.value {
        case .success(let document): return document
        case .failure(let error):
            // Concurrent callers also receive this error, and may have retried since: remove only the failed attempt.
            if entries[key]?.opening == entry.opening { entries[key] = nil }
            throw error
        }
    }

    /// Releases a lease.
    public func release(_ key: Document.Key) {
        entries[key]?.leases -= 1
    }

    private func entry(for key: Document.Key) -> Entry {
        // An unstructured task, because all waiting callers share it; it isn't cancelled with any of them.
        // Its work outlives the request that needs the document first.
        let opening = RequestID.$current.withValue(nil) {
            Task { () -> Result<Document, Document.Failure> in
                do throws(Document.Failure) {
                    let document = try await make(key)
                    entries[key]?.document = document
                    if isShuttingDown { throw Document.shuttingDownError }
                    try await document.open()
                    return .success(document)
                } catch {
                    return .failure(error)
                }
            }
        }
        return Entry(opening: opening)
    }
}

// MARK: - Lifecycle

extension OpenDocuments {
    /// Closes the documents that are neither leased nor busy.
    public func tidy() async {
        for (key, entry) in entries {
            guard case .success(let document) = await entry.opening.value else { continue }
            // During the wait, it may have been leased again, or closed by another call and replaced by a new one.
            guard let current = entries[key], current.opening == entry.opening, current.leases <= 0, !document.isBusy
            else { continue }
            entries[key] = nil
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
        isShuttingDown = true
    }

    /// Closes all documents, and returns when they are closed.
    public func shutDown() async {
        beginShutdown()
        for entry in entries.values {
            // A document that couldn't be opened needs no closing.
            if case .success(let document) = await entry.opening.value { await document.close() }
        }
        while let closing = closings.values.first { await closing.value }
        entries = [:]
    }
}
