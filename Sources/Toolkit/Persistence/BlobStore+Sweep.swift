import DurableFiles
public import Foundation
import SystemPackage

extension BlobStore {
    /// How old a file without a row must be to be removed: its transaction may be in progress, and clocks of machines
    /// may differ.
    private static let strayAge: TimeInterval = 86_400

    /// The number of files to remove per transaction, so that other writes can run in between.
    static let batch = 100

    /// Removes unreferenced blobs whose undo window has passed, and leftovers that are older than a day: staged blobs,
    /// and files without a row.
    ///
    /// Rows are deleted first, in a transaction of their own, so that a process killed at any time leaves no row
    /// without its file. Several sweeps may run concurrently.
    ///
    /// - Parameter limit: Blobs released later are not removed, even after the undo window. A caller with a retention
    ///   period of its own passes its limit here, so that no blob is removed before the row that refers to it.
    /// With a store of objects, these are removed like files, and so are the copies of this machine.
    ///
    /// - Returns: The number of removed files; with a store of objects, of removed objects.
    /// - Throws: ``StoreError``; the remaining files are left to the next sweep.
    public func sweep(releasedBefore limit: Date = .distantFuture) async throws(StoreError) -> Int {
        try await claimObjects()
        let time = now()
        let released = try await forgetReleased(until: min(time.addingTimeInterval(-undoWindow.inSeconds), limit))
        let stray = try await DiskWork.run { () throws(StoreError) -> [ID] in self.strays(at: time) }
        // Without their objects, no row refers to the copies.
        let objects = try await removeObjects(released)
        var removed = try await remove(released, unlessYoungerThan: nil)
        removed += try await remove(stray, unlessYoungerThan: time - Self.strayAge)
        removed += try await removeStaged(until: time - Self.strayAge)
        let strays = try await removeStrayObjects(until: time - Self.strayAge)
        return cache == nil ? removed : objects + strays
    }
}

extension BlobStore {
    /// Deletes the rows, and returns the IDs of their files.
    ///
    /// A piece that no other blob uses was released together with its blob.
    private func forgetReleased(until limit: Date) async throws(StoreError) -> [ID] {
        try await database.writeRows(locking: [.blobs]) { connection in
            let inPieces = try forgetPieces(ofBlobsReleasedBefore: limit, in: connection)
            return try connection.values(
                #"DELETE FROM blob WHERE "references" = 0 AND released_at < ? RETURNING id"#,
                [limit.timeIntervalSince1970], as: ID.self
            ).filter { !inPieces.contains($0) }
        }
    }

    /// Removes files that still have no row: a blob with the same ID may be added again at any time.
    private func remove(_ ids: [ID], unlessYoungerThan limit: Date?) async throws(StoreError) -> Int {
        var removed = 0
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let slice = ids[start..<min(start + Self.batch, ids.count)]
            // This is a write, although it changes no row, so that no process can add a blob meanwhile.
            removed += try await database.writeRows(locking: [.blobs]) { connection in
                try slice.count { id in
                    let path = path(of: id)
                    let row = try connection.row("SELECT 1 FROM blob WHERE id = ?", [id])
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
        let blobs = folder.blobsPath
        return Disk.names(in: blobs).filter { $0.utf8.count == 2 }.flatMap { folder in
            Disk.names(in: "\(blobs)/\(folder)").compactMap(ID.init).filter { id in
                id.description.hasPrefix(folder)
                    && Disk.stamp(of: path(of: id)).map { $0.written < time - Self.strayAge } ?? false
            }
        }
    }

    private func removeStaged(until time: Date) async throws(StoreError) -> Int {
        let folder = folder.stagedPath
        // This is a write too, so that no staged blob is removed while a transaction adds it.
        return try await database.writeRows(locking: [.blobs]) { connection in
            try connection.lock(.blobs)
            return try Disk.names(in: folder).count { name in
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
