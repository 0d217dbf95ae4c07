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
        abstract: "Copies all data to one file, also while the server runs.",
        discussion: """
            The backup is a tar archive with all data from before the command started. It
            is named FILE.part until it is complete. If the command is interrupted, run it
            again to continue.

              meanwhile backup meanwhile-monday.tar
              meanwhile verify meanwhile-monday.tar
              meanwhile restore meanwhile-monday.tar --data /srv/meanwhile

            Exit codes: 0 complete, 1 failed, 2 complete, but without files that were
            lost, damaged or unreadable, 64 wrong usage.
            """)

    @Argument(help: "The backup file to create; it must not exist yet.", completion: .file())
    var file: String

    @OptionGroup var folderOptions: DataFolderOptions

    func validate() throws {
        if file.isEmpty { throw ValidationError("Give the name of the backup file.") }
    }

    func run() async throws {
        let path = absolute(file)
        let report = try await folderOptions.run(reading: true) { database in
            let status = ProgressLine("copied")
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
        abstract: "Restores a backup into an empty data folder.",
        discussion: """
            Nothing is overwritten: move the old folder away, or choose a new one with
            --data. The whole backup is checked before anything is restored. If the command
            is interrupted, run it again; it starts over.

            Exit codes: 0 complete, 1 failed, 64 wrong usage.
            """)

    @Argument(help: "The backup file.", completion: .file())
    var file: String

    @OptionGroup var folderOptions: DataFolderOptions

    func run() async throws {
        let path = absolute(file)
        try await folderOptions.report { () -> BackupReport in
            // Check this before creating the data folder.
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw CommandFailure(
                    code: "missing", message: "\(path) doesn't exist or can't be read. Check the path.")
            }
            let folder = try DataFolder.open(at: folderOptions.folderPath())
            let server = try folder.lock(for: "server")
            defer { server.release() }
            let status = ProgressLine("restored")
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

/// `meanwhile verify`: verifies a backup or the data folder.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks every byte of a backup, or of all data.",
        discussion: """
            Without a file, it checks the data folder, also while the server runs.

            Exit codes: 0 complete and undamaged, 1 incomplete, damaged or unreadable, 64
            wrong usage.
            """)

    @Argument(help: "The backup file. (default: the data folder)", completion: .file())
    var file: String?

    @OptionGroup var folderOptions: DataFolderOptions

    func validate() throws {
        if file?.isEmpty == true {
            throw ValidationError("Give the name of the backup file, or omit it to check the data folder.")
        }
    }

    func run() async throws {
        let status = ProgressLine("checked")
        let report: BackupReport
        if let file {
            let path = absolute(file)
            report = try await folderOptions.report {
                defer { status.end() }
                return BackupReport(.verified, path, try await Backup.verify(path, progress: status.watch))
            } failure: { _ in
                nil
            }
        } else {
            report = try await folderOptions.run(reading: true) { database in
                defer { status.end() }
                return BackupReport(database.folder.path, try await database.verify(progress: status.watch))
            } failure: { _ in
                nil
            }
        }
        if report.problems?.isEmpty == false { throw ExitCode(1) }
    }
}

/// Returns an absolute path, relative paths being resolved in the current directory.
private func absolute(_ path: String) -> String {
    URL(filePath: path, relativeTo: .currentDirectory()).standardizedFileURL.path(percentEncoded: false)
}

/// Shows the progress of a backup on the terminal.
private final class ProgressLine: Sendable {
    private let line = Mutex(StatusLine())
    private let done: String

    init(_ done: String) {
        self.done = done
    }

    var watch: Backup.ProgressHandler {
        { progress in
            self.line.withLock { line in
                guard line.isDue() else { return }
                let (done, total) = (progress.doneBytes, progress.totalBytes)
                let percent = total > 0 ? Int(Double(done) / Double(total) * 100) : 100
                line.show(
                    "\(percent) %: \(done.formatted(.byteCount(style: .file))) of "
                        + "\(total.formatted(.byteCount(style: .file))) \(self.done)")
            }
        }
    }

    func end() {
        line.withLock { $0.clear() }
    }
}
