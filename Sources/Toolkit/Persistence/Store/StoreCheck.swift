/// What a store must know of what is kept, to say whether something may be written in its place.
struct KeptVersion: Hashable, Sendable {
    var revision: Revision
    var format: String
    var version: Int
}

extension StoredRecord {
    /// What is to be known of it before it is overwritten.
    var keptVersion: KeptVersion {
        KeptVersion(revision: revision, format: content.format, version: content.version)
    }
}

extension StoreWrite {
    /// Whether it finds what it expects.
    ///
    /// - Parameter kept: What is kept under its name.
    /// - Throws: ``PersistenceError`` with the code `newerVersion` if it would overwrite what a newer program wrote. To
    ///   remove that is no mistake of a version.
    func isAllowed(over kept: KeptVersion?) throws(PersistenceError) -> Bool {
        if let kept, let content, kept.format == content.format, kept.version > content.version {
            throw PersistenceError(
                .newerVersion,
                "“\(key)” was written by a newer program: version \(kept.version) of \(kept.format), and this program "
                    + "writes \(content.version). It is left as it is: use the newer program.")
        }
        switch expectation {
        case .anything: return true
        case .nothing: return kept == nil
        case .revision(let revision): return kept?.revision == revision
        }
    }

    /// Refuses two writes of one name.
    static func check(_ writes: [StoreWrite]) throws(PersistenceError) {
        guard writes.count > 1 else { return }
        var keys: Set<StoreKey> = []
        for write in writes where !keys.insert(write.key).inserted {
            throw PersistenceError(
                .invalidName, "“\(write.key)” is to be written twice at once: write the last content alone.")
        }
    }
}
