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
        abstract: "Copies all that is kept into one file; also while the server runs.",
        discussion: """
            It holds all that was kept before the command began. The file has its name
            only when it is whole; what was broken off is in FILE.part, and the same
            command goes on with it. It is a tar archive.

              meanwhile backup meanwhile-monday.tar
              meanwhile verify meanwhile-monday.tar
              meanwhile restore meanwhile-monday.tar --data /srv/meanwhile

            Exit codes: 0 it is done, 1 it could not be done, 2 it is done, without
            files that were lost or damaged before, 64 wrong usage.
            """)

    @Argument(help: "The file; there must be none of that name.", completion: .file())
    var file: String

    @OptionGroup var kept: KeptDataOptions

    func validate() throws {
        if file.isEmpty { throw ValidationError("The backup needs a file's name.") }
    }

    func run() async throws {
        let path = absolute(file)
        let report = try await kept.run(reading: true) { database in
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
        abstract: "Puts a backup into a data folder that is empty.",
        discussion: """
            Nothing is overwritten: move the old folder away, or name a new one with
            --data. All of the backup is checked before anything of it is put in its
            place; what was broken off is begun anew.

            Exit codes: 0 it is done, 1 it could not be done, 64 wrong usage.
            """)

    @Argument(help: "The backup's file.", completion: .file())
    var file: String

    @OptionGroup var kept: KeptDataOptions

    func run() async throws {
        let path = absolute(file)
        try await kept.report { () -> BackupReport in
            // Check this before creating the data folder.
            guard FileManager.default.isReadableFile(atPath: path) else {
                throw CommandFailure(code: "missing", message: "\(path) is not there, or may not be read.")
            }
            let folder = try DataFolder.open(at: kept.folderPath())
            let server = try folder.lock(for: "server")
            defer { server.release() }
            let status = ProgressLine("restored")
            defer { status.end() }
            return BackupReport(
                .restored, folder.path,
                try await Backup.restore(
                    path, into: folder, migrations: DatabaseForm.migrations, progress: status.watch))
        } failure: { _ in
            nil
        }
    }
}

/// `meanwhile verify`: verifies a backup or the data folder.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads a backup, or all that is kept, and checks every byte of it.",
        discussion: """
            Without a file it checks what is kept, also while the server runs.

            Exit codes: 0 all is as it was written, 1 something is not, or could not be
            read, 64 wrong usage.
            """)

    @Argument(help: "A backup's file. (default: what is kept)", completion: .file())
    var file: String?

    @OptionGroup var kept: KeptDataOptions

    func validate() throws {
        if file?.isEmpty == true { throw ValidationError("A backup's file has a name; leave it out for what is kept.") }
    }

    func run() async throws {
        let status = ProgressLine("checked")
        let report: BackupReport
        if let file {
            let path = absolute(file)
            report = try await kept.report {
                defer { status.end() }
                return BackupReport(.verified, path, try await Backup.verify(path, progress: status.watch))
            } failure: { _ in
                nil
            }
        } else {
            report = try await kept.run(reading: true) { database in
                defer { status.end() }
                return BackupReport(database.folder.path, try await database.verify(progress: status.watch))
            } failure: { _ in
                nil
            }
            if report.problems?.isEmpty == false { throw ExitCode(1) }
        }
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
