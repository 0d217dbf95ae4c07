import DurableFiles
public import Foundation
import SystemPackage

extension BlobStore {
    /// Writes a blob durably to the disk; ``add(_:in:)`` then adds it to the store.
    ///
    /// A staged blob that is never added is swept after a day. The file is written on a separate thread. Throws
    /// `diskFull` if the disk is full, or too little space would remain free.
    public func stage(_ data: Data) async throws(StoreError) -> StagedBlob {
        try await DiskWork.run { () throws(StoreError) in
            let file = try self.writeStaged(data, as: ID(of: data))
            return StagedBlob(id: file.id, bytes: data.count, files: [file], pieces: [])
        }
    }

    /// Deletes a staged blob that won't be added, which would otherwise be swept after a day.
    ///
    /// - Parameter staged: The result of ``stage(_:)`` or ``stage(_:sharing:)``. If the blob was added already, nothing
    ///   happens.
    public func discard(_ staged: StagedBlob) async {
        await DiskWork.run { Self.remove(staged.files) }
    }

    func writeStaged(_ data: Data, as id: ID) throws(StoreError) -> StagedFile {
        let folder = database.folder
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
        "\(database.folder.blobsPath)/\(id.description.prefix(2))/\(id)"
    }

    /// Reads a blob, and verifies its SHA-256.
    ///
    /// - Returns: The bytes.
    /// - Throws: ``StoreError``: `missing` if it does not exist, `corrupt` if it has changed.
    public func read(_ id: ID) async throws(StoreError) -> Data {
        let path = path(of: id)
        let file = try await DiskWork.run { () throws(StoreError) -> Data? in
            do throws(Errno) {
                return try Disk.real.readFile(path)
            } catch .noSuchFileOrDirectory {
                return nil
            } catch {
                throw StoreError(error, "could not be read", at: path)
            }
        }
        let pieces = file == nil ? try await database.read { try self.pieces(of: id, in: $0) } : []
        guard file != nil || !pieces.isEmpty else {
            throw StoreError(.missing, "Blob \(id) does not exist, or was removed. Add its content again.")
        }
        return try await DiskWork.run { () throws(StoreError) in
            let data: Data
            if let file { data = file } else { data = try BlobReader(pieces).read() }
            guard ID(of: data) == id else {
                throw StoreError(
                    .corrupt, "\(path) has changed since it was stored. Restore it from a backup, or add it again.")
            }
            return data
        }
    }
}

extension DataFolder {
    /// The folder of staged blobs.
    var stagedPath: String { "\(blobsPath)/.staged" }
}
