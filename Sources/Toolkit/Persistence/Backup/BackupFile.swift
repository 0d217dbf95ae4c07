import Foundation
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file of a backup, or one that goes into it, by pieces.
final class BackupFile {
    /// How much is read at a time, in bytes.
    static let piece = 1 << 20

    let path: String
    let length: Int64
    private let descriptor: CInt

    /// - Parameters:
    ///   - path: The file's path.
    ///   - flags: Of `open(2)`.
    /// - Throws: ``PersistenceError``, if it cannot be opened or is not a regular file.
    init(_ path: String, _ flags: CInt) throws(PersistenceError) {
        self.path = path
        do throws(Errno) {
            let descriptor = try Disk.openFile(path, flags)
            do throws(Errno) {
                self.length = Int64(try FileStamp(of: descriptor).bytes)
                self.descriptor = descriptor
            } catch {
                close(descriptor)
                throw error
            }
        } catch {
            throw PersistenceError(error, "could not be opened", at: path)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Reads so many bytes from a place on; fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(PersistenceError) -> Data {
        var data = Data(count: count)
        var got = 0
        while got < count {
            let more: Int
            do throws(Errno) {
                more = try Disk.retrying {
                    data.withUnsafeMutableBytes { buffer in
                        pread(
                            descriptor, buffer.baseAddress?.advanced(by: got), count - got, off_t(offset) + off_t(got))
                    }
                }
            } catch {
                throw PersistenceError(error, "could not be read", at: path)
            }
            if more == 0 { break }
            got += more
        }
        return got == count ? data : data.prefix(got)
    }

    /// Reads a part, piece by piece.
    ///
    /// - Returns: Whether the file has all of it.
    func read(
        from offset: Int64, count: Int64, _ take: (Data) throws(PersistenceError) -> Void
    ) throws(PersistenceError) -> Bool {
        var done: Int64 = 0
        while done < count {
            let wanted = Int(min(Int64(Self.piece), count - done))
            let data = try read(wanted, at: offset + done)
            guard data.count == wanted else { return false }
            try take(data)
            done += Int64(wanted)
        }
        return true
    }

    /// Writes at the file's end, or wherever ``truncate(to:)`` has put it.
    func write(_ data: Data) throws(PersistenceError) {
        do throws(Errno) {
            try Disk.writeAll(data, to: descriptor)
        } catch {
            throw PersistenceError(error, "could not be written", at: path)
        }
    }

    /// Where the next bytes are written.
    func position() throws(PersistenceError) -> Int64 {
        do throws(Errno) {
            return Int64(try Disk.retrying { Int(lseek(descriptor, 0, SEEK_CUR)) })
        } catch {
            throw PersistenceError(error, "could not be written", at: path)
        }
    }

    /// Drops what is from a place on; what is written next stands there.
    func truncate(to offset: Int64) throws(PersistenceError) {
        do throws(Errno) {
            try Disk.check(ftruncate(descriptor, off_t(offset)))
            _ = try Disk.retrying { Int(lseek(descriptor, off_t(offset), SEEK_SET)) }
        } catch {
            throw PersistenceError(error, "could not be written", at: path)
        }
    }

    /// Makes what was written durable.
    func sync() throws(PersistenceError) {
        do throws(Errno) {
            try Disk.sync(descriptor)
        } catch {
            throw PersistenceError(error, "could not be written", at: path)
        }
    }
}
