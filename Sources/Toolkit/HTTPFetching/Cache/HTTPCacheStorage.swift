public import DurableFiles
public import Foundation

/// Where the records and contents of an ``HTTPCache`` are.
///
/// What a storage loses is fetched again; what it gives must be what was kept. It may be asked from any thread, and by
/// several at a time; it answers before it returns.
public protocol HTTPCacheStorage: Sendable {
    /// Whether asking it may wait for a disk: then it is asked away from the threads of Swift's concurrency.
    var waitsForDisk: Bool { get }

    /// The records of an address.
    ///
    /// - Parameter key: The address.
    /// - Returns: The records; none if there are none, or if they have been damaged, in which case they are dropped.
    /// - Throws: `FileError` if they cannot be read.
    func records(of key: String) throws(FileError) -> [CacheRecord]

    /// The content of a record, which has just been used.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - key: The address that it is of.
    /// - Returns: The content; `nil` if it is not there any more, or has changed, in which case it is dropped.
    /// - Throws: `FileError` if it cannot be read.
    func content(of record: CacheRecord, of key: String) throws(FileError) -> Data?

    /// Changes the records of an address: one change at a time.
    ///
    /// - Parameters:
    ///   - key: The address.
    ///   - content: The content of a record that is added, if one is. Content that is there already is kept once.
    ///   - change: Changes the records.
    /// - Throws: `FileError` if they cannot be written; they are as they were, then.
    func change(
        _ key: String, adding content: Data?, _ change: @Sendable (inout [CacheRecord]) -> Void
    ) throws(FileError)

    /// Drops everything.
    ///
    /// - Throws: `FileError` if it cannot be removed.
    func removeAll() throws(FileError)
}
