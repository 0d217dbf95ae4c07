import Foundation
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files and folders, by system calls: what is durable when one returns is said, and each failure has its number.
enum Disk {
    /// Makes a folder that only its owner may enter.
    ///
    /// - Returns: Whether it is new; if not, it was there.
    @discardableResult
    static func makeFolder(_ path: String) throws(Errno) -> Bool {
        if mkdir(path, 0o700) == 0 { return true }
        let error = Errno(rawValue: errno)
        guard error == .fileExists else { throw error }
        guard isFolder(path) else { throw .notDirectory }
        return false
    }

    /// Makes the entries of a folder durable: what was created in it, renamed into it or removed from it.
    static func syncFolder(_ path: String) throws(Errno) {
        let descriptor = try openFile(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        try sync(descriptor)
    }

    /// Writes a file that was not there, and makes its content durable; its name is durable after ``syncFolder(_:)``.
    static func writeNewFile(_ path: String, _ data: Data) throws(Errno) {
        let descriptor = try openFile(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        do throws(Errno) {
            try writeAll(data, to: descriptor)
            try sync(descriptor)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// The content of a file.
    static func readFile(_ path: String) throws(Errno) -> Data {
        let descriptor = try openFile(path, O_RDONLY)
        defer { close(descriptor) }
        var status = stat()
        try check(fstat(descriptor, &status))
        guard isRegular(status) else { throw .isDirectory }
        var data = Data(count: Int(status.st_size))
        var count = 0
        while count < data.count {
            let more = try retrying {
                data.withUnsafeMutableBytes { buffer in
                    read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                }
            }
            if more == 0 { break }
            count += more
        }
        return data.prefix(count)
    }

    /// Gives a file or folder another name, on the same disk; what has that name already, if it is a file, is replaced.
    static func rename(_ path: String, to other: String) throws(Errno) {
        #if canImport(Glibc)
            try check(Glibc.rename(path, other))
        #elseif canImport(Musl)
            try check(Musl.rename(path, other))
        #else
            try check(Darwin.rename(path, other))
        #endif
    }

    /// Removes a file.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    static func removeFile(_ path: String) throws(Errno) -> Bool {
        if unlink(path) == 0 { return true }
        let error = Errno(rawValue: errno)
        guard error == .noSuchFileOrDirectory else { throw error }
        return false
    }
}

extension Disk {
    /// What is known of a regular file.
    struct File {
        /// Its length.
        var bytes: Int
        /// When it was last written.
        var written: Date
    }

    /// What is known of a regular file, or of what a link leads to; `nil` if there is none of that name.
    static func file(_ path: String) -> File? {
        var status = stat()
        guard stat(path, &status) == 0, isRegular(status) else { return nil }
        #if canImport(Darwin)
            let written = status.st_mtimespec
        #else
            let written = status.st_mtim
        #endif
        return File(
            bytes: Int(status.st_size),
            written: Date(timeIntervalSince1970: Double(written.tv_sec) + Double(written.tv_nsec) / 1_000_000_000))
    }

    /// Whether there is anything of that name.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Whether there is a folder of that name, or a link to one.
    static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder, in order; none if it cannot be read.
    static func names(in path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Whether hardly anything fits on the disk any more.
    static func isFull(at path: String) -> Bool {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return false }
        // SQLite makes its shared memory in pieces of 32 KiB, and reports a failure as one of the disk.
        return UInt64(status.f_bavail) * UInt64(status.f_frsize) < 65_536
    }
}

extension Disk {
    /// Opens a file so that no child process inherits it.
    static func openFile(_ path: String, _ flags: CInt) throws(Errno) -> CInt {
        try retrying { Int(open(path, flags | O_CLOEXEC, 0o600)) }.asDescriptor
    }

    /// Writes all of it.
    static func writeAll(_ data: Data, to descriptor: CInt) throws(Errno) {
        var count = 0
        while count < data.count {
            count += try retrying {
                data.withUnsafeBytes { buffer in
                    write(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                }
            }
        }
    }

    /// Makes what was written durable.
    static func sync(_ descriptor: CInt) throws(Errno) {
        #if canImport(Darwin)
            // `fsync` there leaves it in the drive's own memory; not every file system knows the other.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try retrying { Int(fsync(descriptor)) }
    }

    /// Makes a call again as long as a signal interrupts it.
    static func retrying(_ call: () -> Int) throws(Errno) -> Int {
        while true {
            let result = call()
            if result != -1 { return result }
            let error = Errno(rawValue: errno)
            if error != .interrupted { throw error }
        }
    }

    private static func check(_ result: CInt) throws(Errno) {
        if result != 0 { throw Errno(rawValue: errno) }
    }

    private static func isRegular(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFREG
    }
}

extension Int {
    fileprivate var asDescriptor: CInt { CInt(truncatingIfNeeded: self) }
}
