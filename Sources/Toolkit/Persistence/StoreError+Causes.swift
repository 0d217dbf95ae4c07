import DurableFiles
import GRDB
package import SystemPackage

extension StoreError {
    /// Creates the error of a failed system call; `failed` is a phrase such as "could not be written".
    package init(_ errno: Errno, _ failed: String, at path: String) {
        let error = FileError(errno, failed, at: path)
        self.init(Code(description: error.code.rawValue), error.message, cause: errno)
    }

    /// Creates the error of a failed transaction.
    ///
    /// - Parameters:
    ///   - error: The error; a ``StoreError`` is copied unchanged.
    ///   - path: The database's path.
    init(_ error: any Error, ofDatabaseAt path: String) {
        switch error {
        case let error as StoreError:
            self = error
        case let error as DatabaseError:
            self.init(error, ofDatabaseAt: path)
        case is RowDecodingError, is SQLDecodingError:
            self.init(
                .queryFailed,
                "A row of \(path) is damaged: no version of this program writes such a row. Nothing was changed. "
                    + "Restore a backup of the data folder.", cause: error)
        case is CancellationError:
            self.init(.cancelled, "The task was cancelled. Nothing was written.", cause: error)
        default:
            self.init(.abandoned, "A change of the database was abandoned: \(error)", cause: error)
        }
    }

    /// Creates the error of a failed SQLite call.
    init(_ error: DatabaseError, ofDatabaseAt path: String) {
        if error.extendedResultCode == .SQLITE_CONSTRAINT_TRIGGER,
            let message = error.message.flatMap(DatabaseMoveMark.refusal(in:))
        {
            self.init(.notWritable, message, cause: error)
            return
        }
        let reason = error.message ?? "SQLite error \(error.extendedResultCode.rawValue)"
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
                (.locked, "\(path) was locked by another process for too long. Try again when that process ends.")
            case .SQLITE_CORRUPT, .SQLITE_NOTADB:
                (
                    .corrupt,
                    "\(path) is damaged. Stop every program that uses it and start again: the file is then set aside, "
                        + "and a new one created."
                )
            case .SQLITE_IOERR where DiskSpace(at: path)?.isFull == true:
                (.diskFull, "\(path) cannot grow: the disk is full. Make room, then try again. Nothing was written.")
            case .SQLITE_IOERR:
                (.inputOutput, "\(path) could not be read or written. Check the disk, then try again.")
            case .SQLITE_MISUSE where error.message == DatabaseError.connectionClosedMessage:
                (.closed, "\(path) has been closed.")
            default:
                (.queryFailed, "\(path) rejected a statement. Nothing was written.")
            }
        self.init(code, "\(text) (\(reason))", cause: error)
    }
}

/// Makes system calls, and converts an error to a ``StoreError`` that names the failed operation and the path.
@discardableResult
package func onDisk<Value>(
    _ failed: String, at path: String, _ calls: () throws(Errno) -> Value
) throws(StoreError) -> Value {
    do throws(Errno) {
        return try calls()
    } catch {
        throw StoreError(error, failed, at: path)
    }
}

extension DatabaseError {
    /// GRDB's message for a closed connection; the code SQLITE_MISUSE alone has other causes too.
    fileprivate static let connectionClosedMessage = "Connection is closed"
}
