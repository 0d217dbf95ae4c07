import Capture
package import EmojiArtModel
package import Foundation
import Futures
import FuturesFoundation
package import Persistence

/// Exports and imports boards, for pages and commands.
package struct BoardFiles: Sendable {
    let store: any BoardStoring
    let owner: OwnerID
    let fetching: any BackgroundFetching
    let renderer: (any BoardRendering)?
    var threads = WorkerThreads.computing
    /// The time limit for encoding a file; the largest takes half a second.
    private static let exportLimit = Duration.seconds(30)

    /// Creates an exporter; without a renderer, it can't export PNG.
    package init(
        store: any BoardStoring, owner: OwnerID, fetching: any BackgroundFetching, renderer: (any BoardRendering)? = nil
    ) {
        self.store = store
        self.owner = owner
        self.fetching = fetching
        self.renderer = renderer
    }
}

/// The formats for export; the raw value is the file extension.
package enum BoardFormat: String, CaseIterable, Sendable {
    /// A bitmap of everything on the board.
    case png
    /// A vector drawing of the same, with the background embedded.
    case svg
    /// Everything on the board without rounding, with the background's picture; see ``EmojiArtModel/ArtFile``.
    case json
    /// The course's own format, with whole numbers.
    case emojiart

    /// The media type for the browser.
    package var mediaType: String {
        switch self {
        case .png: "image/png"
        case .svg: "image/svg+xml"
        case .json, .emojiart: "application/json"
        }
    }
}

/// A board exported as a file.
package struct BoardFile: Sendable {
    /// The board's name.
    package let name: String
    /// The file's contents.
    package let data: Data
    /// Messages for the user about what is missing in the file.
    package let notes: [String]
}

/// A board imported from a file.
package struct ImportedBoard: Sendable {
    package let board: BoardSummary
    /// Messages for the user about what couldn't be imported unchanged.
    package let notes: [String]
}

// MARK: - Export

extension BoardFiles {
    /// Exports a board, including its background.
    ///
    /// - Throws: Why the export failed. PNG and SVG need the background's picture. In the other formats, its address and
    ///   a note can take its place, if it has an address.
    @concurrent
    package func export(
        _ id: BoardID, as format: BoardFormat, look: BoardLook = BoardLook()
    ) async throws(BoardFileError) -> BoardFile {
        let board = try await board(id)
        var notes: [String] = []
        var picture: CheckedPicture?
        do throws(BackgroundError) {
            picture = try await self.picture(of: board)
        } catch {
            switch format {
            case .png, .svg: throw .background("\(error)")
            case .json, .emojiart:
                // A dropped picture has no address to export instead.
                guard case .address = board.art.background else { throw .background("\(error)") }
                notes.append(ArtWords.onlyAddressNote("\(error)"))
            }
        }
        let name = board.summary.name
        let data: Data
        switch format {
        case .json, .emojiart:
            if format == .emojiart, board.art.emojis.contains(where: { $0.angle != 0 || $0.isFlipped }) {
                notes.append(ArtWords.uprightNote)
            }
            let file = ArtFile(name: name, art: board.art, picture: picture?.picture)
            let written = try await computing { _ in
                Result { () throws(ArtFileError) in try file.write(as: format == .json ? .meanwhile : .course) }
            }
            data = try await rethrowing(BoardFileError.file) { () throws(ArtFileError) in try written.get() }
        case .svg:
            data = try await computing { [picture] _ in BoardDrawing(board, picture: picture, look: look).svg }
        case .png:
            let drawing = try await computing { [picture] _ in
                let drawing = BoardDrawing(board, picture: picture, look: look)
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
        guard let board else { throw .store(.notFound(id)) }
        return board
    }

    /// The background's picture, fetched if it isn't stored yet; `nil` if the board has no background.
    private func picture(of board: Board) async throws(BackgroundError) -> CheckedPicture? {
        guard board.art.background != .blank else { return nil }
        let reader = BackgroundReader(board: board.summary.id, owner: owner, store: store, fetching: fetching)
        return try await reader.checkedPicture(of: board.art.background)
    }

    /// Runs a computation on a worker thread, because it takes long for a large board or picture.
    private func computing<Value: Sendable>(
        _ work: @escaping @Sendable (WorkerThreads.CancellationToken) throws(WorkError) -> Value
    ) async throws(BoardFileError) -> Value {
        do throws(WorkError) {
            return try await threads.run(ArtWords.exporting, within: Self.exportLimit, work)
        } catch {
            throw .unfinished(error.message)
        }
    }

    private func png(of page: WebArchive, _ options: CaptureOptions) async throws(BoardFileError) -> Data {
        guard let renderer else { throw .rendering(ArtWords.noBrowser) }
        do throws(CaptureError) {
            let drawn = try await renderer.picture(of: page, options: options)
            if drawn.isWhole { return drawn.png }
        } catch {
            throw .rendering(error.message)
        }
        throw .background(ArtWords.undecodablePicture)
    }
}

// MARK: - Import

extension BoardFiles {
    /// Creates a board from a decoded file; discards the board again if its picture can't be stored.
    ///
    /// If another board has the name, the new board's name gets a number, as in “Farm (2)”.
    @concurrent
    package func `import`(_ read: ReadBoard) async throws(BoardFileError) -> ImportedBoard {
        let (file, picture) = (read.file, read.picture)
        var art = file.art
        if case .picture = art.background { try? art.apply(.setBackground(.blank)) }
        var generator = SystemRandomNumberGenerator()
        let id = BoardID(using: &generator)
        let name = Self.name(of: file, fileName: read.fileName)
        return try await rethrowing(BoardFileError.store) { () async throws(BoardStoreError) in
            let names = try await store.boards(of: owner, limit: .max, offset: 0).map(\.name)
            var board = try await store.create(
                id, named: BoardName.unique(name, among: names), art: art, owner: owner)
            guard let picture else { return ImportedBoard(board: board, notes: file.notes) }
            do throws(BoardStoreError) {
                board = try await addPicture(picture, to: board, background: art.background)
            } catch {
                try? await store.discard(id, owner: owner)
                throw error
            }
            return ImportedBoard(board: board, notes: file.notes)
        }
    }

    private func addPicture(
        _ picture: CheckedPicture, to board: BoardSummary, background: Background
    ) async throws(BoardStoreError) -> BoardSummary {
        if case .address(let address) = background {
            _ = try await store.add(picture.picture, fetchedFrom: address, for: board.id, owner: owner)
            return board
        }
        let stored = try await store.add(picture.picture, for: board.id, owner: owner)
        let batch = OperationBatch(
            id: "import", name: ArtWords.setBackground, operations: [.setBackground(.picture(stored))])
        _ = try await store.apply(batch, to: board.id, owner: owner, author: "")
        return try await store.summary(of: board.id, owner: owner) ?? board
    }

    /// The name in the file, or else the file's name without its extension.
    private static func name(of file: ArtFile, fileName: String?) -> String {
        if let name = file.name.flatMap({ (try? BoardName.normalized($0)) ?? nil }) { return name }
        var stem =
            fileName.map { $0.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) ?? "" } ?? ""
        for ending in [".emojiart", ".json"] where stem.lowercased().hasSuffix(ending) {
            stem = String(stem.dropLast(ending.count))
        }
        return ((try? BoardName.normalized(stem)) ?? nil) ?? BoardName.dated(.now)
    }
}
