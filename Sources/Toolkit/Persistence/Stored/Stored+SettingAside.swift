import Futures

// MARK: - Values that are set aside

extension Stored {
    /// The values of this name that its store has set aside, the oldest first.
    ///
    /// ``reports`` names those of this process alone; these are all of them.
    public func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        let records = try await offMainActor { [store] () async throws(StoreError) in
            try await store.setAsideRecords()
        }
        return records.filter { $0.key == key }
    }

    /// Reads the bytes of a value that was set aside, and the content in them; `nil` if it was restored or removed meanwhile.
    public func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        guard record.key == key else { return nil }
        return try await offMainActor { [store] () async throws(StoreError) in
            try await store.setAsideContent(of: record)
        }
    }

    /// Decodes a value that was set aside, as `validating` makes it.
    ///
    /// Throws `missing` if it was restored or removed meanwhile; `corrupt` or `notDecodable` if its bytes make no
    /// value; `newerVersion` if they are of a newer version.
    public func setAsideValue(of record: SetAsideRecord) async throws(StoreError) -> Value {
        guard let found = try await setAsideContent(of: record) else { throw .noLongerSetAside(record) }
        guard let value = validate(try await coding.make(found.content.get())) else {
            throw StoreError(
                .notDecodable, "The copy of “\(key)” that was set aside is not allowed as its value.")
        }
        return value
    }

    /// Stores a value that was set aside again, and shows it.
    ///
    /// What was set here is written before, so that the value that is replaced is set aside whole.
    ///
    /// - Parameters:
    ///   - record: One of ``setAsideRecords()``.
    ///   - reason: Why the value that is stored until then is set aside, in words.
    ///   - limit: How long to wait for each write and read; without it, for as long as it takes.
    /// - Returns: The new revision, and where the value from before is.
    /// - Throws: ``StoreError``: what ``setAsideValue(of:)`` throws, and nothing is changed; what ``Store/restore(_:expecting:reason:)``
    ///   or ``flush(within:)`` throws.
    @discardableResult
    public func restore(
        _ record: SetAsideRecord, reason: String, within limit: Duration? = nil
    ) async throws(StoreError) -> RestoredRecord {
        // Else it would be set aside once more as soon as it is read.
        _ = try await setAsideValue(of: record)
        try await flush(within: limit)
        let restored = try await offMainActor { [store] () async throws(StoreError) in
            try await store.restore(record, expecting: .anything, reason: reason)
        }
        await noticed()
        try await flush(within: limit)
        return restored
    }

    /// Deletes a value that was set aside; `false` if it was no longer there.
    @discardableResult
    public func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        guard record.key == key else { return false }
        return try await offMainActor { [store] () async throws(StoreError) in
            try await store.removeSetAside(record)
        }
    }
}
