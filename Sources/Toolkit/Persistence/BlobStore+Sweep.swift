import DurableFiles
public import Foundation
import GRDB
import SystemPackage

extension BlobStore {
    /// How long a file may be without a row: its transaction may still be under way, and its time be another machine's.
    private static let strayAge: TimeInterval = 86_400

    /// How many files are removed in one transaction, so that other writes get their turn between.
    private static let batch = 100

    /// Removes the content that nobody has referred to for longer than the undo window, what was staged more than a day
    /// ago and not kept, and files that no row belongs to for as long.
    ///
    /// Rows go first, in a transaction of their own: killed at any moment, it leaves no row without its file. Several may
    /// run at a time.
    ///
    /// - Parameter limit: Nothing that was released later goes, whatever the undo window is. Whoever deletes their rows
    ///   by a time of their own gives it here, so that no blob goes before its row.
    /// - Returns: How many files were removed.
    /// - Throws: ``StoreError``; what was not removed by then is left to the next one.
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
    /// Deletes the rows, and gives the names of their files.
    private func forgetReleased(until limit: Date) async throws(StoreError) -> [ID] {
        try await database.write { connection in
            try ID.fetchAll(
                connection, sql: #"DELETE FROM blob WHERE "references" = 0 AND released_at < ? RETURNING id"#,
                arguments: [limit.timeIntervalSince1970])
        }
    }

    /// Removes files, unless they have a row by now: the same content may be kept again at any time.
    private func remove(_ ids: [ID], unlessYoungerThan limit: Date?) async throws(StoreError) -> Int {
        var removed = 0
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let some = ids[start..<min(start + Self.batch, ids.count)]
            // A write, though it writes no row: nothing is kept while it runs, in any process.
            removed += try await database.write { connection in
                try some.count { id in
                    let path = path(of: id)
                    let row = try Row.fetchOne(connection, sql: "SELECT 1 FROM blob WHERE id = ?", arguments: [id])
                    guard row == nil, let file = Disk.file(path) else { return false }
                    if let limit, file.written >= limit { return false }
                    return try removeFile(path)
                }
            }
        }
        return removed
    }

    /// The blobs among the files that were written long ago: most of them have a row.
    private func strays(at time: Date) -> [ID] {
        let blobs = database.folder.blobsPath
        return Disk.names(in: blobs).filter { $0.utf8.count == 2 }.flatMap { folder in
            Disk.names(in: "\(blobs)/\(folder)").compactMap(ID.init).filter { id in
                id.description.hasPrefix(folder)
                    && Disk.file(path(of: id)).map { $0.written < time - Self.strayAge } ?? false
            }
        }
    }

    private func removeStaged(until time: Date) async throws(StoreError) -> Int {
        let folder = database.folder.stagedPath
        // A write too: nothing that is being kept is taken away from under it.
        return try await database.write { _ in
            try Disk.names(in: folder).count { name in
                let path = "\(folder)/\(name)"
                guard let file = Disk.file(path), file.written < time else { return false }
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
