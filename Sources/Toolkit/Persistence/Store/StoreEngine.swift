/// The result of looking up a key.
enum StoredFinding {
    case nothing
    case whole(StoredRecord)
    case damaged(String)
}

/// The record of a key after damaged copies have been set aside.
struct RepairedRecord {
    var record: StoredRecord?
    /// The copy that was set aside last.
    var recovery: SetAsideRecord?

    /// The record.
    ///
    /// - Throws: ``StoreError`` with the code `corrupt` if all copies were damaged.
    func orThrow() throws(StoreError) -> StoredRecord? {
        guard record == nil, let recovery else { return record }
        throw StoreError(
            .corrupt,
            "“\(recovery.key)” was damaged: \(recovery.reason). There is no older copy, and what is left of it is now "
                + "\(recovery.place). Restore it from a backup, or go on without.")
    }
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
    mutating func keptVersion(of key: StoreKey) throws(StoreError) -> KeptVersion?
    /// Performs all writes, or none; the values they replace become the previous copies.
    mutating func write(_ writes: [StoreWrite]) throws(StoreError) -> [StoreKey: Revision]

    /// Copies a value to the values that are set aside.
    mutating func copyAside(_ key: StoreKey, because reason: String) throws(StoreError) -> SetAsideRecord
    /// Replaces a value by its previous copy, or removes it if there is none.
    mutating func takePrevious(_ key: StoreKey) throws(StoreError)
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

    mutating func keptVersion(of key: StoreKey) throws(StoreError) -> KeptVersion? {
        try repaired(key).record?.keptVersion
    }

    /// Reads a value; a damaged one is set aside and replaced by its previous copy.
    mutating func repaired(_ key: StoreKey) throws(StoreError) -> RepairedRecord {
        var recovery: SetAsideRecord?
        while true {
            switch try find(key) {
            case .nothing:
                return RepairedRecord(recovery: recovery)
            case .whole(var record):
                record.recovery = recovery
                return RepairedRecord(record: record, recovery: recovery)
            case .damaged(let reason):
                // This terminates: there is only one previous copy.
                recovery = try copyAside(key, because: reason)
                try takePrevious(key)
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
            for write in writes where try !write.isAllowed(over: try engine.keptVersion(of: write.key)) {
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
            let kept = try engine.keptVersion(of: record.key)
            guard try write.isAllowed(over: kept) else { throw .conflict(restoring: record) }
            // Each value exists at every step: the stored value is copied first, and the restored one is removed from its
            // old place last.
            let replaced = kept == nil ? nil : try engine.copyAside(record.key, because: reason)
            let revisions: [StoreKey: Revision]
            do throws(StoreError) {
                revisions = try engine.write([write])
            } catch {
                // If only the final sync failed, the write may have happened, and `replaced` may be the old value's only copy.
                if let replaced, case .whole(let stored)? = try? engine.find(record.key),
                    stored.revision == kept?.revision
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
