public import Foundation
package import SystemPackage

/// An error of reading or writing a file.
///
/// ``description`` is written for people: what failed, which file it concerns, and what to do.
public struct FileError: Error, Sendable {
    /// The kind of failure.
    public enum Code: String, Sendable {
        /// A part of the path is not a folder, or the path is invalid.
        case notAFolder
        /// Reading or writing is not permitted, or the file system is read-only.
        case notWritable
        /// The disk or the account's quota is full, or the file would be too large.
        case diskFull
        /// The disk failed, a system resource is exhausted, the path is a folder, or any other error.
        case inputOutput
        /// The file does not exist.
        case missing
    }

    /// The kind of failure.
    public let code: Code
    /// What failed, which file it concerns, and what to do.
    public let message: String
    /// The system's error.
    public let cause: any Error

    /// Creates the error of a failed system call; `failed` is a phrase such as "could not be written".
    package init(_ errno: Errno, _ failed: String, at path: String) {
        let (code, advice): (Code, String) =
            switch errno {
            case .noSpace, .diskQuotaExceeded:
                (.diskFull, "The disk is full: make room, then try again.")
            case .fileTooLarge:
                (.diskFull, "The file would be larger than this disk or this account allows.")
            case .permissionDenied, .notPermitted:
                (
                    .notWritable,
                    "This account has no permission: change the permissions or the owner, or choose another folder."
                )
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
                (.missing, "It does not exist.")
            case .tooManyOpenFiles, .tooManyOpenFilesInSystem:
                (.inputOutput, "Too many files are open: raise the limit (`ulimit -n`), then try again.")
            default:
                (.inputOutput, "Check the disk, then try again.")
            }
        self.code = code
        self.message = "\(path) \(failed). \(advice) (\(errno))"
        self.cause = errno
    }
}

extension FileError: CustomStringConvertible, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}
