import Foundation
import SystemPackage

/// An open folder of this account, whose files are accessed relative to its descriptor without following links.
///
/// Another account that replaces a folder with a link, at any time, can't make this account write, read or remove
/// files elsewhere.
final class OwnedFolder: Sendable {
    private let descriptor: CInt

    /// Opens a folder; throws `notDirectory` for anything else, including links, and `notPermitted` if another account
    /// owns it.
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
    /// Opens a regular file of this account, without blocking.
    ///
    /// - Throws: `notPermitted` if another account owns it, or it isn't a regular file.
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

    /// Locks the folder itself until this object is deallocated; returns `false` if it is locked already.
    func lock() throws(Errno) -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) != 0 else { return true }
        let error = Errno(rawValue: errno)
        if error == .wouldBlock { return false }
        throw error
    }

    /// Creates a folder that only the account can enter.
    func makeFolder(_ name: String, for account: UserAccount?) throws(Errno) {
        try Self.check(mkdirat(descriptor, name, 0o700))
        guard let account else { return }
        let folder = try Self.openFolder(Array(name.utf8CString), in: descriptor)
        defer { close(folder) }
        try Self.check(fchown(folder, account.userID, account.groupID))
    }

    /// Lets all accounts traverse the folder.
    func allowTraversal() throws(Errno) {
        try Self.check(fchmod(descriptor, 0o711))
    }

    func removeFile(_ name: String) throws(Errno) {
        try Self.check(unlinkat(descriptor, name, 0))
    }
}

// MARK: - Removing contents

extension OwnedFolder {
    /// A file name in the system's encoding, which isn't necessarily UTF-8.
    private typealias Name = [CChar]

    /// The number of names that are read at a time.
    private static let batch = 1_000
    /// The maximum number of steps of a removal, because another process may keep creating files.
    private static let maximumSteps = 1_000_000

    /// Removes the contents of the folder except one file.
    ///
    /// Subfolders are flattened: the folders in them are moved up first. So the tree may have any depth, even if its
    /// paths would be too long for the system.
    ///
    /// - Throws: The system's error; the remaining contents stay.
    func removeContents(except exception: String) throws(Errno) {
        let exception = Name(exception.utf8CString)
        var steps = 0
        while true {
            let names = try Self.names(in: descriptor, limit: Self.batch + 1).filter { $0 != exception }
            if names.isEmpty { return }
            for name in names {
                steps += 1
                if unlinkat(descriptor, name, 0) == 0 || errno == ENOENT { continue }
                try empty(name, steps: &steps)
            }
            guard steps < Self.maximumSteps else { throw .directoryNotEmpty }
        }
    }

    /// Removes a subfolder, or, if it has more names than a batch, some of its contents.
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

    /// Moves a folder into this one, under a number as its name.
    private func moveUp(_ name: Name, from folder: CInt, steps: inout Int) throws(Errno) {
        while renameat(folder, name, descriptor, "\(steps)") != 0 {
            let error = Errno(rawValue: errno)
            if error == .noSuchFileOrDirectory { return }
            // A removal that was killed may have left a file with that number.
            guard [.directoryNotEmpty, .fileExists, .notDirectory].contains(error), steps < Self.maximumSteps else {
                throw error
            }
            steps += 1
        }
    }

    private static func names(in folder: CInt, limit: Int) throws(Errno) -> [Name] {
        // Opened again for an independent read position, and because `closedir` closes the descriptor.
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
