import DurableFiles
public import Foundation
import Futures
import SystemPackage

/// A temporary file for data that arrives in chunks, such as an upload; it is deleted with this object.
///
/// The code that owns the folder must delete the files that a killed process has left.
public final class IncomingFile: Sendable {
    /// The file's path.
    public let path: String
    private let file: OpenFile
    private let floor: FreeDiskFloor
    private let written = Lock(0)

    /// Creates an empty file that only this account may read, and its folder if that is missing.
    public init(in folder: String, leaving floor: FreeDiskFloor = .automatic) throws(StoreError) {
        self.floor = floor
        let path = "\(folder)/\(UUID().uuidString.lowercased())"
        self.path = path
        file = try onDisk("could not be created for the upload", at: path) { () throws(Errno) in
            try Disk.real.makeFolder(folder)
            return try OpenFile(path, .new)
        }
    }

    deinit {
        _ = try? Disk.real.removeFile(path)
    }

    /// The number of bytes that have been appended.
    public var byteCount: Int { written.withLock { $0 } }

    /// Appends a chunk.
    ///
    /// - Throws: ``StoreError``: `diskFull` if the disk is full, or too little space would remain free.
    public func append(_ bytes: Data) throws(StoreError) {
        if let refusal = floor.refusal(at: path, adding: bytes.count) { throw StoreError(refusal) }
        try onDisk("could not be written", at: path) { () throws(Errno) in try file.append(bytes) }
        written.withLock { $0 += bytes.count }
    }

    /// The whole content, mapped into memory, so that the system reads it on demand.
    ///
    /// The mapping stays valid after the file is deleted. If another program truncates the file, this process crashes.
    public func mapped() throws(StoreError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        } catch {
            throw StoreError(.inputOutput, "“\(path)” could not be read: \(error)", cause: error)
        }
    }

    /// A part of the content, of at most `count` bytes; empty at the end of the file.
    public func part(at offset: Int, count: Int) throws(StoreError) -> Data {
        try onDisk("could not be read", at: path) { () throws(Errno) in try file.read(count, at: Int64(offset)) }
    }

    /// The whole content.
    public func read() throws(StoreError) -> Data {
        try part(at: 0, count: byteCount)
    }
}
