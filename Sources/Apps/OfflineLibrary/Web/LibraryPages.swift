import Capture
import Foundation
import HTTPTypes
public import Hummingbird
import Loading
import NIOCore
public import OfflineLibraryModel
import Persistence
public import Site

/// Offline Library's pages.
public struct LibraryPages: Sendable {
    /// The app, as listed on the home page.
    public static let app = SiteApp(
        name: "Offline Library", path: "/library/",
        summary: "Keeps web pages as a picture, a PDF and a web archive, to be read without the network.",
        files: ["library.css": PackageResources.library_css])
    private static let styles = ["library/library.css"]

    private let libraries: OpenLibraries
    private let templates: LibraryTemplates
    private let notice: String?
    private let events = EventStream()

    /// Creates the pages.
    ///
    /// - Throws: An error that describes an invalid template.
    public init(libraries: OpenLibraries, notice: String? = nil) throws {
        self.libraries = libraries
        self.templates = try LibraryTemplates()
        self.notice = notice
    }
}

// MARK: - Routes

extension LibraryPages {
    /// Adds the routes.
    public func addRoutes(to router: SiteRouter, layout: Layout) {
        let library = router.group("/library")
        library.get("/") { request, _ in try await list(request, layout: layout) }
        library.get("/events") { request, _ in try await follow(request) }
        library.post("/pages") { request, context in
            let form = try await request.decode(as: SaveForm.self, context: context)
            var response = try await act { _ = try await $0.save(form.address ?? "", formats: form.formats) }
            response.setCookie(ChosenFormats.cookie(with: form.formats, usesHTTPS: context.usesHTTPS))
            return response
        }
        library.post("/settings") { request, context in
            let form = try await request.decode(as: SettingsForm.self, context: context)
            guard let order = form.order.flatMap(LibrarySettings.Order.init(rawValue:)) else {
                throw LibraryError.noSuchOrder
            }
            return try await act { try await $0.sort(order) }
        }
        let page = library.group("/pages/:id")
        page.post("/retry") { _, context in try await act(context) { try await $0.retry($1) } }
        page.post("/stop") { _, context in try await act(context) { try await $0.stop($1) } }
        page.post("/delete") { _, context in try await act(context) { try await $0.delete($1) } }
        page.post("/restore") { _, context in try await act(context) { try await $0.restore($1) } }
        page.get("/archive") { _, context in try await archive(context, layout: layout) }
        page.get("/view") { request, context in try await file(.viewer, request, context) }
        page.get("/thumbnail.png") { request, context in try await file(.thumbnail, request, context) }
        for format in PageFormat.allCases {
            page.get("/page.\(format.rawValue)") { request, context in
                try await file(FileKind(format), request, context)
            }
        }
    }

    private struct SettingsForm: Decodable {
        var order: String?
    }

    private struct SaveForm: Decodable {
        var address: String?
        var png: String?
        var pdf: String?
        var webarchive: String?

        var formats: Set<PageFormat> {
            var formats: Set<PageFormat> = []
            if png != nil { formats.insert(.png) }
            if pdf != nil { formats.insert(.pdf) }
            if webarchive != nil { formats.insert(.webArchive) }
            return formats
        }
    }

    private func list(_ request: Request, layout: Layout) async throws -> Response {
        var snapshot = try await libraries.use(.local) { LibrarySnapshot($0.library) }
            .ordered(by: templates.ordering)
        snapshot.formats = ChosenFormats.formats(in: request) ?? snapshot.formats
        let items = snapshot.items
        let content: HTML
        if let after = request.uri.queryParameters["after"] {
            guard let last = items.firstIndex(where: { "\($0.id)" == after }) else { throw LibraryError.notFound }
            let rest = items[(last + 1)...]
            let shown = Array(rest.prefix(LibraryTemplates.listLength))
            content = templates.olderPages(shown, hasMore: rest.count > shown.count)
        } else {
            content = templates.page(snapshot, notice: notice)
        }
        return layout.page(
            title: Self.app.name, heading: Self.app.name, app: Self.app, content: content, styles: Self.styles)
    }

    private func follow(_ request: Request) async throws -> Response {
        // Open the library first: if that fails, the response is an error page instead of a stream.
        try await libraries.use(.local) { _ in }
        return events.response(
            to: request, sending: DocumentEvents(of: libraries.documents, key: .local))
    }

    /// Performs an action and redirects to the list.
    private func act(_ body: @MainActor (Library) async throws -> Void) async throws -> Response {
        try await libraries.use(.local) { try await body($0.library) }
        return .redirect(to: Self.app.path, type: .normal)
    }

