import DurableFiles
package import Foundation
import Futures
import SystemPackage

// Blobs whose contents are in a store outside this machine. Nothing here does anything if there is none.
//
// An object is deleted only in a transaction with the exclusive lock of the blobs, after its row was deleted. A
// transaction that adds a row holds the shared lock, and checks that the object exists. So a committed row always has
// its object. A deletion whose answer was lost may still be carried out after its transaction; the object is then
// missing if the same blob was added meanwhile. Services accept such a request only for minutes.

extension BlobStore {
    /// How long a backup waits for one blob.
    private static let longestCopy = Duration.seconds(600)
    /// How long a transaction may wait for the store of objects: PostgreSQL ends one that is idle for 30 s.
    private static let transactionLimit = Duration.seconds(20)

    /// A URL that reads a blob without a key until it expires; `nil` if blobs have none.
    ///
    /// The answer has none of this program's header fields, such as a content security policy. Use it only for files
    /// that are downloaded. A blob in pieces has no URL.
    ///
    /// - Parameters:
    ///   - id: The blob.
    ///   - lifetime: How long the URL is valid, from a second to a week.
    ///   - type: The `Content-Type` of the answer.
    ///   - disposition: The `Content-Disposition` of the answer.
    /// - Returns: The URL.
    /// - Throws: ``StoreError``: `missing` if the blob doesn't exist.
    package func temporaryURL(
        of id: ID, lifetime: Duration, type: String? = nil, disposition: String? = nil
    ) async throws(StoreError) -> URL? {
        guard let cache else { return nil }
        let (exists, isWhole) = try await database.readRows { connection in
            (try Self.exists(id, in: connection), try self.pieces(of: id, in: connection).isEmpty)
        }
        guard exists else { throw missingError(id) }
        guard isWhole,
            let url = cache.objects.temporaryURL(of: id, lifetime: lifetime, type: type, disposition: disposition),
            // The object is missing until the files of an older folder are stored.
            try await cache.objects.contains(id, byteCount: try await byteCount(of: id))
        else { return nil }
        return url
    }

    /// The path of a blob's file, which exists.
    ///
    /// A copy of its object is removed no sooner than ten minutes after this; open it by then.
    ///
    /// - Throws: ``StoreError``: `missing` if the blob doesn't exist or is in pieces, `corrupt` if its object has
    ///   changed.
    package func localPath(of id: ID) async throws(StoreError) -> String {
        try await makeLocal([id])
        let path = path(of: id)
        guard await DiskWork.run({ Disk.exists(path) }) else { throw missingError(id) }
        return path
    }

    /// Makes sure that the files of pieces exist.
    package func makeLocal(_ pieces: [BlobPiece]) async throws(StoreError) {
        guard cache != nil else { return }
        try await makeLocal(Array(Set(pieces.map(\.path))).compactMap(Self.id))
    }

    /// Makes sure that the files of blobs exist, and aren't removed for ten minutes.
    package func makeLocal(_ ids: [ID]) async throws(StoreError) {
        guard let cache else { return }
        let missing = Set(await cache.use(ids.map(path)))
        try await ids.filter { missing.contains(path(of: $0)) }.concurrentForEach { id throws(StoreError) in
            let byteCount = try await byteCount(of: id)
            try await cache.download(id, byteCount: byteCount, to: path(of: id))
        }
    }

    /// Makes sure that the files of blobs exist, on a thread that may block; those that are lost or damaged remain missing.
    func waitForFiles(_ ids: [ID]) throws(StoreError) {
        guard cache != nil else { return }
        do throws(StoreError) {
            try BlockingWait.run(within: Self.longestCopy) { () async throws(StoreError) in try await makeLocal(ids) }
        } catch {
            guard [.missing, .corrupt].contains(error.code) else { throw error }
        }
    }

    /// The blob whose file has a path; `nil` if the path isn't one of a blob.
    package static func id(ofPath path: String) -> ID? {
        ID(String(path.suffix(64)))
    }

    /// The size of a blob's file.
    func byteCount(of id: ID) async throws(StoreError) -> Int {
        let row = try await database.readRows { connection in
            try connection.row("SELECT bytes FROM blob WHERE id = ?", [id]).map { try $0.decode(Int.self, atIndex: 0) }
        }
        guard let row else { throw missingError(id) }
        return row
    }

    /// Removes the files of a blob whose objects exist, so that they are copied again.
    func removeCopies(of id: ID) async throws(StoreError) {
        guard let cache else { return }
        let pieces = try await database.readRows { try self.pieces(of: id, in: $0) }
        for file in pieces.isEmpty ? [id] : Array(Set(pieces.map(\.path))).compactMap(Self.id) {
            guard try await cache.objects.contains(file, byteCount: try await byteCount(of: file)) else { continue }
            let path = path(of: file)
            await DiskWork.run { _ = try? Disk.real.removeFile(path) }
        }
    }
}

// MARK: - Adding

