import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The calls of the platform's C library; no other file of this target imports it.
enum SystemCall {
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

// MARK: - Open files

extension SystemCall {
    static func openFile(_ path: String, _ mode: OpenFile.Mode, followingLink: Bool) throws(Errno) -> CInt {
        let flags =
            switch mode {
            case .reading: O_RDONLY
            case .updating: O_RDWR
            case .creating: O_RDWR | O_CREAT
            case .new: O_RDWR | O_CREAT | O_EXCL
            case .appending: O_WRONLY | O_CREAT | O_APPEND
            }
        let all = flags | O_CLOEXEC | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW)
        return CInt(truncatingIfNeeded: try retrying { Int(open(path, all, 0o600)) })
    }

    static func closeFile(_ descriptor: CInt) {
        close(descriptor)
    }

    static func readBytes(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }

    /// Writes at an offset, or after what was written before.
    static func writeBytes(_ descriptor: CInt, _ buffer: UnsafeRawBufferPointer, at offset: Int64? = nil) -> Int {
        guard let offset else { return write(descriptor, buffer.baseAddress, buffer.count) }
        return pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }

    static func seek(_ descriptor: CInt, _ offset: Int, isRelative: Bool) -> Int {
        Int(lseek(descriptor, off_t(offset), isRelative ? SEEK_CUR : SEEK_SET))
    }

    static func truncateFile(_ descriptor: CInt, _ offset: Int64) -> CInt {
        ftruncate(descriptor, off_t(offset))
    }

    static func syncFile(_ descriptor: CInt) throws(Errno) {
        #if canImport(Darwin)
            // `fsync` there leaves it in the drive's own memory; not every file system knows the other.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        #endif
        _ = try retrying { Int(fsync(descriptor)) }
    }

    static func setPermissions(_ descriptor: CInt, _ mode: mode_t) throws(Errno) {
        try check(fchmod(descriptor, mode))
    }

    /// Takes an `flock(2)` without waiting.
    static func lock(_ descriptor: CInt, exclusively: Bool) throws(Errno) {
        _ = try retrying { Int(flock(descriptor, (exclusively ? LOCK_EX : LOCK_SH) | LOCK_NB)) }
    }

    static func unlock(_ descriptor: CInt) {
        _ = flock(descriptor, LOCK_UN)
    }
}

// MARK: - Folders and names

extension SystemCall {
    static func makeFolder(_ path: String) throws(Errno) {
        try check(mkdir(path, 0o700))
    }

    static func syncFolder(_ path: String) throws(Errno) {
        let descriptor = CInt(
            truncatingIfNeeded: try retrying { Int(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK)) })
        defer { close(descriptor) }
        try syncFile(descriptor)
    }

    /// The names in a folder, in no order.
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

    /// The blocks of a disk that this account may still use, all of them, and the size of one.
    static func blocks(ofDiskAt path: String) -> (free: UInt64, all: UInt64, size: UInt64)? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return (UInt64(status.f_bavail), UInt64(status.f_blocks), UInt64(status.f_frsize))
    }
}

// MARK: - Times

extension SystemCall {
    /// The time in nanoseconds since 1970.
    static var now: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return now.nanoseconds
    }

    static func setModified(_ descriptor: CInt, to time: Int64) throws(Errno) {
        let times = [timespec(nanoseconds: time), timespec(nanoseconds: time)]
        try check(futimens(descriptor, times))
    }

    /// Sets the time at which a file was used, and leaves that at which it was modified.
    static func setUsed(_ path: String, to time: Int64) {
        #if canImport(Darwin)
            let omit = -2
        #else
            let omit = (1 << 30) - 2
        #endif
        // `UTIME_OMIT` is a macro that Swift doesn't import.
        _ = utimensat(AT_FDCWD, path, [timespec(nanoseconds: time), timespec(tv_sec: 0, tv_nsec: omit)], 0)
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
    /// When the file was last written, in nanoseconds since 1970.
    var modified: Int64 { st_mtim.nanoseconds }

    /// When the file was last used, in nanoseconds since 1970.
    var used: Int64 { st_atim.nanoseconds }
}

// MARK: - Accounts

extension SystemCall {
    /// The number of the account that this process acts as.
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
        /// A descriptor of inotify that tells what happens to a file or in a folder; `nil` if the system has none left.
        static func events(of path: String) -> CInt? {
            let events = inotify_init1(CInt(IN_NONBLOCK | IN_CLOEXEC))
            guard events >= 0 else { return nil }
            // In a folder, a file is renamed to its place, written in place by an editor, or removed.
            let inFolder = IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE | IN_CREATE
            let mask = UInt32(Disk.isFolder(path) ? inFolder | IN_ONLYDIR : IN_MODIFY)
            if inotify_add_watch(events, path, mask) >= 0 { return events }
            close(events)
            return nil
        }

        /// Reads all that has happened.
        ///
        /// - Returns: The names in the folder that it happened to.
        static func takeEvents(_ descriptor: CInt) -> Set<String> {
            var names: Set<String> = []
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while case let count = read(descriptor, &buffer, buffer.count), count > 0 {
                var start = 0
                // Each is a `struct inotify_event` of 16 bytes, the last four of which are the length of the name after it.
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
