/// What an app holds in memory while pages show it: a model, and the HTML of its parts.
@MainActor
public protocol LiveDocument: AnyObject, Sendable {
    /// What tells documents apart: an key, a board, a page of a list.
    associatedtype Key: Hashable & Sendable
    /// Why it cannot be opened.
    associatedtype Failure: Error

    /// Why nothing is opened any more while the server is ending.
    static var ending: Failure { get }

    /// The parts of its page that change: their HTML by the name of their event.
    nonisolated var parts: Broadcast<[String: String]> { get }

    /// Whether anything is going on in it that must not be dropped.
    var isBusy: Bool { get }

    /// Reads what is kept, and begins to follow it.
    func open() async throws(Failure)

    /// Ends what it has begun; nothing that was acknowledged is lost.
    func close() async
}

/// The documents that are in use: one for each key, made at its first use, and shared by all tabs.
///
/// A document is dropped after its last tab, when nothing goes on in it: what it knows is in a store.
@MainActor
public final class OpenDocuments<Document: LiveDocument> {
    private struct Place {
        let opening: Task<Result<Document, Document.Failure>, Never>
        /// As soon as it is made; open it is when ``opening`` has ended.
        var document: Document?
        var leases = 0
    }

    private let make: @MainActor (_ key: Document.Key) async throws(Document.Failure) -> Document
    private var places: [Document.Key: Place] = [:]
    /// Documents that are being closed: the next one of the same key is opened after what this one had is written.
    private var closings: [Document.Key: Task<Void, Never>] = [:]
    private var isEnding = false

    /// Creates a house without documents.
    public init(make: @escaping @MainActor (_ key: Document.Key) async throws(Document.Failure) -> Document) {
        self.make = make
    }
}

extension OpenDocuments {
    /// The keys of the documents that are open.
    public var keys: Set<Document.Key> { Set(places.keys) }

    /// The documents that are open, or being opened.
    public var documents: [Document] { places.values.compactMap(\.document) }

    /// The documents that are open, after those are that are being opened.
    public var opened: [Document] {
        get async {
            var opened: [Document] = []
            for place in places.values {
                if case .success(let document) = await place.opening.value { opened.append(document) }
            }
            return opened
        }
    }

    /// Uses a document.
    ///
    /// - Returns: What the body returns.
    /// - Throws: Why it cannot be opened, or what the body throws.
    public func use<Value: Sendable>(
        _ key: Document.Key, _ body: @MainActor (Document) async throws -> Value
    ) async throws -> Value {
        let document = try await lease(key)
        defer { giveBack(key) }
        return try await body(document)
    }

    /// The document of a key, which stays open until it is given back.
    ///
    /// - Returns: The document.
    /// - Throws: Why it cannot be opened; the next one tries anew.
    public func lease(_ key: Document.Key) async throws(Document.Failure) -> Document {
        while let closing = closings[key] { await closing.value }
        if isEnding, places[key] == nil { throw Document.ending }
        var place = places[key] ?? place(for: key)
        place.leases += 1
        places[key] = place
        switch await place.opening.value {
        case .success(let document): return document
        case .failure(let error):
            // Others may have failed with it and gone on: only what failed is taken away.
            if places[key]?.opening == place.opening { places[key] = nil }
            throw error
        }
    }

    /// Gives a document back that was leased.
    public func giveBack(_ key: Document.Key) {
        places[key]?.leases -= 1
    }

    private func place(for key: Document.Key) -> Place {
        // Shared by all who wait for it; ends by itself.
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

// MARK: - For the program

extension OpenDocuments {
    /// Drops the documents that are not in use and in which nothing goes on.
    public func tidy() async {
        for (key, place) in places {
            guard case .success(let document) = await place.opening.value else { continue }
            // It may be in use again.
            guard let leases = places[key]?.leases, leases <= 0, !document.isBusy, closings[key] == nil
            else { continue }
            places[key] = nil
            // Ends by itself, and is waited for here; it removes itself, so that it is gone when a caller that waited for it goes on.
            let closing = Task {
                await document.close()
                closings[key] = nil
            }
            closings[key] = closing
            await closing.value
        }
    }

    /// Opens no other document from now on.
    public func beginShutdown() {
        isEnding = true
    }

    /// Closes all documents, and returns when they are closed.
    public func shutDown() async {
        beginShutdown()
        for place in places.values {
            // What could not be opened has nothing to close.
            if case .success(let document) = await place.opening.value { await document.close() }
        }
        while let closing = closings.values.first { await closing.value }
        places = [:]
    }
}
