public import EmojiArtModel
import Foundation
import FuturesFoundation
import HTTPTypes
import Hummingbird
import NIOCore
import Persistence
public import Site

// Export from a board's page, and import from the list.

extension ArtPages {
    func addFileRoutes(to art: RouterGroup<SiteContext>, layout: Layout) {
        art.get("/boards/:id/export.{format}") { _, context in
            guard let format = context.parameters.get("format").flatMap(BoardFormat.init) else {
                throw Problem.noSuchFormat
            }
            return try await download(try await boardFiles.export(try Self.board(in: context), as: format), as: format)
        }
        art.post("/import") { request, _ in try await importFile(request, layout: layout) }
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

    private func importFile(_ request: Request, layout: Layout) async throws -> Response {
        // Allows for the form's lines around the file.
        let limit = BoardLimits.importBytes + 10_000
        let body = try await ArtUpload.file(
            of: request, upTo: limit, orElse: .fileTooLarge, in: incoming, leaving: floor)
        let read = try await reading.board(
            in: BoardUpload(
                body: body, boundary: MultipartForm.boundary(in: request.headers[.contentType] ?? ""),
                name: request.uri.queryParameters["name"].map(String.init)))
        let imported = try await boardFiles.import(read)
        let path = "/art/boards/\(imported.board.id)"
        if request.wantsJSON {
            return try .json(
                ImportJSON(id: imported.board.id.rawValue, path: path, notes: imported.notes), status: .created)
        }
        guard !imported.notes.isEmpty else { return .redirect(to: path, type: .normal) }
        let content = templates.render(
            "imported", ImportedView(name: imported.board.name, path: Link(path), notes: imported.notes))
        return page(layout, title: "Imported, with changes", content)
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

extension HTTPField.Name {
    /// The header with the export's notes: a JSON array of strings, percent-encoded.
    static let notes: HTTPField.Name = {
        guard let name = HTTPField.Name("Meanwhile-Notes") else { preconditionFailure("letters are a name") }
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
        case .background: Problem(.badGateway, title: "Couldn’t load the background", detail: description)
        case .unfinished: Problem(.serviceUnavailable, title: "Import or export failed", detail: description)
        case .rendering: Problem(.internalServerError, title: "Couldn’t make the picture", detail: description)
        }
    }
}

extension ArtFileError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .empty, .corrupt: Problem(.unprocessableContent, title: "Couldn’t read the file", detail: description)
        case .tooLarge: Problem(.contentTooLarge, title: "The file is too large", detail: description)
        case .tooMany: Problem(.unprocessableContent, title: "The file has too much content", detail: description)
        case .newerVersion:
            Problem(.unprocessableContent, title: "The file is from a newer version", detail: description)
        case .anotherFormat: Problem(.unsupportedMediaType, title: "Not a board file", detail: description)
        case .unwritable: Problem(.internalServerError, title: "Couldn’t export the board", detail: description)
        }
    }
}

extension Problem {
    static let fileTooLarge = Problem(
        .contentTooLarge, title: "The file is too large",
        detail: """
            A board file can be up to \(megabytes(BoardLimits.importBytes)), and this one is larger. Nothing was \
            imported. Make the picture in it smaller.
            """)

    static let noSuchFormat = Problem(
        .notFound, title: "File not found",
        detail: "A board can be exported as export.png, export.svg, export.json or export.emojiart.")

    static let noFile = Problem(
        .badRequest, title: "No file chosen", detail: "Choose a file to import, then try again.")
}
