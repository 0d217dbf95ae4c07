import Foundation
import SystemPackage

/// An open folder of this account, whose files are named relative to it, and in which no link is followed.
///
/// Another account that exchanges a folder for a link, at any moment, does not make this one write, read or remove
/// anything elsewhere.
final class OwnedFolder: Sendable {
    private let descriptor: CInt

    /// Opens a folder; throws `notDirectory` for anything else, a link too; `notPermitted` if it is not this account's.
    init(at path: String) throws(Errno) {
        let folder = try Self.check(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
        do throws(Errno) {
            guard try Self.status(of: folder).st_uid == geteuid() else { throw .notPermitted }
        } catch {
            close(folder)
            throw error
        }
        self.descriptor = folder
    }

    deinit {
        close(descriptor)
    }
}

extension OwnedFolder {
    /// Opens a regular file of this account, without waiting.
    ///
    /// - Throws: `notPermitted` if it is another account's, or something else.
    func openFile(_ name: String, _ flags: CInt) throws(Errno) -> FileDescriptor {
        let file = FileDescriptor(
            rawValue: try Self.check(
                openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)))
        do throws(Errno) {
            let status = try Self.status(of: file.rawValue)
            guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else { throw .notPermitted }
            return file
        } catch {
            try? file.close()
            throw error
        }
    }

    /// Locks the folder itself, without waiting, until this is deinitialised; returns whether it was free.
    func lock() throws(Errno) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
        let error = Errno(rawValue: errno)
        if error == .wouldBlock { return false }
        throw error
    }

    /// Makes a folder that only an account can enter.
    func makeFolder(_ name: String, for account: UserAccount?) throws(Errno) {
        try Self.check(mkdirat(descriptor, name, 0o700))
        guard let account else { return }
        let folder = try Self.openFolder(Array(name.utf8CString), in: descriptor)
        defer { close(folder) }
        try Self.check(fchown(folder, account.userID, account.groupID))
    }

    /// Lets every account pass through the folder, to what it may enter there.
    func letOthersPass() throws(Errno) {
        try Self.check(fchmod(descriptor, 0o711))
    }

    /// Removes a file.
    func removeFile(_ name: String) throws(Errno) {
        try Self.check(unlinkat(descriptor, name, 0))
    }
}

// MARK: - Removing what is in it

extension OwnedFolder {
    /// A name as the system has it, which need not be UTF-8.
    private typealias Name = [CChar]

    /// How many names are read at a time.
    private static let batch = 1_000
    /// How many steps a removal takes at the most: a process that goes on to write there would be followed without end.
    private static let mostSteps = 1_000_000

    /// Removes all that is in the folder, at any depth, but a file.
    ///
    /// Folders below are emptied from here: what is in them is moved up first. So a tree may be of any depth, in which
    /// paths would be too long.
    ///
    /// - Throws: What the system says; the rest is left then.
    func removeContents(except kept: String) throws(Errno) {
        let kept = Name(kept.utf8CString)
        var steps = 0
        while true {
            let names = try Self.names(in: descriptor, limit: Self.batch + 1).filter { $0 != kept }
            if names.isEmpty { return }
            for name in names {
                steps += 1
                if unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { continue }
                try empty(name, steps: &steps)
            }
            guard steps < Self.mostSteps else { throw .directoryNotEmpty }
        }
    }

    /// Removes a folder; if it has more names than a batch, some of them.
    private func empty(_ name: Name, steps: inout Int) throws(Errno) {
        let folder = try Self.openFolder(name, in: descriptor)
        defer { close(folder) }
        for child in try Self.names(in: folder, limit: Self.batch) {
            steps += 1
            if unlinkat(folder, child, 0) == 0 || unlinkat(folder, child, AT_REMOVEDIR) == 0 { continue }
            try moveUp(child, from: folder, steps: &steps)
        }
        guard unlinkat(descriptor, name, AT_REMOVEDIR) != 0 else { return }
        let error = Errno(rawValue: errno)
        guard [.directoryNotEmpty, .fileExists, .noSuchFileOrDirectory].contains(error) else { throw error }
    }

    /// Moves a folder here, under a number.
    private func moveUp(_ name: Name, from folder: CInt, steps: inout Int) throws(Errno) {
        while renameat(folder, name, descriptor, "\(steps)") != 0 {
            let error = Errno(rawValue: errno)
            if error == .noSuchFileOrDirectory { return }
            // A removal that was killed may have left something of that number.
            guard [.directoryNotEmpty, .fileExists, .notDirectory].contains(error), steps < Self.mostSteps else {
                throw error
            }
            steps += 1
        }
    }

    private static func names(in folder: CInt, limit: Int) throws(Errno) -> [Name] {
        // A descriptor of its own, and with it a place in the list: `closedir` closes it.
        let copy = try check(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
        guard let list = fdopendir(copy) else {
            let error = Errno(rawValue: errno)
            close(copy)
            throw error
        }
        defer { closedir(list) }
        let own = [".", ".."].map { Name($0.utf8CString) }
        var names: [Name] = []
        while names.count < limit, let entry = readdir(list) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                bytes.prefix { $0 != 0 }.map { CChar(bitPattern: $0) } + [0]
            }
            if !own.contains(name) { names.append(name) }
        }
        return names
    }
}

extension OwnedFolder {
    private static func openFolder(_ name: [CChar], in folder: CInt) throws(Errno) -> CInt {
        try check(openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))
    }

    private static func status(of descriptor: CInt) throws(Errno) -> stat {
        var status = stat()
        try check(fstat(descriptor, &status))
        return status
    }

    @discardableResult
    private static func check(_ result: CInt) throws(Errno) -> CInt {
        guard result != -1 else { throw Errno(rawValue: errno) }
        return result
    }
}
