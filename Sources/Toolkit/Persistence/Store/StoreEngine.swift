/// The result of looking up a key.
enum StoredFinding {
    case nothing
    case intact(StoredRecord)
    case damaged(String)
}

/// The record of a key after damaged copies have been set aside.
struct RepairedRecord {
    var record: StoredRecord?
    /// The damaged copies, newest first.
    var damaged: [SetAsideRecord] = []

    /// The record.
    ///
    /// - Throws: ``StoreError`` with the code `corrupt` if all copies were damaged; its cause is ``DamagedCopies``.
    func orThrow() throws(StoreError) -> StoredRecord? {
        guard record == nil, let newest = damaged.first else { return record }
        let places = damaged.map(\.place).joined(separator: " and ")
        throw StoreError(
            .corrupt,
            "“\(newest.key)” was damaged: \(newest.reason). There is no intact copy. The damaged data is now "
                + "\(places). Restore it from a backup, or continue without it.", cause: DamagedCopies(records: damaged)
        )
    }
}

/// The copies of a value, all damaged, that were set aside.
struct DamagedCopies: Error {
    var records: [SetAsideRecord]
}

/// The storage of values, previous copies and set-aside values; the extensions add the logic that all stores share.
protocol StoreEngine {
    /// Runs a change while no other change runs, in this process or another.
    mutating func exclusively<Value>(
        _ body: (inout Self) throws(StoreError) -> Value
    ) throws(StoreError) -> Value

    /// Looks up a value, damaged or not; throws `newerVersion` if a newer program has written its envelope.
    mutating func find(_ key: StoreKey) throws(StoreError) -> StoredFinding
    /// The part of a stored record to check before it is overwritten; damaged copies are set aside first.
    mutating func storedVersion(of key: StoreKey) throws(StoreError) -> StoredVersion?
    /// Performs all writes, or none; the values they replace become the previous copies.
    mutating func write(_ writes: [StoreWrite]) throws(StoreError) -> [StoreKey: Revision]

    /// Copies a value to the values that are set aside.
    mutating func copyAside(_ key: StoreKey, because reason: String) throws(StoreError) -> SetAsideRecord
    /// Replaces a value by its previous copy, or removes it if there is none.
    ///
    /// - Returns: The record of the previous copy, if this has found it damaged and set it aside.
    @discardableResult
    mutating func takePrevious(_ key: StoreKey) throws(StoreError) -> SetAsideRecord?
    /// Reads a value that is set aside; `nil` if it no longer exists.
    func setAsideContent(of record: SetAsideRecord) throws(StoreError) -> SetAsideContent?
    /// Deletes a value that is set aside.
    mutating func remove(setAside record: SetAsideRecord) throws(StoreError)
}

extension StoreEngine {
    mutating func exclusively<Value>(
        _ body: (inout Self) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        try body(&self)
    }

    mutating func storedVersion(of key: StoreKey) throws(StoreError) -> StoredVersion? {
        try repaired(key).record?.storedVersion
    }

    /// Reads a value; a damaged one is set aside and replaced by its previous copy.
    mutating func repaired(_ key: StoreKey) throws(StoreError) -> RepairedRecord {
        var damaged: [SetAsideRecord] = []
        while true {
            switch try find(key) {
            case .nothing:
                return RepairedRecord(damaged: damaged)
            case .intact(var record):
                record.recovery = damaged.last
                return RepairedRecord(record: record, damaged: damaged)
            case .damaged(let reason):
                // This terminates: there is only one previous copy.
                damaged.append(try copyAside(key, because: reason))
                if let previous = try takePrevious(key) { damaged.append(previous) }
            }
        }
    }
}

// MARK: - The requirements of `Store`

extension StoreEngine {
    mutating func read(_ key: StoreKey) throws(StoreError) -> StoredRecord? {
        try exclusively { (engine: inout Self) throws(StoreError) in try engine.repaired(key) }.orThrow()
    }

    mutating func commit(_ writes: [StoreWrite]) throws(StoreError) -> CommitResult {
        try StoreWrite.check(writes)
        return try exclusively { (engine: inout Self) throws(StoreError) -> CommitResult in
            var conflicts: [StoreKey: StoredRecord?] = [:]
            for write in writes where try !write.isAllowed(over: try engine.storedVersion(of: write.key)) {
                conflicts.updateValue(try engine.repaired(write.key).record, forKey: write.key)
            }
            return conflicts.isEmpty ? .committed(try engine.write(writes)) : .conflict(conflicts)
        }
    }

    mutating func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) throws(StoreError) -> SetAsideRecord? {
        try exclusively { (engine: inout Self) throws(StoreError) -> SetAsideRecord? in
            guard try engine.repaired(key).record?.revision == revision else { return nil }
            let record = try engine.copyAside(key, because: reason)
            try engine.takePrevious(key)
            return record
        }
    }

    mutating func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) throws(StoreError) -> RestoredRecord {
        try exclusively { (engine: inout Self) throws(StoreError) -> RestoredRecord in
            guard let found = try engine.setAsideContent(of: record) else { throw .noLongerSetAside(record) }
            let write = StoreWrite(record.key, try found.content.get(), expecting: expectation)
            try StoreWrite.check([write])
            let current = try engine.storedVersion(of: record.key)
            guard try write.isAllowed(over: current) else { throw .conflict(restoring: record) }
            // Each value exists at every step: the stored value is copied first, and the restored one is removed from its
            // old place last.
            let replaced = current == nil ? nil : try engine.copyAside(record.key, because: reason)
            let revisions: [StoreKey: Revision]
            do throws(StoreError) {
                revisions = try engine.write([write])
            } catch {
                // If only the final sync failed, the write may have happened, and `replaced` may be the old value's only copy.
                if let replaced, case .intact(let stored)? = try? engine.find(record.key),
                    stored.revision == current?.revision
                {
                    try? engine.remove(setAside: replaced)
                }
                throw error
            }
            try engine.remove(setAside: record)
            guard let revision = revisions[record.key] else { throw .conflict(restoring: record) }
            return RestoredRecord(revision: revision, replaced: replaced)
        }
    }

    mutating func removeSetAside(_ record: SetAsideRecord) throws(StoreError) -> Bool {
        try exclusively { (engine: inout Self) throws(StoreError) -> Bool in
            guard try engine.setAsideContent(of: record) != nil else { return false }
            try engine.remove(setAside: record)
            return true
        }
    }
}
