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
    /// The size limit of an output file, in bytes; the archive of a capture may have 256 MB.
    private static let sizeLimit = 512 << 20

    let path: String

    /// Makes the folder, empty.
    ///
    /// - Throws: ``PersistenceError`` if it can't be made.
    func make() throws(PersistenceError) {
        do throws(Errno) {
            try Disk.real.makeFolder(FilePath(path).removingLastComponent().string)
            try Disk.real.makeFolder(path)
        } catch {
            throw PersistenceError(error, "could not be made", at: path)
        }
    }

    /// Writes an output file.
    ///
    /// Its content need not survive a crash of the machine: the job is run anew then.
    ///
    /// - Throws: ``PersistenceError``, with the code `diskFull` if there is no room.
    func write(_ data: Data, as name: String) throws(PersistenceError) {
        let file = place(of: name)
        do throws(Errno) {
            _ = try Disk.real.writeNewFile(file, data, isDurable: false)
        } catch {
            throw PersistenceError(error, "could not be written", at: file)
        }
    }

    /// Reads an output file; it must be a regular file within the size limit.
    ///
    /// The file is mapped into memory: the process wrote it before it sent its result, and doesn't change it afterwards.
    func read(_ name: String) throws -> Data {
        let file = place(of: name)
        var status = stat()
        guard lstat(file, &status) == 0 else { throw Errno(rawValue: errno) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size <= Self.sizeLimit else { throw Errno.fileTooLarge }
        return try Data(contentsOf: URL(filePath: file), options: .mappedIfSafe)
    }

    /// Removes the folder with all files in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }

    private func place(of name: String) -> String {
        FilePath(path).appending(name).string
    }
}
