import Foundation
import Futures
import Loading

// Deleting and restoring pages.

extension Library {
    /// Deletes a page, without confirmation: ``restore(_:)`` undoes it within ``Configuration/undoWindow``.
    public func delete(_ id: KeptPage.ID) async throws(LibraryError) {
        try await toTheEnd { () throws(LibraryError) in
            await self.settled(id)
            let time = self.configuration.now()
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
    public func restore(_ id: KeptPage.ID) async throws(LibraryError) {
        if isEnding { throw .ending }
        try await toTheEnd { () throws(LibraryError) in
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

    /// Permanently removes pages whose undo window has passed.
    public func purge() async throws(LibraryError) {
        let limit = configuration.now().addingTimeInterval(-configuration.undoWindow)
        try await store.purge(owner: owner, deletedBefore: limit)
        entries.removeAll { $0.deletedAt.map { $0 < limit } ?? false }
    }
}
