import ArgumentParser
import DurableFiles
import Foundation
import Persistence
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `meanwhile backup`: copies all stored data to one file.
struct BackupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: BackupWords.backupAbstract, discussion: BackupWords.backupDiscussion)

    @Argument(help: BackupWords.newFile, completion: .file())
    var file: String

    @OptionGroup var folderOptions: DataFolderOptions

    func validate() throws {
        if file.isEmpty { throw ValidationError(BackupWords.noName) }
    }

    func run() async throws {
        let path = BackupCommand.absolute(file)
        let report = try await folderOptions.runInFolder { database in
            let status = ProgressLine { BackupWords.copied($0, done: $1, total: $2) }
            defer { status.end() }
            return BackupReport(.saved, path, try await database.backUp(to: path, progress: status.watch))
        } failure: { _ in
            nil
        }
        if report.problems?.isEmpty == false { throw ExitCode(2) }
    }
}

/// `meanwhile restore`: restores a backup into an empty data folder.
struct RestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: BackupWords.restoreAbstract, discussion: BackupWords.restoreDiscussion)

    @Argument(help: BackupWords.file, completion: .file())
    var file: String

    @OptionGroup var folderOptions: DataFolderOptions

    func run() async throws {
        let path = BackupCommand.absolute(file)
        try await folderOptions.report { () -> BackupReport in
            if try folderOptions.storage.address(environment: ProcessInfo.processInfo.environment).database != nil {
                throw CommandFailure(code: "postgreSQL", message: CommandWords.onlyInFolder)
            }
            // Check this before creating the data folder.
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw CommandFailure(code: "missing", message: BackupWords.notReadable(path))
            }
            let folder = try DataFolder.open(at: folderOptions.folderPath())
            let server = try folder.lock(for: "server")
            defer { server.release() }
            let status = ProgressLine { BackupWords.restored($0, done: $1, total: $2) }
            defer { status.end() }
            return BackupReport(
                .restored, folder.path,
                try await Backup.restore(
                    path, into: folder, migrations: DatabaseSchema.migrations, progress: status.watch))
        } failure: { _ in
            nil
        }
    }
}

extension BackupCommand {
    /// Returns an absolute path, relative paths being resolved in the current directory.
    static func absolute(_ path: String) -> String {
        URL(filePath: path, relativeTo: .currentDirectory()).standardizedFileURL.path(percentEncoded: false)
    }
}

/// Shows the progress of a backup on the terminal.
final class ProgressLine: Sendable {
    private let line = Mutex(StatusLine())
    private let text: @Sendable (_ percent: Int, _ done: Int64, _ total: Int64) -> String

    /// - Parameter text: Returns the line for a percentage, the bytes that are done, and all bytes.
    init(_ text: @escaping @Sendable (_ percent: Int, _ done: Int64, _ total: Int64) -> String) {
        self.text = text
    }

    var watch: Backup.ProgressHandler {
        { progress in
            self.line.withLock { line in
                guard line.isDue() else { return }
                let (done, total) = (progress.doneBytes, progress.totalBytes)
                let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
                line.show(self.text(percent, done, total))
            }
        }
    }

    func end() {
        line.withLock { $0.clear() }
    }
}
