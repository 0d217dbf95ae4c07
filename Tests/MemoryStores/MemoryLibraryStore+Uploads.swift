public import Foundation
public import OfflineLibraryModel
public import Persistence

extension MemoryLibraryStore: UploadStore {
    /// Adds an uploaded page with its content.
    public func addUpload(
        _ page: SavedPage, source: PageSource, content: Data, owner: OwnerID
    ) throws(LibraryError) {
        try add(page, owner: owner)
        rows[page.id]?.files[source.kind] = content
        rows[page.id]?.source = source
    }

    /// Replaces an owner's token.
    public func setUploadToken(_ text: String, owner: OwnerID, at time: Date) {
        tokens[owner] = (text, UploadToken(createdAt: time))
    }

    /// Withdraws an owner's token.
    public func removeUploadToken(owner: OwnerID) { tokens[owner] = nil }

    /// Returns an owner's token.
    public func uploadToken(owner: OwnerID) -> UploadToken? { tokens[owner]?.stored }

    /// Returns the owner of a token, and records its use.
    public func owner(ofUploadToken text: String, at time: Date) -> OwnerID? {
        guard let owner = tokens.first(where: { $0.value.text == text })?.key else { return nil }
        tokens[owner]?.stored.usedAt = time
        return owner
    }
}
