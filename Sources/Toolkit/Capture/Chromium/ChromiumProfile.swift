import Foundation
import SystemPackage

/// A browser's temporary folder: its profile, home and log.
///
/// A lock shows whether the owner still runs, and another whether a process of its browser does. When the next browser
/// starts, the folders of owners that were killed are removed, unless their browsers still run: these would create the
/// folders again. This account owns the folder even if the browser runs as another account. The other account gets a
/// subfolder, so that it can't put links in place of files that this account opens.
final class ChromiumProfile: Sendable {
    private static let prefix = "meanwhile-chromium-"
    private static let lockName = "owner.lock"
    private static let logName = "chromium.log"
    private static let homeName = "home"

    let folder: FilePath
    private let contents: OwnedFolder
    private let lock: FileDescriptor

    /// Creates a folder with a subfolder that only the account can enter.
    ///
    /// - Throws: ``CaptureError`` with the code `browserFailedToStart`.
    init(for account: UserAccount?) throws(CaptureError) {
        let parent = try Self.parentFolder(reachableByAll: account != nil)
        Self.sweep(parent)
        do {
            (self.folder, self.contents, self.lock) = try Self.make(in: parent, for: account)
        } catch {
            throw CaptureError(
                .browserFailedToStart,
                "Can't create a temporary folder for Chromium in \(parent): \(error). Free some space there, or set "
                    + "TMPDIR to another folder.", cause: error)
        }
    }

    deinit {
        try? lock.close()
    }

    /// The folder for the browser's files, owned by the browser's account.
    var home: FilePath { folder.appending(Self.homeName) }

    /// Removes the folder and its contents.
    func remove() {
        Self.remove(folder, contents)
    }
}

// MARK: - Log

extension ChromiumProfile {
    /// The maximum number of bytes that are read from the log.
    private static let tailLength = 4_096

