/// What an app holds for one owner while somebody looks at it: a model, and what its pages show of it.
@MainActor
public protocol LiveDocument: AnyObject, Sendable {
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

/// The documents that are in use: one for each owner, made at its first use, and shared by all of the owner's tabs.
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

    private let make: @MainActor (_ owner: String) async throws(Document.Failure) -> Document
    private var places: [String: Place] = [:]
    /// Documents on their way out: whoever opens the same one waits until what it had is written.
    private var closings: [String: Task<Void, Never>] = [:]
    private var isEnding = false

    /// Creates a house without documents.
    ///
    /// - Parameter make: Makes the document of an owner, which is opened then.
    public init(make: @escaping @MainActor (_ owner: String) async throws(Document.Failure) -> Document) {
        self.make = make
    }
}

extension OpenDocuments {
    /// The owners whose documents are open.
    public var owners: Set<String> { Set(places.keys) }

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

    /// Uses an owner's document.
    ///
    /// - Parameters:
    ///   - owner: Whose it is.
    ///   - body: What to do with it; it stays open until that has ended.
    /// - Returns: What the body returns.
    /// - Throws: Why it cannot be opened, or what the body throws.
    public func use<Value: Sendable>(
        _ owner: String, _ body: @MainActor (Document) async throws -> Value
    ) async throws -> Value {
        let document = try await lease(owner)
        defer { giveBack(owner) }
        return try await body(document)
    }

    /// The document of an owner, which stays open until it is given back.
    ///
    /// - Parameter owner: Whose it is.
    /// - Returns: The document.
    /// - Throws: Why it cannot be opened; the next one tries anew.
    public func lease(_ owner: String) async throws(Document.Failure) -> Document {
        while let closing = closings[owner] { await closing.value }
        if isEnding, places[owner] == nil { throw Document.ending }
        var place = places[owner] ?? place(for: owner)
        place.leases += 1
        places[owner] = place
        switch await place.opening.value {
        case .success(let document): return document
        case .failure(let error):
            // Others may have failed with it and gone on: only what failed is taken away.
            if places[owner]?.opening == place.opening { places[owner] = nil }
            throw error
        }
    }

    /// Gives a document back that was leased.
    ///
    /// - Parameter owner: Whose it is.
    public func giveBack(_ owner: String) {
        places[owner]?.leases -= 1
    }

    private func place(for owner: String) -> Place {
        // Shared by all who wait for it; ends by itself.
        let opening = Task { () -> Result<Document, Document.Failure> in
            do throws(Document.Failure) {
                let document = try await make(owner)
                places[owner]?.document = document
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
    /// Drops the documents that nobody uses and in which nothing goes on.
    public func tidy() async {
        for (owner, place) in places {
            guard case .success(let document) = await place.opening.value else { continue }
            // Somebody may have come meanwhile.
            guard let leases = places[owner]?.leases, leases <= 0, !document.isBusy, closings[owner] == nil
            else { continue }
            places[owner] = nil
            // Ends by itself, and is waited for here; it goes itself, so that whoever waits for it finds it gone.
            let closing = Task {
                await document.close()
                closings[owner] = nil
            }
            closings[owner] = closing
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
