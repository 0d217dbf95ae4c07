import SystemPackage

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A named pipe that is held open at both ends, so that readers and writers don't wait for each other.
struct NamedPipe {
    let path: String
    private let descriptor: FileDescriptor

    /// Creates the pipe.
    init(_ path: String) throws {
        guard mkfifo(path, 0o666) == 0 else { throw Errno(rawValue: errno) }
        self.path = path
        // Linux allows opening a pipe for reading and writing: https://man7.org/linux/man-pages/man7/fifo.7.html
        descriptor = try FileDescriptor.open(path, .readWrite, options: [.closeOnExec])
    }

    /// Writes text to the pipe.
    func write(_ text: String) throws {
        try descriptor.writeAll(text.utf8)
    }

    /// Returns the number of unread bytes in the pipe.
    func unread() throws -> Int {
        var count: CInt = 0
        guard ioctl(descriptor.rawValue, UInt(FIONREAD), &count) == 0 else { throw Errno(rawValue: errno) }
        return Int(count)
    }

    func close() {
        try? descriptor.close()
    }
}
