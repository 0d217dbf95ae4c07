import ArgumentParser
import Capture
import Egress
import EmojiArtModel
import EmojiArtStore
import EmojiArtWeb
import Foundation
import Persistence

/// `meanwhile art`: manages emoji boards, also while the server runs.
struct ArtCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "art",
        abstract: ArtCommandWords.abstract, discussion: ArtCommandWords.discussion,
        subcommands: [
            ArtListCommand.self, ArtNewCommand.self, ArtExportCommand.self, ArtImportCommand.self,
            ArtRenameCommand.self, ArtDeleteCommand.self, ArtRestoreCommand.self,
        ])
}

/// The options of all board commands.
struct ArtOptions: ParsableArguments {
    @OptionGroup var folderOptions: DataFolderOptions
    @OptionGroup var remote: RemoteOptions

    /// Opens the data folder, runs an operation, and reports its outcome.
    ///
    /// - Throws: `ExitCode` if the operation failed, after reporting the error.
    func run(
        policy: AddressPolicy = .publicOnly, _ body: (ArtParts) async throws -> ArtReport
    ) async throws {
        try await folderOptions.run { storage in
            let parts = await ArtParts(
                of: try await folderOptions.owner(in: storage), in: storage, blobs: storage.blobs,
                addressPolicy: policy)
            let outcome: Result<ArtReport, any Error>
            do {
                outcome = .success(try await body(parts))
            } catch {
                outcome = .failure(error)
            }
            await parts.shutDown()
            return try outcome.get()
        } failure: { error in
            switch error {
            case let error as BoardStoreError: CommandFailure(code: error.code, message: "\(error)")
            case let error as BoardFileError: CommandFailure(code: error.code, message: "\(error)")
            case let error as OutputError: CommandFailure(code: "output", message: error.description)
            default: nil
            }
        }
    }
}

extension ArtParts {
    /// Finds the board with an ID, with a name, or with an ID that begins with the text.
    ///
    /// - Returns: The board.
    /// - Throws: ``CommandFailure`` if no board or several boards match; ``BoardStoreError``.
    func board(_ text: String, isDeleted: Bool = false) async throws -> BoardSummary {
        try Self.find(
            text, in: isDeleted ? try await store.deleted(of: owner) : try await allBoards(), isDeleted: isDeleted)
    }

    /// Finds one of several boards in the same way.
    ///
    /// - Returns: The board.
    /// - Throws: ``CommandFailure`` if no board or several boards match.
    static func find(_ text: String, in boards: [BoardSummary], isDeleted: Bool) throws(CommandFailure) -> BoardSummary
    {
        if let board = boards.first(where: { $0.id.rawValue == text }) { return board }
        let named = boards.filter { $0.name == text }
        let found = named.isEmpty && !text.isEmpty ? boards.filter { $0.id.rawValue.hasPrefix(text) } : named
        guard let board = found.first else {
            throw CommandFailure(
                code: "noBoard",
                message: isDeleted ? ArtCommandWords.noDeletedBoard(text) : ArtCommandWords.noBoard(text))
        }
        guard found.count == 1 else {
            throw CommandFailure(
                code: "ambiguous",
                message: ArtCommandWords.severalBoards(text, ids: found.map(\.id.rawValue)))
        }
        return board
    }

    /// Returns all boards, most recently changed first.
    func allBoards() async throws(BoardStoreError) -> [BoardSummary] {
        // One read, not several: a board that is changed between two reads moves to the front, and would be missing.
        try await store.boards(of: owner, limit: .max, offset: 0)
    }
}

// MARK: - Boards

/// `meanwhile art list`: lists the boards.
struct ArtListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: ArtCommandWords.list)

    @Flag(help: ArtCommandWords.onlyDeleted)
    var deleted = false

    @OptionGroup var options: ArtOptions

    func run() async throws {
        if try await options.runRemotely({ ArtReport(.listed, boards: try await $0.boards(deleted: deleted)) }) {
            return
        }
        try await options.run { parts in
            let boards = deleted ? try await parts.store.deleted(of: parts.owner) : try await parts.allBoards()
            return ArtReport(.listed, boards: boards)
        }
    }
}

/// `meanwhile art new`: creates a board.
struct ArtNewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "new", abstract: ArtCommandWords.new)

    @Argument(help: ArtCommandWords.nameOrDate)
    var name: String?

    @OptionGroup var options: ArtOptions

    func run() async throws {
        if try await options.runRemotely({ ArtReport(.made, boards: [try await $0.addBoard(named: name)]) }) { return }
        try await options.run { parts in
            var generator = SystemRandomNumberGenerator()
            let board = try await parts.store.create(
                BoardID(using: &generator), named: name ?? BoardName.dated(.now), art: EmojiArt(), owner: parts.owner)
            return ArtReport(.made, boards: [board])
        }
    }
}

/// `meanwhile art rename`: renames a board.
struct ArtRenameCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "rename", abstract: ArtCommandWords.rename)

    @Argument(help: ArtCommandWords.board)
    var board: String

    @Argument(help: ArtCommandWords.newName)
    var name: String

    @OptionGroup var options: ArtOptions

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            let board = try await server.board(board)
            let renamed = try await server.rename(board, to: name)
            return ArtReport(.renamed, boards: [renamed])
        }
        if isDone { return }
        try await options.run { parts in
            let board = try await parts.board(board)
            try await parts.store.rename(board.id, to: name, owner: parts.owner)
            let renamed = try await parts.store.summary(of: board.id, owner: parts.owner)
            return ArtReport(.renamed, boards: [renamed ?? board])
        }
    }
}

/// `meanwhile art delete`: deletes a board.
struct ArtDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: ArtCommandWords.delete)

    @Argument(help: ArtCommandWords.board)
    var board: String

    @OptionGroup var options: ArtOptions

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            let board = try await server.board(board)
            try await server.delete(board)
            return ArtReport(.deleted, boards: [board], notes: [ArtCommandWords.toRestore("\(board.id)")])
        }
        if isDone { return }
        try await options.run { parts in
            let board = try await parts.board(board)
            try await parts.store.delete(board.id, owner: parts.owner)
            return ArtReport(
                .deleted, boards: [board],
                notes: [ArtCommandWords.toRestore("\(board.id)")])
        }
    }
}

/// `meanwhile art restore`: restores a deleted board.
struct ArtRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: ArtCommandWords.restore)

    @Argument(help: ArtCommandWords.board)
    var board: String

    @OptionGroup var options: ArtOptions

    func run() async throws {
        let isDone = try await options.runRemotely { server in
            let board = try await server.board(board, deleted: true)
            let restored = try await server.restore(board)
            return ArtReport(.restored, boards: [restored])
        }
        if isDone { return }
        try await options.run { parts in
            let board = try await parts.board(board, isDeleted: true)
            try await parts.store.restore(board.id, owner: parts.owner)
            return ArtReport(.restored, boards: [board])
        }
    }
}
