public import Foundation
import Futures
import Loading

// Deleting and restoring pages.

extension Library {
    /// Deletes a page, without confirmation: ``restore(_:)`` undoes it within ``Configuration/undoWindow``.
    public func delete(_ id: SavedPage.ID) async throws(LibraryError) {
        try await delete(id, at: configuration.now())
    }

    /// Deletes pages together, so that ``PageList/deletedTogether`` finds them.
    ///
    /// Pages that are already deleted are skipped.
    ///
    /// - Returns: The ``LibraryItem/deletedAt`` of the pages, for ``restoreAll(deletedAt:)``.
    /// - Throws: ``LibraryError/noSelection`` if there is no page; or the first error, after the other pages were
    ///   deleted.
    @discardableResult
    public func deleteAll(_ ids: Set<SavedPage.ID>) async throws(LibraryError) -> Date {
        guard !ids.isEmpty else { throw .noSelection }
        let time = configuration.now()
        var failure: LibraryError?
        for id in ids {
            do throws(LibraryError) {
                try await delete(id, at: time)
            } catch {
                if error != .notFound { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
        return time
    }

    private func delete(_ id: SavedPage.ID, at time: Date) async throws(LibraryError) {
        try await uncancellable { () throws(LibraryError) in
            await self.waitForPendingStart(of: id)
            guard self.item(id)?.isDeleted == false else { throw .notFound }
            self.change(id) { $0.deletedAt = time }
            let running = Set(self.captures.keys.filter { $0.page == id })
            do throws(LibraryError) {
                try await self.store.delete(id, owner: self.owner, at: time)
            } catch {
                self.change(id) { $0.deletedAt = nil }
                throw error
            }
            // Cancel captures only after the deletion succeeded.
            self.cancelCaptures { running.contains($0) }
        }
    }

    /// Restores a deleted page, and restarts its capture if that was interrupted.
    public func restore(_ id: SavedPage.ID) async throws(LibraryError) {
        if isShuttingDown { throw .shuttingDown }
        try await uncancellable { () throws(LibraryError) in
            guard let item = self.item(id) else { throw .tooLate }
            guard item.isDeleted else { return }
            do throws(LibraryError) {
                try await self.store.restore(id, owner: self.owner)
            } catch {
                // Another tab may have restored it already.
                if self.item(id)?.isDeleted == false { return }
                throw error
            }
            self.change(id) { $0.deletedAt = nil }
            if self.item(id)?.state.isFetching == true { try await self.begin(id) }
        }
    }

    /// Restores all pages that ``deleteAll(_:)`` deleted at the given time.
    ///
    /// - Parameter time: The ``LibraryItem/deletedAt`` of the pages.
    /// - Throws: ``LibraryError/tooLate`` if they were deleted too long ago; or the first error, after the other pages
    ///   were restored.
    public func restoreAll(deletedAt time: Date) async throws(LibraryError) {
        let ids = newest.deleted(at: time)
        if ids.isEmpty {
            // Another tab may have restored them already.
            if configuration.now().timeIntervalSince(time) < configuration.undoWindow { return }
            throw .tooLate
        }
        var failure: LibraryError?
        for id in ids {
            do throws(LibraryError) {
                try await restore(id)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    /// Permanently removes pages whose undo window has passed.
    public func purge() async throws(LibraryError) {
        let limit = configuration.now().addingTimeInterval(-configuration.undoWindow)
        try await store.purge(owner: owner, deletedBefore: limit)
        table.remove(newest.deletedItems.filter { $0.deletedAt.map { $0 < limit } ?? false }.map(\.id))
    }
}
