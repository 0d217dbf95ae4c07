import ArgumentParser
import Capture
import Foundation
import Persistence

/// `meanwhile verify`: verifies saved files, a backup or the data folder.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: VerifyWords.abstract, discussion: VerifyWords.discussion)

    @Argument(help: VerifyWords.files, completion: .file())
    var files: [String] = []

    @Option(help: CaptureWords.chromium)
    var chromium: String?

    @OptionGroup var folderOptions: DataFolderOptions

    func validate() throws {
        if files.contains("") { throw ValidationError(BackupWords.noNameToVerify) }
    }

    func run() async throws {
        guard !files.isEmpty else { return try await verifyFolder() }
        try folderOptions.startLog()
        let environment = ProcessInfo.processInfo.environment
        let configuration = PageCapturer.Configuration {
            $0.chromium = chromium ?? environment["MEANWHILE_CHROMIUM"].flatMap { $0.isEmpty ? nil : $0 }
            $0.keepsSparePage = false
        }
        // The worst outcome of all files: 1 is worse than 2.
        let codes = try await withPageCapturer(configuration) { capturer in
            var codes: Set<Int32> = []
            for file in files {
                do {
                    codes.insert(try await verify(file, with: capturer))
                } catch let code as ExitCode {
                    codes.insert(code.rawValue)
                }
            }
            return codes
        }
        if codes.contains(1) { throw ExitCode(1) }
        if codes.contains(2) { throw ExitCode(2) }
    }

    /// Verifies a file of a saved page, or a backup; returns the exit code.
    private func verify(_ file: String, with capturer: PageCapturer) async throws -> Int32 {
        let path = BackupCommand.absolute(file)
        if let saved = SavedPageFile(at: path), saved.isSavedFile {
            let report = try await folderOptions.reportOneOfSeveral {
                let data = try saved.read()
                guard let check = try await capturer.check(data, against: saved.picture) else {
                    throw CommandFailure(code: "unknown", message: VerifyWords.unknown(path))
                }
                return SavedFileReport(path, check)
            } failure: { error in
                (error as? CaptureError).map { CommandFailure(code: "\($0.code)", message: $0.message) }
            }
            return report.exitCode
        }
        let status = ProgressLine { BackupWords.checked($0, done: $1, total: $2) }
        let report = try await folderOptions.reportOneOfSeveral {
            defer { status.end() }
            return BackupReport(.verified, path, try await Backup.verify(path, progress: status.watch))
        } failure: { _ in
            nil
        }
        return report.problems?.isEmpty == false ? 1 : 0
    }

    private func verifyFolder() async throws {
        let status = ProgressLine { BackupWords.checked($0, done: $1, total: $2) }
        let report = try await folderOptions.runInFolder { database in
            defer { status.end() }
            return BackupReport(database.folder.path, try await database.verify(progress: status.watch))
        } failure: { _ in
            nil
        }
        if report.problems?.isEmpty == false { throw ExitCode(1) }
    }
}

/// A file that may be one of a saved page.
private struct SavedPageFile {
    /// The maximum size of a file, in bytes.
    private static let limit = 1 << 30

    let path: String
    private let size: Int

    /// Returns `nil` if the path has no regular file.
    init?(at path: String) {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular, let size = attributes?[.size] as? NSNumber
        else { return nil }
        self.path = path
        self.size = size.intValue
    }

    /// Whether its beginning is that of a saved page's file; anything else may be a backup.
    var isSavedFile: Bool {
        guard let file = FileHandle(forReadingAtPath: path) else { return false }
        defer { try? file.close() }
        guard let start = try? file.read(upToCount: 4_096) else { return false }
        // The first file in a backup may be an HTML page.
        return !start.starts(with: Data(Backup.firstName.utf8)) && SavedFile(start) != nil
    }

    func read() throws -> Data {
        guard size <= Self.limit else {
            throw CommandFailure(code: "tooLarge", message: VerifyWords.tooLarge(path, limit: Self.limit))
        }
        return try Data(contentsOf: URL(filePath: path))
    }

    /// The page's picture: a PNG with the same name beside the file; `nil` if there is none.
    var picture: Data? {
        let beside = URL(filePath: path).deletingPathExtension().appendingPathExtension("png")
        let picturePath = beside.path(percentEncoded: false)
        guard picturePath != path, let picture = SavedPageFile(at: picturePath) else { return nil }
        return try? picture.read()
    }
}
