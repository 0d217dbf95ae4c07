import Loading
public import OfflineLibraryModel
public import Persistence
public import Site

// What the home page shows of the app, and the app's sample page.

extension LibraryPages {
    /// The number of pages and the newest ones, for the home page.
    ///
    /// - Returns: The overview.
    /// - Throws: An error if the pages can't be read.
    public func overview() async throws -> AppOverview {
        let pages = try await libraries.use(owner) { $0.library.newest }
        let saved = pages.savedCount
        return AppOverview(
            status: saved == 0 ? nil : LibraryWords.savedPages(saved),
            entries: pages.lazy.filter { !$0.isDeleted }.prefix(3).map { entry(of: $0) },
            step: AppOverview.Step(
                LibraryWords.firstStep, at: "\(Self.app.path)#save", isDone: pages.countWithoutDeleted > 0))
    }

    private func entry(of page: LibraryItem) -> AppOverview.Entry {
        let detail: String? =
            switch page.state {
            case .idle, .fetching: LibraryWords.saving
            case .failed(_, nil): LibraryWords.notSaved
            case .found, .failed: nil
            }
        // A page without a file has only its row in the list.
        let path = templates.viewerPath(of: page) ?? "\(Self.app.path)#page-\(page.id)"
        return AppOverview.Entry(name: templates.name(of: page), path: path, detail: detail)
    }
}

// MARK: - The sample page

extension OpenLibraries {
    /// Shows the pages that were added to the store of an owner.
    public func reload(owner: OwnerID) async throws {
        try await use(owner) { try await $0.library.open() }
    }

    /// Deletes a page, like the button in the list; does nothing if there is no such page.
    public func delete(_ page: SavedPage.ID, owner: OwnerID) async throws {
        try await use(owner) { open in
            guard open.library.item(page)?.isDeleted == false else { return }
            try await open.library.delete(page)
        }
    }
}
