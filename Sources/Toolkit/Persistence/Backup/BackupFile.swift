import Crypto
import DurableFiles
import Foundation
import SystemPackage

/// An open file, either a backup or one of its sources, that is read and written in chunks.
final class BackupFile {
    /// The size of a chunk in bytes.
    static let chunkSize = 1 << 20

    let path: String
    let length: Int64
    private let file: OpenFile

    /// - Throws: ``StoreError`` if the file can't be opened, or is not a regular file.
    init(_ path: String, _ mode: OpenFile.Mode = .reading) throws(StoreError) {
        self.path = path
        (file, length) = try onDisk("could not be opened", at: path) { () throws(Errno) in
            let file = try OpenFile(path, mode)
            return (file, Int64(try file.stamp().bytes))
        }
    }

    /// Opens a blob; `nil` if it does not exist or can't be opened.
    ///
    /// - Throws: ``StoreError`` if other blobs can't be opened either, because a limit was reached.
    static func ofBlob(at path: String) throws(StoreError) -> BackupFile? {
        do throws(StoreError) {
            return try BackupFile(path)
        } catch {
            let limits: [Errno] = [.tooManyOpenFiles, .tooManyOpenFilesInSystem, .noMemory]
            if let cause = error.cause as? Errno, limits.contains(cause) { throw error }
            return nil
        }
    }

    /// Reads bytes at an offset; fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(StoreError) -> Data {
        try onDisk("could not be read", at: path) { () throws(Errno) in try file.read(count, at: offset) }
    }

    /// Reads a range in chunks.
    ///
    /// - Returns: Whether the file contains the whole range.
    func read(
        from offset: Int64, count: Int64, _ take: (Data) throws(StoreError) -> Void
    ) throws(StoreError) -> Bool {
        var done: Int64 = 0
        while done < count {
            let wanted = Int(min(Int64(Self.chunkSize), count - done))
            let data = try read(wanted, at: offset + done)
            guard data.count == wanted else { return false }
            try take(data)
            done += Int64(wanted)
        }
        return true
    }

    /// Hashes the whole file, and passes it on in chunks.
    ///
    /// - Returns: The SHA-256; `nil` if the file can't be read, or has become shorter.
    /// - Throws: An error of `take`.
    func digest(_ take: (Data) throws(StoreError) -> Void) throws(StoreError) -> BlobStore.ID? {
        var hash = SHA256()
        var offset: Int64 = 0
        while offset < length {
            let wanted = Int(min(Int64(Self.chunkSize), length - offset))
            guard let data = try? read(wanted, at: offset), data.count == wanted else { return nil }
            hash.update(data: data)
            try take(data)
            offset += Int64(wanted)
        }
        return BlobStore.ID(hash.finalize())
    }

    /// Writes at the end of the file, or at the offset of the last ``truncate(to:)``.
    func write(_ data: Data) throws(StoreError) {
        try change { () throws(Errno) in try file.append(data) }
    }

    /// The offset of the next write.
    func position() throws(StoreError) -> Int64 {
        try change { () throws(Errno) in try file.position() }
    }

    /// Removes everything from an offset on; the next write continues there.
    func truncate(to offset: Int64) throws(StoreError) {
        try change { () throws(Errno) in try file.truncate(to: offset) }
    }

    /// Makes the written bytes durable.
    func sync() throws(StoreError) {
        try change { () throws(Errno) in try file.sync() }
    }

    private func change<Value>(_ calls: () throws(Errno) -> Value) throws(StoreError) -> Value {
        try onDisk("could not be written", at: path, calls)
    }
}
