import Foundation
import GRDB
package import SystemPackage

extension PersistenceError {
    /// What a failed system call means for a person.
    ///
    /// - Parameters:
    ///   - errno: What the call said.
    ///   - failed: What could not be done, as in "could not be written".
    ///   - path: To what.
    package init(_ errno: Errno, _ failed: String, at path: String) {
        let (code, advice): (Code, String) =
            switch errno {
            case .noSpace, .diskQuotaExceeded:
                (.diskFull, "The disk is full: make room, then try again.")
            case .fileTooLarge:
                (.diskFull, "The file would be larger than this disk or this account allows.")
            case .permissionDenied, .notPermitted:
                (.notWritable, "This account may not: change its permissions or its owner, or choose another folder.")
            case .readOnlyFileSystem:
                (.notWritable, "Its file system is read-only: choose another folder.")
            case .notDirectory:
                (.notAFolder, "A part of the path is not a folder: choose another.")
            case .tooManySymbolicLinkLevels:
                (.notAFolder, "It is a symbolic link that is not followed, or leads in a circle: choose another path.")
            case .isDirectory:
                (.inputOutput, "It is not a regular file: move it away, then try again.")
            case .fileNameTooLong:
                (.notAFolder, "The path is too long: choose a shorter one.")
            case .noSuchFileOrDirectory:
                (.missing, "It is not there.")
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                (.inputOutput, "Too many files are open: raise the limit (`ulimit -n`), then try again.")
            default:
                (.inputOutput, "Check the disk, then try again.")
            }
        self.init(code, "\(path) \(failed). \(advice) (\(errno))", cause: errno)
    }

    /// What an error that came out of a transaction means for a person.
    ///
    /// - Parameters:
    ///   - error: A ``PersistenceError`` stays what it is.
    ///   - path: The database's.
    init(_ error: any Error, ofDatabaseAt path: String) {
        switch error {
        case let error as PersistenceError:
            self = error
        case let error as DatabaseError:
            self.init(error, ofDatabaseAt: path)
        case is RowDecodingError:
            self.init(
                .queryFailed,
                "A row of \(path) is damaged: it is not what any version of this program writes. Nothing was changed. Put "
                    + "back a backup of the data folder.", cause: error)
        case is CancellationError:
            self.init(.cancelled, "The task was cancelled. Nothing was written.", cause: error)
        default:
            self.init(.abandoned, "What was begun in the database was given up: \(error)", cause: error)
        }
    }

    /// What an error of SQLite means for a person.
    init(_ error: DatabaseError, ofDatabaseAt path: String) {
        let said = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
        let (code, text): (Code, String) =
            switch error.resultCode {
            case .SQLITE_FULL:
                (.diskFull, "\(path) cannot grow: the disk is full. Make room, then try again. Nothing was written.")
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
                (
                    .notWritable,
                    "\(path) cannot be opened for writing. Check the permissions and the owner of the file and of its "
                        + "folder."
                )
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                (.locked, "\(path) was kept busy by another process for too long. Try again when that has ended.")
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                (
                    .corrupt,
                    "\(path) is damaged. Stop every program that uses it and start again: the file is then set aside, "
                        + "and a new one begun."
                )
            case .SQLITE_IOERR where Disk.isFull(at: path):
                (.diskFull, "\(path) cannot grow: the disk is full. Make room, then try again. Nothing was written.")
            case .SQLITE_IOERR:
                (.inputOutput, "\(path) could not be read or written. Check the disk, then try again.")
            case .SQLITE_MISUSE where error.message == DatabaseError.saysConnectionIsClosed:
                (.closed, "\(path) has been closed.")
            default:
                (.queryFailed, "\(path) refused a statement. Nothing was written.")
            }
        self.init(code, "\(text) (\(said))", cause: error)
    }
}

extension DatabaseError {
    /// How GRDB puts it: the code alone, SQLITE_MISUSE, stands for other faults too.
    fileprivate static let saysConnectionIsClosed = "Connection is closed"
}
