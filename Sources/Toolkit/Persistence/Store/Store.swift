/// Keeps values under names: the same for a test's memory, a folder of files, a database, and one on another machine.
///
/// What ``commit(_:)`` has returned is kept for good. A store assumes neither one process nor one machine: others write too,
/// and whoever must not overwrite what he has not seen says which ``Revision`` he has.
///
/// It keeps bytes, with the name and version of their format; ``StoredFormat`` makes values of them.
public protocol Store: Sendable {
    /// Reads what is kept under a name.
    ///
    /// What is damaged is set aside, and the last good copy takes its place: see ``StoredRecord/recovery``.
    ///
    /// - Parameter key: The name.
    /// - Returns: What is kept; `nil` if nothing is.
    /// - Throws: ``StoreError``: `corrupt`, once, if it was damaged, has been set aside, and there is no older copy;
    ///   from then on nothing is kept under the name.
    func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord?

    /// The names under which something is kept, in order.
    func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey]

    /// Writes all of it durably, or nothing.
    ///
    /// A write that has begun is not broken off by a cancellation.
    ///
    /// - Parameter writes: Each of another name.
    /// - Returns: The revisions, or what stood in the way of an expectation.
    /// - Throws: ``StoreError``: `newerVersion` if what is kept is of a newer version of its format, and nothing was
    ///   written; `diskFull`, for another. To remove what is newer is allowed.
    func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult

    /// Moves away what cannot be decoded, under a name that says so, where nothing overwrites it.
    ///
    /// What was kept before it, if that is still there, is kept again: read once more.
    ///
    /// - Parameters:
    ///   - key: The name.
    ///   - revision: What was found there; without effect if it has another one by now.
    ///   - reason: Why, in words.
    /// - Returns: What was set aside; `nil` if there was no such revision.
    /// - Throws: ``StoreError``.
    func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord?

    /// The values that are set aside, the oldest first; without those that were restored or removed since.
    func setAsideRecords() async throws(StoreError) -> [SetAsideRecord]

    /// Reads a value that was set aside; `nil` if it was restored or removed meanwhile.
    func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent?

    /// Stores a value that was set aside under its name again, durably, and ends its being set aside.
    ///
    /// The value that is stored until then is set aside itself, so that no value is lost. A restore that has begun is not broken
    /// off by a cancellation.
    ///
    /// - Parameters:
    ///   - record: One of ``setAsideRecords()``.
    ///   - expectation: What must be stored under the name until then.
    ///   - reason: Why the value that is stored until then is set aside, in words.
    /// - Returns: The new revision, and where the value from before is.
    /// - Throws: ``StoreError``, and nothing is changed: `missing` if the record was restored or removed meanwhile; `corrupt`
    ///   if its bytes are damaged; `conflict` if another value is stored than is expected; `newerVersion` if the stored value, or
    ///   the one that was set aside, is of a newer version.
    @discardableResult
    func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord

    /// Deletes a value that was set aside.
    ///
    /// - Returns: Whether it was still there.
    @discardableResult
    func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool

    /// Names that this or another process may have changed, from now on.
    ///
    /// What is not taken in time comes together; nothing is left out. It ends when the task is cancelled.
    func updates() -> Updates<Set<StoreKey>>
}

extension Store {
    /// Reads a value that may still be stored under an earlier name, and moves it to its present one.
    ///
    /// The move is one commit: other programs find the value under one of the names. If nothing is stored under `key` any
    /// more, and an older program writes under an earlier name again, that value is moved too.
    ///
    /// - Parameters:
    ///   - key: The present name.
    ///   - formerly: Earlier names, the latest first; those after the first that has a value are left alone.
    /// - Returns: What is stored under `key` afterwards; `nil` if that is nothing.
    /// - Throws: What ``read(_:)`` and ``commit(_:)`` throw.
    func read(_ key: StoreKey, formerly: [StoreKey]) async throws(StoreError) -> StoredRecord? {
        if let record = try await read(key) { return record }
        for old in formerly where old != key {
            while let record = try await read(old) {
                let result = try await commit([
                    StoreWrite(key, record.content, expecting: .nothing),
                    StoreWrite(old, nil, expecting: .revision(record.revision)),
                ])
                if case .committed = result { return try await read(key) }
                // Another program has moved it, or has written.
                if let record = try await read(key) { return record }
            }
        }
        // Another program may have moved it between the first look and the last.
        return formerly.isEmpty ? nil : try await read(key)
    }
}