    private func act(
        _ context: SiteContext, _ body: @MainActor (Library, KeptPage.ID) async throws -> Void
    ) async throws -> Response {
        let id = try Self.page(in: context)
        return try await act { try await body($0, id) }
    }

    private static func page(in context: SiteContext) throws -> KeptPage.ID {
        guard let id = context.parameters.get("id").flatMap({ KeptPage.ID($0) }) else { throw LibraryError.notFound }
        return id
    }
}

// MARK: - Files

extension LibraryPages {
    private func archive(_ context: SiteContext, layout: Layout) async throws -> Response {
        let id = try Self.page(in: context)
        let item = try await libraries.use(.local) { $0.library.item(id) }
        guard let item, !item.isDeleted, item.state.value?.sizes[.webArchive] != nil else {
            throw LibraryError.notFound
        }
        let content = templates.archive(item)
        return layout.page(
            title: templates.name(of: item), heading: nil, app: Self.app, content: content, styles: Self.styles)
    }

    private func file(_ kind: FileKind, _ request: Request, _ context: SiteContext) async throws -> Response {
        let id = try Self.page(in: context)
        let (file, item) = try await libraries.use(.local) { open in
            (try await open.library.file(kind, of: id), open.library.item(id))
        }
        let tag = "\"\(file.digest)\""
        var headers: HTTPFields = [
            .contentType: kind.mediaType, .contentSecurityPolicy: kind.policy, .eTag: tag,
            // A deleted file must not be served from a cache.
            .cacheControl: "private, no-cache",
        ]
        if request.uri.queryParameters["download"] != nil, let item {
            headers[.contentDisposition] =
                DownloadName(templates.name(of: item), ending: kind.ending).disposition
        }
        if request.headers[values: .ifNoneMatch].contains(where: { $0.contains(tag) }) {
            return Response(status: .notModified, headers: headers)
        }
        let body: ResponseBody
        switch file.content {
        case .data(let data): body = ResponseBody(byteBuffer: ByteBuffer(bytes: data))
        case .path(let path):
            do {
                body = try await FileIO().loadFile(
                    path: path, context: context, chunkLength: SiteLimits.fileChunkBytes)
            } catch {
                throw LibraryError.storage(
                    "A file of this page is not where it was kept. Restore the data folder from a backup, or save the page again."
                )
            }
        }
        return Response(status: .ok, headers: headers, body: body)
    }
}

extension FileKind {
    var mediaType: String {
        switch self {
        case .png, .thumbnail: "image/png"
        case .pdf: "application/pdf"
        case .webArchive: "application/x-webarchive"
        case .viewer: "text/html; charset=utf-8"
        }
    }

    var ending: String {
        switch self {
        case .png, .thumbnail: "png"
        case .pdf: "pdf"
        case .webArchive: "webarchive"
        case .viewer: "html"
        }
    }

    /// The policy that prevents untrusted content from running scripts and making requests, wherever it is displayed.
    var policy: String {
        switch self {
        case .viewer:
            // The page is self-contained. It is sandboxed even when it is opened outside its frame.
            PageCapturer.viewerPolicy
                + "; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"
        case .pdf:
            // The browser's built-in PDF viewer doesn't start in a sandbox.
            "default-src 'none'; object-src 'self'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
        case .png, .thumbnail:
            // Not sandboxed: a PNG runs no scripts, and the site's icon would be another origin's.
            "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'"
        case .webArchive:
            "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"
        }
    }
}

// MARK: - Errors

extension LibraryError: PresentableError {
    /// The page that shows the error.
    public var problem: Problem {
        switch self {
        case .invalidAddress: Problem(.unprocessableContent, title: "That is no address of a page", detail: "\(self)")
        case .noSuchOrder:
            Problem(.unprocessableContent, title: "The list cannot be ordered so", detail: "\(self)")
        case .noFormat: Problem(.unprocessableContent, title: "Nothing to keep it as", detail: "\(self)")
        case .notFound: Problem(.notFound, title: "There is no such page", detail: "\(self)")
        case .tooLate: Problem(.gone, title: "It is gone", detail: "\(self)")
        case .rendering: Problem(.badGateway, title: "It cannot be shown", detail: "\(self)")
        case .overBudget(let reason):
            Problem(.init(code: reason.statusCode), title: reason.title, detail: reason.message)
        case .storage: Problem(.internalServerError, title: "The library cannot write or read", detail: "\(self)")
        case .ending: Problem(.serviceUnavailable, title: "The server is stopping", detail: "\(self)")
        }
    }
}
