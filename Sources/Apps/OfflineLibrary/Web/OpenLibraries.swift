public import OfflineLibraryModel
public import Persistence
import Site

/// The libraries that are in use: one for each owner, made at its first use, and shared by all of the owner's tabs.
///
/// It is dropped after the last tab, when no capture runs in it: what it knows is in the store.
@MainActor
public final class OpenLibraries {
    let documents: OpenDocuments<OpenLibrary>

    /// Creates a house without libraries.
    ///
    /// - Throws: What is wrong with a template.
    public init(make: @escaping @MainActor (_ owner: OwnerID) -> Library) throws {
        let pages = try LibraryTemplates()
        self.documents = OpenDocuments { owner async throws(LibraryError) in
            OpenLibrary(make(owner), pages: pages)
        }
    }
}

extension OpenLibraries {
    /// The owners whose libraries are open, for the tests.
    var owners: Set<OwnerID> { documents.keys }

    /// Uses an owner's library.
    func use<Value: Sendable>(
        _ owner: OwnerID, _ body: @MainActor (OpenLibrary) async throws -> Value
    ) async throws -> Value {
        try await documents.use(owner, body)
    }
}

// MARK: - For the program

extension OpenLibraries {
    /// Goes on with what was interrupted.
    public func resume(owners: [OwnerID]) async throws(LibraryError) {
        for owner in owners {
            _ = try await documents.lease(owner)
            documents.giveBack(owner)
        }
    }

    /// Tries to capture a page again, as its list does.
    public func retry(_ page: KeptPage.ID, owner: OwnerID) async throws {
        try await use(owner) { try await $0.library.retry(page) }
    }

    /// Stops the capture of a page, as its list does.
    public func stop(_ page: KeptPage.ID, owner: OwnerID) async throws {
        try await use(owner) { try await $0.library.stop(page) }
    }

    /// Forgets for good what was deleted long ago, and drops the libraries that nobody uses.
    public func tidy() async throws(LibraryError) {
        for document in await documents.opened { try await document.library.purge() }
        await documents.tidy()
    }

    /// Starts nothing from now on, and cancels all captures; they go on after the next start.
    public func beginShutdown() {
        documents.beginShutdown()
        for document in documents.documents { document.library.beginShutdown() }
    }

    /// Closes all libraries, and returns when they are closed.
    public func shutDown() async {
        beginShutdown()
        await documents.shutDown()
    }
}
