import Foundation
import Futures
import Persistence

/// Caches the row numbers of repeated texts, which are units and time zones; their rows never change.
///
/// The cache has only committed texts.
final class SampleTexts: Sendable {
    private struct Known {
        var numbers: [String: Int64] = [:]
        var texts: [Int64: String] = [:]
        /// The ID of the database that has the rows: see `SQLDatabase.instanceID`.
        var instanceID: UUID?
    }

    private let known = Lock(Known())
}

extension SampleTexts {
    /// Forgets everything if the database has another ID.
    func use(in instanceID: UUID) {
        known.withLock { known in
            if known.instanceID != instanceID { known = Known(instanceID: instanceID) }
        }
    }

    /// Returns the text with a row number, within a read; `nil` if there is none.
    func text(_ number: Int64, in connection: any SQLConnection) throws -> String? {
        if let text = known.withLock({ $0.texts[number] }) { return text }
        let text = try connection.value("SELECT text FROM health_text WHERE number = ?", [number], as: String.self)
        // Within a write, the text may be new and never be committed.
        if let text, !connection.isWriting { note([text: number], in: connection.instanceID) }
        return text
    }

    /// Returns the row number of a text, within a write; after the commit, pass the new ones to ``note(_:)``.
    func number(of text: String, noting new: inout [String: Int64], in connection: any SQLConnection) throws -> Int64 {
        if let number = new[text] ?? known.withLock({ $0.numbers[text] }) { return number }
        let find = "SELECT number FROM health_text WHERE text = ?"
        let found: Int64? = try connection.value(find, [text])
        // In PostgreSQL, another owner's transaction may have inserted the same text.
        let insert = "INSERT INTO health_text (text) VALUES (?) ON CONFLICT (text) DO NOTHING RETURNING number"
        let number = try found ?? connection.value(insert, [text]) ?? connection.value(find, [text])
        guard let number else { throw SampleStoreError.damaged("a text") }
        new[text] = number
        return number
    }

    /// Caches committed texts.
    func note(_ new: [String: Int64], in instanceID: UUID) {
        if new.isEmpty { return }
        known.withLock { known in
            guard known.instanceID == instanceID else { return }
            for (text, number) in new {
                known.numbers[text] = number
                known.texts[number] = text
            }
        }
    }
}
