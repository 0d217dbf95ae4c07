import ArgumentParser
import Capture
import Foundation
import Jobs
import OfflineLibraryModel
import OfflineLibraryReading
import OfflineLibraryStore
import Persistence

/// `meanwhile library`: manages the saved pages, also while the server runs.
struct LibraryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "library", abstract: LibraryCommandWords.abstract, discussion: LibraryCommandWords.discussion,
        subcommands: [LibraryImportCommand.self, LibraryExportCommand.self])
}

/// `meanwhile library import`: imports the addresses or pages of files.
struct LibraryImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: LibraryCommandWords.importFiles,
        discussion: LibraryCommandWords.importDiscussion)

    @Argument(help: LibraryCommandWords.files)
    var files: [String]

    @Option(name: .shortAndLong, help: LibraryCommandWords.format)
    var format: FormatList?

    @Flag(help: LibraryCommandWords.folderTags)
    var folderTags = false

    @OptionGroup var folderOptions: DataFolderOptions

    func run() async throws {
        try await folderOptions.run { storage in
            let owner = try await folderOptions.owner(in: storage)
            let queue = storage.jobs()
            let store = SQLiteLibraryStore(
                in: storage.database, blobs: storage.blobs,
                captures: JobClient.captures(
                    of: queue, in: storage, options: Library.Configuration().options))
            let formats = await Self.formats(format, of: owner, in: storage)
            var report = LibraryReport()
            for path in files {
                do {
                    let name = path == "-" ? "" : (path as NSString).lastPathComponent
                    if let archive = try Self.export(at: path) {
                        try report.add(
                            try await Self.restore(archive, in: store, owner: owner), of: name)
                        continue
                    }
                    switch try ReadUpload.content(of: try Self.read(path), name: name) {
                    case .addresses(var file):
                        if folderTags { file.makeFoldersTags() }
                        report.add(
                            try await store.importAddresses(
                                of: file, name: name, formats: formats, owner: owner, at: .now))
                    case .pages(let pages):
                        let outcome = try await UploadOutcome.saving(pages) { page in
                            try await store.add(page, formats: formats, owner: owner, at: .now)
                        }
                        try report.add(outcome, of: name)
                    case .exported(let pages):
                        try report.add(
                            try await UploadOutcome.restoring(pages) { page in
                                try await store.restore(page, owner: owner, at: .now)
                            }, of: name)
                    }
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
    private static func formats(
        _ chosen: FormatList?, of owner: OwnerID, in storage: Storage
    ) async -> Set<PageFormat> {
        if let chosen { return Set(chosen.formats) }
        let settings = LibrarySettings.stored(in: storage.values(of: owner))
        await settings.load()
        return settings.value.formats
    }

    /// The export in a file; `nil` if it is another file.
    private static func export(at path: String) throws(LibraryFileError) -> ExportArchive? {
        guard path != "-", let file = try? FileHandle(forReadingFrom: URL(filePath: path)) else { return nil }
        defer { try? file.close() }
        // Only a ZIP file is read a second time.
        guard (try? file.read(upToCount: 4)) == Data([0x50, 0x4B, 3, 4]) else { return nil }
        do throws(LibraryFileError) {
            return try ExportArchive(path: path)
        } catch {
            guard error == .unknownFormat else { throw error }
            return nil
        }
    }

    /// Brings the pages of an export back, and shows the progress.
    private static func restore(
        _ archive: ExportArchive, in store: SQLiteLibraryStore, owner: OwnerID
    ) async throws -> UploadOutcome {
        var status = StatusLine()
        defer { status.clear() }
        var outcome = UploadOutcome()
        try await archive.readPages { page in
            let isDone = try await outcome.add(page.address) {
                try await store.restore(page, owner: owner, at: .now)
            }
            if !isDone, let refusal = outcome.refused.last { throw refusal.error }
            if status.isDue() {
                let done = outcome.saved.count + outcome.known + outcome.refused.count
                status.show(LibraryCommandWords.restored(done, of: archive.pages.count))
            }
        }
        try outcome.check()
        return outcome
    }

    private static func read(_ path: String) throws(CommandFailure) -> Data {
        // Reads one byte more than allowed, which is enough to detect a file that is too large.
        let limit = ImportLimits.pageBytes + 1
        let data: Data
        do {
            if path == "-" {
                data = try FileHandle.standardInput.read(upToCount: limit) ?? Data()
            } else {
                let file = try FileHandle(forReadingFrom: URL(filePath: path))
                defer { try? file.close() }
                data = try file.read(upToCount: limit) ?? Data()
            }
        } catch {
            throw CommandFailure(code: "unreadable", message: LibraryCommandWords.notRead(error.localizedDescription))
        }
        if data.count == limit {
            throw CommandFailure(code: "tooLarge", message: "\(LibraryFileError.tooLarge)")
        }
        return data
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

    /// The pages of a file.
    struct Pages: Encodable, Sendable {
        var file: String
        /// The identifiers of the saved pages.
        var saved: [String]
        /// The number of pages that the library has already.
        var alreadySaved: Int
        /// The addresses of the pages that weren't saved.
        var refused: [String]
    }

    var version = 1
    var outcome = "imported"
    var imports: [Entry]? = []
    var pages: [Pages]? = []
    var error: CommandFailure?
    var lines: [String] = []

    private enum CodingKeys: String, CodingKey {
        case version, outcome, imports, pages, error
    }

    init() {}

    init(_ failure: CommandFailure) {
        (outcome, imports, pages, error) = ("failed", nil, nil, failure)
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

    /// Adds the pages of a file.
    ///
    /// - Throws: An error that says which pages weren't saved, if there are any.
    mutating func add(_ outcome: UploadOutcome, of name: String) throws(CommandFailure) {
        pages?.append(
            Pages(
                file: name, saved: outcome.saved.map(\.description), alreadySaved: outcome.known,
                refused: outcome.refused.map(\.address)))
        lines.append(LibraryCommandWords.imported(name, pages: outcome.saved.count, known: outcome.known))
        if !outcome.refused.isEmpty { throw CommandFailure(code: "notAll", message: "\(outcome)") }
    }

    /// Returns the error for a failed import, which mentions the files imported before.
    func failure(at path: String, code: String, message: String) -> CommandFailure {
        let before = (imports?.map(\.file) ?? []) + (pages?.filter(\.refused.isEmpty).map(\.file) ?? [])
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
