import Digests
public import Foundation
public import Persistence

/// The content of a page that a user has uploaded, from which its other files are made.
public enum PageSource: String, Codable, Hashable, Sendable {
    /// A single HTML file.
    case html
    /// A web archive.
    case webArchive = "webarchive"

    /// The file of the page that has this content.
    public var kind: FileKind {
        switch self {
        case .html: .html
        case .webArchive: .webArchive
        }
    }
}

/// A page in an uploaded file.
public struct UploadedPage: Sendable {
    /// The kind of content.
    public var source: PageSource
    /// The page's address.
    public var url: URL
    /// When the page was saved; `nil` if the file doesn't say it.
    public var savedAt: Date?
    /// Reads the content.
    public var content: @Sendable () async throws(LibraryFileError) -> Data

    /// Creates a page.
    public init(
        source: PageSource, url: URL, savedAt: Date? = nil,
        content: @escaping @Sendable () async throws(LibraryFileError) -> Data
    ) {
        (self.source, self.url, self.savedAt, self.content) = (source, url, savedAt, content)
    }
}

/// The token with which a program uploads pages of an owner, without its text.
public struct UploadToken: Hashable, Sendable {
    /// When it was created.
    public var createdAt: Date
    /// When it was last used; `nil` if it wasn't.
    public var usedAt: Date?

    /// Creates a description of a token.
    public init(createdAt: Date, usedAt: Date? = nil) {
        (self.createdAt, self.usedAt) = (createdAt, usedAt)
    }

    /// A new token's text.
    static func newText() -> String { .randomHexadecimal(bytes: 32) }
}

/// Stores uploaded pages, beside the pages of a ``LibraryStore``, and the tokens for uploads.
///
/// A change is durable once the call returns.
public protocol UploadStore: Sendable {
    /// Adds a page with its content, and begins to make its other files.
    ///
    /// - Parameters:
    ///   - page: The page, whose capture is starting.
    ///   - source: The kind of content.
    ///   - content: The content, which stays one of the page's files.
    ///   - owner: The owner.
    /// - Throws: ``LibraryError``; nothing was added then.
    func addUpload(_ page: SavedPage, source: PageSource, content: Data, owner: OwnerID) async throws(LibraryError)

    /// Adds a page of an export, with its marks, its positions and its files.
    ///
    /// - Parameters:
    ///   - page: The page, which isn't being captured.
    ///   - files: The contents of its files.
    ///   - owner: The owner.
    /// - Returns: The page, with another identifier if another owner has a page with that one; `nil` if the owner has the
    ///   page already: one with its identifier, or one that was saved from its address in the same second.
    /// - Throws: ``LibraryError``; nothing was added then.
    func addRestored(
        _ page: SavedPage, files: [FileKind: Data], owner: OwnerID
    ) async throws(LibraryError) -> SavedPage?

    /// Replaces an owner's token; only a hash of its text is stored.
    func setUploadToken(_ text: String, owner: OwnerID, at time: Date) async throws(LibraryError)

    /// Withdraws an owner's token, if there is one.
    func removeUploadToken(owner: OwnerID) async throws(LibraryError)

    /// An owner's token; `nil` if there is none.
    func uploadToken(owner: OwnerID) async throws(LibraryError) -> UploadToken?

    /// The owner of a token, whose use is recorded; `nil` if there is no such token.
    func owner(ofUploadToken text: String, at time: Date) async throws(LibraryError) -> OwnerID?
}
