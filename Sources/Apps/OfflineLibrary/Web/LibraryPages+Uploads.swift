import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OfflineLibraryModel
import Persistence
import Site

// Uploads of programs, such as SingleFile, and the page that manages their token.

extension LibraryPages {
    /// The path to which programs upload pages.
    static let uploadPath = "/library/api/upload"
    private static let path = "/library/uploads"

    func addUploadRoutes(to library: RouterGroup<SiteContext>, layout: Layout) {
        library.post("/api/upload") { request, context in try await upload(request, context) }
        library.get("/uploads") { request, context in try await uploadsPage(request, context, layout: layout) }
        library.post("/uploads/token") { request, context in
            let token = try await libraries.use(owner) { try await $0.library.createUploadToken() }
            return try await uploadsPage(request, context, newToken: token, layout: layout)
        }
        library.post("/uploads/withdraw") { _, _ in
            try await libraries.use(owner) { try await $0.library.removeUploadToken() }
            return Response.redirect(to: Self.path, type: .normal)
        }
    }

    /// Saves a page that a program sends as `multipart/form-data`, with a file and a field for the page's address.
    ///
    /// SingleFile shows the text of a response that isn't a success.
    private func upload(_ request: Request, _ context: SiteContext) async throws -> Response {
        do {
            return try await savedUpload(request, context)
        } catch let error as any PresentableError {
            let problem = error.problem
            var headers: HTTPFields = [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"]
            if problem.status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
            return Response(
                status: problem.status, headers: headers,
                body: ResponseBody(byteBuffer: ByteBuffer(string: "\(problem.title): \(problem.detail)\n")))
        }
    }

    private func savedUpload(_ request: Request, _ context: SiteContext) async throws -> Response {
        // Checked before anything is received.
        guard let token = request.bearerToken,
            let owner = try await uploads.store.owner(ofUploadToken: token, at: Date())
        else {
            throw Problem(
                .unauthorized, title: LibraryWords.noUploadTokenTitle, detail: LibraryWords.noUploadToken)
        }
        if let response = try await context.forwarded(request, of: owner) { return response }
        let read = try await uploads.reading.read(try await uploads.form(in: request, isPage: true))
        guard case .pages(let pages) = read.content, let page = pages.first else {
            throw LibraryFileError.unknownFormat
        }
        let id = try await libraries.use(owner) { try await $0.library.save(page, formats: read.formats) }
        let json = "{\"id\":\"\(id)\",\"path\":\"\(Self.app.path)#page-\(id)\"}\n"
        return Response(
            status: .created, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: json)))
    }

    /// The page with the settings for SingleFile.
    private func uploadsPage(
        _ request: Request, _ context: SiteContext, newToken: String? = nil, layout: Layout
    ) async throws -> Response {
        let token = try await libraries.use(owner) { try await $0.library.uploadToken() }
        let site = context.siteAddress(in: request)
        let content = importTemplates.uploads(token, newToken: newToken, address: site + Self.uploadPath)
        var response = layout.page(
            title: LibraryWords.uploadTitle, heading: LibraryWords.uploadTitle, app: Self.app, content: content,
            styles: Self.styles)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
