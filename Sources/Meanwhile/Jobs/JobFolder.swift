import DurableFiles
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

/// The folder for the output files of one attempt of a job.
struct JobFolder: Sendable {
    /// The name of the output file of jobs that write only one file.
    static let page = "page"
    /// The largest file that is read into memory, in bytes; larger ones, such as archives of up to 256 MB, are copied to disk.
    private static let mostInMemory = 4 << 20

    let path: String
    /// The disk space that each write must leave free.
    let floor: FreeDiskFloor

    /// Creates the empty folder.
    ///
    /// - Throws: ``StoreError`` if it can't be created.
    func make() throws(StoreError) {
        try onDisk("could not be made", at: path) { () throws(Errno) in
            try Disk.real.makeFolder(FilePath(path).removingLastComponent().string)
            try Disk.real.makeFolder(path)
        }
    }

    /// Writes an output file.
    ///
    /// The content need not survive a system crash, after which the job runs again.
    ///
    /// - Throws: ``StoreError``, with the code `diskFull` if the disk is full or too little space would stay free.
    func write(_ data: Data, as name: String) throws(StoreError) {
        let file = place(of: name)
        if let refusal = floor.refusal(at: path, adding: data.count) { throw StoreError(refusal) }
        try onDisk("could not be written", at: file) { () throws(Errno) in
            _ = try Disk.real.writeNewFile(file, data, isDurable: false)
        }
    }

    /// Reads an output file, which must be a regular file within the size limit.
    ///
    /// The job's own file is never memory-mapped: if the job truncated a mapped file, SIGBUS would kill this process.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - limit: The size limit in bytes.
    /// - Returns: The content, which the job's process can no longer change.
    /// - Throws: `Errno.fileTooLarge`, also if it isn't a regular file; the system's error; `StoreError` from the copy.
    func read(_ name: String, upTo limit: Int) throws -> Data {
        // Without `nonBlocking`, opening a pipe that has no writer would block.
        let file = try FileDescriptor.open(
            place(of: name), .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
        defer { try? file.close() }
        var status = stat()
        guard fstat(file.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else { throw Errno.fileTooLarge }
        let handle = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false)
        if status.st_size <= Self.mostInMemory {
            let data = try handle.read(upToCount: Self.mostInMemory + 1) ?? Data()
            guard data.count <= min(limit, Self.mostInMemory) else { throw Errno.fileTooLarge }
            return data
        }
        let copy = try IncomingFile(in: FilePath(path).removingLastComponent().string, leaving: floor)
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
            guard copy.byteCount + piece.count <= limit else { throw Errno.fileTooLarge }
            try copy.append(piece)
        }
        return try copy.mapped()
    }

    /// Removes the folder with all files in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    private func place(of name: String) -> String {
        FilePath(path).appending(name).string
    }
}
