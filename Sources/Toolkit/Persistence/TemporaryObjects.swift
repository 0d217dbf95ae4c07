package import Foundation

/// A store outside this machine for files on their way from one process to another.
///
/// Names consist of components such as `outputs/7-1/page`. All methods end within a deadline, and throw ``StoreError``
/// with the code `cancelled` if the task is cancelled.
package protocol TemporaryObjects: Sendable {
    /// Stores a regular file as an object; an existing one is replaced. A symbolic link isn't followed.
    func put(_ name: String, file path: String, byteCount: Int) async throws(StoreError)

    /// Copies an object into a file, which is created or overwritten.
    ///
    /// - Throws: ``StoreError``: `missing` if it doesn't exist, `corrupt` if it has another size.
    func get(_ name: String, byteCount: Int, into path: String) async throws(StoreError)

    /// Deletes objects; those that don't exist are ignored.
    func delete(_ names: [String]) async throws(StoreError)

    /// Lists the objects whose names begin with a prefix; an empty one lists all.
    func list(_ prefix: String) async throws(StoreError) -> [TemporaryObject]
}

/// An object of a ``TemporaryObjects``.
package struct TemporaryObject: Hashable, Sendable {
    package let name: String
    package let byteCount: Int
    /// When it was stored, by the clock of the store.
    package let modified: Date

    /// Creates the description of an object.
    package init(name: String, byteCount: Int, modified: Date) {
        (self.name, self.byteCount, self.modified) = (name, byteCount, modified)
    }
}
