public import Foundation
import Loading
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

    /// Adds a page of an export.
    public func addRestored(
        _ page: SavedPage, files: [FileKind: Data], owner: OwnerID
    ) throws(LibraryError) -> SavedPage? {
        var page = page
        let time = page.state.value?.capturedAt
        let isKnown = rows.values.contains { row in
            let other = row.page.state.value?.capturedAt
            let isSame = time.flatMap { time in other.map { abs($0.timeIntervalSince(time)) < 1 } } ?? false
            return row.owner == owner
                && (row.page.id == page.id || isSame && row.page.request.url.pageKey == page.request.url.pageKey)
        }
        if isKnown { return nil }
        if rows[page.id] != nil { page = page.renamed() }
        let state = page.state
        page.state = .fetching(page.request, previous: nil)
        try add(page, owner: owner)
        page.state = state
        rows[page.id]?.page = page
        rows[page.id]?.files = files
        rows[page.id]?.text = files[.text].map { String(decoding: $0, as: UTF8.self) }
        rows[page.id]?.openedAt = time
        return page
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
