import Foundation
import Synchronization
package import SystemPackage

/// A lock on a file with `flock(2)`, either exclusive or shared.
///
/// It belongs to the open file, so that two locks of one process exclude each other too. The kernel releases it when the process
/// ends for any reason. The file is never deleted: otherwise a process could hold a lock on a file that no other can open.
public final class FileLock: Sendable {
    package enum Kind: Sendable {
        case shared
        case exclusive
    }

    package let file: OpenFile
    private let hasNote = Atomic(false)

    /// Opens the file, and creates it if it is missing, without locking it.
    ///
    /// The file is written to, so a link, which could lead to any file, is not followed. Other accounts lose their permissions.
    ///
    /// - Throws: `isDirectory` for anything but a regular file, `tooManySymbolicLinkLevels` for a link.
    package init(at path: String) throws(Errno) {
        file = try OpenFile(path, .creating, followingLink: false)
        let status = try file.status
        guard status.type == .regular else { throw .isDirectory }
        if Disk.isOpenToOthers(status), status.userID.rawValue == SystemCall.account {
            try file.setPermissions(status.permissions.rawValue & 0o700)
        }
    }

    deinit {
        release()
    }

    /// Releases the lock and erases the note; a second call has no effect.
    public func release() {
        if hasNote.exchange(false, ordering: .acquiringAndReleasing) { try? file.truncate(to: 0) }
        // Closing the file is not enough: a child process that another thread has just forked shares it until its `exec`.
        file.unlock()
    }
}

extension FileLock {
    /// Acquires the lock, or changes its kind, without waiting.
    ///
    /// Changing the kind first releases the lock: another process may acquire it, and then this object holds none.
    ///
    /// - Returns: Whether the lock was available.
    package func tryAcquire(_ kind: Kind) throws(Errno) -> Bool {
        do throws(Errno) {
            try file.lock(exclusively: kind == .exclusive)
            return true
        } catch .wouldBlock {
            return false
        }
    }

    /// Opens a file and locks it exclusively, without waiting; `nil` if another holder has the lock.
    package static func acquired(at path: String) throws(Errno) -> FileLock? {
        let lock = try FileLock(at: path)
        return try lock.tryAcquire(.exclusive) ? lock : nil
    }

    /// Whether the path still names the locked file: if a program deletes that file, others would lock a new one.
    package func isFile(at path: String) -> Bool {
        guard let locked = try? file.stamp(), let current = Disk.stamp(of: path) else { return false }
        return locked.number == current.number
    }

    /// The note of the lock's holder; empty if it hasn't been written yet.
    package var note: String {
        let bytes = (try? file.read(64)) ?? Data()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes a note that names the holder.
    ///
    /// It is only informative, so that a failure, for example because of a full disk, is ignored.
    package func write(note: String) {
        hasNote.store(true, ordering: .releasing)
        try? file.truncate(to: 0)
        try? file.append(Data(note.utf8))
    }
}
