import EmojiArtModel
import EmojiArtWeb
import Foundation
import Site

// The boards of a server.

/// A board, as the API describes it.
struct RemoteBoard: Decodable, Sendable {
    let summary: BoardSummary

    private enum CodingKeys: CodingKey {
        case id, name, emojiCount, created, changed, revision
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        summary = BoardSummary(
            id: try container.decode(BoardID.self, forKey: .id), name: try container.decode(String.self, forKey: .name),
            emojiCount: try container.decode(Int.self, forKey: .emojiCount),
            created: try container.decode(Date.self, forKey: .created),
            changed: try container.decode(Date.self, forKey: .changed),
            revision: try container.decode(Int.self, forKey: .revision))
    }
}

/// An imported board, as the API describes it.
struct RemoteImport: Decodable, Sendable {
    var board: RemoteBoard
    var notes: [String]
}

extension RemoteServer {
    func boards(deleted: Bool = false) async throws -> [BoardSummary] {
        try await list("art/boards\(deleted ? "?deleted=true" : "")", as: RemoteBoard.self).map(\.summary)
    }

    /// Finds a board by its ID, its name, or the beginning of its ID.
    func board(_ text: String, deleted: Bool = false) async throws -> BoardSummary {
        try ArtParts.find(text, in: try await boards(deleted: deleted), isDeleted: deleted)
    }

    func addBoard(named name: String?) async throws -> BoardSummary {
        try await send("POST", "art/boards", name.map { ["name": $0] } ?? [:], as: RemoteBoard.self).summary
    }

    func rename(_ board: BoardSummary, to name: String) async throws -> BoardSummary {
        try await send("PATCH", "art/boards/\(board.id)", ["name": name], as: RemoteBoard.self).summary
    }

    func delete(_ board: BoardSummary) async throws { try await send("DELETE", "art/boards/\(board.id)") }

    func restore(_ board: BoardSummary) async throws -> BoardSummary {
        try await send("POST", "art/boards/\(board.id)/restore", as: RemoteBoard.self).summary
    }

    func export(_ board: BoardSummary, as format: BoardFormat) async throws -> Data {
        try await file("art/boards/\(board.id)/export.\(format.rawValue)")
    }

    func importBoard(_ file: Data, named name: String?) async throws -> RemoteImport {
        let allowed = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._")
        let query = name?.addingPercentEncoding(withAllowedCharacters: allowed).map { "?name=\($0)" } ?? ""
        return try await upload(file, "art/import\(query)", as: RemoteImport.self)
    }
}

extension ArtOptions {
    /// Performs a command with a server, if one is chosen.
    ///
    /// - Parameter body: The operation.
    /// - Returns: Whether a server is chosen; if not, nothing was done.
    /// - Throws: `ExitCode` if the operation failed, after reporting the error.
    func runRemotely(_ body: (RemoteServer) async throws -> ArtReport) async throws -> Bool {
        try await folderOptions.report(remote, body) { error in
            (error as? OutputError).map { CommandFailure(code: "output", message: $0.description) }
        }
    }
}

extension DataFolderOptions {
    /// Performs a command with a server, if one is chosen, and reports its outcome.
    func report<Report: CommandReport>(
        _ remote: RemoteOptions, _ body: (RemoteServer) async throws -> Report,
        failure: (any Error) -> CommandFailure? = { _ in nil }
    ) async throws -> Bool {
        let target: RemoteServer.Target?
        do {
            target = try remote.target()
        } catch let error as CommandFailure {
            try await report({ () async throws -> Report in throw error }, failure: failure)
            return true
        }
        guard let target else { return false }
        try await report({ try await RemoteServer.use(target, body) }, failure: failure)
        return true
    }
}
