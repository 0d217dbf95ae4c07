import DurableFiles
public import Foundation
import Futures
import SystemPackage

/// A file that comes in pieces, as an upload does: it is written as it comes, unread, and removed with this object.
///
/// What a program that was killed leaves behind is for the owner of the folder to remove.
public final class IncomingFile: Sendable {
    /// Where it is.
    public let path: String
    private let file: OpenFile
    private let floor: FreeDiskFloor
    private let written = Lock(0)

    /// Creates an empty file that only this account may read, in a folder that is made if it isn't there.
    public init(in folder: String, leaving floor: FreeDiskFloor = .automatic) throws(StoreError) {
        self.floor = floor
        let path = "\(folder)/\(UUID().uuidString.lowercased())"
        self.path = path
        file = try onDisk("could not be made for what comes in", at: path) { () throws(Errno) in
            try Disk.real.makeFolder(folder)
            return try OpenFile(path, .new)
        }
    }

    deinit {
        _ = try? Disk.real.removeFile(path)
    }

    /// How many bytes have come.
    public var byteCount: Int { written.withLock { $0 } }

    /// Adds what has come.
    ///
    /// - Parameter bytes: The next bytes. One task adds them at a time.
    /// - Throws: ``StoreError``, with the code `diskFull` if there is no room, or too little would stay free.
    public func append(_ bytes: Data) throws(StoreError) {
        if let refusal = floor.refusal(at: path, adding: bytes.count) { throw StoreError(refusal) }
        try onDisk("could not be written", at: path) { () throws(Errno) in try file.append(bytes) }
        written.withLock { $0 += bytes.count }
    }

    /// The whole content, mapped into memory: the system reads it when it is used.
    ///
    /// The mapping outlives the file. No other program may shorten the file, which would end this process.
    public func mapped() throws(StoreError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        } catch {
            throw StoreError(.inputOutput, "“\(path)” could not be read: \(error)", cause: error)
        }
    }

    /// A part of what has come, of `count` bytes at most; empty at the end of the file.
    public func part(at offset: Int, count: Int) throws(StoreError) -> Data {
        try onDisk("could not be read", at: path) { () throws(Errno) in try file.read(count, at: Int64(offset)) }
    }

    /// All that has come.
    public func read() throws(StoreError) -> Data {
        try part(at: 0, count: byteCount)
    }
}
