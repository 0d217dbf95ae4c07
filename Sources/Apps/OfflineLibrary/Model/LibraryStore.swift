public import Capture
public import Foundation
public import Persistence

/// Stores pages and their files.
///
/// A change is durable once the call returns. Several processes may use one store. Each page belongs to an owner; to other
/// owners, its identifier is unknown. Each attempt to capture a page has a number, and the result of an attempt that isn't the
/// latest one changes nothing.
public protocol LibraryStore: Sendable {
    /// The pages of an owner, the newest first, including deleted ones that can still be restored.
    func pages(ofOwner owner: OwnerID) async throws(LibraryError) -> [SavedPage]

    /// The owners of pages whose capture isn't finished, and of deleted pages, which must still be purged.
    func ownersWithWork() async throws(LibraryError) -> [OwnerID]

    /// Adds a page whose capture is starting.
    func add(_ page: SavedPage, owner: OwnerID) async throws(LibraryError)

    /// Lets the capture of a page begin before those of imports; nothing happens if it has begun or ended.
    func hasten(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError)

    /// Starts a new attempt to capture a page.
    ///
    /// - Parameters:
    ///   - id: The page.
    ///   - owner: The page's owner.
    /// - Returns: The number of the attempt.
    /// - Throws: ``LibraryError/notFound`` if the page doesn't exist or is deleted.
    func beginAgain(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) -> Int

    /// Stores a capture atomically.
    ///
    /// - Returns: The stored content; `nil` if the attempt isn't the latest one, or the page has been deleted.
    func save(
        _ capture: PageCapture, as id: SavedPage.ID, owner: OwnerID, attempt: Int, at time: Date
    ) async throws(LibraryError) -> PageContent?

    /// Records the failure of an attempt if it is the latest one and isn't finished.
    ///
    /// - Returns: Whether the failure was recorded.
    @discardableResult
    func fail(
        _ id: SavedPage.ID, owner: OwnerID, attempt: Int, failure: CaptureFailure
    ) async throws(LibraryError) -> Bool

    /// Deletes a page, which can be restored until it is purged.
    func delete(_ id: SavedPage.ID, owner: OwnerID, at time: Date) async throws(LibraryError)

    /// Restores a deleted page.
    ///
    /// - Throws: ``LibraryError/tooLate`` if it no longer exists; ``LibraryError/overBudget(_:)`` if its capture isn't finished
    ///   and too many captures are waiting.
    func restore(_ id: SavedPage.ID, owner: OwnerID) async throws(LibraryError)

    /// Permanently removes the pages that an owner deleted before a time.
    func purge(owner: OwnerID, deletedBefore time: Date) async throws(LibraryError)

    /// A file of a page; `nil` if the page has no file of that kind or is deleted.
    func file(_ kind: FileKind, of id: SavedPage.ID, owner: OwnerID) async throws(LibraryError) -> PageFile?

    /// A URL at which a browser downloads a file of a page from the files' store itself; `nil` if it must ask the server.
    ///
    /// The file comes with the media type `type`, and with `disposition` as its `Content-Disposition`, which must begin with
    /// `attachment`.
    func downloadURL(
        _ kind: FileKind, of id: SavedPage.ID, owner: OwnerID, type: String, disposition: String
    ) async throws(LibraryError) -> URL?

    /// Stores the viewer copy of a page's archive.
    ///
    /// - Parameters:
    ///   - html: The copy.
    ///   - kind: ``FileKind/viewer``, ``FileKind/html`` or ``FileKind/article``.
    ///   - archive: The archive from which it was made.
    ///   - id: The page.
    ///   - owner: The page's owner.
    /// - Returns: Whether the copy was stored; it isn't if another archive has replaced that one.
    /// - Throws: ``LibraryError/notFound`` if the page doesn't exist, is deleted, or has no archive.
    func saveViewer(
        _ html: Data, as kind: FileKind, from archive: PageFile, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError) -> Bool

    /// Replaces the marks of pages, all or none.
    ///
    /// Pages that don't exist or are deleted are skipped.
    func setMarks(_ marks: [SavedPage.ID: PageMarks], owner: OwnerID) async throws(LibraryError)

