import DurableFiles
public import Foundation
import SystemPackage

extension BlobStore {
    /// Writes a blob durably to the disk; ``add(_:in:)`` then adds it to the store.
    ///
    /// A staged blob that is never added is swept after a day. The file is written on a separate thread. Throws
    /// `diskFull` if the disk is full, or too little space would remain free; and an error of the store of objects, if
    /// there is one.
    public func stage(_ data: Data) async throws(StoreError) -> StagedBlob {
        let file = try await DiskWork.run { () throws(StoreError) in try self.writeStaged(data, as: ID(of: data)) }
        try await upload([file])
        return StagedBlob(id: file.id, bytes: data.count, files: [file], pieces: [])
    }

    /// Deletes a staged blob that won't be added, which would otherwise be swept after a day.
    ///
    /// - Parameter staged: The result of ``stage(_:)`` or ``stage(_:sharing:)``. If the blob was added already, nothing
    ///   happens.
    public func discard(_ staged: StagedBlob) async {
        await DiskWork.run { Self.remove(staged.files) }
    }

    func writeStaged(_ data: Data, as id: ID) throws(StoreError) -> StagedFile {
        let path = "\(folder.stagedPath)/\(UUID().uuidString)"
        if let refusal = folder.refusal(adding: data.count) { throw StoreError(refusal) }
        try onDisk("could not be written", at: path) { () throws(Errno) in
            try Disk.real.makeFolder(folder.blobsPath)
            try Disk.real.makeFolder(folder.stagedPath)
            try Disk.real.writeNewFile(path, data)
        }
        return StagedFile(id: id, bytes: data.count, path: path)
    }

    static func remove(_ files: [StagedFile]) {
        for file in files { _ = try? Disk.real.removeFile(file.path) }
    }

    /// The path of a blob's file, whether it exists or not; the file is never modified.
    ///
    /// A blob in pieces has no file.
    public func path(of id: ID) -> String {
        "\(folder.blobsPath)/\(id.description.prefix(2))/\(id)"
    }

    /// Reads a blob, and verifies its SHA-256.
    ///
    /// - Returns: The bytes.
    /// - Throws: ``StoreError``: `missing` if it does not exist, `corrupt` if it has changed.
    public func read(_ id: ID) async throws(StoreError) -> Data {
        do throws(StoreError) {
            return try await verifiedContent(of: id)
        } catch  where cache != nil && [.corrupt, .missing].contains(error.code) {
            // The files of this machine may be damaged, or removed since they were found. Objects are verified when
            // they are copied.
            try await removeCopies(of: id)
            return try await verifiedContent(of: id)
        }
    }

    private func verifiedContent(of id: ID) async throws(StoreError) -> Data {
        let path = path(of: id)
        var file = try await DiskWork.run { () throws(StoreError) in try Self.content(at: path) }
        var pieces: [BlobPiece] = []
        if file == nil {
            pieces = try await database.readRows { try self.pieces(of: id, in: $0) }
            if pieces.isEmpty, cache != nil {
                try await makeLocal([id])
                file = try await DiskWork.run { () throws(StoreError) in try Self.content(at: path) }
            }
            try await makeLocal(pieces)
        } else {
            await cache?.use([path])
        }
        guard file != nil || !pieces.isEmpty else { throw missingError(id) }
        return try await DiskWork.run { [file, pieces] () throws(StoreError) in
            let data: Data
            if let file { data = file } else { data = try BlobReader(pieces).read() }
            guard ID(of: data) == id else {
                throw StoreError(
                    .corrupt, "\(path) has changed since it was stored. Restore it from a backup, or add it again.")
            }
            return data
        }
    }

    private static func content(at path: String) throws(StoreError) -> Data? {
        do throws(Errno) {
            return try Disk.real.readFile(path)
        } catch .noSuchFileOrDirectory {
            return nil
        } catch {
            throw StoreError(error, "could not be read", at: path)
        }
    }
}

extension DataFolder {
    /// The folder of staged blobs.
    var stagedPath: String { "\(blobsPath)/.staged" }
}
