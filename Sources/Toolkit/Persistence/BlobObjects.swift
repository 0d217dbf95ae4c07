package import Foundation

/// A store of the blobs' contents outside this machine, such as a bucket of S3.
///
/// Its objects are the truth, and the files in the data folder are a cache of them. An object never changes, because
/// its name is the hash of its content. All methods end within a deadline, and throw ``StoreError`` with the code
/// `cancelled` if the task is cancelled.
package protocol BlobObjects: Sendable, CustomStringConvertible {
    /// Whether an object exists and has a size.
    func contains(_ id: BlobStore.ID, byteCount: Int) async throws(StoreError) -> Bool

    /// Stores a file as an object. An existing object is replaced, so that it is new, and no longer damaged if it was.
    func put(_ id: BlobStore.ID, file path: String, byteCount: Int) async throws(StoreError)

    /// Copies an object into a file, which is created or overwritten; the content isn't verified.
    ///
    /// - Throws: ``StoreError``: `missing` if it doesn't exist, `corrupt` if it has another size.
    func get(_ id: BlobStore.ID, byteCount: Int, into path: String) async throws(StoreError)

    /// Deletes objects; those that don't exist are ignored.
    func delete(_ ids: [BlobStore.ID]) async throws(StoreError)

    /// Lists all objects of blobs, in parts; other objects are left out.
    func forEachPage(_ body: @Sendable ([BlobObject]) async throws(StoreError) -> Void) async throws(StoreError)

    /// The IDs of the databases that have claimed the store.
    func claims() async throws(StoreError) -> [String]

    /// Claims the store for a database, whose ID has 32 hexadecimal digits.
    func claim(by database: String) async throws(StoreError)

    /// Undoes ``claim(by:)``.
    func withdrawClaim(by database: String) async throws(StoreError)

    /// Deletes the remains of uploads that began before a time and were never completed.
    func abandonUploads(begunBefore limit: Date) async throws(StoreError)

    /// A URL that reads an object without a key until it expires; `nil` if browsers must not use the store themselves.
    func temporaryURL(of id: BlobStore.ID, lifetime: Duration, type: String?, disposition: String?) -> URL?
}

/// An object of a ``BlobObjects``.
package struct BlobObject: Hashable, Sendable {
    package let id: BlobStore.ID
    package let byteCount: Int
    /// When it was stored, by the clock of the store.
    package let modified: Date

    /// Creates the description of an object.
    package init(id: BlobStore.ID, byteCount: Int, modified: Date) {
        (self.id, self.byteCount, self.modified) = (id, byteCount, modified)
    }
}
