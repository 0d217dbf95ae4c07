public import EmojiArtModel
import Foundation
import FuturesFoundation
import HTTPTypes
import Hummingbird
import Multipart
import NIOCore
import Persistence
public import Site

// Export from a board's page, and import from the list.

extension ArtPages {
    func addFileRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        art.get("/boards/:id/export.{format}") { request, context in
            try await export(as: context.parameters.get("format"), request, context)
        }
        art.get("/boards/:id/export") { _, context in try await exportPage(context, layout: layout) }
        // The page's form sends the format as a field.
        art.get("/boards/:id/export/file") { request, context in
            try await export(as: request.uri.queryParameters["format"].map(String.init), request, context)
        }
        art.post("/import") { request, _ in try await importFile(request, layout: layout) }
    }

    func export(as name: String?, _ request: Request, _ context: SiteContext) async throws -> Response {
        guard let format = name.flatMap(BoardFormat.init) else { throw Problem.noSuchFormat }
        let file = try await boardFiles.export(try boardID(in: context), as: format, look: BoardLook(request))
        return try await download(file, as: format)
    }

    private func exportPage(_ context: SiteContext, layout: Layout) async throws -> Response {
        let id = try boardID(in: context)
        guard let board = try await store.board(id, owner: owner) else { throw BoardStoreError.notFound(id) }
        let picture = try await store.storedPicture(of: board.art.background, on: id, owner: owner)?.size
        let margin = BoardLook.Margin.usual(
            of: board.art, over: picture.map { ViewSize(width: Double($0.width), height: Double($0.height)) })
        let view = ExportView(
            board.summary, thumbnail: await thumbnails.html(of: board.summary), margin: margin, notice: notice)
        return page(
            layout, title: "Export · \(board.summary.name)", templates.render("listexport", view),
            styles: ["art/boards.css"])
    }

    private func download(_ file: BoardFile, as format: BoardFormat) async throws -> Response {
        var headers: HTTPFields = [
            .contentType: format.mediaType, .cacheControl: "no-store", .xContentTypeOptions: "nosniff",
            .contentDisposition: DownloadName(file.name, ending: format.rawValue).disposition,
            // If a user opens the file in a tab anyway, it runs no scripts.
            .contentSecurityPolicy: "sandbox; default-src 'none'; img-src data:; style-src 'unsafe-inline'",
        ]
        if !file.notes.isEmpty {
            headers[.notes] = try ArtJSON.text(file.notes).addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        }
        return Response(status: .ok, headers: headers, body: try await body(of: file.data))
    }

    /// Larger downloads are sent from a file.
    private static let maximumBytesInMemory = 1 << 20

    /// The body of a download.
    ///
    /// A large one is written to a file and sent in pieces as the client reads them. Slow clients therefore take no
    /// memory, and none is disconnected because memory ran out.
    private func body(of data: Data) async throws -> ResponseBody {
        guard data.count > Self.maximumBytesInMemory else { return ResponseBody(byteBuffer: ByteBuffer(bytes: data)) }
        let file = try await ArtUpload.file(of: data, in: incoming, leaving: floor)
        return ResponseBody(contentLength: file.byteCount) { writer in
            var sent = 0
            while sent < file.byteCount {
                let part = try await WorkerThreads.disk.runUncancellable { [sent] _ in
                    Result { try file.part(at: sent, count: SiteLimits.fileChunkBytes) }
                }.get()
                guard !part.isEmpty else { break }
                try await writer.write(ByteBuffer(bytes: part))
                sent += part.count
            }
            try await writer.finish(nil)
        }
    }

    /// Creates a board from the file in the body of a request.
    func readFile(of request: Request, named name: String?) async throws -> ImportedBoard {
        // Allows for the form's lines around the file.
        let limit = BoardLimits.importBytes + 10_000
        let body = try await ArtUpload.file(
            of: request, upTo: limit, orElse: .fileTooLarge, in: incoming, leaving: floor)
        let read = try await reading.board(
            in: BoardUpload(
                body: body, boundary: MultipartForm.boundary(in: request.headers[.contentType] ?? ""), name: name))
        return try await boardFiles.import(read)
    }

    private func importFile(_ request: Request, layout: Layout) async throws -> Response {
        let imported = try await readFile(of: request, named: request.uri.queryParameters["name"].map(String.init))
        let path = "/art/boards/\(imported.board.id)"
        if request.wantsJSON {
            return try .json(
                ImportJSON(id: imported.board.id.rawValue, path: path, notes: imported.notes), status: .created)
        }
        guard !imported.notes.isEmpty else { return .redirect(to: path, type: .normal) }
        let content = templates.render(
            "imported", ImportedView(name: imported.board.name, path: Link(path), notes: imported.notes))
        return page(layout, title: ArtWords.importedWithChanges, content)
    }

    private struct ImportJSON: Encodable {
        let id, path: String
        let notes: [String]
    }

    /// The values of the template `imported`.
    private struct ImportedView: Sendable {
        let name: String
        let path: Link
        let notes: [String]
    }
}

