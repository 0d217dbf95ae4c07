import Futures

// MARK: - Values that are set aside

extension Stored {
    /// The values of this key that its store has set aside, oldest first.
    ///
    /// ``reports`` contains only those that this process has set aside.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        let records = try await offMainActor { [store] () async throws(StoreError) in
            try await store.setAsideRecords()
        }
        return records.filter { $0.key == key }
    }

    /// Reads a value that is set aside, as bytes and as content; `nil` if it was restored or removed, or has another
    /// key.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        guard record.key == key else { return nil }
        return try await offMainActor { [store] () async throws(StoreError) in
            try await store.setAsideContent(of: record)
        }
    }

    /// Decodes and validates a value that is set aside.
    ///
    /// Throws `missing` if it was restored or removed; `corrupt` if its bytes are damaged; `notDecodable` if they can't
    /// be decoded or `validating` refuses the value; `newerVersion` if they have a newer version.
    public func setAsideValue(of record: SetAsideRecord) async throws(StoreError) -> Value {
        guard let found = try await setAsideContent(of: record) else { throw .noLongerSetAside(record) }
        guard let value = validate(try await coding.decode(found.content.get())) else {
            throw StoreError(
                .notDecodable, "The set-aside copy of “\(key)” is not a valid value for it.")
        }
        return value
    }

    /// Restores a value that is set aside: stores it under its key, and makes it the current value.
    ///
    /// Unsaved changes are written first, so that the replaced value, which is set aside, contains them.
    ///
    /// - Parameters:
    ///   - record: One of ``setAsideRecords()``.
    ///   - reason: The reason for setting aside the replaced value, as text.
    ///   - limit: The time limit of each of the two flushes; `nil` for none.
    /// - Returns: The new revision, and the place of the replaced value.
    /// - Throws: ``StoreError``: the errors of ``setAsideValue(of:)``, and nothing changes; the errors of
    ///   ``Store/restore(_:expecting:reason:)`` and ``flush(within:)``.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, reason: String, within limit: Duration? = nil
    ) async throws(StoreError) -> RestoredRecord {
        // A value that can't be decoded would be set aside again as soon as it is read.
        _ = try await setAsideValue(of: record)
        try await flush(within: limit)
        let restored = try await offMainActor { [store] () async throws(StoreError) in
            try await store.restore(record, expecting: .anything, reason: reason)
        }
        await handleStoreChange()
        try await flush(within: limit)
        return restored
    }

    /// Deletes a value that is set aside; `false` if it no longer exists, or belongs to another key.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        guard record.key == key else { return false }
        return try await offMainActor { [store] () async throws(StoreError) in
            try await store.removeSetAside(record)
        }
    }
}
