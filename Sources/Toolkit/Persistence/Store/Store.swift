/// A key-value store, with implementations in memory, in a folder of files, in a database and in the user defaults.
///
/// A write is durable once ``commit(_:)`` has returned. A store assumes neither a single process nor a single machine: other
/// writers may change it at any time. A caller that must not overwrite unseen changes passes the ``Revision`` it expects.
///
/// A store contains the bytes of each value, with the name and version of their format. ``StoredFormat`` converts bytes to
/// values and back.
public protocol Store: Sendable {
    /// Reads the record of a key.
    ///
    /// If the newest copy is damaged, the store sets it aside and returns the last good copy: see ``StoredRecord/recovery``.
    ///
    /// - Parameter key: The key.
    /// - Returns: The record; `nil` if there is none.
    /// - Throws: ``StoreError``: `corrupt`, once, if the value was damaged, was set aside, and has no older copy. Later reads
    ///   return `nil`.
    func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord?

    /// The keys with a prefix, sorted.
    func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey]

    /// Performs all writes durably, or none of them.
    ///
    /// Cancelling the task doesn't interrupt a commit that has started.
    ///
    /// - Parameter writes: The writes, at most one per key.
    /// - Returns: The new revisions, or the records that don't match the expectations.
    /// - Throws: ``StoreError``: `newerVersion`, and nothing is written, if a write would replace a value that has a newer version
    ///   of the same format (removing it is allowed); `diskFull`, among others.
    func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult

    /// Moves a value that can't be decoded out of the way, to a place where nothing overwrites it.
    ///
    /// If an older copy exists, it becomes the stored value again: read the key once more.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - revision: The revision that can't be decoded; if another one is stored by now, nothing happens.
    ///   - reason: The reason, as text.
    /// - Returns: The record of the value that was set aside; `nil` if that revision is not stored.
    /// - Throws: ``StoreError``.
    func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord?

    /// The values that are set aside, oldest first, without those that were restored or removed.
    func setAsideRecords() async throws(StoreError) -> [SetAsideRecord]

    /// Reads a value that is set aside; `nil` if it was restored or removed.
    func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent?

    /// Restores a value that is set aside, durably, under its key, and removes it from the values that are set aside.
    ///
    /// The value it replaces is set aside in turn, so that no value is lost. Cancelling the task doesn't interrupt a restore that
    /// has started.
    ///
    /// - Parameters:
    ///   - record: One of ``setAsideRecords()``.
    ///   - expectation: The condition that the value to be replaced must meet.
    ///   - reason: The reason for setting aside the replaced value, as text.
    /// - Returns: The new revision, and the place of the replaced value.
    /// - Throws: ``StoreError``, and nothing changes: `missing` if the record was restored or removed; `corrupt` if its bytes are
    ///   damaged; `conflict` if the stored value doesn't meet the expectation; `newerVersion` if the stored value, or the one
    ///   that is set aside, has a newer version.
    @discardableResult
    func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord

    /// Deletes a value that is set aside.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool

    /// The keys whose values may have changed since the call, by this or another process.
    ///
    /// Changes that the consumer hasn't received yet are merged into one element; none are dropped. The sequence ends when the
    /// consuming task is cancelled.
    func updates() -> Updates<Set<StoreKey>>
}

extension Store {
    /// Reads a value that may still be stored under an earlier key, and moves it to its current key.
    ///
    /// The move is a single commit: at any time, other programs find the value under exactly one of the keys. If `key` has no
    /// value and an older program writes to an earlier key again, that value is moved too.
    ///
    /// - Parameters:
    ///   - key: The current key.
    ///   - formerly: Earlier keys, latest first. Only the first of them that has a value is moved.
    /// - Returns: The record of `key` afterwards; `nil` if there is none.
    /// - Throws: The errors of ``read(_:)`` and ``commit(_:)``.
    func read(_ key: StoreKey, formerly: [StoreKey]) async throws(StoreError) -> StoredRecord? {
        if let record = try await read(key) { return record }
        for old in formerly where old != key {
            while let record = try await read(old) {
                let result = try await commit([
                    StoreWrite(key, record.content, expecting: .nothing),
                    StoreWrite(old, nil, expecting: .revision(record.revision)),
                ])
                if case .committed = result { return try await read(key) }
                // Another program has moved the value, or has written a new one.
                if let record = try await read(key) { return record }
            }
        }
        // Another program may have moved the value between the first read and the last.
        return formerly.isEmpty ? nil : try await read(key)
    }
}