    /// Creates the log file for Chromium's standard error.
    ///
    /// It is locked until all processes that inherit it have ended.
    func makeLog() throws(Errno) -> FileDescriptor {
        let log = try contents.openFile(Self.logName, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
        do throws(Errno) {
            guard try Self.tryLock(log) else { throw .wouldBlock }
        } catch {
            try? log.close()
            throw error
        }
        return log
    }

    /// The end of the log; empty if it can't be read.
    var logTail: String {
        guard let log = try? contents.openFile(Self.logName, O_RDONLY) else { return "" }
        defer { try? log.close() }
        guard let length = try? log.seek(offset: 0, from: .end) else { return "" }
        let bytes = [UInt8](unsafeUninitializedCapacity: Self.tailLength) { buffer, count in
            let start = max(length - Int64(Self.tailLength), 0)
            count = (try? log.read(fromAbsoluteOffset: start, into: UnsafeMutableRawBufferPointer(buffer))) ?? 0
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

// MARK: - Creating and removing folders

extension ChromiumProfile {
    private static func make(
        in parent: FilePath, for account: UserAccount?
    ) throws(Errno) -> (folder: FilePath, contents: OwnedFolder, lock: FileDescriptor) {
        while true {
            var name = Array(parent.appending(prefix + "XXXXXX").string.utf8CString)
            guard mkdtemp(&name) != nil else { throw Errno(rawValue: errno) }
            let folder = FilePath(String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
            let contents: OwnedFolder
            let lock: FileDescriptor
            do throws(Errno) {
                contents = try OwnedFolder(at: folder.string)
                lock = try contents.openFile(lockName, O_WRONLY | O_CREAT | O_EXCL)
            } catch .noSuchFileOrDirectory {
                // Another process's sweep removed the folder while it was empty.
                continue
            } catch {
                rmdir(folder.string)
                throw error
            }
            do throws(Errno) {
                guard try tryLock(lock) else {
                    // Another process's sweep locked the folder first and removes it as abandoned.
                    try? lock.close()
                    continue
                }
                try contents.makeFolder(homeName, for: account)
                if account != nil { try contents.allowTraversal() }
                return (folder, contents, lock)
            } catch {
                remove(folder, contents)
                try? lock.close()
                throw error
            }
        }
    }

    /// Locks a file; returns false if another process has locked it, or if it was deleted meanwhile.
    private static func tryLock(_ lock: FileDescriptor) throws(Errno) -> Bool {
        guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            let error = Errno(rawValue: errno)
            if error == .wouldBlock { return false }
            throw error
        }
        var status = stat()
        guard fstat(lock.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        return status.st_nlink > 0
    }

    /// Removes this account's abandoned folders in all possible locations.
    static func sweepAll() {
        for parent in candidates { sweep(parent) }
    }

    /// Removes this account's abandoned folders in one location.
    private static func sweep(_ parent: FilePath) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.string)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent.appending(name)
            // Succeeds only for an empty folder: its owner was killed before it created the lock, or after it removed
            // the lock.
            if rmdir(folder.string) == 0 { continue }
            guard let contents = try? OwnedFolder(at: folder.string),
                let lock = try? contents.openFile(lockName, O_WRONLY)
            else { continue }
            defer { try? lock.close() }
            if (try? tryLock(lock)) == true, !isBrowserRunning(in: contents) { remove(folder, contents) }
        }
    }

    /// Whether a process of the folder's browser runs, which has inherited the locked log.
    private static func isBrowserRunning(in contents: OwnedFolder) -> Bool {
        guard let log = try? contents.openFile(logName, O_RDONLY) else { return false }
        defer { try? log.close() }
        return (try? tryLock(log)) == false
    }

    /// Removes a folder, its lock last, so that the next sweep finds what can't be removed now.
    private static func remove(_ folder: FilePath, _ contents: OwnedFolder) {
        guard (try? contents.removeContents(except: lockName)) != nil else { return }
        try? contents.removeFile(lockName)
        rmdir(folder.string)
    }
}

// MARK: - Locations

extension ChromiumProfile {
    /// The maximum path length of a folder in which Chromium can create its socket.
    ///
    /// A socket's path has at most 107 bytes, of which
    /// `/meanwhile-chromium-012345/home/org.chromium.Chromium.012345/SingletonSocket` takes 76.
    private static let parentLengthLimit = 107 - 76

    /// The possible locations of the folders.
    private static var candidates: [FilePath] {
        [FilePath(NSTemporaryDirectory()), "/tmp", "/var/tmp"].filter {
            $0.string.utf8.count <= parentLengthLimit && isSafe($0)
        }
    }

    private static func parentFolder(reachableByAll: Bool) throws(CaptureError) -> FilePath {
        let candidates = candidates
        let parent = candidates.first { !reachableByAll || isReachableByAll($0) } ?? candidates.first
        guard let parent else {
            throw CaptureError(
                .browserFailedToStart,
                "Chromium needs a private temporary folder, but other accounts can rename files in "
                    + "\(NSTemporaryDirectory()), /tmp and /var/tmp. Set TMPDIR to a folder that belongs to this "
                    + "account, with a path of at most \(parentLengthLimit) bytes.")
        }
        return parent
    }

    /// Whether no other account can replace files that this account creates in the folder; a missing folder counts as
    /// safe and fails later.
    private static func isSafe(_ folder: FilePath) -> Bool {
        var root = stat()
        guard stat("/", &root) == 0 else { return false }
        // In a user namespace, root may have another ID. The owner of `/` can replace anything in any case.
        let trusted = [0, geteuid(), root.st_uid]
        return allAncestors(of: folder, orMissing: true) { status in
            let othersMayWrite = status.st_mode & (S_IWGRP | S_IWOTH) != 0
            return trusted.contains(status.st_uid) && (!othersMayWrite || status.st_mode & S_ISVTX != 0)
        }
    }

    /// Whether every account can enter the folder and its ancestors.
    private static func isReachableByAll(_ folder: FilePath) -> Bool {
        allAncestors(of: folder, orMissing: false) { $0.st_mode & S_IXOTH != 0 }
    }

    /// Whether a condition holds for the folder and all its ancestors.
    private static func allAncestors(
        of folder: FilePath, orMissing: Bool, _ condition: (stat) -> Bool
    ) -> Bool {
        var path = folder
        while true {
            var status = stat()
            guard stat(path.string, &status) == 0 ? condition(status) : orMissing else { return false }
            guard path.removeLastComponent() else { return true }
        }
    }
}
