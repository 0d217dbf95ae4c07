import SystemPackage

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A pipe in the file system, held open at both ends, so that neither reader nor writer waits for the other to come.
struct NamedPipe {
    let path: String
    private let descriptor: FileDescriptor

    /// Makes the pipe.
    init(_ path: String) throws {
        guard mkfifo(path, 0o666) == 0 else { throw Errno(rawValue: errno) }
        self.path = path
        // https://man7.org/linux/man-pages/man7/fifo.7.html: on Linux a pipe may be opened for both.
        descriptor = try FileDescriptor.open(path, .readWrite, options: [.closeOnExec])
    }

    /// Writes to whoever reads it.
    func write(_ text: String) throws {
        try descriptor.writeAll(text.utf8)
    }

    /// How many bytes are in it that nobody has read.
    func unread() throws -> Int {
        var count: CInt = 0
        guard ioctl(descriptor.rawValue, UInt(FIONREAD), &count) == 0 else { throw Errno(rawValue: errno) }
        return Int(count)
    }

    func close() {
        try? descriptor.close()
    }
}
