import Capture
import Foundation
import HTTPTypes
public import Hummingbird
import Loading
import NIOCore
public import OfflineLibraryModel
public import Persistence
public import Site

/// Offline Library's pages.
public struct LibraryPages: Sendable {
    /// The app, as listed on the home page.
    public static let app: SiteApp = {
        var app = SiteApp(
            name: LibraryWords.name, path: "/library/", summary: LibraryWords.summary, hint: LibraryWords.hint,
            files: [
                "library.css": PackageResources.library_css, "library.js": PackageResources.library_js,
                "keys.js": PackageResources.keys_js, "changes.js": PackageResources.changes_js,
                "viewer.css": PackageResources.viewer_css, "viewer.js": PackageResources.viewer_js,
                "kept.js": PackageResources.kept_js,
                "waiting.js": PackageResources.waiting_js, "offline.js": PackageResources.offline_js,
                "words.js": ScriptWords.module(LibraryWords.scripts),
            ], manifest: Self.manifestPath)
        app.tokenPaths = [uploadPath]
        app.api = api
        app.openPaths = [articleStylePath]
        return app
    }()
    /// The prefix of the links in a saved page; each link's URL follows it.
    public static let linkPath = "/library/open?url="
    /// The path of the style sheet of articles.
    ///
    /// It has no version, because stored articles contain it.
    public static let articleStylePath = "/library/article.css"
    static let styles = ["library/library.css"]
    private static let scripts = ["library/library.js", "library/keys.js"]
    static let viewerStyles = styles + ["library/viewer.css"]
    static let viewerScripts = ["library/viewer.js"]

    let libraries: OpenLibraries
    /// The owner of everything that the pages show and change.
    private(set) var owner = OwnerID.local
    let templates: LibraryTemplates
    private(set) var uploads: LibraryUploads
    let importTemplates: ImportTemplates
    let versionTemplates: VersionTemplates
    private let notice: String?
    private let events = EventStream()

    /// Creates the pages.
    ///
    /// - Parameters:
    ///   - libraries: The libraries.
    ///   - uploads: Receives and reads uploaded files.
    ///   - notice: A notice to every visitor.
    /// - Throws: An error that describes an invalid template.
    public init(libraries: OpenLibraries, uploads: LibraryUploads, notice: String? = nil) throws {
        self.libraries = libraries
        self.templates = try LibraryTemplates()
        self.importTemplates = try ImportTemplates()
        self.versionTemplates = try VersionTemplates()
        self.uploads = uploads
        self.notice = notice
    }

    /// The pages of an owner; those that were created first belong to ``Persistence/OwnerID/local``.
    ///
    /// - Parameters:
    ///   - owner: The owner.
    ///   - reading: Reads the owner's files.
    /// - Returns: The pages.
    public func of(_ owner: OwnerID, reading: any LibraryReading) -> LibraryPages {
        var pages = self
        pages.owner = owner
        pages.uploads.reading = reading
        return pages
    }
}

// MARK: - Routes

