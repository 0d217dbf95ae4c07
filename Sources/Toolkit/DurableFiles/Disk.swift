package import Foundation
package import SystemPackage

/// File operations by system calls; each documents what is durable when it returns, and throws the system's error number.
package struct Disk: Sendable {
    /// An operation that a test can observe, or make fail.
    package enum Step: Hashable, Sendable {
        case makeFolder(String)
        case syncFolder(String)
        case create(String)
        case write(String)
        case sync(String)
        case read(String)
        case rename(String, to: String)
        case link(String, to: String)
        case remove(String)
    }

    /// The real file system.
    package static let real = Disk()

    /// Called by tests before each step, which fails with the error that this throws.
    package var inspect: (@Sendable (Step) throws(Errno) -> Void)?

    /// - Parameter inspect: Called before each step, for tests.
    package init(inspect: (@Sendable (Step) throws(Errno) -> Void)? = nil) {
        self.inspect = inspect
    }
}

extension Disk {
    /// Creates a folder that only its owner may enter.
    ///
    /// - Returns: Whether it is new; if not, it existed.
    @discardableResult
    package func makeFolder(_ path: String) throws(Errno) -> Bool {
        try inspect?(.makeFolder(path))
        do throws(Errno) {
            try SystemCall.makeFolder(path)
            return true
        } catch .fileExists {
            guard Self.isFolder(path) else { throw .notDirectory }
            return false
        }
    }

    /// Makes the entries of a folder durable: files that were created in it, renamed into it or removed from it.
    package func syncFolder(_ path: String) throws(Errno) {
        try inspect?(.syncFolder(path))
        try SystemCall.syncFolder(path)
    }

    /// Makes the entry of a file durable, in the folder that contains it.
    package func syncEntry(_ path: String) throws(Errno) {
        let folder = FilePath(path).removingLastComponent()
        try syncFolder(folder.isEmpty ? "." : folder.string)
    }

    /// Creates a file, and makes its content durable; its name is durable after ``syncFolder(_:)``.
    ///
    /// - Parameters:
    ///   - path: The path, which must not exist.
    ///   - data: The content.
    ///   - earlier: A time in nanoseconds since 1970; the modification time is later, whatever the clock shows.
    ///   - isDurable: Whether the content must survive a crash of the machine.
    ///   - isPrivate: Whether only its owner may read it.
    /// - Returns: The file's stamp.
    /// - Throws: The system's error; then no file is left.
    @discardableResult
    package func writeNewFile(
        _ path: String, _ data: Data, modifiedAfter earlier: Int64? = nil, isDurable: Bool = true,
        isPrivate: Bool = true
    ) throws(Errno) -> FileStamp {
        try inspect?(.create(path))
        let file = try OpenFile(path, isPrivate ? .new : .newWorldReadable)
        do throws(Errno) {
            try inspect?(.write(path))
            try file.append(data)
            if let earlier {
                // There is no time after the greatest one; then only the content distinguishes the files.
                let later = earlier == .max ? earlier : earlier + 1
                try file.setModified(to: max(SystemCall.now, later))
            }
            if isDurable {
                try inspect?(.sync(path))
                try file.sync()
            }
            return try file.stamp()
        } catch {
            try? SystemCall.removeName(path)
            throw error
        }
    }

    package func readFile(_ path: String) throws(Errno) -> Data {
        try readStampedFile(path).data
    }

    /// Reads a file and its stamp.
    package func readStampedFile(_ path: String) throws(Errno) -> (data: Data, stamp: FileStamp) {
        try inspect?(.read(path))
        let file = try OpenFile(path, .reading)
        let stamp = try file.stamp()
        return (try file.read(stamp.bytes), stamp)
    }

    /// The names in a folder, unordered.
    package func list(_ path: String) throws(Errno) -> [String] {
        try inspect?(.read(path))
        return try SystemCall.names(in: path)
    }

    /// Renames a file or folder within a file system; an existing file of the new name is replaced.
    package func rename(_ path: String, to other: String) throws(Errno) {
        try inspect?(.rename(path, to: other))
        try SystemCall.move(path, to: other)
    }

    /// Gives a file a second name, which must not exist; where hard links are not supported, the file is copied.
    package func link(_ path: String, to other: String) throws(Errno) {
        try inspect?(.link(path, to: other))
        do throws(Errno) {
            try SystemCall.addName(other, to: path)
        } catch {
            guard Self.linkingUnsupported.contains(error) else { throw error }
            try writeNewFile(other, readFile(path))
        }
    }

