import DurableFiles
public import Foundation
import SystemPackage

extension BlobStore {
    /// Puts content on the disk, where it waits for ``keep(_:in:)``.
    ///
    /// It is on the disk durably when this returns. What is never kept is swept after a day. Runs on no actor. Throws
    /// `diskFull` also if too little disk space would stay free.
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

    /// Removes staged content that will not be kept; without this it is swept after a day.
    ///
    /// - Parameter staged: What ``stage(_:)`` returned. It does nothing if it was kept.
    public func discard(_ staged: StagedBlob) async {
        _ = try? await DiskWork.run { () throws(StoreError) in
            _ = try? Disk.real.removeFile(staged.path)
        }
    }

    /// Where content is, or would be: a file that is never written to.
    public func path(of id: ID) -> String {
        "\(database.folder.blobsPath)/\(id.description.prefix(2))/\(id)"
    }

    /// Reads content, and checks that it is what was kept.
    ///
    /// - Returns: The content.
    /// - Throws: ``StoreError``: `missing` if it is not there, `corrupt` if it has changed.
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
    /// The folder of what waits to be kept.
    var stagedPath: String { "\(blobsPath)/.staged" }
}
