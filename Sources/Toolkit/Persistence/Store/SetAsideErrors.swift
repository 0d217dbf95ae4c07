import Foundation

extension SetAsideContent {
    /// The content of a file or an item that was set aside.
    init(_ bytes: Data, _ reading: Envelope.Reading, of record: SetAsideRecord) {
        switch reading {
        case .whole(let found):
            self.init(bytes: bytes, content: .success(found.content))
        case .damaged(let reason):
            self.init(bytes: bytes, content: .failure(.damaged(record, reason)))
        case .newer(let version):
            let error = PersistenceError(
                .newerVersion,
                "The copy of “\(record.key)” that was set aside was written by a newer program: version \(version) of its form. "
                    + "Use the newer program to restore it.")
            self.init(bytes: bytes, content: .failure(error))
        }
    }
}

extension PersistenceError {
    /// The record was restored or removed, by this program or another one.
    static func noLongerSetAside(_ record: SetAsideRecord) -> PersistenceError {
        PersistenceError(
            .missing,
            "The copy of “\(record.key)” that was set aside is no longer there: it was restored or removed meanwhile. List the "
                + "copies again.")
    }

    /// The record's bytes are not those that were written.
    static func damaged(_ record: SetAsideRecord, _ reason: String) -> PersistenceError {
        PersistenceError(
            .corrupt,
            "The copy of “\(record.key)” that was set aside is damaged: \(reason). It can be downloaded, but not restored."
        )
    }

    /// Another value is stored than the caller has seen.
    static func conflict(restoring record: SetAsideRecord) -> PersistenceError {
        PersistenceError(
            .conflict, "“\(record.key)” was changed meanwhile, and nothing was restored. Read it, and restore again.")
    }
}