extension LibraryPages {
    /// Adds the routes.
    public func addRoutes(to router: some RouterMethods<SiteContext>, layout: Layout) {
        let library = router.group("/library")
        library.get("/") { request, _ in try await list(request, layout: layout) }
        library.get("/open") { request, _ in try await follow(linkOf: request, layout: layout) }
        library.get("/feed.atom") { request, context in try await feed(request, context) }
        library.get("/events") { request, _ in try await follow(request) }
        library.post("/pages") { request, context in
            let form = try await request.decode(as: SaveForm.self, context: context)
            var response = try await save(form)
            response.setCookie(ChosenFormats.cookie(with: form.formats, usesHTTPS: context.usesHTTPS))
            return response
        }
        library.post("/pages/several") { request, context in
            let form = try await request.decode(as: SaveForm.self, context: context)
            var response = try await saveSeveral(form)
            response.setCookie(ChosenFormats.cookie(with: form.formats, usesHTTPS: context.usesHTTPS))
            return response
        }
        library.post("/settings") { request, context in
            let form = try await request.decode(as: SettingsForm.self, context: context)
            guard let order = form.order.flatMap(LibrarySettings.Order.init(rawValue:)) else {
                throw LibraryError.noSuchOrder
            }
            return try await act(request) { try await $0.sort(order) }
        }
        library.post("/selection/delete") { request, context in
            let form = try await request.decode(as: SelectionForm.self, context: context)
            return try await act(request) { try await $0.deleteAll(try await form.pages(of: $0)) }
        }
        library.post("/selection/restore") { request, context in
            let form = try await request.decode(as: UndoForm.self, context: context)
            guard let time = form.change.flatMap({ LibraryTemplates.time(ofDeletion: $0) }) else {
                throw LibraryError.tooLate
            }
            return try await act(request) { try await $0.restoreAll(deletedAt: time) }
        }
        addMarkRoutes(to: library, layout: layout)
        addImportRoutes(to: library, layout: layout)
        addUploadRoutes(to: library, layout: layout)
        library.get("/export.zip") { request, _ in try await export(request) }
        addReadingRoutes(to: library, layout: layout)
        addOfflineRoutes(to: library, layout: layout)
        addVersionRoutes(to: library, layout: layout)
        addAPIRoutes(to: router)
        let page = library.group("/pages/:id")
        page.post("/retry") { request, context in try await act(request, context) { try await $0.retry($1) } }
        page.post("/stop") { request, context in try await act(request, context) { try await $0.stop($1) } }
        page.post("/delete") { request, context in try await act(request, context) { try await $0.delete($1) } }
        page.post("/restore") { request, context in try await act(request, context) { try await $0.restore($1) } }
        page.get("/view") { request, context in
            let isDownload = request.uri.queryParameters["download"] != nil
            return try await file(isDownload ? .html : .viewer, request, context)
        }
        page.get("/thumbnail.png") { request, context in try await file(.thumbnail, request, context) }
        page.get("/tiles/:tile") { request, context in try await tile(of: Self.page(in: context), request, context) }
        for format in PageFormat.allCases {
            if let name = format.viewerName {
                page.get("/\(name)") { _, context in try await viewer(.file(format), context, layout: layout) }
            }
            page.get("/page.\(format.rawValue)") { request, context in
                try await file(FileKind(format), request, context)
            }
        }
    }

    private struct SettingsForm: Decodable {
        var order: String?
    }

    /// Several pages, each in a field named `page[]`.
    struct SelectionForm: Decodable {
        var page: [String]?
        /// The search all of whose results are selected, or an empty text for all pages.
        var every: String?
        /// The tags to add or remove, as typed.
        var tags: String?

        /// The selected pages.
        @MainActor
        func pages(of library: Library) async throws(LibraryError) -> Set<SavedPage.ID> {
            try await ExportSelection(pages: page, every: every).pages(of: library)
        }
    }

    struct UndoForm: Decodable {
        var change: String?
    }

    /// The order that a request for a later part of the list gives; `nil` means the order that the owner has chosen.
    private static func order(of request: Request) -> LibrarySettings.Order? {
        guard let after = request.uri.queryParameters["after"], !after.isEmpty else { return nil }
        return request.uri.queryParameters["order"].flatMap { LibrarySettings.Order(rawValue: String($0)) }
    }

    private struct SaveForm: Decodable {
        var address: String?
        var png: String?
        var pdf: String?
        var webarchive: String?
        var wacz: String?
        /// Several addresses, one on each line.
        var addresses: String?
        /// The address that is already saved, and which the user saves again.
        var again: String?

        var isAgain: Bool { again != nil && again == address }

        var formats: Set<PageFormat> {
            var formats: Set<PageFormat> = []
            if png != nil { formats.insert(.png) }
            if pdf != nil { formats.insert(.pdf) }
            if webarchive != nil { formats.insert(.webArchive) }
            if wacz != nil { formats.insert(.wacz) }
            return formats
        }
    }