    /// The errors that mean that hard links aren't supported.
    private static let linkingUnsupported: [Errno] = [.notPermitted, .notSupported, .tooManyLinks]

    /// Renames a file within a file system; the new name must not exist.
    ///
    /// Where hard links are not supported, the new name is an empty file for a moment.
    package func move(_ path: String, toNew other: String) throws(Errno) {
        do throws(Errno) {
            try inspect?(.link(path, to: other))
            try SystemCall.addName(other, to: path)
        } catch {
            guard Self.linkingUnsupported.contains(error) else { throw error }
            try writeNewFile(other, Data(), isDurable: false)
            do throws(Errno) {
                return try rename(path, to: other)
            } catch {
                try? SystemCall.removeName(other)
                throw error
            }
        }
        try removeFile(path)
    }

    /// Sets the modification time of a file, in nanoseconds since 1970.
    package func setModified(_ path: String, to time: Int64) throws(Errno) {
        try OpenFile(path, .reading).setModified(to: time)
    }

    /// Deletes a file.
    ///
    /// - Returns: Whether it existed.
    @discardableResult
    package func removeFile(_ path: String) throws(Errno) -> Bool {
        try inspect?(.remove(path))
        do throws(Errno) {
            try SystemCall.removeName(path)
            return true
        } catch .noSuchFileOrDirectory {
            return false
        }
    }
}

extension Disk {
    /// The stamp of a regular file, following links; `nil` if there is none.
    package static func stamp(of path: String) -> FileStamp? {
        (try? FileStamp(at: path)) ?? nil
    }

    /// Whether the path is a regular file, without following links.
    package static func isRegularFile(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: false))?.type == .regular
    }

    /// Whether the path is a symbolic link.
    package static func isLink(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: false))?.type == .symbolicLink
    }

    /// Whether the path exists, without following links.
    package static func exists(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: false)) != nil
    }

    /// Whether the path is a folder, or a link to one.
    package static func isFolder(_ path: String) -> Bool {
        (try? Stat(path))?.type == .directory
    }

    /// The names in a folder, sorted; empty if it can't be read.
    package static func names(in path: String) -> [String] {
        ((try? real.list(path)) ?? []).sorted()
    }

    /// The current time in nanoseconds since 1970.
    package static var now: Int64 { SystemCall.now }
}

// MARK: - Permissions

extension Disk {
    /// The owner of a file or folder.
    package enum Ownership: Equatable, Sendable {
        case missing
        case thisAccount
        /// Another account, with its name.
        case anotherAccount(String)
    }

    /// Removes all permissions of other accounts from a file or folder; a link is followed if this account or root created it.
    ///
    /// It uses the path, so it is safe only in a folder in which no other account can rename files. Opening and closing a
    /// database file instead would release the locks that SQLite holds on it for the whole process.
    ///
    /// - Returns: The owner; the permissions change only if it is this account.
    package static func makePrivate(_ path: String) throws(Errno) -> Ownership {
        do throws(Errno) {
            let link = try Stat(path, followTargetSymlink: false)
            let file = try Stat(path)
            let owners = [SystemCall.account, link.type == .symbolicLink ? 0 : SystemCall.account]
            guard owners.contains(link.userID.rawValue) else { return other(link) }
            guard file.userID.rawValue == SystemCall.account else { return other(file) }
            if isOpenToOthers(file) { try SystemCall.setPermissions(path, file.permissions.rawValue & 0o7700) }
            return .thisAccount
        } catch .noSuchFileOrDirectory {
            return .missing
        }
    }

    private static func other(_ status: Stat) -> Ownership {
        .anotherAccount(SystemCall.name(ofAccount: status.userID.rawValue))
    }

    /// The name of the account that this process runs as.
    package static var accountName: String { SystemCall.name(ofAccount: SystemCall.account) }

    /// Whether this account owns a folder to which other accounts have any permission, and whether the folder is sticky, so that
    /// each account may remove only its own files.
    package static func openness(of path: String) -> (isOpenToOthers: Bool, isSticky: Bool) {
        guard let status = try? Stat(path), status.userID.rawValue == SystemCall.account else { return (false, false) }
        return (isOpenToOthers(status), status.permissions.contains(.saveText))
    }

    /// Whether other accounts have any permission.
    static func isOpenToOthers(_ status: Stat) -> Bool {
        status.permissions.rawValue & 0o077 != 0
    }
}
