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

/// The folder for a job's output files.
struct JobFolder: Sendable {
    /// The name of the output file of jobs that write only one.
    static let page = "page"
    /// Files of more bytes are copied to disk and not into memory; the archive of a capture may have 256 MB.
    private static let mostInMemory = 4 << 20

    let path: String
    /// The disk space that each write leaves.
    let floor: FreeDiskFloor

    /// Makes the folder, empty.
    ///
    /// - Throws: ``StoreError`` if it can't be made.
    func make() throws(StoreError) {
        do throws(Errno) {
            try Disk.real.makeFolder(FilePath(path).removingLastComponent().string)
            try Disk.real.makeFolder(path)
        } catch {
            throw StoreError(error, "could not be made", at: path)
        }
    }

    /// Writes an output file.
    ///
    /// Its content need not survive a crash of the machine: the job is run anew then.
    ///
    /// - Throws: ``StoreError``, with the code `diskFull` if there is no room, or too little would stay free.
    func write(_ data: Data, as name: String) throws(StoreError) {
        let file = place(of: name)
        if let refusal = floor.refusal(at: path, adding: data.count) { throw StoreError(refusal) }
        do throws(Errno) {
            _ = try Disk.real.writeNewFile(file, data, isDurable: false)
        } catch {
            throw StoreError(error, "could not be written", at: file)
        }
    }

    /// Reads an output file; it must be a regular file within the size limit.
    ///
    /// The process's own file is never mapped into memory: a process that cuts off a mapped file ends its readers by SIGBUS.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - limit: The size limit in bytes.
    /// - Returns: Its content, which the process can't change any more.
    /// - Throws: `fileTooLarge`, or the system's error.
    func read(_ name: String, upTo limit: Int) throws -> Data {
        // A pipe without a writer would block the open.
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