extension BlobStore {
    /// Stores the objects of staged files; if that fails, the files are removed.
    ///
    /// Existing objects are replaced, because they may be damaged, or old enough to be removed as strays.
    func upload(_ files: [StagedFile]) async throws(StoreError) {
        guard let cache else { return }
        do throws(StoreError) {
            try await confirmClaim()
            try await files.concurrentForEach { file throws(StoreError) in
                try await cache.objects.put(file.id, file: file.path, byteCount: file.bytes)
            }
        } catch {
            await discard(files)
            throw error
        }
        await cache.use(files.map(\.path))
        await cache.makeRoom(adding: files.reduce(0) { $0 + $1.bytes })
    }

    /// Stores the files of all blobs whose objects don't exist: for a folder from before objects were used.
    ///
    /// It can be repeated after an error or a cancellation, and continues with the blobs that are left.
    ///
    /// - Returns: How many were stored, and which blobs have neither an object nor a file on this machine.
    /// - Throws: ``StoreError``.
    package func uploadFiles() async throws(StoreError) -> (stored: Int, missing: [ID]) {
        guard let cache else { return (0, []) }
        try await confirmClaim()
        let stored = Lock(0)
        let missing = Lock<[ID]>([])
        var last = ""
        while true {
            let rows = try await database.readRows { [last] connection in
                try connection.rows(
                    """
                    SELECT id, bytes FROM blob WHERE id > ? AND id NOT IN (SELECT blob FROM blob_piece)
                    ORDER BY id LIMIT 500
                    """, [last]
                ).map { StagedFile(id: try $0.decode(atIndex: 0), bytes: try $0.decode(atIndex: 1), path: "") }
            }
            guard let end = rows.last else { break }
            try await rows.concurrentForEach { file throws(StoreError) in
                if try await cache.objects.contains(file.id, byteCount: file.bytes) { return }
                let path = self.path(of: file.id)
                guard await DiskWork.run({ Disk.stamp(of: path)?.bytes }) == file.bytes else {
                    missing.withLock { $0.append(file.id) }
                    return
                }
                try await cache.objects.put(file.id, file: path, byteCount: file.bytes)
                stored.withLock { $0 += 1 }
            }
            last = end.id.description
        }
        return (stored.withLock(\.self), missing.withLock { $0.sorted { $0.description < $1.description } })
    }

    private func discard(_ files: [StagedFile]) async {
        await DiskWork.run { Self.remove(files) }
    }

    /// Makes sure that the objects of blobs that are new exist, while no sweep can remove them.
    ///
    /// A sweep may have removed an object since it was uploaded.
    func ensureObjects(of files: [StagedFile], in transaction: any SQLConnection) throws {
        guard let cache else { return }
        let new = try files.filter { try !Self.exists($0.id, in: transaction) }
        guard !new.isEmpty else { return }
        try BlockingWait.run(within: Self.transactionLimit) { () throws(StoreError) in
            try await new.concurrentForEach { file throws(StoreError) in
                if try await cache.objects.contains(file.id, byteCount: file.bytes) { return }
                try await cache.objects.put(file.id, file: self.path(of: file.id), byteCount: file.bytes)
            }
        }
    }
}

// MARK: - Sweeping

extension BlobStore {
    /// Deletes the objects of blobs that still have no row.
    ///
    /// - Returns: How many were deleted.
    func removeObjects(_ ids: [ID]) async throws(StoreError) -> Int {
        guard let cache else { return 0 }
        var removed = 0
        for start in stride(from: 0, to: ids.count, by: Self.batch) {
            let slice = ids[start..<min(start + Self.batch, ids.count)]
            // A write, although it changes no row, so that no transaction can add a blob meanwhile.
            removed += try await database.writeRows(locking: [.blobs]) { connection in
                let gone = try slice.filter { try !Self.exists($0, in: connection) }
                if gone.isEmpty { return 0 }
                try BlockingWait.run(within: Self.transactionLimit) { () throws(StoreError) in
                    try await cache.objects.delete(gone)
                }
                return gone.count
            }
        }
        return removed
    }

    /// Deletes old objects without a row, and the parts of old uploads that were never completed.
    ///
    /// - Returns: How many objects were deleted.
    func removeStrayObjects(until time: Date) async throws(StoreError) -> Int {
        guard let cache, cache.beginListing() else { return 0 }
        let removed = Lock(0)
        try await cache.objects.forEachPage { page throws(StoreError) in
            let old = page.filter { $0.modified < time }.map(\.id)
            guard let first = page.map(\.id.description).min(), let last = page.map(\.id.description).max(),
                !old.isEmpty
            else { return }
            // The page has a range of IDs, and so nearly the same rows.
            let rows = try await database.readRows { connection in
                try connection.values("SELECT id FROM blob WHERE id BETWEEN ? AND ?", [first, last], as: ID.self)
            }
            let known = Set(rows)
            let count = try await removeObjects(old.filter { !known.contains($0) })
            removed.withLock { $0 += count }
        }
        try await cache.objects.abandonUploads(begunBefore: time)
        return removed.withLock(\.self)
    }
}
