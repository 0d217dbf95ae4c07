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

    /// Creates an empty file that only this account may read.
    ///
    /// - Parameters:
    ///   - folder: The folder that it is in, which is made if it isn't there.
    ///   - floor: The disk space that stays free while the file grows.
    /// - Throws: ``PersistenceError``, if it can't be made.
    public init(in folder: String, leaving floor: FreeDiskFloor = .automatic) throws(PersistenceError) {
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
    /// - Throws: ``PersistenceError``, with the code `diskFull` if there is no room, or too little would stay free.
    public func append(_ bytes: Data) throws(PersistenceError) {
        if let refusal = floor.refusal(at: path, adding: bytes.count) { throw PersistenceError(refusal) }
        try onDisk("could not be written", at: path) { () throws(Errno) in try file.write(bytes) }
        written.withLock { $0 += bytes.count }
    }

    /// The whole content, mapped into memory: the system reads it when it is used.
    ///
    /// The mapping outlives the file. No other program may shorten the file, which would end this process.
    ///
    /// - Throws: ``PersistenceError``, if it can't be read.
    public func mapped() throws(PersistenceError) -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path), options: .alwaysMapped)
        } catch {
            throw PersistenceError(.inputOutput, "“\(path)” could not be read: \(error)", cause: error)
        }
    }

    /// A part of what has come.
    ///
    /// - Parameters:
    ///   - offset: Where the part begins, in bytes.
    ///   - count: How many bytes it has at most.
    /// - Returns: The part; empty at the end of the file.
    /// - Throws: ``PersistenceError``, if it can't be read.
    public func part(at offset: Int, count: Int) throws(PersistenceError) -> Data {
        try onDisk("could not be read", at: path) { () throws(Errno) in try file.read(count, at: Int64(offset)) }
    }

    /// All that has come.
    ///
    /// - Throws: ``PersistenceError``, if it can't be read.
    public func read() throws(PersistenceError) -> Data {
        try part(at: 0, count: byteCount)
    }
}
