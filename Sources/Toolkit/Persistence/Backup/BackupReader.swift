import Crypto
import Foundation

/// Reads a backup from beginning to end, and verifies all of it.
struct BackupReader {
    /// Receives the content of each blob and of the database.
    struct Sink {
        var begin: (BackupEntry) throws(StoreError) -> Void = { _ throws(StoreError) in }
        var take: (Data) throws(StoreError) -> Void = { _ throws(StoreError) in }
        /// Called after the content was read completely; a blob then matches its ID.
        var end: (BackupEntry) throws(StoreError) -> Void = { _ throws(StoreError) in }
    }

    let file: BackupFile
    var meter: BackupMeter
    var sink = Sink()

    private(set) var offset: Int64 = 0
    private(set) var blobs: Set<BlobStore.ID> = []
    private var blobBytes: Int64 = 0
    private var namesHash = SHA256()
    private var database: (digest: BlobStore.ID, bytes: Int64)?

    init(_ file: BackupFile, _ meter: BackupMeter, sink: Sink = Sink()) {
        self.file = file
        self.meter = meter
        self.meter.progress.totalBytes = file.length
        self.sink = sink
    }
}

extension BackupReader {
    /// Reads and verifies the whole file.
    ///
    /// - Returns: The manifest, which matches the content.
    /// - Throws: ``StoreError``: `corrupt` if the file is not a backup, or is damaged or incomplete; `newerVersion` if
    ///   its manifest has a format that this version of the program can't read.
    mutating func readAll() throws(StoreError) -> BackupManifest {
        guard try next() == .signature else { throw notABackupError }
        var manifest: BackupManifest?
        while manifest == nil {
            switch try next() {
            case .signature, nil: throw corruptError("it ends too early, or another backup follows")
            case .blob: if database != nil { throw corruptError("a file follows the database") }
            case .database: break
            case .manifest(let digest): manifest = try self.manifest(digest)
            }
        }
        guard let manifest else { throw notABackupError }
        guard let database, manifest.databaseDigest == database.digest,
            manifest.summary.databaseBytes == database.bytes
        else { throw corruptError("its database has changed") }
        guard manifest.filesDigest == BlobStore.ID(namesHash.finalize()), manifest.summary.fileCount == blobs.count,
            manifest.summary.fileBytes == blobBytes
        else { throw corruptError("files are missing, or others were added") }
        let end = try file.read(2 * BackupEntry.blockSize + 1, at: offset)
        guard end == Data(count: 2 * BackupEntry.blockSize) else {
            throw corruptError("there is data after its end, or the end is missing")
        }
        return manifest
    }

    /// Reads the intact blobs at the beginning of an interrupted backup.
    ///
    /// - Returns: The offset after the last intact blob, or after the signature if there is none; 0 if the signature is
    ///   incomplete; `nil` if the file is not a backup.
    mutating func readBeginning() throws(StoreError) -> Int64? {
        let mark = Data(BackupEntry.signature.header(size: 0))
        let first = try file.read(mark.count, at: 0)
        if first.count < mark.count { return mark.starts(with: first) ? 0 : nil }
        guard first == mark else { return nil }
        offset = Int64(mark.count)
        while true {
            let start = offset
            do throws(StoreError) {
                guard case .blob = try next() else { return start }
            } catch {
                if error.code != .corrupt { throw error }
                return start
            }
        }
    }

    /// Reads the manifest only, skipping the entries before it by their headers; throws the errors of ``readAll()``.
    mutating func readManifest() throws(StoreError) -> BackupManifest {
        while true {
            let block = try file.read(BackupEntry.blockSize, at: offset)
            guard let (entry, size) = BackupEntry.parse(Array(block)) else { throw notABackupError }
            offset += Int64(BackupEntry.blockSize)
            guard size <= file.length - offset else { throw corruptError("\(entry.name) is cut off") }
            if case .manifest(let digest) = entry {
                if size > BackupManifest.maximumBytes { throw corruptError("its list of contents is too long") }
                return try manifest(digest)
            }
            offset += size + Int64(BackupEntry.padding(after: size))
        }
    }

