public import Capture
public import Foundation
public import Persistence

/// Where pages are kept.
///
/// Whatever has returned is kept for good. Several processes may use one store. Pages are their owners': who names another's
/// page names none. A page's capture is told from an earlier one by its attempt: what comes of an older attempt changes
/// nothing.
public protocol LibraryStore: Sendable {
    /// The pages of an owner, the newest first; deleted ones too, for as long as they can be brought back.
    func pages(ofOwner owner: OwnerID) async throws(LibraryError) -> [KeptPage]

    /// The owners who have pages whose capture is not done.
    func ownersOfUnfinishedPages() async throws(LibraryError) -> [OwnerID]

    /// Adds a page that is being fetched.
    func add(_ page: KeptPage, owner: OwnerID) async throws(LibraryError)

    /// Begins a page's capture anew.
    ///
    /// - Parameters:
    ///   - id: The page.
    ///   - owner: The page's owner.
    /// - Returns: The number of the attempt.
    /// - Throws: ``LibraryError/notFound`` if there is no such page, or it is deleted.
    func beginAgain(_ id: KeptPage.ID, owner: OwnerID) async throws(LibraryError) -> Int

    /// Keeps what has been captured, all at once or not at all.
    ///
    /// - Returns: What is kept; `nil` if the attempt is not the last one, or the page has been deleted.
    func keep(
        _ capture: PageCapture, as id: KeptPage.ID, owner: OwnerID, attempt: Int, at time: Date
    ) async throws(LibraryError) -> PageContent?

    /// Notes that an attempt has failed; without effect if it is not the last one, or is over.
    ///
    /// - Returns: Whether it had an effect.
    @discardableResult
    func fail(
        _ id: KeptPage.ID, owner: OwnerID, attempt: Int, failure: CaptureFailure
    ) async throws(LibraryError) -> Bool

    /// Deletes a page; it can be brought back for a while.
    func delete(_ id: KeptPage.ID, owner: OwnerID, at time: Date) async throws(LibraryError)

    /// Brings a deleted page back; ``LibraryError/tooLate`` if it is gone.
    func restore(_ id: KeptPage.ID, owner: OwnerID) async throws(LibraryError)

    /// Forgets what an owner has deleted before a time, for good.
    func purge(owner: OwnerID, deletedBefore time: Date) async throws(LibraryError)

    /// A file of a page; `nil` if it has none of that kind, or is deleted.
    func file(_ kind: FileKind, of id: KeptPage.ID, owner: OwnerID) async throws(LibraryError) -> KeptFile?

    /// Keeps the copy of a page's archive that is shown in a frame.
    func keepViewer(_ html: Data, of id: KeptPage.ID, owner: OwnerID) async throws(LibraryError)
}

/// A file of a kept page.
public struct KeptFile: Hashable, Sendable {
    /// Where its content is.
    public enum Content: Hashable, Sendable {
        /// In a file of that name, which never changes.
        case path(String)
        /// In memory.
        case data(Data)
    }

    /// Where its content is.
    public var content: Content
    /// How large it is, in bytes.
    public var byteCount: Int
    /// Changes with the content.
    public var digest: String

    /// Creates a description of a file.
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
                throw .storage("A file of this page could not be read: \(error.localizedDescription)")
            }
        }
    }
}
