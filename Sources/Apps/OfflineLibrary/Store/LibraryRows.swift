import Capture
import Foundation
import GRDB
import OfflineLibraryModel

// How pages stood in the database until the migration library.3: it alone reads them.

extension PageRecord {
    /// The page of a row of `library_page`; `nil` if it has no address or no number.
    init?(row: Row, number: Int, in connection: GRDB.Database) throws {
        let text: String = row["id"]
        guard let id = KeptPage.ID(text), id.description == text, let url = URL(string: row["address"]) else {
            return nil
        }
        let names: String = row["formats"]
        let deletedAt: Double? = row["deleted_at"]
        self.init(
            id: text, address: url, formats: names.split(separator: ",").map(String.init),
            requestedAt: Date(timeIntervalSince1970: row["requested_at"]), number: number, attempt: row["attempt"],
            interruptions: row["interruptions"], state: State(rawValue: row["state"]) ?? .fetching,
            failure: Failure(row: row), content: Content(row: row), files: [:],
            deletedAt: deletedAt.map(Date.init(timeIntervalSince1970:)))
        let rows = try Row.fetchAll(
            connection, sql: "SELECT kind, blob, bytes FROM library_file WHERE page = ?", arguments: [text])
        for row in rows { files[row[0]] = File(blob: row[1], bytes: row[2]) }
    }
}

extension PageRecord.Failure {
    fileprivate init?(row: Row) {
        guard let message: String = row["failure_message"] else { return nil }
        self.init(
            code: row["failure_code"] ?? "unknown", message: message, canRetry: row["failure_can_retry"] ?? true)
    }
}

extension PageRecord.Content {
    fileprivate init?(row: Row) {
        guard let capturedAt: Double = row["captured_at"], let address: String = row["url"],
            let url = URL(string: address)
        else {
            return nil
        }
        let warnings: String = row["warnings"] ?? "[]"
        self.init(
            title: row["title"] ?? "", url: url, httpStatus: row["http_status"],
            capturedAt: Date(timeIntervalSince1970: capturedAt),
            warnings: (try? JSONDecoder().decode([String].self, from: Data(warnings.utf8))) ?? [])
    }
}