    private func list(_ request: Request, layout: Layout) async throws -> Response {
        if let search = LibrarySearchRequest(query: request.uri.query) {
            return try await found(search, request, layout: layout)
        }
        // A search without words and filters shows all pages.
        if request.uri.queryParameters["q"] != nil { return .redirect(to: Self.app.path, type: .normal) }
        // Any site may link to this page with an address: it is only filled in, and the user decides.
        let address = Self.sharedAddress(in: request)
        var (newest, saved) = try await libraries.use(owner) { open in
            (LibrarySnapshot(open.library), open.library.saved(at: address) ?? open.library.fetching(at: address))
        }
        // The link to a later part of the list contains the order of the first one.
        newest.order = Self.order(of: request) ?? newest.order
        var snapshot = try await newest.ordered(by: templates.ordering)
        snapshot.formats = ChosenFormats.formats(in: request) ?? snapshot.formats
        let items = snapshot.items
        let content: HTML
        if let after = request.uri.queryParameters["after"], !after.isEmpty {
            guard let last = items.firstIndex(where: { "\($0.id)" == after }) else { throw LibraryError.notFound }
            let rest = items[(last + 1)...]
            let shown = Array(rest.prefix(LibraryTemplates.listLength))
            content = templates.olderPages(shown, hasMore: rest.count > shown.count, in: snapshot)
        } else {
            content = templates.page(snapshot, filledIn: address, saved: saved, notice: notice)
        }
        return layout.page(
            title: Self.app.name, heading: Self.app.name, app: Self.app,
            content: content, styles: Self.styles, scripts: Self.scripts, firstPageIn: request)
    }

