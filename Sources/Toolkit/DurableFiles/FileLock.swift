import Foundation
import Synchronization
package import SystemPackage

/// A lock on a file, `flock(2)`: one holder at a time, or many that share it.
///
/// It belongs to the open file, so that two of one process exclude each other too, and the kernel gives it up when the
/// process ends, however it ends. The file stays: removing it would let a second process lock a file without a name.
public final class FileLock: Sendable {
    package enum Kind: Sendable {
        case shared
        case exclusive
    }

    package let file: OpenFile
    private let hasNote = Atomic(false)

    /// Opens the file, and makes it if it is not there; nothing is locked yet.
    ///
    /// It is written to, so that a link is not followed: it may lead to any file. Other accounts lose their permissions.
    ///
    /// - Throws: `isDirectory` for anything but a regular file, `tooManySymbolicLinkLevels` for a link.
    package init(at path: String) throws(Errno) {
        file = try OpenFile(path, .creating, followingLink: false)
        let status = try Stat(FileDescriptor(rawValue: file.descriptor))
        guard status.type == .regular else { throw .isDirectory }
        if Disk.isOpenToOthers(status), status.userID.rawValue == SystemCall.account {
            try SystemCall.setPermissions(file.descriptor, status.permissions.rawValue & 0o700)
        }
    }

    deinit {
        release()
    }

    /// Gives the lock up, and takes back what was noted; a second time does nothing.
    public func release() {
        if hasNote.exchange(false, ordering: .acquiringAndReleasing) { try? file.truncate(to: 0) }
        // Closing it is not enough: a child that another thread has just forked has it open too, until its `exec`.
        SystemCall.unlock(file.descriptor)
    }
}

extension FileLock {
    /// Takes the lock or changes its kind, without waiting.
    ///
    /// While it is changed, others may take it.
    ///
    /// - Returns: Whether it was free.
    package func take(_ kind: Kind) throws(Errno) -> Bool {
        do throws(Errno) {
            try SystemCall.lock(file.descriptor, exclusively: kind == .exclusive)
            return true
        } catch .wouldBlock {
            return false
        }
    }

    /// Opens a file and takes its lock exclusively, without waiting; `nil` if the lock is taken.
    package static func taken(at path: String) throws(Errno) -> FileLock? {
        let lock = try FileLock(at: path)
        return try lock.take(.exclusive) ? lock : nil
    }

    /// Whether it is the file of that name: a program that removes a lock's file leaves others with a lock of their own.
    package func isFile(at path: String) -> Bool {
        guard let mine = try? file.stamp(), let there = Disk.file(path) else { return false }
        return mine.number == there.number
    }

    /// What its holder has written; empty if it had no time to.
    package var note: String {
        let bytes = (try? file.read(64)) ?? Data()
        return String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes who holds it.
    ///
    /// It is for people alone, so that a disk that is full does not matter.
    package func write(note: String) {
        hasNote.store(true, ordering: .releasing)
        try? file.truncate(to: 0)
        try? file.write(Data(note.utf8))
    }
}
