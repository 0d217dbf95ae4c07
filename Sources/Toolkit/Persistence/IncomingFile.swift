public import Foundation
import Futures
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that comes in pieces, as an upload does: it is written as it comes, unread, and removed with this object.
///
/// What a program that was killed leaves behind is for the owner of the folder to remove.
public final class IncomingFile: Sendable {
    /// Where it is.
    public let path: String
    private let descriptor: CInt
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
        path = FilePath(folder).appending(UUID().uuidString.lowercased()).string
        do throws(Errno) {
            try Disk.real.makeFolder(folder)
            descriptor = try Disk.openFile(path, O_RDWR | O_CREAT | O_EXCL)
        } catch {
            throw PersistenceError(error, "could not be made for what comes in", at: path)
        }
    }

    deinit {
        close(descriptor)
        unlink(path)
    }

    /// How many bytes have come.
    public var byteCount: Int { written.withLock { $0 } }

    /// Adds what has come.
    ///
    /// - Parameter bytes: The next bytes. One task adds them at a time.
    /// - Throws: ``PersistenceError``, with the code `diskFull` if there is no room, or too little would stay free.
    public func append(_ bytes: Data) throws(PersistenceError) {
        if let refusal = floor.refusal(at: path, adding: bytes.count) { throw PersistenceError(refusal) }
        do throws(Errno) {
            try Disk.writeAll(bytes, to: descriptor)
        } catch {
            throw PersistenceError(error, "could not be written", at: path)
        }
        written.withLock { $0 += bytes.count }
    }

    /// The whole content, mapped into memory: the system reads it when it is used.
    ///
    /// The mapping outlives the file.
    ///
    /// No other program may shorten the file, which would end this process.
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
        var data = Data(count: count)
        let read = data.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, off_t(offset)) }
        guard read >= 0 else { throw PersistenceError(Errno(rawValue: errno), "could not be read", at: path) }
        return data.prefix(read)
    }

    /// All that has come.
    ///
    /// - Throws: ``PersistenceError``, if it can't be read.
    public func read() throws(PersistenceError) -> Data {
        do throws(Errno) {
            return try Disk.real.readFile(path)
        } catch {
            throw PersistenceError(error, "could not be read", at: path)
        }
    }
}
