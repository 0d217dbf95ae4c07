import Foundation
import Futures
import GRDB
import StoreTesting

@testable import Persistence

extension AppDatabase {
    /// The rows of the blobs: ID, size, references, time of the last release.
    var blobs: [String] {
        get async throws {
            try await read { connection in
                try String.fetchAll(
                    connection,
                    sql: """
                        SELECT format('%s %d %d %s', id, bytes, "references", ifnull(CAST(released_at AS INTEGER), '-'))
                        FROM blob ORDER BY id
                        """)
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
