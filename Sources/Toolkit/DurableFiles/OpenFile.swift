package import Foundation
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// Only this file of the target imports the platform's C library.

enum SystemCall {
    /// Repeats a call while signals interrupt it.
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

// MARK: - Open files

/// An open file, which is closed when it is released.
package final class OpenFile: Sendable {
    /// How a file is opened; only its owner may read and write a new file, except for ``newWorldReadable``.
    package enum Mode: Sendable {
        case reading
        /// For reading and writing; the file must exist.
        case updating
        /// For reading and writing; the file is created if it does not exist.
        case creating
        /// For reading and writing; the file must not exist.
        case new
        /// For reading and writing; the file must not exist. All accounts may read it, if the process's umask allows.
        case newWorldReadable
        /// For writing at the end; the file is created if it does not exist.
        case appending
    }

    let descriptor: CInt

    /// Opens a file so that no child process inherits it.
    ///
    /// This never blocks, not even for a named pipe that no other program has opened. A symbolic link that isn't
    /// followed is refused with `tooManySymbolicLinkLevels`.
    package init(_ path: String, _ mode: Mode, followingLink: Bool = true) throws(Errno) {
        let flags =
            switch mode {
            case .reading: O_RDONLY
            case .updating: O_RDWR
            case .creating: O_RDWR | O_CREAT
            case .new, .newWorldReadable: O_RDWR | O_CREAT | O_EXCL
            case .appending: O_WRONLY | O_CREAT | O_APPEND
            }
        let all = flags | O_CLOEXEC | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW)
        descriptor = CInt(try SystemCall.retrying { Int(open(path, all, mode == .newWorldReadable ? 0o644 : 0o600)) })
    }

    deinit {
        close(descriptor)
    }
}

extension OpenFile {
    var status: Stat {
        get throws(Errno) { try Stat(FileDescriptor(rawValue: descriptor)) }
    }

    /// The file's stamp; throws `isDirectory` if it is not a regular file.
    package func stamp() throws(Errno) -> FileStamp {
        guard let stamp = FileStamp(try status) else { throw .isDirectory }
        return stamp
    }

    /// Reads bytes at an offset; fewer at the end of the file.
    package func read(_ count: Int, at offset: Int64 = 0) throws(Errno) -> Data {
        var data = Data(count: count)
        var got = 0
        while got < count {
            let more = try SystemCall.retrying {
                data.withUnsafeMutableBytes { buffer in
                    pread(descriptor, buffer.baseAddress?.advanced(by: got), count - got, off_t(offset) + off_t(got))
                }
            }
            if more == 0 { break }
            got += more
        }
        return got == count ? data : data.prefix(got)
    }

    /// Writes all bytes at the current position.
    package func append(_ data: Data) throws(Errno) {
        var count = 0
        while count < data.count {
            count += try SystemCall.retrying {
                data.withUnsafeBytes { write(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count) }
            }
        }
    }

    /// Writes a few bytes at an offset; a failure is ignored.
    package func overwrite(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        _ = pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset))
    }

    /// The offset of the next write.
    package func position() throws(Errno) -> Int64 {
        Int64(try SystemCall.retrying { Int(lseek(descriptor, 0, SEEK_CUR)) })
    }

    /// Removes everything from an offset on; the next write continues there.
    package func truncate(to offset: Int64) throws(Errno) {
        try SystemCall.check(ftruncate(descriptor, off_t(offset)))
        _ = try SystemCall.retrying { Int(lseek(descriptor, off_t(offset), SEEK_SET)) }
    }

    /// Makes the written bytes durable.
    package func sync() throws(Errno) {
        try SystemCall.sync(descriptor)
    }

    func setPermissions(_ mode: mode_t) throws(Errno) {
        try SystemCall.check(fchmod(descriptor, mode))
    }

    /// Sets the modification and access times, in nanoseconds since 1970.
    package func setModified(to time: Int64) throws(Errno) {
        try SystemCall.check(futimens(descriptor, [timespec(nanoseconds: time), timespec(nanoseconds: time)]))
    }

    /// Acquires a lock with `flock(2)`, without waiting.
    func lock(exclusively: Bool) throws(Errno) {
        _ = try SystemCall.retrying { Int(flock(descriptor, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB)) }
    }

    func unlock() {
        _ = flock(descriptor, LOCK_UN)
    }
}

