import Futures
import GRDB

/// Caches the row numbers of repeated texts, which are units and time zones; their rows never change.
///
/// The cache has only committed texts.
final class SampleTexts: Sendable {
    private struct Known {
        var numbers: [String: Int64] = [:]
        var texts: [Int64: String] = [:]
    }

    private let known = Lock(Known())
}

extension SampleTexts {
    /// Returns the text with a row number, within a read; `nil` if there is none.
    func text(_ number: Int64, in connection: Database) throws -> String? {
        if let text = known.withLock({ $0.texts[number] }) { return text }
        let text = try String.fetchOne(
            connection.cachedStatement(sql: "SELECT text FROM health_text WHERE number = ?"), arguments: [number])
        // Within a write, the text may be new and never be committed.
        if let text, !connection.isInsideWrite { note([text: number]) }
        return text
    }

    /// Returns the row number of a text, within a write; after the commit, pass the new ones to ``note(_:)``.
    func number(of text: String, noting new: inout [String: Int64], in connection: Database) throws -> Int64 {
        if let number = new[text] ?? known.withLock({ $0.numbers[text] }) { return number }
        let found = try Int64.fetchOne(
            connection.cachedStatement(sql: "SELECT number FROM health_text WHERE text = ?"), arguments: [text])
        if let found {
            new[text] = found
            return found
        }
        try connection.cachedStatement(sql: "INSERT INTO health_text (text) VALUES (?)").execute(arguments: [text])
        new[text] = connection.lastInsertedRowID
        return connection.lastInsertedRowID
    }

    /// Caches committed texts.
    func note(_ new: [String: Int64]) {
        if new.isEmpty { return }
        known.withLock { known in
            for (text, number) in new {
                known.numbers[text] = number
                known.texts[number] = text
            }
        }
    }
}

extension Database {
    /// Whether this connection is writing.
    fileprivate var isInsideWrite: Bool { !configuration.readonly && isInsideTransaction }
}
