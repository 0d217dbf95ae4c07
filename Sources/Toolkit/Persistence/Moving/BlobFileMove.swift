import DurableFiles
import Foundation
import SystemPackage

/// Checks that the files of all blobs exist, or copies them to another data folder.
package struct BlobFileMove: Sendable {
    /// What was found.
    package struct Summary: Hashable, Sendable {
        /// The number of files that exist, or were copied.
        package var files = 0
        /// Their size in bytes.
        package var bytes: Int64 = 0
        /// The blobs to which rows refer, but whose files are lost, damaged or unreadable.
        package var missing: [BlobStore.ID] = []
    }

    private let source: DataFolder
    private let target: DataFolder?

    /// - Parameters:
    ///   - source: The folder that has the files.
    ///   - target: The folder that gets them; `nil` if they stay where they are.
    package init(from source: DataFolder, to target: DataFolder? = nil) {
        self.source = source
        self.target = target == source ? nil : target
    }

    private static let batch = 200

    /// Checks or copies the files.
    ///
    /// A file that the target has already isn't copied again: it was verified before it got its name.
    ///
    /// - Parameters:
    ///   - database: The database with the rows of the blobs, which nothing changes meanwhile.
    ///   - onProgress: Called with the number of files that are done.
    /// - Returns: What was found.
    /// - Throws: ``StoreError`` if a file can't be written, the database fails, or the task is cancelled.
    func run(
        in database: any SQLDatabase, _ onProgress: @Sendable (Int) -> Void
    ) async throws(StoreError) -> Summary {
        var (summary, last, count) = (Summary(), "", 0)
        while true {
            let start = last
            let rows = try await database.readRows { connection in
                // A blob in pieces has no file.
                try connection.rows(
                    """
                    SELECT id, bytes, "references" FROM blob
                    WHERE id > ? AND id NOT IN (SELECT blob FROM blob_piece) ORDER BY id LIMIT \(Self.batch)
                    """, [start]
                ).map { row in
                    BlobRow(
                        id: try row.decode(atIndex: 0), bytes: try row.decode(atIndex: 1),
                        isReferenced: try row.decode(Int64.self, atIndex: 2) > 0)
                }
            }
            guard let end = rows.last else { return summary }
            last = "\(end.id)"
            let found = try await DiskWork.run { () throws(StoreError) in
                var found: [Bool] = []
                for row in rows { found.append(try move(row.id, row.bytes)) }
                return found
            }
            for (row, isFound) in zip(rows, found) {
                if isFound {
                    summary.files += 1
                    summary.bytes += row.bytes
                } else if row.isReferenced {
                    // The files of others may have been swept.
                    summary.missing.append(row.id)
                }
            }
            count += rows.count
            onProgress(count)
        }
    }
}

extension BlobFileMove {
    private func path(of id: BlobStore.ID, in folder: DataFolder) -> String {
        "\(folder.blobsPath)/\("\(id)".prefix(2))/\(id)"
    }

    /// Checks or copies a file.
    ///
    /// - Returns: Whether it exists and, if it was copied, is intact.
    private func move(_ id: BlobStore.ID, _ bytes: Int64) throws(StoreError) -> Bool {
        let path = path(of: id, in: source)
        guard let target else { return Disk.stamp(of: path).map { Int64($0.bytes) } == bytes }
        let copy = self.path(of: id, in: target)
        if Disk.stamp(of: copy).map({ Int64($0.bytes) }) == bytes { return true }
        guard let file = try BackupFile.ofBlob(at: path), file.length == bytes else { return false }
        let staged = "\(target.stagedPath)/\(UUID().uuidString)"
        let folder = String(copy.dropLast("/\(id)".count))
        try onDisk("could not be created", at: folder) { () throws(Errno) in
            for folder in [target.blobsPath, target.stagedPath, folder] { try Disk.real.makeFolder(folder) }
        }
        do throws(StoreError) {
            let new = try BackupFile(staged, .new)
            let digest = try file.digest { data throws(StoreError) in try new.write(data) }
            if digest == id { try new.sync() }
            try onDisk("could not be stored", at: copy) { () throws(Errno) in
                guard digest == id else {
                    try Disk.real.removeFile(staged)
                    return
                }
                try Disk.real.rename(staged, to: copy)
                try Disk.real.syncFolder(folder)
                try Disk.real.syncFolder(target.blobsPath)
            }
            return digest == id
        } catch {
            _ = try? Disk.real.removeFile(staged)
            throw error
        }
    }
}
