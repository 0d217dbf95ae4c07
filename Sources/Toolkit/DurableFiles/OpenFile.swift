package import Foundation
package import SystemPackage

/// An open file, which is closed with the last reference to it.
package final class OpenFile: Sendable {
    /// What a file is opened for; a new one is readable and writable by its owner alone.
    package enum Mode: Sendable {
        case reading
        /// For reading and writing; the file must exist.
        case updating
        /// For reading and writing; the file is created if it does not exist.
        case creating
        /// For reading and writing; the file must not exist.
        case new
        /// For writing at the end; the file is created if it does not exist.
        case appending
    }

    let descriptor: CInt

    /// Opens a file so that no child process inherits it.
    ///
    /// It does not wait: opening a named pipe would, for another program that opens it too.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - mode: What for.
    ///   - followingLink: Whether the file may be a symbolic link to another.
    /// - Throws: The system's error: `tooManySymbolicLinkLevels` for a link that isn't followed.
    package init(_ path: String, _ mode: Mode, followingLink: Bool = true) throws(Errno) {
        self.descriptor = try SystemCall.openFile(path, mode, followingLink: followingLink)
    }

    deinit {
        SystemCall.closeFile(descriptor)
    }
}

extension OpenFile {
    /// What tells the file from another of its name.
    ///
    /// - Throws: `isDirectory` if it is not a regular file.
    package func stamp() throws(Errno) -> FileStamp {
        guard let stamp = FileStamp(try Stat(FileDescriptor(rawValue: descriptor))) else { throw .isDirectory }
        return stamp
    }

    /// Reads bytes from an offset on; fewer at the end of the file.
    package func read(_ count: Int, at offset: Int64 = 0) throws(Errno) -> Data {
        var data = Data(count: count)
        var got = 0
        while got < count {
            let more = try SystemCall.retrying {
                data.withUnsafeMutableBytes { buffer in
                    SystemCall.readBytes(
                        descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[got...]), at: offset + Int64(got))
                }
            }
            if more == 0 { break }
            got += more
        }
        return got == count ? data : data.prefix(got)
    }

    /// Writes all bytes, after those that were written before.
    package func write(_ data: Data) throws(Errno) {
        var count = 0
        while count < data.count {
            count += try SystemCall.retrying {
                data.withUnsafeBytes { buffer in
                    SystemCall.writeBytes(descriptor, UnsafeRawBufferPointer(rebasing: buffer[count...]))
                }
            }
        }
    }

    /// Writes a few bytes at the beginning of the file; a failure is ignored.
    package func overwrite(_ bytes: UnsafeRawBufferPointer) {
        _ = SystemCall.writeBytes(descriptor, bytes, at: 0)
    }

    /// The offset that the next bytes are written at.
    package func position() throws(Errno) -> Int64 {
        Int64(try SystemCall.retrying { SystemCall.seek(descriptor, 0, isRelative: true) })
    }

    /// Removes what is in the file from an offset on; the next bytes are written there.
    package func truncate(to offset: Int64) throws(Errno) {
        try SystemCall.check(SystemCall.truncateFile(descriptor, offset))
        _ = try SystemCall.retrying { SystemCall.seek(descriptor, Int(offset), isRelative: false) }
    }

    /// Makes what was written durable.
    package func sync() throws(Errno) {
        try SystemCall.syncFile(descriptor)
    }
}