// MARK: - Folders and names

extension SystemCall {
    static func makeFolder(_ path: String) throws(Errno) {
        try check(mkdir(path, 0o700))
    }

    static func syncFolder(_ path: String) throws(Errno) {
        let descriptor = CInt(try retrying { Int(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)) })
        defer { close(descriptor) }
        try sync(descriptor)
    }

    static func sync(_ descriptor: CInt) throws(Errno) {
        #if canImport(Darwin)
            // On Apple platforms, `fsync` leaves data in the drive's cache; not every file system supports F_FULLFSYNC.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try retrying { Int(fsync(descriptor)) }
    }

    /// The names in a folder, unordered.
    static func names(in path: String) throws(Errno) -> [String] {
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

    static func move(_ path: String, to other: String) throws(Errno) {
        try check(rename(path, other))
    }

    static func addName(_ other: String, to path: String) throws(Errno) {
        try check(link(path, other))
    }

    static func removeName(_ path: String) throws(Errno) {
        try check(unlink(path))
    }

    static func setPermissions(_ path: String, _ mode: mode_t) throws(Errno) {
        try check(chmod(path, mode))
    }

    /// The number of blocks that this account may still use, the number of all blocks, and the size of a block.
    static func blocks(ofDiskAt path: String) -> (free: UInt64, all: UInt64, size: UInt64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return (UInt64(status.f_bavail), UInt64(status.f_blocks), UInt64(status.f_frsize))
    }
}

// MARK: - Times

extension SystemCall {
    /// The current time in nanoseconds since 1970.
    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.nanoseconds
    }
}

extension timespec {
    fileprivate init(nanoseconds: Int64) {
        self.init(tv_sec: .init(nanoseconds / 1_000_000_000), tv_nsec: .init(nanoseconds % 1_000_000_000))
    }

    fileprivate var nanoseconds: Int64 {
        FileStamp.nanoseconds(seconds: Int64(tv_sec), and: Int64(tv_nsec))
    }
}

extension Stat {
    /// The modification time in nanoseconds since 1970.
    var modified: Int64 { st_mtim.nanoseconds }
}

// MARK: - Accounts

extension SystemCall {
    /// The number of the account that this process runs as.
    static var account: UInt32 { geteuid() }

    /// The name of an account; its number if it has none.
    static func name(ofAccount number: UInt32) -> String {
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16_384) { buffer in
            guard let start = buffer.baseAddress, getpwuid_r(number, &entry, start, buffer.count, &found) == 0,
                found != nil, let name = entry.pw_name
            else { return "\(number)" }
            return String(cString: name)
        }
    }
}

// MARK: - Changes

#if !canImport(Darwin)
    extension SystemCall {
        /// An inotify descriptor with the changes of a file or in a folder; `nil` if the system can't watch it.
        static func events(of path: String) -> CInt? {
            let events = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
            guard events >= 0 else { return nil }
            // In a folder, a file may be moved into place, written in place by an editor, or removed.
            let inFolder = IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE | IN_CREATE
            let mask = UInt32(Disk.isFolder(path) ? inFolder | IN_ONLYDIR : IN_MODIFY)
            if inotify_add_watch(events, path, mask) >= 0 { return events }
            close(events)
            return nil
        }

        static func stopEvents(_ descriptor: CInt) {
            close(descriptor)
        }

        /// Reads all pending events.
        static func takeEvents(_ descriptor: CInt) -> Set<String> {
            var names: Set<String> = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                var start = 0
                // Each is a `struct inotify_event` of 16 bytes, the last four of which are the length of the name that follows.
                while start + 16 <= count {
                    let length = buffer.withUnsafeBytes {
                        $0.loadUnaligned(fromByteOffset: start + 12, as: UInt32.self)
                    }
                    let end = min(start + 16 + Int(length), count)
                    let name = buffer[start + 16..<end].prefix { $0 != 0 }
                    if !name.isEmpty { names.insert(String(decoding: name, as: UTF8.self)) }
                    start = end
                }
            }
            return names
        }
    }
#endif
