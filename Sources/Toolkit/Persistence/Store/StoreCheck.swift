import Foundation

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
    /// Throws `newerVersion` if it would overwrite what a newer program wrote. To remove that is no mistake of a version.
    func isAllowed(over kept: KeptVersion?) throws(StoreError) -> Bool {
        if let kept, let content, kept.format == content.format, kept.version > content.version {
            throw StoreError(
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
    static func check(_ writes: [StoreWrite]) throws(StoreError) {
        for case let content? in writes.lazy.map(\.content) {
            guard isName(content.format), content.version > 0 else {
                throw StoreError(
                    .invalidName,
                    "“\(content.format.prefix(64))” version \(content.version) cannot be a format. Use 1 to 64 letters, "
                        + "digits, dots and hyphens, and versions from 1 on.")
            }
        }
        guard writes.count > 1 else { return }
        var keys: Set<StoreKey> = []
        for write in writes where !keys.insert(write.key).inserted {
            throw StoreError(
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

extension SetAsideContent {
    /// The content of a file or an item that was set aside.
    init(_ bytes: Data, _ reading: Envelope.Reading, of record: SetAsideRecord) {
        switch reading {
        case .whole(let found):
            self.init(bytes: bytes, content: .success(found.content))
        case .damaged(let reason):
            self.init(bytes: bytes, content: .failure(.damaged(record, reason)))
        case .newer(let version):
            let error = StoreError(
                .newerVersion,
                "The copy of “\(record.key)” that was set aside was written by a newer program: version \(version) of its form. "
                    + "Use the newer program to restore it.")
            self.init(bytes: bytes, content: .failure(error))
        }
    }
}

extension StoreError {
    /// The record was restored or removed, by this program or another one.
    static func noLongerSetAside(_ record: SetAsideRecord) -> StoreError {
        StoreError(
            .missing,
            "The copy of “\(record.key)” that was set aside is no longer there: it was restored or removed meanwhile. List the "
                + "copies again.")
    }

    /// The record's bytes are not those that were written.
    static func damaged(_ record: SetAsideRecord, _ reason: String) -> StoreError {
        StoreError(
            .corrupt,
            "The copy of “\(record.key)” that was set aside is damaged: \(reason). It can be downloaded, but not restored."
        )
    }

    /// Another value is stored than the caller has seen.
    static func conflict(restoring record: SetAsideRecord) -> StoreError {
        StoreError(
            .conflict, "“\(record.key)” was changed meanwhile, and nothing was restored. Read it, and restore again.")
    }
}