    /// The address that a bookmark or another app gives; some apps share it within a text.
    private static func sharedAddress(in request: Request) -> String {
        let parameters = request.uri.queryParameters
        if let address = parameters["url"], !address.isEmpty { return String(address) }
        let text = parameters["text"].map { String($0.prefix(10_000)) } ?? ""
        return text.firstMatch(of: /(?i)https?:\/\/[^\s<>"]+/).map { String($0.output) } ?? ""
    }

    /// A part of the pages that a search finds.
    private func found(_ search: LibrarySearchRequest, _ request: Request, layout: Layout) async throws -> Response {
        let range = search.offset..<(search.offset + LibraryTemplates.listLength)
        let (result, library) = try await libraries.use(owner) { open in
            (try await open.library.find(search.query, range: range), LibraryContext(open.library))
        }
        let title = [search.text, search.filter.tag?.name ?? ""].first { !$0.isEmpty }
        return layout.page(
            title: title.map { LibraryWords.search($0) } ?? LibraryWords.filteredPages, heading: Self.app.name,
            app: Self.app, content: templates.found(result.items, of: result.found, search: search, in: library),
            styles: Self.styles, scripts: Self.scripts, firstPageIn: request)
    }

    /// Saves a page, or shows the form again with a note that the page is already saved.
    private func save(_ form: SaveForm) async throws -> Response {
        let address = form.address ?? ""
        if !form.isAgain, !form.formats.isEmpty, let filledIn = LibraryTemplates.form(for: address) {
            if try await libraries.use(owner, { $0.library.saved(at: address) }) != nil {
                return .redirect(to: filledIn.url, type: .normal)
            }
            if try await libraries.use(owner, { $0.library.fetching(at: address) }) != nil {
                // It goes before the pages of imports, and the page says so.
                _ = try await libraries.use(owner) { try await $0.library.save(address, formats: form.formats) }
                return .redirect(to: filledIn.url, type: .normal)
            }
        }
        return try await act { _ = try await $0.save(address, formats: form.formats) }
    }

    /// Saves several pages, except those that are saved already.
    private func saveSeveral(_ form: SaveForm) async throws -> Response {
        let list = try AddressList(form.addresses ?? "")
        let new = try await libraries.use(owner) { try list.unsaved(in: $0.library) }
        return try await act { library in
            for address in new { _ = try await library.save(address, formats: form.formats) }
        }
    }

    /// The feed of the saved pages.
    private func feed(_ request: Request, _ context: SiteContext) async throws -> Response {
        let (id, items, comparisons) = try await libraries.use(owner) { open in
            let library = open.library
            let items = library.newest
            let listed = Set(LibraryFeed.listed(items).map(\.id))
            return (try await library.feedID(), items, try await library.comparisons(of: listed))
        }
        let site = context.siteAddress(in: request)
        let feed = LibraryFeed(site: site, id: id, items: items, comparisons: comparisons)
        return Response(
            status: .ok,
            headers: [
                .contentType: LibraryFeed.mediaType, .cacheControl: "private, no-cache", .vary: "Accept-Language",
            ], body: ResponseBody(byteBuffer: ByteBuffer(string: feed.xml(templates))))
    }

    private func follow(_ request: Request) async throws -> Response {
        // Open the library first: if that fails, the response is an error page instead of a stream.
        try await libraries.use(owner) { _ in }
        return events.response(
            to: request, sending: DocumentEvents(of: libraries.documents, key: owner))
    }

    /// Announces changes to a script.
    func followChanges(_ request: Request) async throws -> Response {
        try await libraries.use(owner) { _ in }
        return events.response(
            to: request, sending: DocumentEvents(of: libraries.documents, key: owner, maker: APIChangeEvents()))
    }

    /// The list, or the search whose results a request comes from.
    static func origin(of request: Request?) -> Link {
        let search = request?.headers[.referer].flatMap { URLComponents(string: $0) }.flatMap { page in
            page.path == app.path ? LibrarySearchRequest(query: page.percentEncodedQuery) : nil
        }
        return search.map { $0.link(from: $0.offset) } ?? Link(app.path)
    }

    /// Performs an action and redirects to the list, or to the search whose results have the form.
    ///
    /// - Parameters:
    ///   - request: The request of a form in results; `nil` to redirect to the list.
    ///   - body: The action.
    /// - Returns: The redirect.
    /// - Throws: The action's error.
    func act(
        _ request: Request? = nil, _ body: @MainActor (Library) async throws -> Void
    ) async throws -> Response {
        try await libraries.use(owner) { try await body($0.library) }
        return .redirect(to: Self.origin(of: request).url, type: .normal)
    }

    func act(
        _ request: Request, _ context: SiteContext, _ body: @MainActor (Library, SavedPage.ID) async throws -> Void
    ) async throws -> Response {
        let id = try Self.page(in: context)
        return try await act(request) { try await body($0, id) }
    }

    static func page(in context: SiteContext) throws -> SavedPage.ID {
        guard let id = context.parameters.get("id").flatMap({ SavedPage.ID($0) }) else { throw LibraryError.notFound }
        return id
    }
}

// MARK: - Errors

extension LibraryError: PresentableError {
    /// The page that shows the error.
    public var problem: Problem {
        switch self {
        case .invalidAddress: page(.unprocessableContent, LibraryWords.notAnAddressTitle)
        case .invalidAddressList: page(.unprocessableContent, LibraryWords.addressListTitle)
        case .noSelection: page(.unprocessableContent, LibraryWords.noSelectionTitle)
        case .invalidMarks: page(.unprocessableContent, LibraryWords.invalidMarksTitle)
        case .tooLateToUndo: page(.gone, LibraryWords.tooLateToUndoTitle)
        case .noSuchOrder: page(.unprocessableContent, LibraryWords.noSuchOrderTitle)
        case .noFormat: page(.unprocessableContent, LibraryWords.noFormatTitle)
        case .notFound: page(.notFound, LibraryWords.notFoundTitle)
        case .tooLate: page(.gone, LibraryWords.tooLateTitle)
        case .rendering: page(.badGateway, LibraryWords.renderingTitle)
        case .overBudget(let reason): page(.init(code: reason.statusCode), reason.title)
        case .storage: page(.internalServerError, LibraryWords.storageTitle)
        case .noSuchImport: page(.notFound, LibraryWords.noSuchImportTitle)
        case .shuttingDown: page(.serviceUnavailable, LibraryWords.shuttingDownTitle)
        }
    }

    private func page(_ status: HTTPResponse.Status, _ title: String) -> Problem {
        Problem(status, title: title, detail: "\(self)")
    }
}
