import ArgumentParser
import Capture
import EmojiArtModel
import EmojiArtReading
import EmojiArtWeb
import Foundation
import Persistence

extension BoardFormat: ExpressibleByArgument {}

/// `meanwhile art export`: exports a board to a file.
struct ArtExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: ArtCommandWords.export, discussion: ArtCommandWords.exportDiscussion)

    @Argument(help: ArtCommandWords.board)
    var board: String

    @Option(name: .shortAndLong, help: ArtCommandWords.output)
    var output: String?

    @Option(name: .shortAndLong, help: ArtCommandWords.format)
    var format: BoardFormat?

    @Flag(help: ArtCommandWords.overwrite)
    var overwrite = false

    @OptionGroup var allowed: AllowedAddresses

    @Option(help: ArtCommandWords.chromium)
    var chromium: String?

    @OptionGroup var options: ArtOptions

    func validate() throws {
        if output?.isEmpty == true { throw ValidationError(ArtCommandWords.noFileName) }
        if output == "-", options.folderOptions.json {
            throw ValidationError(ArtCommandWords.twoOutputs)
        }
        if format == nil, let ending, BoardFormat(rawValue: ending) == nil {
            throw ValidationError(ArtCommandWords.unknownFormat(ending))
        }
    }

    /// The file name extension of the output; `nil` if it has none.
    private var ending: String? {
        guard let output, output != "-" else { return nil }
        let ending = (output as NSString).pathExtension.lowercased()
        return ending.isEmpty ? nil : ending
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let policy = try allowed.policy(environment: environment)
        let format = format ?? ending.flatMap(BoardFormat.init) ?? .png
        let configuration = PageCapturer.Configuration {
            $0.chromium = chromium ?? environment["MEANWHILE_CHROMIUM"].flatMap { $0.isEmpty ? nil : $0 }
            $0.keepsSparePage = false
        }
        let isDone = try await options.runRemotely { server in
            let board = try await server.board(board)
            if output != "-" {
                let (folder, name) = place(of: board, as: format)
                try folder.check(name)
            }
            return try write(try await server.export(board, as: format), [], of: board, as: format)
        }
        if isDone { return }
        try await options.run(policy: policy) { parts in
            let board = try await parts.board(board)
            if output != "-" {
                let (folder, name) = place(of: board, as: format)
                try folder.check(name)
            }
            let file = try await withPageCapturer(configuration) { capturer in
                let files = BoardFiles(
                    store: parts.store, owner: parts.owner, fetching: parts.fetching, renderer: capturer)
                return try await files.export(board.id, as: format)
            }
            return try write(file.data, file.notes, of: board, as: format)
        }
    }

    private func write(
        _ data: Data, _ notes: [String], of board: BoardSummary, as format: BoardFormat
    ) throws -> ArtReport {
        if output == "-" {
            do {
                try FileHandle.standardOutput.write(contentsOf: data)
            } catch {
                throw CommandFailure(code: "output", message: ArtCommandWords.notWritten)
            }
            for note in notes { DataFolderOptions.printError(CommandWords.warning(note)) }
            return ArtReport(.exported, boards: [])
        }
        let (folder, name) = place(of: board, as: format)
        _ = try folder.prepare()
        let path = try folder.write(data, named: name)
        return ArtReport(.exported, boards: [board], file: path, notes: notes)
    }

    /// Returns the folder and the name of the output file.
    private func place(of board: BoardSummary, as format: BoardFormat) -> (folder: OutputFolder, name: String) {
        let path = (output ?? "\(OutputFolder.stem(for: board.name)).\(format.rawValue)") as NSString
        let folder = path.deletingLastPathComponent
        return (OutputFolder(path: folder.isEmpty ? "." : folder, overwrite: overwrite), path.lastPathComponent)
    }
}

extension OutputFolder {
    /// Returns a file name without extension for a name given by the user.
    static func stem(for name: String) -> String {
        // Filters scalars, not characters: for the file system, a slash is a separator even as one scalar of a
        // character.
        let clean = name.unicodeScalars.map { scalar in
            let isAllowed = !"/\\:*?\"<>|".unicodeScalars.contains(scalar) && !scalar.properties.isUnprintable
            return isAllowed ? scalar : "-"
        }
        var stem = String(String(String.UnicodeScalarView(clean)).prefix(80)).trimmingCharacters(
            in: CharacterSet(charactersIn: "-. "))
        while stem.utf8.count > 150 { stem.removeLast() }
        return stem.isEmpty ? "board" : stem
    }
}

/// `meanwhile art import`: imports boards from files.
struct ArtImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: ArtCommandWords.importFiles)

    @Argument(help: ArtCommandWords.files)
    var files: [String]

    @OptionGroup var options: ArtOptions

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            var report = ArtReport(.imported, boards: [])
            for path in files {
                do {
                    let name = path == "-" ? nil : (path as NSString).lastPathComponent
                    let imported = try await server.importBoard(try Self.read(path), named: name)
                    report.add(imported.board.summary, notes: imported.notes)
                } catch let error as CommandFailure {
                    throw report.importFailure(at: path, code: error.code, message: error.message)
                }
            }
            return report
        }
        if isDone { return }
        try await options.run { parts in
            let importer = BoardFiles(store: parts.store, owner: parts.owner, fetching: parts.fetching)
            var report = ArtReport(.imported, boards: [])
            for path in files {
                do {
                    let imported = try await importer.import(
                        try ReadBoard(try Self.read(path), fileName: path == "-" ? nil : path))
                    report.add(imported.board, notes: imported.notes)
                } catch let error as BoardFileError {
                    throw report.importFailure(at: path, code: error.code, message: "\(error)")
                } catch let error as CommandFailure {
                    throw report.importFailure(at: path, code: error.code, message: error.message)
                }
            }
            return report
        }
    }

    private static func read(_ path: String) throws(CommandFailure) -> Data {
        // Reads one byte more than allowed, which is enough to detect a file that is too large.
        let limit = BoardLimits.importBytes + 1
        do {
            guard path != "-" else { return try FileHandle.standardInput.read(upToCount: limit) ?? Data() }
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }
            return try file.read(upToCount: limit) ?? Data()
        } catch {
            throw CommandFailure(code: "unreadable", message: ArtCommandWords.notRead(error.localizedDescription))
        }
    }
}
