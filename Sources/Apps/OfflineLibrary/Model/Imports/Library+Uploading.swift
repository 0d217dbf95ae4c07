public import Capture
import Foundation
import Loading
import Persistence

// Saving pages that users upload, from what their browsers show.

extension Library {
    /// Saves an uploaded page: returns when its content is durable, and makes its other files in the background.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - formats: The formats to make; the owner's last choice if it is empty. A web archive is always made, and no
    ///     WACZ file, which consists of requests.
    /// - Returns: The page's identifier.
    /// - Throws: ``LibraryError``, or a ``LibraryFileError`` if the content can't be read.
    public func save(_ page: UploadedPage, formats: Set<PageFormat> = []) async throws -> SavedPage.ID {
        if isShuttingDown { throw LibraryError.shuttingDown }
        guard let uploadStore else { throw LibraryError.storage(LibraryWords.uploadsUnavailable) }
        let content = try await page.content()
        let saved = SavedPage(
            page, formats: formats.isEmpty ? settings.value.formats : formats, at: configuration.now())
        try await uncancellable { () throws(LibraryError) in
            try await uploadStore.addUpload(saved, source: page.source, content: content, owner: self.owner)
        }
        add([saved])
        return saved.id
    }

    /// Creates a token for uploads, which replaces the earlier one.
    ///
    /// - Returns: The token's text, which can't be read again.
    /// - Throws: ``LibraryError``.
    public func createUploadToken() async throws(LibraryError) -> String {
        guard let uploadStore else { throw .storage(LibraryWords.uploadsUnavailable) }
        let text = UploadToken.newText()
        try await uploadStore.setUploadToken(text, owner: owner, at: configuration.now())
        return text
    }

    /// Withdraws the token for uploads.
    public func removeUploadToken() async throws(LibraryError) {
        try await uploadStore?.removeUploadToken(owner: owner)
    }

    /// The token for uploads; `nil` if there is none.
    public func uploadToken() async throws(LibraryError) -> UploadToken? {
        try await uploadStore?.uploadToken(owner: owner)
    }
}
