import DurableFiles
public import Foundation
import SystemPackage

extension BlobStore {
    /// Writes a blob durably to the disk; ``keep(_:in:)`` then adds it to the store.
    ///
    /// A staged blob that is never added is swept after a day. The file is written on a separate thread. Throws
    /// `diskFull` if the disk is full, or too little space would remain free.
    public func stage(_ data: Data) async throws(StoreError) -> StagedBlob {
        let folder = database.folder
        return try await DiskWork.run { () throws(StoreError) in
            let path = "\(folder.stagedPath)/\(UUID().uuidString)"
            if let refusal = folder.refusal(adding: data.count) { throw StoreError(refusal) }
            try onDisk("could not be written", at: path) { () throws(Errno) in
                try Disk.real.makeFolder(folder.blobsPath)
                try Disk.real.makeFolder(folder.stagedPath)
                try Disk.real.writeNewFile(path, data)
            }
            return StagedBlob(id: ID(of: data), bytes: data.count, path: path)
        }
    }

    /// Deletes a staged blob that won't be added, which would otherwise be swept after a day.
    ///
    /// - Parameter staged: The result of ``stage(_:)``. If the blob was added already, nothing happens.
    public func discard(_ staged: StagedBlob) async {
        _ = try? await DiskWork.run { () throws(StoreError) in
            _ = try? Disk.real.removeFile(staged.path)
        }
    }

    /// The path of a blob's file, whether it exists or not; the file is never modified.
    public func path(of id: ID) -> String {
        "\(database.folder.blobsPath)/\(id.description.prefix(2))/\(id)"
    }

    /// Reads a blob, and verifies its SHA-256.
    ///
    /// - Returns: The bytes.
    /// - Throws: ``StoreError``: `missing` if it does not exist, `corrupt` if it has changed.
    public func read(_ id: ID) async throws(StoreError) -> Data {
        let path = path(of: id)
        return try await DiskWork.run { () throws(StoreError) in
            let data: Data
            do throws(Errno) {
                data = try Disk.real.readFile(path)
            } catch .noSuchFileOrDirectory {
                throw StoreError(.missing, "Blob \(id) is not kept, or no longer. Add its content again.")
            } catch {
                throw StoreError(error, "could not be read", at: path)
            }
            guard ID(of: data) == id else {
                throw StoreError(
                    .corrupt, "\(path) has changed since it was kept. Restore it from a backup, or add it again.")
            }
            return data
        }
    }
}

extension DataFolder {
    /// The folder of staged blobs.
    var stagedPath: String { "\(blobsPath)/.staged" }
}
