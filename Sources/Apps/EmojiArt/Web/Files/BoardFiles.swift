import Capture
package import EmojiArtModel
package import Foundation
import FuturesFoundation
package import Persistence

/// Makes files of boards, and boards of files: for pages and for commands.
package struct BoardFiles: Sendable {
    let store: any BoardStoring
    let owner: OwnerID
    let fetching: any BackgroundFetching
    let renderer: (any BoardRendering)?
    /// What makes the files.
    var threads = WorkerThreads.computing
    /// How long making a file may take; the largest takes half a second.
    private static let exportLimit = Duration.seconds(30)

    /// Creates it; without a renderer no pictures can be made.
    package init(
        store: any BoardStoring, owner: OwnerID, fetching: any BackgroundFetching, renderer: (any BoardRendering)? = nil
    ) {
        self.store = store
        self.owner = owner
        self.fetching = fetching
        self.renderer = renderer
    }
}

/// What a board can be exported as; the raw value is how the file's name ends.
package enum BoardFormat: String, CaseIterable, Sendable {
    /// A picture of all that is on the board.
    case png
    /// The same as a drawing, with the background in it.
    case svg
    /// All that is on the board, as it is, with the background's picture; see ``EmojiArtModel/ArtFile``.
    case json
    /// The course's own format: whole numbers.
    case emojiart

    /// What a browser is told that it is.
    package var mediaType: String {
        switch self {
        case .png: "image/png"
        case .svg: "image/svg+xml"
        case .json, .emojiart: "application/json"
        }
    }
}

/// A board as a file.
package struct BoardFile: Sendable {
    /// What the board is called.
    package let name: String
    /// What is in the file.
    package let data: Data
    /// What is not in it as it should be, for a person.
    package let notes: [String]
}

/// A board that was made of a file.
package struct ImportedBoard: Sendable {
    /// The board.
    package let board: BoardSummary
    /// What could not be taken as it was, for a person.
    package let notes: [String]
}

// MARK: - Export

extension BoardFiles {
    /// Makes a file of a board, with its background in it.
    ///
    /// - Throws: Why there is none. A picture without its background is none; JSON has the address all the same, and a note.
    @concurrent
    package func export(_ id: BoardID, as format: BoardFormat) async throws(BoardFileError) -> BoardFile {
        let board = try await board(id)
        var notes: [String] = []
        var picture: CheckedPicture?
        do throws(BackgroundError) {
            picture = try await self.picture(of: board)
        } catch {
            switch format {
            case .png, .svg: throw .background("\(error)")
            case .json, .emojiart:
                // Of a picture that was dropped nothing would be left.
                guard case .address = board.art.background else { throw .background("\(error)") }
                notes.append("The background's picture is not in the file, only its address: \(error)")
            }
        }
        let name = board.summary.name
        let data: Data
        switch format {
        case .json, .emojiart:
            let file = ArtFile(name: name, art: board.art, picture: picture?.picture)
            let written = try await computing { _ in
                Result { () throws(ArtFileError) in try file.write(as: format == .json ? .meanwhile : .course) }
            }
            data = try await rethrowing(BoardFileError.file) { () throws(ArtFileError) in try written.get() }
        case .svg:
            data = try await computing { [picture] _ in BoardDrawing(board, picture: picture).svg }
        case .png:
            let drawing = try await computing { [picture] _ in
                let drawing = BoardDrawing(board, picture: picture)
                return (page: drawing.page, options: drawing.options)
            }
            data = try await png(of: drawing.page, drawing.options)
        }
        return BoardFile(name: name, data: data, notes: notes)
    }

    private func board(_ id: BoardID) async throws(BoardFileError) -> Board {
        let board = try await rethrowing(BoardFileError.store) { () async throws(BoardStoreError) in
            try await store.board(id, owner: owner)
        }
        guard let board else { throw .store(.noBoard(id)) }
        return board
    }

    /// What the board is drawn on, fetched where it is not here yet; `nil` for nothing.
    private func picture(of board: Board) async throws(BackgroundError) -> CheckedPicture? {
        guard board.art.background != .blank else { return nil }
        let reader = BackgroundReader(board: board.summary.id, owner: owner, store: store, fetching: fetching)
        return try await reader.checkedPicture(of: board.art.background)
    }

    /// Does what takes long for a large board or picture.
    private func computing<Value: Sendable>(
        _ work: @escaping @Sendable (WorkerThreads.Permit) throws(WorkError) -> Value
    ) async throws(BoardFileError) -> Value {
        do throws(WorkError) {
            return try await threads.run("Exporting the board", within: Self.exportLimit, work)
        } catch {
            throw .unfinished(error.message)
        }
    }

    private func png(of page: WebArchive, _ options: CaptureOptions) async throws(BoardFileError) -> Data {
        guard let renderer else { throw .rendering("There is no browser to render it.") }
        do throws(CaptureError) {
            let drawn = try await renderer.picture(of: page, options: options)
            if drawn.isWhole { return drawn.png }
        } catch {
            throw .rendering(error.message)
        }
        throw .background("The picture can't be decoded.")
    }
}

// MARK: - Import

extension BoardFiles {
    /// Makes a board of a file that was read, or throws why there is none; nothing is left behind then.
    @concurrent
    package func `import`(_ read: ReadBoard) async throws(BoardFileError) -> ImportedBoard {
        let (file, picture) = (read.file, read.picture)
        var art = file.art
        if case .picture = art.background { try? art.apply(.setBackground(.blank)) }
        var generator = SystemRandomNumberGenerator()
        let id = BoardID(using: &generator)
        let name = Self.name(of: file, fileName: read.fileName)
        return try await rethrowing(BoardFileError.store) { () async throws(BoardStoreError) in
            var board = try await store.create(id, named: name, art: art, owner: owner)
            guard let picture else { return ImportedBoard(board: board, notes: file.notes) }
            do throws(BoardStoreError) {
                board = try await keep(picture, for: board, background: art.background)
            } catch {
                // Half a board is none.
                try? await store.delete(id, owner: owner)
                throw error
            }
            return ImportedBoard(board: board, notes: file.notes)
        }
    }

    private func keep(
        _ picture: CheckedPicture, for board: BoardSummary, background: Background
    ) async throws(BoardStoreError) -> BoardSummary {
        if case .address(let address) = background {
            _ = try await store.keep(picture.picture, fetchedFrom: address, for: board.id, owner: owner)
            return board
        }
        let kept = try await store.keep(picture.picture, for: board.id, owner: owner)
        let batch = OperationBatch(
            id: "import", name: "Set Background", operations: [.setBackground(.picture(kept))])
        _ = try await store.apply(batch, to: board.id, owner: owner, author: "")
        return try await store.summary(of: board.id, owner: owner) ?? board
    }

    /// What the board says, else the file without its ending.
    private static func name(of file: ArtFile, fileName: String?) -> String {
        if let name = file.name.flatMap({ (try? BoardName.ifAny($0)) ?? nil }) { return name }
        var stem =
            fileName.map { $0.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? "" } ?? ""
        for ending in [".emojiart", ".json"] where stem.lowercased().hasSuffix(ending) {
            stem = String(stem.dropLast(ending.count))
        }
        return ((try? BoardName.ifAny(stem)) ?? nil) ?? BoardName.untitled
    }
}
