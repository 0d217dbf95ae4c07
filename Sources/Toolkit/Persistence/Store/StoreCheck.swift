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
    /// - Returns: `false` if it is something else.
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

    /// Refuses two writes of one name, and a format that no file could say.
    static func check(_ writes: [StoreWrite]) throws(PersistenceError) {
        for case let content? in writes.lazy.map(\.content) {
            guard isName(content.format), content.version > 0 else {
                throw PersistenceError(
                    .invalidName,
                    "“\(content.format.prefix(64))” version \(content.version) cannot be a format. Use 1 to 64 letters, "
                        + "digits, dots and hyphens, and versions from 1 on.")
            }
        }
        guard writes.count > 1 else { return }
        var keys: Set<StoreKey> = []
        for write in writes where !keys.insert(write.key).inserted {
            throw PersistenceError(
                .invalidName, "“\(write.key)” is to be written twice at once: write the last content alone.")
        }
    }

    private static func isName(_ format: String) -> Bool {
        (1...64).contains(format.utf8.count)
            && format.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
