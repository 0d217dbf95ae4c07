import Capture
import Foundation
import GRDB
import Loading
import OfflineLibraryModel

// How pages stand in the database.

extension KeptPage {
    /// Reads a page from its row, and the sizes of its files.
    ///
    /// - Throws: ``LibraryError/storage(_:)`` if the row makes no sense.
    init(row: Row, sizes: [FileKind: Int]) throws {
        let text: String = row["id"]
        guard let id = ID(text), let url = URL(string: row["address"]) else {
            throw LibraryError.storage("The page \(text) in the database has no address that can be read.")
        }
        let names: String = row["formats"]
        let formats = Set(names.split(separator: ",").compactMap { PageFormat(rawValue: String($0)) })
        let request = CaptureRequest(url: url, formats: formats)
        let content = try Self.content(row: row, sizes: sizes)
        let state: State =
            switch (row["state"] as String, content) {
            case ("found", let content?): .found(content)
            case ("failed", let content):
                .failed(
                    CaptureFailure(
                        code: row["failure_code"] ?? "unknown", message: row["failure_message"] ?? "",
                        canRetry: row["failure_can_retry"] ?? true), previous: content)
            case (_, let content): .fetching(request, previous: content)
            }
        let deletedAt: Double? = row["deleted_at"]
        self.init(
            id: id, request: request, requestedAt: Date(timeIntervalSince1970: row["requested_at"]),
            attempt: row["attempt"], interruptions: row["interruptions"], state: state,
            deletedAt: deletedAt.map(Date.init(timeIntervalSince1970:)))
    }

    private static func content(row: Row, sizes: [FileKind: Int]) throws -> PageContent? {
        guard let capturedAt: Double = row["captured_at"], let address: String = row["url"],
            let url = URL(string: address)
        else {
            return nil
        }
        let warnings: String = row["warnings"] ?? "[]"
        return PageContent(
            title: row["title"] ?? "", url: url, httpStatus: row["http_status"],
            capturedAt: Date(timeIntervalSince1970: capturedAt),
            warnings: try JSONDecoder().decode([String].self, from: Data(warnings.utf8)), sizes: sizes)
    }
}

extension Set<PageFormat> {
    /// As they stand in a row: in a fixed order.
    var column: String {
        map(\.rawValue).sorted().joined(separator: ",")
    }
}

extension KeptPage.State {
    /// The name of the state in a row.
    var column: String {
        switch self {
        case .none, .fetching: "fetching"
        case .found: "found"
        case .failed: "failed"
        }
    }
}
