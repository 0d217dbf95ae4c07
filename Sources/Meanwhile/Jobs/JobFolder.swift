import Foundation
import Persistence
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The folder that a child writes its files into.
struct JobFolder: Sendable {
    /// The one file of jobs that make only one.
    static let page = "page"
    /// The largest file that is read: a web archive's limit, with its lists.
    private static let largest = 512 << 20

    let path: String

    /// Makes a folder that is empty.
    ///
    /// - Parameter parent: The folder that it is in, which is made if it isn't there.
    /// - Throws: What the system says.
    init(in parent: String) throws(Errno) {
        path = FilePath(parent).appending(UUID().uuidString.lowercased()).string
        try Disk.real.makeFolder(parent)
        try Disk.real.makeFolder(path)
    }

    /// A folder that is there.
    init(path: String) {
        self.path = path
    }

    /// Writes a file; it need not survive the end of the machine.
    func write(_ data: Data, as name: String) throws(Errno) {
        _ = try Disk.real.writeNewFile(place(of: name), data, isDurable: false)
    }

    /// Reads a file that a child has written: a regular one, of bounded length.
    ///
    /// The child has ended its work on it, so that it may be mapped: nobody shortens it any more.
    func read(_ name: String) throws -> Data {
        let path = place(of: name)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw Errno(rawValue: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.largest else { throw Errno.fileTooLarge }
        return try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)
    }

    /// Removes it with all that is in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    private func place(of name: String) -> String {
        FilePath(path).appending(name).string
    }
}

/// What a child reads: an open file.
struct JobInput {
    private let file: FileDescriptor?

    init(_ file: FileDescriptor?) {
        self.file = file
    }

    /// All of it.
    func data() throws -> Data {
        guard let file else { throw Errno.badFileDescriptor }
        let length = try file.seek(offset: 0, from: .end)
        let count = Int(length)
        var data = Data(count: count)
        var read = 0
        while read < count {
            let more = try data.withUnsafeMutableBytes { buffer in
                try file.read(
                    fromAbsoluteOffset: Int64(read),
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[read..<count]))
            }
            if more == 0 { break }
            read += more
        }
        return data.prefix(read)
    }
}
