public import Foundation
import Futures
public import OfflineLibraryModel
public import Persistence

// Deleting, restoring and purging pages.

extension SQLiteLibraryStore {
    /// Deletes a page, which can be restored for a while.
    public func delete(_ id: SavedPage.ID, owner: OwnerID, at time: Date) async throws(LibraryError) {
        let deleted: Void? = try await change(id, of: owner) { [blobs, captures] row, transaction in
            guard row.deletedAt == nil else { return nil }
            try captures?.remove(id, in: transaction)
            row.deletedAt = time
            for blob in try row.blobs(in: transaction) { try blobs.release(blob, in: transaction) }
            return ()
        }
        if deleted == nil { throw .notFound }
    }

    /// Restores a deleted page.
    public func restore(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) {
        let restored: Void? = try await change(id, of: owner) { [blobs] row, transaction in
            guard row.deletedAt != nil else { return nil }
            row.deletedAt = nil
            if row.isWaiting { try admitCapture(of: owner, in: transaction) }
            do {
                for blob in try row.blobs(in: transaction) { try blobs.retain(blob, in: transaction) }
            } catch let error as StoreError where error.code == .missing {
                // EmojiArt's sweep may delete a released blob before the page is purged.
                throw LibraryError.tooLate
            }
            return ()
        }
        if restored == nil { throw .tooLate }
    }

    /// Permanently removes the pages that an owner deleted before a time.
    public func purge(owner: OwnerID, deletedBefore time: Date) async throws(LibraryError) {
        let (limit, old) = (time.timeIntervalSinceReferenceDate, "owner = ? AND deleted_at < ?")
        try await write(of: owner) { transaction in
            // Their blobs were released on deletion.
            try transaction.execute(
                "DELETE FROM library_file WHERE page IN (SELECT number FROM library_page WHERE \(old))", [owner, limit])
            try transaction.execute("DELETE FROM library_page WHERE \(old)", [owner, limit])
        }
        // Sweep only the blobs of purged pages: pages deleted since then can still be restored.
        _ = try await rethrowing(LibraryError.init) { () async throws(StoreError) in
            try await blobs.sweep(releasedBefore: time)
        }
    }
}
