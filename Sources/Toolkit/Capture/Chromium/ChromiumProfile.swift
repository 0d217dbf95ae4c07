import Foundation
import SystemPackage

/// A browser's own folder, for as long as it runs: profile, home and temporary files.
///
/// Its lock tells whether its owner still runs; the folders of owners that were killed are removed when the next browser
/// starts. The folder stays this account's also if the browser runs as another: that one gets a folder within, and can put no
/// link in place of what this one opens.
final class ChromiumProfile: Sendable {
    private static let prefix = "meanwhile-chromium-"
    private static let lockName = "owner.lock"
    private static let logName = "chromium.log"
    private static let homeName = "home"

    /// The folder.
    let folder: FilePath
    private let contents: OwnedFolder
    private let lock: FileDescriptor

    /// Makes a folder in which the account has one that only it can enter.
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
                "Chromium needs a temporary folder, and none can be made in \(parent): \(error). Free some space there, or set "
                    + "TMPDIR to a folder that can be written.", cause: error)
        }
    }

    deinit {
        try? lock.close()
    }

    /// Where the browser keeps its files, under its own account.
    var home: FilePath { folder.appending(Self.homeName) }

    /// Removes the folder with all that is in it.
    func remove() {
        Self.remove(folder, contents)
    }
}

// MARK: - What Chromium says

extension ChromiumProfile {
    /// The most that is read of what it says, in bytes.
    private static let tailLength = 4_096

    /// Makes the file for what Chromium says on its standard error.
    func makeLog() throws(Errno) -> FileDescriptor {
        try contents.openFile(Self.logName, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
    }

    /// The end of what Chromium said; empty if that cannot be read.
    var endOfLog: String {
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

// MARK: - Making and removing folders

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
                // A sweep of another process found the folder while it was empty, and removed it.
                continue
            } catch {
                rmdir(folder.string)
                throw error
            }
            do throws(Errno) {
                guard try isTaken(lock) else {
                    // A sweep of another process was quicker, and removes it as one that was left.
                    try? lock.close()
                    continue
                }
                try contents.makeFolder(homeName, for: account)
                if account != nil { try contents.letOthersPass() }
                return (folder, contents, lock)
            } catch {
                remove(folder, contents)
                try? lock.close()
                throw error
            }
        }
    }

    /// Locks a file; returns whether it was free, and still has its name.
    private static func isTaken(_ lock: FileDescriptor) throws(Errno) -> Bool {
        guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            let error = Errno(rawValue: errno)
            if error == .wouldBlock { return false }
            throw error
        }
        var status = stat()
        guard fstat(lock.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
        return status.st_nlink > 0
    }

    /// Removes the folders of this account's owners that are gone, wherever they may be.
    static func sweepAll() {
        for parent in candidates { sweep(parent) }
    }

    /// Removes the folders of this account's owners that are gone.
    private static func sweep(_ parent: FilePath) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.string)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent.appending(name)
            // Succeeds only where the folder is empty: its owner was killed before it made the lock, or after it removed it.
            if rmdir(folder.string) == 0 { continue }
            guard let contents = try? OwnedFolder(at: folder.string),
                let lock = try? contents.openFile(lockName, O_WRONLY)
            else { continue }
            defer { try? lock.close() }
            if (try? isTaken(lock)) == true { remove(folder, contents) }
        }
    }

    /// Removes a folder, the lock last: what cannot be removed now is left for the next sweep.
    private static func remove(_ folder: FilePath, _ contents: OwnedFolder) {
        guard (try? contents.removeContents(except: lockName)) != nil else { return }
        try? contents.removeFile(lockName)
        rmdir(folder.string)
    }
}

// MARK: - Where they are

extension ChromiumProfile {
    /// The longest path of a folder in which Chromium can make its socket.
    ///
    /// A socket's path has 107 bytes at most;
    /// `/meanwhile-chromium-012345/home/org.chromium.Chromium.012345/SingletonSocket` are 76 of them.
    private static let parentLengthLimit = 107 - 76

    /// The folders that may hold them.
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
                "Chromium needs a temporary folder, and other accounts can rename files in \(NSTemporaryDirectory()), /tmp and /var/tmp. Set TMPDIR "
                    + "to a folder that belongs to this account, with a path of at most \(parentLengthLimit) bytes.")
        }
        return parent
    }

    /// Whether no other account can exchange what this one makes in the folder; of one that is missing, an error tells.
    private static func isSafe(_ folder: FilePath) -> Bool {
        var root = stat()
        guard stat("/", &root) == 0 else { return false }
        // In a user namespace root may have another number; the owner of the root folder can exchange anything.
        let trusted = [0, geteuid(), root.st_uid]
        return allOnTheWay(to: folder, orMissing: true) { status in
            let othersMayWrite = status.st_mode & (S_IWGRP | S_IWOTH) != 0
            return trusted.contains(status.st_uid) && (!othersMayWrite || status.st_mode & S_ISVTX != 0)
        }
    }

    /// Whether every account may pass through the folder and those above it.
    private static func isReachableByAll(_ folder: FilePath) -> Bool {
        allOnTheWay(to: folder, orMissing: false) { $0.st_mode & S_IXOTH != 0 }
    }

    /// Whether something holds for the folder and all above it.
    private static func allOnTheWay(
        to folder: FilePath, orMissing: Bool, _ condition: (stat) -> Bool
    ) -> Bool {
        var path = folder
        while true {
            var status = stat()
            guard stat(path.string, &status) == 0 ? condition(status) : orMissing else { return false }
            guard path.removeLastComponent() else { return true }
        }
    }
}
