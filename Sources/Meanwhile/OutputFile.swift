import DurableFiles
import Foundation
import SystemPackage

/// A file that a command writes piece by piece, and that appears once it is complete.
///
/// Until then, it has a temporary name beside the final one; if it is never completed, nothing is left.
final class OutputFile {
    /// Where the file will be.
    let path: String
    private let replacesOther: Bool
    private let part: String
    private let file: OpenFile

    /// Creates a file in an existing folder.
    ///
    /// - Parameters:
    ///   - path: Where the file will be.
    ///   - replacesOther: Whether it may replace another file.
    /// - Throws: ``CommandFailure`` if the name is taken, or the folder isn't writable.
    init(_ path: String, replacingOther replacesOther: Bool) throws(CommandFailure) {
        (self.path, self.replacesOther) = (path, replacesOther)
        if Disk.isFolder(path) { throw Self.failure(CommandWords.outputIsAFolder(path)) }
        if !replacesOther, Disk.exists(path) || Disk.isLink(path) { throw Self.taken(path) }
        let folder = (path as NSString).deletingLastPathComponent
        part = "\(folder.isEmpty ? "." : folder)/.meanwhile-\(UUID().uuidString).part"
        do throws(Errno) {
            file = try OpenFile(part, .newWorldReadable)
        } catch {
            throw Self.failure(CommandWords.outputNotWritten(path, because: "\(error)"))
        }
    }

    deinit { _ = try? Disk.real.removeFile(part) }

    /// Writes bytes at the end.
    func append(_ bytes: Data) throws(CommandFailure) {
        do throws(Errno) {
            try file.append(bytes)
        } catch {
            throw Self.failure(CommandWords.outputNotWritten(path, because: "\(error)"))
        }
    }

    /// Gives the file its final name, durably.
    func complete() throws(CommandFailure) {
        do throws(Errno) {
            try file.sync()
            if replacesOther { try Disk.real.rename(part, to: path) } else { try Disk.real.move(part, toNew: path) }
            try Disk.real.syncEntry(path)
        } catch .fileExists where !replacesOther {
            throw Self.taken(path)
        } catch {
            throw Self.failure(CommandWords.outputNotWritten(path, because: "\(error)"))
        }
    }

    private static func taken(_ path: String) -> CommandFailure { failure(CommandWords.outputExists(path)) }

    private static func failure(_ message: String) -> CommandFailure {
        CommandFailure(code: "output", message: message)
    }
}
