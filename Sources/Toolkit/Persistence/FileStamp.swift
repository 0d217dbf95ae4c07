package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a regular file can be told by without reading it: another one of the same name has another.
package struct FileStamp: Hashable, Sendable {
    /// Its number on its disk.
    package var number: UInt64
    /// Its length.
    package var bytes: Int
    /// When it was last written, in nanoseconds since 1970.
    package var modified: Int64

    /// That of an open file.
    ///
    /// - Throws: `isDirectory` if it is not a regular file.
    init(of descriptor: CInt) throws(Errno) {
        var status = stat()
        try Disk.check(fstat(descriptor, &status))
        guard let stamp = Self(status) else { throw .isDirectory }
        self = stamp
    }

    /// That of the file of a name; `nil` if there is none.
    package init?(at path: String) throws(Errno) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            let error = Errno(rawValue: errno)
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
        guard let stamp = Self(status) else { throw .isDirectory }
        self = stamp
    }

    private init?(_ status: stat) {
        guard status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
            let written = status.st_mtimespec
        #else
            let written = status.st_mtim
        #endif
        self.number = UInt64(status.st_ino)
        self.bytes = Int(status.st_size)
        self.modified = Self.nanoseconds(seconds: Int64(written.tv_sec), and: Int64(written.tv_nsec))
    }
}

extension FileStamp {
    /// The nanoseconds of a file's time since 1970.
    ///
    /// 64 bits hold the times from 1677 to 2262; file systems store others too.
    ///
    /// - Parameters:
    ///   - seconds: The whole seconds since 1970.
    ///   - nanoseconds: The nanoseconds after them.
    /// - Returns: The nanoseconds, or the nearest number that fits.
    package static func nanoseconds(seconds: Int64, and nanoseconds: Int64) -> Int64 {
        let (whole, overflows) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, sumOverflows) = whole.addingReportingOverflow(nanoseconds)
        return overflows || sumOverflows ? (seconds < 0 ? .min : .max) : sum
    }
}

extension FileStamp {
    /// Gives an open file a time of its own: now, or if the clock went backwards or stands still, right after another.
    static func setModified(_ descriptor: CInt, after earlier: Int64) throws(Errno) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        // The greatest time has no later one; what the file contains tells the two apart then.
        let later = earlier == .max ? earlier : earlier + 1
        let time = max(nanoseconds(seconds: Int64(now.tv_sec), and: Int64(now.tv_nsec)), later)
        let modified = timespec(tv_sec: .init(time / 1_000_000_000), tv_nsec: .init(time % 1_000_000_000))
        var times = (modified, modified)
        let result = withUnsafePointer(to: &times) { pair in
            pair.withMemoryRebound(to: timespec.self, capacity: 2) { futimens(descriptor, $0) }
        }
        try Disk.check(result)
    }
}