/// The values of the template `listexport`.
private struct ExportView: Sendable {
    struct Choice: Sendable {
        let value, label: String
        let isChosen: Bool
    }

    let tabs = ArtTab.all(current: .boards)
    let notice: String?
    let name: String
    let path: Link
    let thumbnail: HTML
    let formats, margins: [Choice]

    init(_ board: BoardSummary, thumbnail: HTML, margin chosen: BoardLook.Margin, notice: String?) {
        (self.notice, name, self.thumbnail) = (notice, board.name, thumbnail)
        path = Link("/art/boards/\(board.id)")
        formats = BoardFormat.allCases.map { Choice(value: $0.rawValue, label: $0.label, isChosen: $0 == .png) }
        margins = BoardLook.Margin.allCases.map {
            Choice(value: $0.rawValue, label: $0.label, isChosen: $0 == chosen)
        }
    }
}

extension BoardFormat {
    fileprivate var label: String {
        switch self {
        case .png: "PNG"
        case .svg: "SVG"
        case .json: "JSON"
        case .emojiart: ".emojiart"
        }
    }
}

extension BoardLook.Margin {
    fileprivate var label: String {
        switch self {
        case .zero: ArtWords.noMargin
        case .small: ArtWords.smallMargin
        case .large: ArtWords.largeMargin
        }
    }
}

extension HTTPField.Name {
    /// The header with the export's notes: a JSON array of strings, percent-encoded.
    static let notes: HTTPField.Name = {
        guard let name = HTTPField.Name("Meanwhile-Notes") else { preconditionFailure("the name is valid") }
        return name
    }()
}

// MARK: - Errors

extension BoardFileError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .store(let error): error.problem
        case .file(let error): error.problem
        case .noFile: .noFile
        case .background: Problem(.badGateway, title: ArtWords.backgroundNotLoaded, detail: description)
        case .unfinished: Problem(.serviceUnavailable, title: ArtWords.fileFailed, detail: description)
        case .rendering: Problem(.internalServerError, title: ArtWords.pictureNotMade, detail: description)
        }
    }
}

extension ArtFileError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .empty, .corrupt: Problem(.unprocessableContent, title: ArtWords.fileNotRead, detail: description)
        case .tooLarge: Problem(.contentTooLarge, title: ArtWords.fileTooLarge, detail: description)
        case .tooMany: Problem(.unprocessableContent, title: ArtWords.fileTooFull, detail: description)
        case .newerVersion:
            Problem(.unprocessableContent, title: ArtWords.fileFromNewerVersion, detail: description)
        case .anotherFormat: Problem(.unsupportedMediaType, title: ArtWords.notABoardFile, detail: description)
        case .unwritable: Problem(.internalServerError, title: ArtWords.notExported, detail: description)
        }
    }
}

extension Problem {
    static let fileTooLarge = Problem(
        .contentTooLarge, title: ArtWords.fileTooLarge,
        detail: ArtWords.fileTooLargeDetail(limit: BoardLimits.importBytes))

    static let noSuchFormat = Problem(
        .notFound, title: ArtWords.noSuchFormat,
        detail: ArtWords.noSuchFormatDetail)

    static let noFile = Problem(
        .badRequest, title: ArtWords.noFile, detail: ArtWords.noFileDetail)
}
