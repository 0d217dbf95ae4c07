import Futures
import GRDB

/// Repeated texts, units and zones, and their numbers in the database, whose rows never change.
///
/// Only committed texts are remembered.
final class SampleTexts: Sendable {
    private struct Known {
        var numbers: [String: Int64] = [:]
        var texts: [Int64: String] = [:]
    }

    private let known = Lock(Known())
}

extension SampleTexts {
    /// A text by its number, in a read; `nil` if there is none.
    func text(_ number: Int64, in connection: Database) throws -> String? {
        if let text = known.withLock({ $0.texts[number] }) { return text }
        let text = try String.fetchOne(
            connection.cachedStatement(sql: "SELECT text FROM health_text WHERE number = ?"), arguments: [number])
        // In a write it may be new, and never be committed.
        if let text, !connection.isInsideWrite { note([text: number]) }
        return text
    }

    /// The number of a text, in a write, after whose commit ``note(_:)`` remembers the new ones.
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

    /// Remembers committed texts.
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
    /// Whether this connection writes.
    fileprivate var isInsideWrite: Bool { !configuration.readonly && isInsideTransaction }
}
