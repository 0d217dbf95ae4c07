public import DurableFiles
public import Foundation
import SystemPackage

/// The folder that contains all data: the database, the blobs and the locks.
///
/// Several processes may share it.
public struct DataFolder: Hashable, Sendable {
    /// The absolute path.
    public let path: String
    /// How much each owner may store in it, and how much of its disk must stay free.
    public var budget = OwnerBudget()

    private init(path: String) {
        self.path = path
    }
}

extension DataFolder {
    /// The default path: `meanwhile` in `$XDG_DATA_HOME`, or in `~/.local/share`.
    ///
    /// A relative `$XDG_DATA_HOME` is ignored, according to https://specifications.freedesktop.org/basedir-spec/latest/.
    public static func `default`(environment: [String: String] = ProcessInfo.processInfo.environment) -> String {
        if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
            return FilePath(data).appending("meanwhile").string
        }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        return FilePath(home).appending(".local/share/meanwhile").string
    }

    /// Creates the folder if it is missing, with access for its owner only, and checks that files can be written to it.
    ///
    /// Other accounts lose their access to an existing folder if it is empty or contains a database. Any other folder that they
    /// may enter is refused, and so is a sticky one such as `/tmp`: other programs may depend on its permissions.
    ///
    /// - Parameter path: The folder's path; a relative path begins at the current folder.
    /// - Returns: The folder.
    /// - Throws: ``StoreError`` if it can't be created or written to, or belongs to another account.
    public static func open(at path: String) throws(StoreError) -> DataFolder {
        let folder = try make(at: path)
        try folder.makePrivate()
        try folder.checkIsWritable()
        return folder
    }

    /// Whether a folder contains a database file; nothing is created.
    ///
    /// - Returns: Whether the file exists, whatever it contains.
    public static func hasDatabase(at path: String) -> Bool {
        Disk.exists(FilePath(path).appending("meanwhile.sqlite").string)
    }

    /// Creates the folder if it is missing.
    static func make(at path: String) throws(StoreError) -> DataFolder {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw StoreError(.invalidName, "The path of the data folder is empty or invalid. Choose another.")
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
            // Checked first, because creating an existing folder fails with other errors if its parent is not writable.
            if Disk.isFolder(made.string) { continue }
            try onDisk("could not be created for the data folder \(path)", at: made.string) { () throws(Errno) in
                if try Disk.real.makeFolder(made.string) { try Disk.real.syncFolder(parent.string) }
            }
        }
    }

    /// The prefix of the name of the file that ``open(at:)`` creates and removes; older versions appended a UUID.
    static let trialName = ".writable"

    private func checkIsWritable() throws(StoreError) {
        let trial = path(of: Self.trialName)
        try onDisk("cannot be used as the data folder: no file can be written in it", at: path) { () throws(Errno) in
            // A process killed before the removal leaves the file to the next opening. Several may use it at once.
            let file = try OpenFile(trial, .creating, followingLink: false)
            try Disk.real.removeFile(trial)
            try file.append(Data("Can this folder be written?\n".utf8))
            try file.sync()
        }
    }
}

extension DataFolder {
    /// Locks the folder for a purpose, for one process at a time and as long as the lock is referenced.
    ///
    /// The purpose, such as `server`, consists of lower-case letters, digits and hyphens; the locked file is `PURPOSE.lock`.
    /// Throws `inUse` with the ID of the other process if another one holds the lock.
    public func lock(for purpose: String) throws(StoreError) -> FileLock {
        let isName = purpose.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        }
        guard isName, !purpose.isEmpty, purpose.utf8.count <= 64 else {
            throw StoreError(
                .invalidName,
                "“\(purpose.prefix(64))” is not a valid name for a lock. Use lower-case letters, digits and hyphens.")
        }
        let file = path(of: "\(purpose).lock")
        let (lock, isFree) = try onDisk("could not be locked", at: file) { () throws(Errno) in
            let lock = try FileLock(at: file)
            return (lock, try lock.tryAcquire(.exclusive))
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

    /// The path of an item in the folder.
    func path(of name: String) -> String {
        "\(path)/\(name)"
    }
}