    /// Records how far a page has been read, unless a later position is stored.
    ///
    /// A page that doesn't exist or is deleted is skipped.
    func setPosition(
        _ position: ReadingPosition, in view: ReadingView, of id: SavedPage.ID, owner: OwnerID
    ) async throws(LibraryError)

    /// Replaces the positions that say whether the owner has marked pages as read or unread, all or none.
    ///
    /// Pages that don't exist or are deleted are skipped.
    ///
    /// - Parameters:
    ///   - marks: The positions; `nil` removes that of a page.
    ///   - owner: The owner of the pages.
    /// - Throws: ``LibraryError`` if they can't be stored.
    func setReadingMarks(_ marks: [SavedPage.ID: ReadingPosition?], owner: OwnerID) async throws(LibraryError)

    /// Finds the pages that a query's filter admits, and whose title, addresses, tags, note and text together contain its
    /// words.
    ///
    /// Words match without regard to case and accents. A match in the title counts most, then one in the tags or the note,
    /// in an address, and in the text; of pages that match equally well, the newest comes first. Chinese, Japanese and Korean
    /// words also match within longer ones. Deleted pages that can still be restored are found, too.
    ///
    /// - Parameters:
    ///   - query: The query; an empty one finds nothing.
    ///   - owner: The owner of the pages.
    ///   - range: Which of the pages to return.
    /// - Returns: The pages of the range.
    /// - Throws: ``LibraryError`` if it takes too long, the task is cancelled, or the store can't be read.
    func find(_ query: LibraryQuery, owner: OwnerID, range: Range<Int>) async throws(LibraryError) -> FoundPages

    /// The next archive, of any owner, whose page has no text yet, because an earlier version saved it.
    ///
    /// - Parameter number: The number of the previous archive.
    /// - Returns: The archive; `nil` if there is none.
    /// - Throws: ``LibraryError`` if the store can't be read.
    func unreadArchive(after number: Int64) async throws(LibraryError) -> UnreadArchive?

    /// Stores the text of an archive, unless another text or archive has replaced it.
    func saveText(_ text: String, of archive: UnreadArchive) async throws(LibraryError)
}

/// A web archive whose page has no text in the search yet.
public struct UnreadArchive: Hashable, Sendable {
    /// The page's identifier.
    public var page: SavedPage.ID
    /// The page's owner.
    public var owner: OwnerID
    /// The archive.
    public var file: PageFile
    /// The archive's place among all of them.
    public var number: Int64

    /// Creates a reference to an archive.
    public init(page: SavedPage.ID, owner: OwnerID, file: PageFile, number: Int64) {
        (self.page, self.owner, self.file, self.number) = (page, owner, file, number)
    }
}

extension LibraryStore {
    /// `nil`: the server sends all files.
    public func downloadURL(
        _ kind: FileKind, of id: SavedPage.ID, owner: OwnerID, type: String, disposition: String
    ) async throws(LibraryError) -> URL? { nil }
}

/// A file of a saved page.
public struct PageFile: Hashable, Sendable {
    /// The location of the content.
    public enum Content: Hashable, Sendable {
        /// In the file at this path, whose content never changes.
        case path(String)
        /// In pieces of files, whose content never changes.
        case pieces([BlobPiece])
        /// In memory.
        case data(Data)
    }

    /// The location of the content.
    public var content: Content
    /// The size, in bytes.
    public var byteCount: Int
    /// A text that changes whenever the content does.
    public var digest: String

    /// Creates a file.
    public init(content: Content, byteCount: Int, digest: String) {
        self.content = content
        self.byteCount = byteCount
        self.digest = digest
    }

    /// Reads the file.
    @concurrent
    public func read() async throws(LibraryError) -> Data {
        switch content {
        case .data(let data): return data
        case .path(let path):
            do {
                return try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
            } catch {
                throw .storage(LibraryWords.unreadableFile(because: error.localizedDescription))
            }
        case .pieces(let pieces):
            do throws(StoreError) {
                return try await BlobReader(pieces).load(at: 0, count: byteCount)
            } catch {
                throw .storage(LibraryWords.unreadableFile(because: error.message))
            }
        }
    }
}
