import Foundation
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An `flock(2)` on a file: one holder at a time, or many that share it.
///
/// It belongs to the open file, so that two of one process exclude each other too, and the kernel gives it up when the
/// process ends, however it ends. The file stays: removing it would let a second process lock a file without a name.
final class FileLock: Sendable {
    enum Kind: Sendable {
        case shared
        case exclusive

        fileprivate var operation: CInt {
            switch self {
            case .shared: LOCK_SH
            case .exclusive: LOCK_EX
            }
        }
    }

    private let descriptor: CInt
    private let isReleased = Atomic(false)
    private let hasNote = Atomic(false)

    /// Opens the file, and makes it if it is not there; nothing is locked yet.
    ///
    /// It is written to, so that a link is not followed: it may lead to any file. Other accounts lose their permissions.
    ///
    /// - Throws: `isDirectory` for anything but a regular file, `tooManySymbolicLinkLevels` for a link.
    init(at path: String) throws(Errno) {
        let descriptor = try Disk.openFile(path, O_RDWR | O_CREAT | O_NOFOLLOW)
        do throws(Errno) {
            _ = try FileStamp(of: descriptor)
            var status = stat()
            try Disk.check(fstat(descriptor, &status))
            if Disk.isOpenToOthers(status.st_mode), status.st_uid == geteuid() {
                try Disk.check(fchmod(descriptor, status.st_mode & 0o700))
            }
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    deinit {
        release()
    }

    /// Takes the lock or changes its kind, without waiting.
    ///
    /// While it is changed, others may take it.
    ///
    /// - Returns: Whether it was free.
    func take(_ kind: Kind) throws(Errno) -> Bool {
        do throws(Errno) {
            _ = try Disk.retrying { Int(flock(descriptor, kind.operation | LOCK_NB)) }
            return true
        } catch {
            guard error == .wouldBlock else { throw error }
            return false
        }
    }

    /// Gives the lock up, to be taken again.
    func free() {
        _ = flock(descriptor, LOCK_UN)
    }

    /// Whether it is the file of that name: whoever removes a lock's file leaves others with a lock of their own.
    func isFile(at path: String) -> Bool {
        guard let mine = try? FileStamp(of: descriptor), let there = try? FileStamp(at: path) else { return false }
        return mine.number == there.number
    }

    /// Gives the lock up, and takes back what was noted; a second time does nothing.
    func release() {
        guard !isReleased.exchange(true, ordering: .acquiringAndReleasing) else { return }
        if hasNote.load(ordering: .acquiring) { ftruncate(descriptor, 0) }
        // Closing it is not enough: a child that another thread has just forked has it open too, until its `exec`.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

extension FileLock {
    /// What its holder has written; empty if it had no time to.
    var note: String {
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Writes who holds it.
    ///
    /// It is for people alone, so that a disk that is full does not matter.
    func write(note: String) {
        hasNote.store(true, ordering: .releasing)
        ftruncate(descriptor, 0)
        _ = Array(note.utf8).withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}
