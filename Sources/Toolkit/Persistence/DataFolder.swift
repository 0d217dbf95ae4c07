public import DurableFiles
public import Foundation
import SystemPackage

/// The folder that everything is kept in: the database, the blobs and the locks.
///
/// Several processes may share it.
public struct DataFolder: Hashable, Sendable {
    /// Its absolute path.
    public let path: String
    /// What each owner may store in it, and how much of its disk stays free.
    public var budget = OwnerBudget()

    private init(path: String) {
        self.path = path
    }
}

extension DataFolder {
    /// Where data is kept if nobody says otherwise: `meanwhile` under `$XDG_DATA_HOME`, or under `~/.local/share`.
    ///
    /// https://specifications.freedesktop.org/basedir-spec/latest/: a path there that is not absolute is ignored.
    public static func `default`(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return FilePath(data).appending("meanwhile").string
        }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        return FilePath(home).appending(".local/share/meanwhile").string
    }

    /// Makes the folder if it is not there, so that only its owner may enter it, and writes a file in it to see that
    /// this can be done.
    ///
    /// A folder that other accounts may enter is taken from them if it is empty or holds a database. Any other is refused:
    /// it may be one that other programs need as it is.
    ///
    /// - Parameter path: The folder's path; one that is not absolute begins at the current folder.
    /// - Returns: The folder.
    /// - Throws: ``StoreError`` if it cannot be made or written, or belongs to another account.
    public static func open(at path: String) throws(StoreError) -> DataFolder {
        let folder = try make(at: path)
        try folder.makePrivate()
        try folder.checkThatItCanBeWritten()
        return folder
    }

    /// Whether a folder holds a database; nothing is made.
    ///
    /// - Returns: Whether there is one, whatever is in it.
    public static func hasDatabase(at path: String) -> Bool {
        Disk.exists(FilePath(path).appending("meanwhile.sqlite").string)
    }

    /// Makes the folder if it is not there.
    static func make(at path: String) throws(StoreError) -> DataFolder {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidName, "The path of the data folder is empty, or is none. Choose another.")
        }
        var whole = FilePath(path)
        if !whole.isAbsolute {
            whole = FilePath(FileManager.default.currentDirectoryPath).pushing(whole)
        }
        let folder = DataFolder(path: whole.lexicallyNormalized().string)
        try folder.make()
        return folder
    }

    private func make() throws(StoreError) {
        var made = FilePath(root: "/")
        for component in FilePath(path).components {
            let parent = made
            made.append(component)
            // Asked first: to make a folder that is there fails with other errors in folders that may not be written.
            if Disk.isFolder(made.string) { continue }
            try onDisk("could not be made, for the data folder \(path)", at: made.string) { () throws(Errno) in
                if try Disk.real.makeFolder(made.string) { try Disk.real.syncFolder(parent.string) }
            }
        }
    }

    private func checkThatItCanBeWritten() throws(StoreError) {
        let trial = path(of: ".writable-\(UUID().uuidString)")
        try onDisk("cannot be used as the data folder: no file can be written in it", at: path) { () throws(Errno) in
            try Disk.real.writeNewFile(trial, Data("Can this folder be written?\n".utf8))
            try Disk.real.removeFile(trial)
        }
    }
}

extension DataFolder {
    /// Locks the folder for one process at a time and purpose, as long as the lock is referred to.
    ///
    /// A purpose, such as `server`, is in lower-case letters, digits and hyphens; its lock is on the file
    /// `PURPOSE.lock`. Throws `inUse` if another process has it, whose number the error says.
    public func lock(for purpose: String) throws(StoreError) -> FileLock {
        let isName = purpose.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isName, !purpose.isEmpty, purpose.utf8.count <= 64 else {
            throw StoreError(
                .invalidName, "“\(purpose.prefix(64))” cannot name a lock. Use lower-case letters, digits and hyphens.")
        }
        let file = path(of: "\(purpose).lock")
        let (lock, isFree) = try onDisk("could not be locked", at: file) { () throws(Errno) in
            let lock = try FileLock(at: file)
            return (lock, try lock.take(.exclusive))
        }
        guard isFree else {
            let holder = Int32(lock.note).map { "process \($0)" } ?? "another process"
            throw StoreError(
                .inUse,
                "The data folder \(path) is in use: \(holder) holds its lock “\(purpose)”. Stop that process, or choose "
                    + "another folder.")
        }
        lock.write(note: "\(ProcessInfo.processInfo.processIdentifier)\n")
        return lock
    }

    /// The path of something in the folder.
    func path(of name: String) -> String {
        "\(path)/\(name)"
    }
}
