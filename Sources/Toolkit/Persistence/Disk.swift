package import Foundation
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Files and folders, by system calls: what is durable when one returns is said, and each failure has its number.
package struct Disk: Sendable {
    /// A step that a test can look at, or have fail.
    package enum Step: Hashable, Sendable {
        case makeFolder(String)
        case syncFolder(String)
        case create(String)
        case write(String)
        case sync(String)
        case read(String)
        case rename(String, to: String)
        case link(String, to: String)
        case remove(String)
    }

    /// The disk as it is.
    package static let real = Disk()

    /// Asked before each step, by tests: the step fails with what it throws.
    package var inspect: (@Sendable (Step) throws(Errno) -> Void)?

    /// - Parameter inspect: Asked before each step, by tests.
    package init(inspect: (@Sendable (Step) throws(Errno) -> Void)? = nil) {
        self.inspect = inspect
    }
}

extension Disk {
    /// Makes a folder that only its owner may enter.
    ///
    /// - Returns: Whether it is new; if not, it was there.
    @discardableResult
    package func makeFolder(_ path: String) throws(Errno) -> Bool {
        try inspect?(.makeFolder(path))
        if mkdir(path, 0o700) == 0 { return true }
        let error = Errno(rawValue: errno)
        guard error == .fileExists else { throw error }
        guard Self.isFolder(path) else { throw .notDirectory }
        return false
    }

