package import Foundation
package import SystemPackage

/// Files and folders, by system calls: what is durable when one returns is said, and each failure has its number.
package struct Disk: Sendable {
    /// A step that a test can look at, or have fail.
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

    /// The disk as it is.
    package static let real = Disk()

    /// Asked before each step, by tests: the step fails with what it throws.
    package var inspect: (@Sendable (Step) throws(Errno) -> Void)?

    /// - Parameter inspect: Asked before each step, by tests.
    package init(inspect: (@Sendable (Step) throws(Errno) -> Void)? = nil) {
        self.inspect = inspect
    }
}

extension Disk {
    /// Makes a folder that only its owner may enter.
    ///
    /// - Returns: Whether it is new; if not, it was there.
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

    /// Makes the entries of a folder durable: what was created in it, renamed into it or removed from it.
    package func syncFolder(_ path: String) throws(Errno) {
        try inspect?(.syncFolder(path))
        try SystemCall.syncFolder(path)
    }

    /// Writes a file that was not there, and makes its content durable; its name is durable after ``syncFolder(_:)``.
    ///
    /// - Parameters:
    ///   - path: Where.
    ///   - data: The content.
    ///   - earlier: In nanoseconds since 1970: it is modified after that, whatever the clock says.
    ///   - isDurable: Whether it survives the end of the machine.
    ///   - isPrivate: Whether only its owner may read it.
    /// - Returns: What tells it from another file of its name.
    /// - Throws: What the system says; there is no file then.
    @discardableResult
    package func writeNewFile(
        _ path: String, _ data: Data, modifiedAfter earlier: Int64? = nil, isDurable: Bool = true,
        isPrivate: Bool = true
    ) throws(Errno) -> FileStamp {
        try inspect?(.create(path))
        let file = try OpenFile(path, isPrivate ? .new : .newForAll)
        do throws(Errno) {
            try inspect?(.write(path))
            try file.append(data)
            if let earlier {
                // The greatest time has no later one; what the file contains tells the two apart then.
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

    /// The content of a file.
    package func readFile(_ path: String) throws(Errno) -> Data {
        try readStampedFile(path).data
    }

    /// The content of a file, and what tells it from another of its name.
    package func readStampedFile(_ path: String) throws(Errno) -> (data: Data, stamp: FileStamp) {
        try inspect?(.read(path))
        let file = try OpenFile(path, .reading)
        let stamp = try file.stamp()
        return (try file.read(stamp.bytes), stamp)
    }

    /// The names in a folder, in no order.
    package func list(_ path: String) throws(Errno) -> [String] {
        try inspect?(.read(path))
        return try SystemCall.names(in: path)
    }

    /// Gives a file or folder another name, on the same disk; what has that name already, if it is a file, is replaced.
    package func rename(_ path: String, to other: String) throws(Errno) {
        try inspect?(.rename(path, to: other))
        try SystemCall.move(path, to: other)
    }

    /// Gives a file a second name, which nothing may have; where a file has one name only, it is copied.
    package func link(_ path: String, to other: String) throws(Errno) {
        try inspect?(.link(path, to: other))
        do throws(Errno) {
            try SystemCall.addName(other, to: path)
        } catch {
            guard [.notPermitted, .notSupported, .tooManyLinks].contains(error) else { throw error }
            try writeNewFile(other, readFile(path))
        }
    }

    /// Removes a file.
    ///
    /// - Returns: Whether there was one.
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
    /// The stamp of a regular file, or of the one that a link leads to; `nil` if there is none of that name.
    package static func file(_ path: String) -> FileStamp? {
        (try? FileStamp(at: path)) ?? nil
    }

    /// Whether the path names a regular file itself; a symbolic link is none.
    package static func isRegularFile(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: false))?.type == .regular
    }

    /// Whether the path names a symbolic link.
    package static func isLink(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: false))?.type == .symbolicLink
    }

    /// Whether there is anything of that name.
    package static func exists(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: false)) != nil
    }

    /// Whether there is a folder of that name, or a link to one.
    package static func isFolder(_ path: String) -> Bool {
        (try? Stat(path))?.type == .directory
    }

    /// The names in a folder, in order; none if it cannot be read.
    package static func names(in path: String) -> [String] {
        ((try? real.list(path)) ?? []).sorted()
    }

    /// The time in nanoseconds since 1970.
    package static var now: Int64 { SystemCall.now }
}

// MARK: - Permissions

extension Disk {
    /// Whose a file or folder is.
    package enum Ownership: Equatable, Sendable {
        case missing
        case thisAccount
        /// Another account's, of that name.
        case anotherAccount(String)
    }

    /// Takes all permissions of other accounts from a file or folder; a link is followed if this account or root made it.
    ///
    /// By its path, for a folder in which no other account can rename anything: to open a database's file and close it
    /// would lose the locks that SQLite has on it for the whole process.
    ///
    /// - Returns: Whether there is one, and this account owns it; permissions are left as they are otherwise.
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

    /// The name of the account that this process acts as.
    package static var accountName: String { SystemCall.name(ofAccount: SystemCall.account) }

    /// Whether a folder is this account's, and other accounts have any permission; and whether each may remove only its own
    /// files there.
    package static func openness(of path: String) -> (isOpenToOthers: Bool, isSticky: Bool) {
        guard let status = try? Stat(path), status.userID.rawValue == SystemCall.account else { return (false, false) }
        return (isOpenToOthers(status), status.permissions.contains(.saveText))
    }

    /// Whether other accounts have any permission.
    static func isOpenToOthers(_ status: Stat) -> Bool {
        status.permissions.rawValue & 0o077 != 0
    }
}
