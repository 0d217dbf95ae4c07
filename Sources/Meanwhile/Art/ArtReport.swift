import EmojiArtModel
import EmojiArtWeb
import Foundation
import Persistence

/// The output of a board command: readable lines or one JSON object.
///
/// Its `version` changes when a field is removed or changes its meaning; new fields can be added at any time.
struct ArtReport: CommandReport {
    static let currentVersion = 1

    enum Outcome: String, Encodable, Sendable {
        case listed
        case made
        case renamed
        case deleted
        case restored
        case exported
        case imported
        case failed
    }

    struct BoardEntry: Encodable, Sendable {
        var id: String
        var name: String
        var emojiCount: Int
        var created: Date
        var changed: Date
        var revision: Int
    }

    var version = currentVersion
    var outcome: Outcome
    var boards: [BoardEntry]?
    /// The path of the exported file.
    var file: String?
    /// Notes for the user, for example about parts that couldn't be exported.
    var notes: [String]?
    var error: CommandFailure?
    var lines: [String] = []

    private enum CodingKeys: String, CodingKey {
        case version, outcome, boards, file, notes, error
    }

    init(_ failure: CommandFailure) {
        outcome = .failed
        error = failure
    }

    /// - Parameters:
    ///   - outcome: What the command did.
    ///   - boards: The boards concerned.
    ///   - file: The path of the exported file.
    ///   - notes: Notes for the user.
    init(_ outcome: Outcome, boards: [BoardSummary], file: String? = nil, notes: [String] = []) {
        self.outcome = outcome
        self.boards = []
        self.file = file
        for board in boards { add(board, notes: []) }
        if outcome == .listed, boards.isEmpty { lines = [ArtCommandWords.noBoards] }
        if let file { lines = [ArtCommandWords.done(ArtCommandWords.exported, file)] }
        add(notes)
    }

    /// Adds a board with its notes.
    mutating func add(_ board: BoardSummary, notes: [String]) {
        boards?.append(BoardEntry(board))
        let line = Self.line(of: board)
        lines.append(outcome.word.map { ArtCommandWords.done($0, line) } ?? line)
        add(notes)
    }

    private mutating func add(_ notes: [String]) {
        guard !notes.isEmpty else { return }
        self.notes = (self.notes ?? []) + notes
        lines += notes.map { "  \($0)" }
    }

    /// Returns the error for a failed import, which mentions the files imported before.
    func importFailure(at path: String, code: String, message: String) -> CommandFailure {
        let done = (boards ?? []).map(\.id)
        let before = done.isEmpty ? [] : [ArtCommandWords.importedBefore(done)]
        let reason = ([message] + before + (notes ?? [])).joined(separator: " ")
        return CommandFailure(code: code, message: ArtCommandWords.failed(path, reason))
    }

    private static func line(of board: BoardSummary) -> String {
        let count = ArtCommandWords.emojiCount(board.emojiCount)
        return [board.id.rawValue, board.changed.formatted(.iso8601), count, board.name].joined(separator: "\t")
    }
}

extension ArtReport.Outcome {
    /// What was done to a board; `nil` if it is only listed.
    fileprivate var word: String? {
        switch self {
        case .made: ArtCommandWords.made
        case .renamed: ArtCommandWords.renamed
        case .deleted: ArtCommandWords.deleted
        case .restored: ArtCommandWords.restored
        case .exported: ArtCommandWords.exported
        case .imported: ArtCommandWords.imported
        case .listed, .failed: nil
        }
    }
}

extension ArtReport.BoardEntry {
    init(_ board: BoardSummary) {
        self.init(
            id: board.id.rawValue, name: board.name, emojiCount: board.emojiCount, created: board.created,
            changed: board.changed, revision: board.revision)
    }
}

extension BoardStoreError {
    /// The error's name in JSON output.
    var code: String {
        switch self {
        case .notFound: "noBoard"
        case .exists: "exists"
        case .invalid: "unusable"
        case .newerVersion: "fromTheFuture"
        case .overBudget: OverBudget.code
        case .failed: "storage"
        }
    }
}

extension BoardFileError {
    /// The error's name in JSON output.
    var code: String {
        switch self {
        case .store(let error): error.code
        case .file(let error): error.code
        case .noFile: "no-file"
        case .background: "background"
        case .rendering: "rendering"
        case .unfinished: "unfinished"
        }
    }
}

extension ArtFileError {
    /// The error's name in JSON output.
    var code: String {
        switch self {
        case .empty: "empty"
        case .tooLarge: "tooLarge"
        case .tooMany: "tooMany"
        case .newerVersion: "fromTheFuture"
        case .anotherFormat: "anotherFormat"
        case .corrupt: "corrupt"
        case .unwritable: "unwritable"
        }
    }
}
