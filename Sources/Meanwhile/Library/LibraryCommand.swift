import ArgumentParser
import Capture
import Foundation
import OfflineLibraryModel
import OfflineLibraryReading
import OfflineLibraryStore
import Persistence

/// `meanwhile library`: manages the saved pages, also while the server runs.
struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: LibraryCommandWords.abstract, discussion: LibraryCommandWords.discussion,
        subcommands: [LibraryImportCommand.self])
}

/// `meanwhile library import`: imports the addresses of files.
struct LibraryImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: LibraryCommandWords.importFiles,
        discussion: LibraryCommandWords.importDiscussion)

    @Argument(help: LibraryCommandWords.files)
    var files: [String]

    @Option(name: .shortAndLong, help: LibraryCommandWords.format)
    var format: FormatList?

    @OptionGroup var folderOptions: DataFolderOptions

    func run() async throws {
        try await folderOptions.run { database in
            let store = SQLiteLibraryStore(database: database, blobs: BlobStore(database: database))
            let formats = await Self.formats(format, in: database)
            var report = LibraryReport()
            for path in files {
                do {
                    let file = try AddressFile(reading: try Self.read(path))
                    let name = path == "-" ? "" : (path as NSString).lastPathComponent
                    report.add(
                        try await store.importAddresses(
                            of: file, name: name, formats: formats, owner: .local, at: .now))
                } catch let error as LibraryFileError {
                    throw report.failure(at: path, code: error.code, message: "\(error)")
                } catch let error as LibraryError {
                    throw report.failure(at: path, code: error.code, message: "\(error)")
                } catch let error as CommandFailure {
                    throw report.failure(at: path, code: error.code, message: error.message)
                }
            }
            return report
        } failure: { _ in
            nil
        }
    }

    /// The chosen formats, or those that the owner chose last.
    @MainActor
    private static func formats(_ chosen: FormatList?, in database: AppDatabase) async -> Set<PageFormat> {
        if let chosen { return Set(chosen.formats) }
        let settings = LibrarySettings.stored(in: SQLiteStore(database: database, owner: .local))
        await settings.load()
        return settings.value.formats
    }

    private static func read(_ path: String) throws(CommandFailure) -> Data {
        // Reads one byte more than allowed, which is enough to detect a file that is too large.
        let limit = ImportLimits.fileBytes + 1
        do {
            guard path != "-" else { return try FileHandle.standardInput.read(upToCount: limit) ?? Data() }
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            return try file.read(upToCount: limit) ?? Data()
        } catch {
            throw CommandFailure(code: "unreadable", message: LibraryCommandWords.notRead(error.localizedDescription))
        }
    }
}

/// The output of a library command: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct LibraryReport: CommandReport {
    struct Entry: Encodable, Sendable {
        var id: String
        var file: String
        var format: String
        /// The numbers of new, already saved, repeated and unusable addresses.
        var new, alreadySaved, repeated, unusable: Int
    }

    var version = 1
    var outcome = "imported"
    var imports: [Entry]? = []
    var error: CommandFailure?
    var lines: [String] = []

    private enum CodingKeys: String, CodingKey {
        case version, outcome, imports, error
    }

    init() {}

    init(_ failure: CommandFailure) {
        (outcome, imports, error) = ("failed", nil, failure)
    }

    /// Adds an import.
    mutating func add(_ stored: LibraryImport) {
        let counts = stored.counts
        imports?.append(
            Entry(
                id: stored.id.description, file: stored.name, format: stored.format.rawValue, new: counts.new,
                alreadySaved: counts.alreadySaved, repeated: counts.repeated, unusable: counts.unusable))
        lines.append(
            LibraryCommandWords.imported(
                stored.name, new: counts.new, alreadySaved: counts.alreadySaved, repeated: counts.repeated,
                unusable: counts.unusable))
    }

    /// Returns the error for a failed import, which mentions the files imported before.
    func failure(at path: String, code: String, message: String) -> CommandFailure {
        let before = imports?.map(\.file) ?? []
        let reason = before.isEmpty ? message : "\(message) \(LibraryCommandWords.importedBefore(before))"
        return CommandFailure(code: code, message: LibraryCommandWords.failed(path, reason))
    }
}

extension LibraryFileError {
    /// The error's name in JSON output.
    fileprivate var code: String {
        switch self {
        case .noFile: "noFile"
        case .tooLarge: "tooLarge"
        case .empty: "empty"
        case .unknownFormat: "anotherFormat"
        case .damaged: "corrupt"
        case .noAddresses: "noAddresses"
        case .tooManyPages: "tooManyPages"
        case .noPageAddress: "noPageAddress"
        case .tooMany: "tooMany"
        case .overBudget: OverBudget.code
        case .unfinished: "unfinished"
        }
    }
}

extension LibraryError {
    /// The error's name in JSON output.
    fileprivate var code: String {
        if case .overBudget = self { OverBudget.code } else { "storage" }
    }
}
