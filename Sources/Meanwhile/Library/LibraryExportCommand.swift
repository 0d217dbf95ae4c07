import ArgumentParser
import Foundation
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import UnixSignals

/// `meanwhile library export`: writes pages with their files as one ZIP file.
struct LibraryExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: LibraryCommandWords.export,
        discussion: LibraryCommandWords.exportDiscussion)

    @Option(name: .long, help: LibraryCommandWords.exportTo, completion: .file(extensions: ["zip"]))
    var to: String

    @Option(help: LibraryCommandWords.search)
    var search: String?

    @Option(help: LibraryCommandWords.tag)
    var tag: String?

    @Flag(help: LibraryCommandWords.favourites)
    var favourites = false

    @Flag(help: LibraryCommandWords.force)
    var force = false

    @OptionGroup var folderOptions: DataFolderOptions

    func validate() throws {
        if to.isEmpty { throw ValidationError(LibraryCommandWords.noExportFile) }
        if to == "-", folderOptions.json { throw ValidationError(LibraryCommandWords.twoOutputs) }
        if let tag, PageTag(tag) == nil { throw ValidationError(LibraryCommandWords.noTag) }
        if let search, SearchWords(search).isEmpty { throw ValidationError(LibraryCommandWords.noWords) }
    }

    private var selection: ExportSelection {
        var query = LibraryQuery(words: SearchWords(search ?? ""))
        query.filter.tag = tag.flatMap { PageTag($0) }
        query.filter.isFavourite = favourites
        return query.isEmpty ? .all : .found(query)
    }

    func run() async throws {
        let report = try await Interruption.end {
            try await folderOptions.run(reading: true) { storage in
                let store = SQLiteLibraryStore(in: storage.database, blobs: storage.blobs)
                let owner = try await folderOptions.owner(in: storage)
                let export = try await store.export(selection, owner: owner, at: .now)
                return LibraryExportReport(try await write(export), to: to)
            } failure: { error in
                (error as? LibraryError).map { CommandFailure(code: "storage", message: "\($0)") }
            }
        }
        // As after a backup with unreadable files.
        if report.problems?.isEmpty == false { throw ExitCode(2) }
    }

    private func write(_ export: LibraryExport) async throws -> LibraryExport.Summary {
        var line = StatusLine()
        defer { line.clear() }
        let progress = { (done: LibraryExport.Progress) in
            if line.isDue() { line.show(LibraryCommandWords.exported(done)) }
        }
        guard to != "-" else {
            return try await export.write(progress: progress) { bytes in
                do {
                    try FileHandle.standardOutput.write(contentsOf: bytes)
                } catch {
                    throw CommandFailure(code: "output", message: LibraryCommandWords.outputClosed)
                }
            }
        }
        let file = try OutputFile(to, replacingOther: force)
        let summary = try await export.write(progress: progress) { try file.append($0) }
        // A signal may have arrived after the last piece.
        try Task.checkCancellation()
        try file.complete()
        return summary
    }
}

/// The output of the export: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct LibraryExportReport: CommandReport {
    var version = 1
    var outcome = "exported"
    /// The path of the ZIP file.
    var file: String?
    var pages, files, bytes: Int?
    var problems: [String]?
    var error: CommandFailure?
    var lines: [String] = []

    private enum CodingKeys: String, CodingKey {
        case version, outcome, file, pages, files, bytes, problems, error
    }

    init(_ failure: CommandFailure) { (outcome, error) = ("failed", failure) }

    init(_ summary: LibraryExport.Summary, to path: String) {
        (pages, files, bytes, problems) = (summary.pages, summary.files, summary.bytes, summary.problems)
        for problem in summary.problems { DataFolderOptions.printError(CommandWords.warning(problem)) }
        // Standard output has the ZIP file itself.
        if path == "-" { return }
        file = path
        lines = [LibraryCommandWords.exported(summary, to: path)]
    }
}

/// Ends a command at a signal, after its work has undone what isn't complete.
enum Interruption {
    /// How long the work may take to end, in seconds.
    private static let timeout = 10.0

    /// Runs work, and cancels its task at a signal.
    ///
    /// - Parameter work: The work.
    /// - Returns: The result.
    /// - Throws: The work's error; after a signal, the exit code that shells report for it.
    static func end<Value: Sendable>(_ work: sending @escaping () async throws -> Value) async throws -> Value {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let task = Task { try await work() }
        let watch = Task { () -> CInt? in
            for await signal in signals {
                task.cancel()
                // https://tldp.org/LDP/abs/html/exitcodes.html
                let status = 128 + signal.number
                // The process may be blocked writing to a pipe that isn't read.
                ForcedExit.schedule(after: timeout, status: status)
                return status
            }
            return nil
        }
        let result = await task.result
        watch.cancel()
        if let status = await watch.value {
            if case .failure = result {
                DataFolderOptions.printError(CommandWords.interrupted)
                throw ExitCode(status)
            }
        }
        return try result.get()
    }
}
