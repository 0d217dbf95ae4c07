import Foundation

/// The part of a stored record that decides whether a write may replace it.
struct StoredVersion: Hashable, Sendable {
    var revision: Revision
    var format: String
    var version: Int
}

extension StoredRecord {
    /// The part of the record to check before it is overwritten.
    var storedVersion: StoredVersion {
        StoredVersion(revision: revision, format: content.format, version: content.version)
    }
}

extension StoreWrite {
    /// Whether the stored value meets the expectation.
    ///
    /// Throws `newerVersion` if the write would overwrite a value of a newer program. Removing such a value is allowed.
    func isAllowed(over current: StoredVersion?) throws(StoreError) -> Bool {
        if let current, let content, current.format == content.format, current.version > content.version {
            throw StoreError(
                .newerVersion,
                "“\(key)” was written by a newer version of this program (\(current.format) \(current.version); this version "
                    + "writes \(content.version)). It was not changed. Use the newer version.")
        }
        switch expectation {
        case .anything: return true
        case .nothing: return current == nil
        case .revision(let revision): return current?.revision == revision
        }
    }

    /// Rejects two writes of one key, and formats that an ``Envelope`` can't contain.
    static func check(_ writes: [StoreWrite]) throws(StoreError) {
        for case let content? in writes.lazy.map(\.content) {
            guard isName(content.format), content.version > 0 else {
                throw StoreError(
                    .invalidName,
                    "“\(content.format.prefix(64))” version \(content.version) is not a valid format. Use 1 to 64 "
                        + "letters, digits, dots and hyphens, and versions from 1 on.")
            }
        }
        guard writes.count > 1 else { return }
        var keys: Set<StoreKey> = []
        for write in writes where !keys.insert(write.key).inserted {
            throw StoreError(
                .invalidName, "“\(write.key)” is written twice in one commit. Write only the last content.")
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
    /// Creates content from the bytes of a file or item that was set aside.
    init(_ bytes: Data, _ reading: Envelope.Reading, of record: SetAsideRecord) {
        switch reading {
        case .intact(let found):
            self.init(bytes: bytes, content: .success(found.content))
        case .damaged(let reason):
            self.init(bytes: bytes, content: .failure(.damaged(record, reason)))
        case .newer(let version):
            let error = StoreError(
                .newerVersion,
                "The set-aside copy of “\(record.key)” was written by a newer version of this program, in format "
                    + "\(version). Use the newer version to restore it.")
            self.init(bytes: bytes, content: .failure(error))
        }
    }
}

extension StoreError {
    /// The record was restored or removed, by this or another program.
    static func noLongerSetAside(_ record: SetAsideRecord) -> StoreError {
        StoreError(
            .missing,
            "The set-aside copy of “\(record.key)” no longer exists: it was restored or removed meanwhile. List the "
                + "copies again.")
    }

    /// The record's bytes are not those that were written.
    static func damaged(_ record: SetAsideRecord, _ reason: String) -> StoreError {
        StoreError(
            .corrupt,
            "The set-aside copy of “\(record.key)” is damaged: \(reason). It can be downloaded, but not restored.")
    }

    /// The stored value doesn't meet the caller's expectation.
    static func conflict(restoring record: SetAsideRecord) -> StoreError {
        StoreError(
            .conflict, "“\(record.key)” was changed meanwhile. Nothing was restored. Read it again, then retry.")
    }
}