    /// Makes the entries of a folder durable: what was created in it, renamed into it or removed from it.
    package func syncFolder(_ path: String) throws(Errno) {
        try inspect?(.syncFolder(path))
        let descriptor = try Self.openFile(path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        try Self.sync(descriptor)
    }

    /// Writes a file that was not there, and makes its content durable; its name is durable after ``syncFolder(_:)``.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - data: The content.
    ///   - earlier: In nanoseconds since 1970: it is modified after that, whatever the clock says.
    ///   - isDurable: Whether it survives the end of the machine.
    /// - Returns: What it can be told by.
    /// - Throws: What the system says; there is no file then.
    @discardableResult
    package func writeNewFile(
        _ path: String, _ data: Data, modifiedAfter earlier: Int64? = nil, isDurable: Bool = true
    ) throws(Errno) -> FileStamp {
        try inspect?(.create(path))
        let descriptor = try Self.openFile(path, O_WRONLY | O_CREAT | O_EXCL)
        defer { close(descriptor) }
        do throws(Errno) {
            try inspect?(.write(path))
            try Self.writeAll(data, to: descriptor)
            if let earlier { try FileStamp.setModified(descriptor, after: earlier) }
            if isDurable {
                try inspect?(.sync(path))
                try Self.sync(descriptor)
            }
            return try FileStamp(of: descriptor)
        } catch {
            unlink(path)
            throw error
        }
    }

    /// The content of a file.
    package func readFile(_ path: String) throws(Errno) -> Data {
        try readStampedFile(path).data
    }

    /// The content of a file, and what it can be told by.
    package func readStampedFile(_ path: String) throws(Errno) -> (data: Data, stamp: FileStamp) {
        try inspect?(.read(path))
        let descriptor = try Self.openFile(path, O_RDONLY)
        defer { close(descriptor) }
        let stamp = try FileStamp(of: descriptor)
        var data = Data(count: stamp.bytes)
        var count = 0
        while count < data.count {
            let more = try Self.retrying {
                data.withUnsafeMutableBytes { buffer in
                    read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
                }
            }
            if more == 0 { break }
            count += more
        }
        if count < data.count { data.removeLast(data.count - count) }
        return (data, stamp)
    }

    /// The names in a folder, in no order.
    package func list(_ path: String) throws(Errno) -> [String] {
        try inspect?(.read(path))
        guard let folder = opendir(path) else { throw Errno(rawValue: errno) }
        defer { closedir(folder) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(folder) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        if errno != 0 { throw Errno(rawValue: errno) }
        return names
    }

    /// Gives a file or folder another name, on the same disk; what has that name already, if it is a file, is replaced.
    package func rename(_ path: String, to other: String) throws(Errno) {
        try inspect?(.rename(path, to: other))
        #if canImport(Glibc)
            try Self.check(Glibc.rename(path, other))
        #elseif canImport(Musl)
            try Self.check(Musl.rename(path, other))
        #else
            try Self.check(Darwin.rename(path, other))
        #endif
    }

    /// Gives a file a second name, which nothing may have; where a file has one name only, it is copied.
    func link(_ path: String, to other: String) throws(Errno) {
        try inspect?(.link(path, to: other))
        #if canImport(Glibc)
            let result = Glibc.link(path, other)
        #elseif canImport(Musl)
            let result = Musl.link(path, other)
        #else
            let result = Darwin.link(path, other)
        #endif
        if result == 0 { return }
        let error = Errno(rawValue: errno)
        guard [.notPermitted, .notSupported, .tooManyLinks].contains(error) else { throw error }
        try writeNewFile(other, readFile(path))
    }

    /// Removes a file.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package func removeFile(_ path: String) throws(Errno) -> Bool {
        try inspect?(.remove(path))
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
        guard let stamp = try? FileStamp(at: path) else { return nil }
        return File(bytes: stamp.bytes, written: Date(timeIntervalSince1970: Double(stamp.modified) / 1_000_000_000))
    }

    /// Whether the path names a regular file itself; a symbolic link is none.
    static func isRegularFile(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Whether the path names a symbolic link.
    static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    /// Whether there is anything of that name.
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    /// Takes all permissions of other accounts from a file or folder; a link is followed if this account or root made it.
    ///
    /// By its path, for a folder in which no other account can rename anything: to open a database's file and close it
    /// would lose the locks that SQLite has on it for the whole process.
    ///
    /// - Returns: Whether there is one, and this account owns it; permissions are left as they are otherwise.
    static func makePrivate(_ path: String) throws(Errno) -> Ownership {
        var link = stat()
        var status = stat()
        guard lstat(path, &link) == 0, stat(path, &status) == 0 else {
            let error = Errno(rawValue: errno)
            if error == .noSuchFileOrDirectory { return .missing }
            throw error
        }
        if link.st_mode & S_IFMT == S_IFLNK, link.st_uid != geteuid(), link.st_uid != 0 {
            return .anotherAccount(link.st_uid)
        }
        guard status.st_uid == geteuid() else { return .anotherAccount(status.st_uid) }
        if isOpenToOthers(status.st_mode) { try check(chmod(path, status.st_mode & 0o7700)) }
        return .thisAccount
    }

    /// Whose a file or folder is.
    enum Ownership {
        case missing
        case thisAccount
        case anotherAccount(uid_t)
    }

    /// Whether other accounts have any permission.
    static func isOpenToOthers(_ mode: mode_t) -> Bool {
        mode & 0o077 != 0
    }

    /// Whether there is a folder of that name, or a link to one.
    package static func isFolder(_ path: String) -> Bool {
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
        return isFull(blocks: UInt64(status.f_bavail), size: UInt64(status.f_frsize))
    }

    /// Whether so many free blocks of so many bytes are hardly any; a remote file system may claim any number of them.
    static func isFull(blocks: UInt64, size: UInt64) -> Bool {
        let (bytes, overflows) = blocks.multipliedReportingOverflow(by: size)
        return !overflows && bytes < 65_536
    }
}

extension Disk {
    /// Opens a file so that no child process inherits it, and a new one so that only its owner can.
    ///
    /// It does not wait: opening a named pipe would, for another program that opens it too.
    package static func openFile(_ path: String, _ flags: CInt) throws(Errno) -> CInt {
        try retrying { Int(open(path, flags | O_CLOEXEC | O_NONBLOCK, 0o600)) }.asDescriptor
    }

    /// Writes all of it.
    package static func writeAll(_ data: Data, to descriptor: CInt) throws(Errno) {
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
    package static func sync(_ descriptor: CInt) throws(Errno) {
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

    static func check(_ result: CInt) throws(Errno) {
        if result != 0 { throw Errno(rawValue: errno) }
    }
}

extension Int {
    fileprivate var asDescriptor: CInt { CInt(truncatingIfNeeded: self) }
}
