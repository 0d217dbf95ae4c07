import Foundation
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A browser's own folder, for as long as it runs: profile, home and temporary files.
///
/// Its lock tells whether its owner still lives; the folders of owners that were killed are swept by whoever comes next.
final class ChromiumProfile: Sendable {
    private static let prefix = "meanwhile-chromium-"
    private static let lockName = "owner.lock"

    /// The folder.
    let folder: FilePath
    private let lock: FileDescriptor

    /// Makes a folder that only the account can enter.
    ///
    /// - Throws: ``CaptureError`` with the code `browserFailedToStart`.
    init(for account: UserAccount?) throws(CaptureError) {
        let parent = Self.parentFolder(reachableByAll: account != nil)
        Self.sweep(parent)
        do {
            (self.folder, self.lock) = try Self.make(in: parent, for: account)
        } catch {
            throw CaptureError(
                .browserFailedToStart,
                "Chromium needs a temporary folder, and none can be made in \(parent): \(error). Free some space there, or set "
                    + "TMPDIR to a folder that can be written.", cause: error)
        }
    }

    private static func make(
        in parent: FilePath, for account: UserAccount?
    ) throws -> (folder: FilePath, lock: FileDescriptor) {
        while true {
            let folder = parent.appending(prefix + String(UInt32.random(in: .min ... .max), radix: 16))
            guard mkdir(folder.string, 0o700) == 0 else {
                if errno == EEXIST { continue }
                throw Errno(rawValue: errno)
            }
            do {
                // The lock stays its maker's, outside of what the browser may change.
                let path = folder.appending(lockName)
                let lock = try FileDescriptor.open(
                    path, .writeOnly, options: [.create, .closeOnExec], permissions: [.ownerReadWrite])
                guard flock(lock.rawValue, LOCK_EX) == 0 else { throw Errno(rawValue: errno) }
                // Somebody who sweeps may have been quicker, and taken the folder for one that was left.
                guard FileManager.default.fileExists(atPath: path.string) else {
                    try? lock.close()
                    continue
                }
                if let account, chown(folder.string, account.userID, account.groupID) != 0 {
                    throw Errno(rawValue: errno)
                }
                return (folder, lock)
            } catch {
                try? FileManager.default.removeItem(atPath: folder.string)
                throw error
            }
        }
    }

    /// What Chromium says on its standard error.
    var log: FilePath { folder.appending("chromium.log") }

    /// Removes the folder with all that is in it.
    func remove() {
        try? FileManager.default.removeItem(atPath: folder.string)
        try? lock.close()
    }

    /// The longest path of a folder in which Chromium can make its socket.
    ///
    /// A socket's path has 107 bytes at most; `/meanwhile-chromium-01234567/org.chromium.Chromium.012345/SingletonSocket`
    /// are 74 of them.
    private static let parentLengthLimit = 107 - 74

    private static func parentFolder(reachableByAll: Bool) -> FilePath {
        let own = FilePath(NSTemporaryDirectory())
        let candidates = [own, "/tmp", "/var/tmp"].filter { $0.string.utf8.count <= parentLengthLimit }
        return candidates.first { !reachableByAll || isReachableByAll($0) } ?? own
    }

    /// Whether every account may pass through the folder and those above it.
    private static func isReachableByAll(_ folder: FilePath) -> Bool {
        var path = folder
        while true {
            var status = stat()
            guard stat(path.string, &status) == 0, status.st_mode & S_IXOTH != 0 else { return false }
            guard path.removeLastComponent() else { return true }
        }
    }

    /// Removes the folders of owners that are gone.
    private static func sweep(_ parent: FilePath) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent.string)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let folder = parent.appending(name)
            let lock = try? FileDescriptor.open(folder.appending(lockName), .writeOnly, options: [.closeOnExec])
            guard let lock else { continue }
            defer { try? lock.close() }
            guard flock(lock.rawValue, LOCK_EX | LOCK_NB) == 0 else { continue }
            try? FileManager.default.removeItem(atPath: folder.string)
        }
    }
}
