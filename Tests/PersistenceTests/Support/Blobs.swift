import Foundation
import StoreTesting

@testable import Persistence

extension SQLDatabase {
    /// The rows of the blobs: ID, size, references, time of the last release.
    var blobs: [String] {
        get async throws {
            try await readRows { connection in
                try connection.rows(#"SELECT id, bytes, "references", released_at FROM blob ORDER BY id"#).map { row in
                    let releasedAt: Double? = try row.decode(atIndex: 3)
                    let (id, bytes) = (try row.decode(String.self, atIndex: 0), try row.decode(Int.self, atIndex: 1))
                    let references: Int = try row.decode(atIndex: 2)
                    return "\(id) \(bytes) \(references) \(releasedAt.map { "\(Int($0))" } ?? "-")"
                }
            }
        }
    }
}

extension TemporaryFolder {
    /// The names of the files in `blobs`, including staged ones.
    var blobFiles: [String] {
        files.keys.filter { $0.hasPrefix("blobs/") }.map { URL(filePath: $0).lastPathComponent }.sorted()
    }
}
