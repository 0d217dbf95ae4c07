import Loading
public import OfflineLibraryModel
public import Persistence
import Site

/// The open libraries, one per owner, each created on first use and shared by all of the owner's tabs.
///
/// A library is closed after its last tab, once no capture is running in it and its deleted pages are purged; all of its
/// state is in the store.
@MainActor
public final class OpenLibraries {
    let documents: OpenDocuments<OpenLibrary>
    /// The exports that are being sent.
    nonisolated let exports = RunningExports()

    /// Creates an empty registry.
    ///
    /// - Throws: An error that describes an invalid template.
    public init(make: @escaping @MainActor (_ owner: OwnerID) -> Library) throws {
        let pages = try LibraryTemplates()
        self.documents = OpenDocuments { owner async throws(LibraryError) in
            OpenLibrary(make(owner), pages: pages)
        }
    }
}

extension OpenLibraries {
    /// The owners whose libraries are open, for tests.
    var owners: Set<OwnerID> { documents.keys }

    /// Uses an owner's library.
    func use<Value: Sendable>(
        _ owner: OwnerID, _ body: @MainActor (OpenLibrary) async throws -> Value
    ) async throws -> Value {
        try await documents.use(owner, body)
    }
}

// MARK: - For the main program

extension OpenLibraries {
    /// Opens the owners' libraries, which resumes interrupted captures, and lets ``tidy()`` purge deleted pages.
    public func resume(owners: [OwnerID]) async throws(LibraryError) {
        for owner in owners {
            _ = try await documents.lease(owner)
            documents.release(owner)
        }
    }

    /// Adds pages of imports to the owners' libraries, as far as there is room.
    public func continueImports(of owners: [OwnerID]) async throws {
        for owner in owners { try await use(owner) { $0.library.continueImports() } }
    }

    /// Shows pages that another process has added to the store of an owner, and saves them.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - count: The number of pages that are waiting or being saved.
    /// - Throws: An error if the pages can't be read.
    public func showAdded(of owner: OwnerID, ifMoreThanKnown count: Int) async throws {
        try await use(owner) { open in
            let known = open.library.newest.fetchingCount
            if known < count { try await open.library.open() }
        }
    }

    /// Captures addresses of the owners whose time has come.
    public func runSchedules(of owners: [OwnerID]) async throws {
        for owner in owners { try await use(owner) { $0.library.runSchedules() } }
    }

    /// Retries the capture of a page, like the button in the list.
    public func retry(_ page: SavedPage.ID, owner: OwnerID) async throws {
        try await use(owner) { try await $0.library.retry(page) }
    }

    /// Stops the capture of a page, like the button in the list.
    public func stop(_ page: SavedPage.ID, owner: OwnerID) async throws {
        try await use(owner) { try await $0.library.stop(page) }
    }

    /// Purges pages that were deleted long ago, and closes unused libraries.
    public func tidy() async throws(LibraryError) {
        for document in await documents.opened { try await document.library.purge() }
        await documents.tidy()
    }

    /// Starts no new work, and cancels all captures, which resume after the next start.
    public func beginShutdown() {
        documents.beginShutdown()
        exports.shutDown()
        for document in documents.documents { document.library.beginShutdown() }
    }

    /// Closes all libraries, and returns when they are closed.
    public func shutDown() async {
        beginShutdown()
        await documents.shutDown()
    }
}
