import DurableFiles
public import Foundation
import GRDB
import SystemPackage

extension BlobStore {
    /// How old a file without a row must be to be removed: its transaction may be in progress, and clocks of machines
    /// may differ.
    private static let strayAge: TimeInterval = 86_400

    /// The number of files to remove per transaction, so that other writes can run in between.
    private static let batch = 100

    /// Removes unreferenced blobs whose undo window has passed, and leftovers that are older than a day: staged blobs,
    /// and files without a row.
    ///
    /// Rows are deleted first, in a transaction of their own, so that a process killed at any time leaves no row
    /// without its file. Several sweeps may run concurrently.
    ///
    /// - Parameter limit: Blobs released later are not removed, even after the undo window. A caller with a retention
    ///   period of its own passes its limit here, so that no blob is removed before the row that refers to it.
    /// - Returns: The number of removed files.
    /// - Throws: ``StoreError``; the remaining files are left to the next sweep.
    public func sweep(releasedBefore limit: Date = .distantFuture) async throws(StoreError) -> Int {
        let time = now()
        let released = try await forgetReleased(until: min(time.addingTimeInterval(-undoWindow.inSeconds), limit))
        let stray = try await DiskWork.run { () throws(StoreError) -> [ID] in self.strays(at: time) }
        var removed = try await remove(released, unlessYoungerThan: nil)
        removed += try await remove(stray, unlessYoungerThan: time - Self.strayAge)
        return try await removed + removeStaged(until: time - Self.strayAge)
    }
}

extension BlobStore {
    /// Deletes the rows, and returns the IDs of their files.
    ///
    /// A piece that no other blob uses was released together with its blob.
    private func forgetReleased(until limit: Date) async throws(StoreError) -> [ID] {
        try await database.write { connection in
            try forgetPieces(ofBlobsReleasedBefore: limit, in: connection)
            return try ID.fetchAll(
                connection, sql: #"DELETE FROM blob WHERE "references" = 0 AND released_at < ? RETURNING id"#,
                arguments: [limit.timeIntervalSince1970])
        }
    }

    /// Removes files that still have no row: a blob with the same ID may be added again at any time.
    private func remove(_ ids: [ID], unlessYoungerThan limit: Date?) async throws(StoreError) -> Int {
        var removed = 0
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let slice = ids[start..<min(start + Self.batch, ids.count)]
            // This is a write, although it changes no row, so that no process can add a blob meanwhile.
            removed += try await database.write { connection in
                try slice.count { id in
                    let path = path(of: id)
                    let row = try Row.fetchOne(connection, sql: "SELECT 1 FROM blob WHERE id = ?", arguments: [id])
                    guard row == nil, let file = Disk.stamp(of: path) else { return false }
                    if let limit, file.written >= limit { return false }
                    return try removeFile(path)
                }
            }
        }
        return removed
    }

    /// The IDs of old files; most of them have a row.
    private func strays(at time: Date) -> [ID] {
        let blobs = database.folder.blobsPath
        return Disk.names(in: blobs).filter { $0.utf8.count == 2 }.flatMap { folder in
            Disk.names(in: "\(blobs)/\(folder)").compactMap(ID.init).filter { id in
                id.description.hasPrefix(folder)
                    && Disk.stamp(of: path(of: id)).map { $0.written < time - Self.strayAge } ?? false
            }
        }
    }

    private func removeStaged(until time: Date) async throws(StoreError) -> Int {
        let folder = database.folder.stagedPath
        // This is a write too, so that no staged blob is removed while a transaction adds it.
        return try await database.write { _ in
            try Disk.names(in: folder).count { name in
                let path = "\(folder)/\(name)"
                guard let file = Disk.stamp(of: path), file.written < time else { return false }
                return try removeFile(path)
            }
        }
    }

    private func removeFile(_ path: String) throws(StoreError) -> Bool {
        return try onDisk("could not be removed", at: path) { () throws(Errno) in try Disk.real.removeFile(path) }
    }
}

extension Duration {
    fileprivate var inSeconds: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
