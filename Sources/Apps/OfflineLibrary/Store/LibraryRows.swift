import Capture
import Foundation
import GRDB
import OfflineLibraryModel

// How pages stood in the database until the migration library.3: it alone reads them.

extension PageRecord {
    /// The page of a row of `library_page`; `nil` if it has no address or no number.
    init?(row: Row, number: Int, in connection: GRDB.Database) throws {
        let text: String = try row.decode(forColumn: "id")
        guard let id = KeptPage.ID(text), id.description == text,
            let url = URL(string: try row.decode(forColumn: "address"))
        else {
            return nil
        }
        let names: String = try row.decode(forColumn: "formats")
        let deletedAt: Double? = try row.decode(forColumn: "deleted_at")
        self.init(
            id: text, address: url, formats: names.split(separator: ",").map(String.init),
            requestedAt: Date(timeIntervalSince1970: try row.decode(forColumn: "requested_at")), number: number,
            attempt: try row.decode(forColumn: "attempt"),
            state: State(rawValue: try row.decode(forColumn: "state")) ?? .fetching,
            failure: try Failure(row: row), content: try Content(row: row), files: [:],
            deletedAt: deletedAt.map(Date.init(timeIntervalSince1970:)))
        let rows = try Row.fetchAll(
            connection, sql: "SELECT kind, blob, bytes FROM library_file WHERE page = ?", arguments: [text])
        for row in rows {
            files[try row.decode(atIndex: 0)] = File(
                blob: try row.decode(atIndex: 1), bytes: try row.decode(atIndex: 2))
        }
    }
}

extension PageRecord.Failure {
    fileprivate init?(row: Row) throws {
        guard let message = try row.decode(String?.self, forColumn: "failure_message") else { return nil }
        self.init(
            code: try row.decode(String?.self, forColumn: "failure_code") ?? "unknown", message: message,
            canRetry: try row.decode(Bool?.self, forColumn: "failure_can_retry") ?? true)
    }
}

extension PageRecord.Content {
    fileprivate init?(row: Row) throws {
        guard let capturedAt = try row.decode(Double?.self, forColumn: "captured_at"),
            let address = try row.decode(String?.self, forColumn: "url"),
            let url = URL(string: address)
        else {
            return nil
        }
        let warnings: String = try row.decode(String?.self, forColumn: "warnings") ?? "[]"
        self.init(
            title: try row.decode(String?.self, forColumn: "title") ?? "", url: url,
            httpStatus: try row.decode(Int?.self, forColumn: "http_status"),
            capturedAt: Date(timeIntervalSince1970: capturedAt),
            warnings: (try? JSONDecoder().decode([String].self, from: Data(warnings.utf8))) ?? [])
    }
}