    /// Reads one entry, but only the header of a manifest; `nil` at the end.
    private mutating func next() throws(StoreError) -> BackupEntry? {
        let block = try file.read(BackupEntry.blockSize, at: offset)
        if block.count == BackupEntry.blockSize, block.allSatisfy({ $0 == 0 }) { return nil }
        guard let (entry, size) = BackupEntry.parse(Array(block)) else {
            throw offset == 0 ? notABackupError : corruptError("a file name is invalid")
        }
        offset += Int64(BackupEntry.blockSize)
        guard size <= file.length - offset else { throw corruptError("\(entry.name) is cut off") }
        switch entry {
        case .signature: if size != 0 { throw notABackupError }
        case .blob(let id):
            guard blobs.insert(id).inserted else { throw corruptError("\(entry.name) appears twice") }
            guard try digest(of: entry, size) == id else {
                blobs.remove(id)
                throw corruptError("\(entry.name) has changed")
            }
            blobBytes += size
            namesHash.update(data: Data("\(id)\n".utf8))
        case .database:
            if database != nil { throw corruptError("it has two databases") }
            database = (try digest(of: entry, size), size)
        case .manifest:
            if size > BackupManifest.maximumBytes { throw corruptError("its list of contents is too long") }
        }
        return entry
    }

    /// Reads and hashes the content of an entry, and skips the padding after it.
    private mutating func digest(of entry: BackupEntry, _ size: Int64) throws(StoreError) -> BlobStore.ID {
        var hash = SHA256()
        var meter = meter
        let sink = sink
        try sink.begin(entry)
        let isComplete = try file.read(from: offset, count: size) { data throws(StoreError) in
            hash.update(data: data)
            try meter.add(data.count)
            try sink.take(data)
        }
        self.meter = meter
        offset += size
        try skipPadding(after: size, of: entry, isComplete: isComplete)
        let digest = BlobStore.ID(hash.finalize())
        if case .blob(let id) = entry, id != digest { return digest }
        try sink.end(entry)
        return digest
    }

    private mutating func skipPadding(
        after size: Int64, of entry: BackupEntry, isComplete: Bool
    ) throws(StoreError) {
        let padding = BackupEntry.padding(after: size)
        guard isComplete, try file.read(padding, at: offset) == Data(count: padding) else {
            throw corruptError("\(entry.name) is cut off")
        }
        offset += Int64(padding)
    }

    private mutating func manifest(_ digest: BlobStore.ID) throws(StoreError) -> BackupManifest {
        // The header was read already; read it again for its size.
        let header = try file.read(BackupEntry.blockSize, at: offset - Int64(BackupEntry.blockSize))
        guard let (entry, size) = BackupEntry.parse(Array(header)) else { throw notABackupError }
        let data = try file.read(Int(size), at: offset)
        offset += Int64(data.count)
        try skipPadding(after: size, of: entry, isComplete: Int64(data.count) == size)
        guard BlobStore.ID(of: data) == digest else { throw corruptError("its list of contents has changed") }
        do {
            return try BackupManifest.decoder.decode(BackupManifest.self, from: data)
        } catch {
            throw StoreError(
                .newerVersion,
                "\(file.path) is a backup of another version of this program: its list of contents cannot be read. "
                    + "Use the newest version.",
                cause: error)
        }
    }

    private var notABackupError: StoreError {
        StoreError(.corrupt, "\(file.path) is not a backup of this program. Choose another file.")
    }

    private func corruptError(_ reason: String) -> StoreError {
        StoreError(
            .corrupt, "\(file.path) is incomplete or damaged: \(reason). Nothing was changed. Use another backup.")
    }
}

extension Backup {
    /// Reads a backup's summary without verifying its content.
    ///
    /// Throws `corrupt` if the file is not a backup, or is truncated, and `newerVersion` if its manifest has a format
    /// that this version of the program can't read.
    public static func summary(of path: String) async throws(StoreError) -> Summary {
        let ignored: ProgressHandler = { _ in }
        return try await BackupMeter.run(ignored) { meter throws(StoreError) in
            var reader = BackupReader(try BackupFile(path), meter)
            return try reader.readManifest().summary
        }
    }

    /// Reads a whole backup and verifies every byte of it.
    ///
    /// Throws `corrupt` if the file is not a backup, or is damaged or incomplete, and `newerVersion` as
    /// ``summary(of:)`` does.
    public static func verify(
        _ path: String, progress: @escaping ProgressHandler = { _ in }
    ) async throws(StoreError) -> Summary {
        try await BackupMeter.run(progress) { meter throws(StoreError) in
            var reader = BackupReader(try BackupFile(path), meter)
            return try reader.readAll().summary
        }
    }
}
