import DurableFiles
import Foundation
import FuturesFoundation
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
    static let onlyFile = "page"
    /// The largest file that is read into memory, in bytes; larger ones, such as archives of up to 256 MB, are copied to disk.
    private static let maximumBytesInMemory = 4 << 20

    let path: String
    /// The disk space that each write must leave free.
    let floor: FreeDiskFloor
    var disk = Disk.real
    /// Copies the output between workers and servers; `nil` without a bucket.
    var transfer: JobTransfer?

    /// The folder's own name, by which a job's record refers to it.
    var name: String { FilePath(path).lastComponent?.string ?? "" }

    /// Creates the empty folder.
    ///
    /// - Throws: ``StoreError`` if it can't be created.
    func make() throws(StoreError) {
        try onDisk("could not be created", at: path) { () throws(Errno) in
            try disk.makeFolder(FilePath(path).removingLastComponent().string)
            try disk.makeFolder(path)
        }
    }

    /// Writes an output file.
    ///
    /// - Parameters:
    ///   - data: The content.
    ///   - name: The file's name.
    ///   - isDurable: Whether the content must survive a system crash. The output of a request need not: the next start
    ///     of the server removes the request's job. The file's name is durable after ``syncNames()``.
    /// - Throws: ``StoreError``, with the code `diskFull` if the disk is full or too little space would stay free.
    func write(_ data: Data, as name: String, isDurable: Bool = false) throws(StoreError) {
        let file = path(of: name)
        if let refusal = floor.refusal(at: path, adding: data.count) { throw StoreError(refusal) }
        try onDisk("could not be written", at: file) { () throws(Errno) in
            _ = try disk.writeNewFile(file, data, isDurable: isDurable)
        }
    }

    /// Makes the names of the output files durable, and those of this folder and the one that contains it.
    ///
    /// - Throws: ``StoreError`` if a folder can't be synced.
    func syncNames() throws(StoreError) {
        try onDisk("could not be synced", at: path) { () throws(Errno) in
            try disk.syncFolder(path)
            try disk.syncEntry(path)
            try disk.syncEntry(FilePath(path).removingLastComponent().string)
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
    /// - Throws: `Errno.fileTooLarge` if the file is too large or isn't a regular file; the system's error;
    ///   `StoreError` from the copy.
    func read(_ name: String, upTo limit: Int) throws -> Data {
        // Without `nonBlocking`, opening a pipe that has no writer would block.
        let file = try FileDescriptor.open(
            path(of: name), .readOnly, options: [.noFollow, .closeOnExec, .nonBlocking])
        defer { try? file.close() }
        let status = try file.stat()
        guard status.type == .regular, status.size <= limit else { throw Errno.fileTooLarge }
        let handle = FileHandle(fileDescriptor: file.rawValue, closeOnDealloc: false)
        if status.size <= Self.maximumBytesInMemory {
            let data = try handle.read(upToCount: Self.maximumBytesInMemory + 1) ?? Data()
            guard data.count <= min(limit, Self.maximumBytesInMemory) else { throw Errno.fileTooLarge }
            return data
        }
        let copy = try IncomingFile(in: FilePath(path).removingLastComponent().string, leaving: floor)
        while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
            guard copy.byteCount + piece.count <= limit else { throw Errno.fileTooLarge }
            try copy.append(piece)
        }
        return try copy.mapped()
    }

    private func path(of name: String) -> String {
        FilePath(path).appending(name).string
    }
}

// MARK: - Removal

extension JobFolder {
    /// The thread that removes folders, one after another.
    static let removals = WorkerThreads(limit: 1)

    /// Starts to remove the folder with all files in it, on a thread of its own, and their copies in the bucket.
    ///
    /// A compromised job may have written very many files, whose removal must delay neither a transaction nor a task.
    /// If the process ends first, ``JobsFolder/sweep(_:now:)`` removes the folder.
    func remove() {
        Self.removals.add { try? FileManager.default.removeItem(atPath: path) }
        if let transfer { Task { [name] in await transfer.remove(output: name) } }
    }

    /// Waits until all requested removals are done, but no longer than a time limit.
    static func waitForRemovals(atMost limit: Duration = .seconds(2)) async {
        try? await removals.run("Removing the outputs of jobs", within: limit) { _ in }
    }
}
