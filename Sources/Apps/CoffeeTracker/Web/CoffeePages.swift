public import CoffeeTrackerModel
import Foundation
import FuturesFoundation
import HTTPTypes
public import Hummingbird
import NIOCore
public import Persistence
public import Site

/// Coffee Tracker's pages.
public struct CoffeePages: Sendable {
    /// The app, as listed on the home page.
    public static let app: SiteApp = {
        var app = SiteApp(
            name: CoffeeWords.name, path: "/coffee/", summary: CoffeeWords.summary, hint: CoffeeWords.hint,
            files: [
                "caffeine.wasm": Self.model, "coffee.css": PackageResources.coffee_css,
                "coffee.js": PackageResources.coffee_js, "gauge.css": PackageResources.gauge_css,
                "offline.js": PackageResources.offline_js,
                "offline-pictures.js": PackageResources.offline_pictures_js,
                "waiting-drinks.js": PackageResources.waiting_drinks_js,
                "words.js": ScriptWords.module(CoffeeWords.scripts),
            ], manifest: Self.manifestPath)
        app.api = api
        return app
    }()

    let documents: OpenDocuments<CoffeeDocument>
    /// The owner of everything that the pages show and change.
    private(set) var owner = OwnerID.local
    let templates: CoffeeTemplates
    let notice: String?
    private let events = EventStream()

    /// Creates the pages for documents, with an optional notice shown to every visitor.
    public init(documents: OpenDocuments<CoffeeDocument>, notice: String? = nil) throws {
        self.documents = documents
        self.templates = try CoffeeTemplates()
        self.notice = notice
    }

    /// The pages of an owner; those that were created first belong to ``Persistence/OwnerID/local``.
    public func of(_ owner: OwnerID) -> CoffeePages {
        var pages = self
        pages.owner = owner
        return pages
    }
}

// MARK: - Routes

extension CoffeePages {
    /// Adds the routes to a router.
    public func addRoutes(to router: some RouterMethods<SiteContext>, layout: Layout) {
        let coffee = router.group("/coffee")
        coffee.get("/") { request, _ in
            page(layout, TodayView(try await view(), templates, head: head(.today)), firstPageIn: request)
        }
        coffee.get("/events") { request, _ in try await follow(request) }
        coffee.get("/timeline.json") { _, _ in try await timeline() }
        coffee.get("/drinks.csv") { _, _ in try await table() }
        coffee.get("/history") { request, _ in try await history(request, layout: layout) }
        addDrinkRoutes(to: coffee, layout: layout)
        addSettingsRoutes(to: coffee, layout: layout)
        addComplicationRoutes(to: coffee, layout: layout)
        addOfflineRoutes(to: coffee, layout: layout)
        addAPIRoutes(to: router)
    }

    /// A page of the app.
    func page(
        _ layout: Layout, _ view: some PageView, status: HTTPResponse.Status = .ok, firstPageIn visit: Request? = nil
    ) -> Response {
        layout.page(
            title: view.pageTitle, heading: nil, app: Self.app, content: templates.html(view),
            styles: ["coffee/gauge.css", "coffee/coffee.css"], scripts: ["coffee/coffee.js"], status: status,
            firstPageIn: visit)
    }

    func head(_ tab: CoffeeTab) -> PageHead { PageHead(tab, notice: notice) }

    /// The page to return to after a form: the page with the form, if it is the catalogue or the history.
    ///
    /// Otherwise it is the first page.
    ///
    /// - Parameter back: The path and the query of the page with the form, from the client.
    /// - Returns: A path of this app.
    static func returnPath(_ back: String?) -> String {
        let known = /\/coffee\/(catalogue|history(\?[a-z0-9=&\-]*)?)/
        guard let back, back.wholeMatch(of: known) != nil else { return app.path }
        return back
    }

    /// The current state, for display.
    func view() async throws -> CoffeeView {
        try await documents.use(owner) { CoffeeView($0.data) }
    }

    private func follow(_ request: Request) async throws -> Response {
        // Open the document first: if that fails, the response is an error page instead of a stream.
        try await documents.use(owner) { _ in }
        return events.response(to: request, sending: DocumentEvents(of: documents, key: owner))
    }

    /// Announces changes to a script.
    func followChanges(_ request: Request) async throws -> Response {
        try await documents.use(owner) { _ in }
        return events.response(
            to: request, sending: DocumentEvents(of: documents, key: owner, maker: APIChangeEvents()))
    }

    func timeline() async throws -> Response {
        let json = try TimelineDocument(try await view()).json
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }

    /// All drinks as comma-separated values.
    func table() async throws -> Response {
        let drinks = try await documents.use(owner) {
            try await $0.data.drinks(from: .distantPast, to: .distantFuture)
        }
        let text: String
        do throws(WorkError) {
            // An owner may have 100,000 drinks.
            text = try await WorkerThreads.computing.run(CoffeeWords.exporting, within: .seconds(30)) { _ in
                DrinkCSV.text(of: drinks)
            }
        } catch {
            throw Problem(.serviceUnavailable, title: CoffeeWords.busyTitle, detail: error.message)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .cacheControl: "no-store",
                .contentDisposition: DownloadName(CoffeeWords.file, ending: "csv").disposition,
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private func history(_ request: Request, layout: Layout) async throws -> Response {
        let parameters = request.uri.queryParameters
        let span = parameters["by"].flatMap { DrinkHistory.Span(rawValue: String($0)) } ?? .day
        let until = parameters["until"].flatMap { LocalDay(String($0)) }
        let (shown, view) = try await history(by: span, until: until)
        let back = Self.returnPath("\(CoffeeTab.history.path)\(request.uri.query.map { "?\($0)" } ?? "")")
        return page(layout, HistoryView(shown, view, back: back, head: head(.history)))
    }

    /// The drinks of the last periods, and the current state.
    func history(by span: DrinkHistory.Span, until: LocalDay?) async throws -> (ShownHistory, CoffeeView) {
        let view = try await view()
        let days = view.settings.days
        let today = days.day(of: view.now)
        var until = until
        // Drinks can't be older than 1970 or in the future.
        if let day = until, day >= today || day < LocalDay(number: 0) { until = nil }
        let date = until.map(days.beginning(of:)) ?? view.now
        let count = ShownHistory.count(span)
        let start = DrinkHistory.start(days: days, by: span, last: count, at: date)
        let empty = DrinkHistory(of: [], days: days, by: span, last: count, at: date)
        let end = empty.periods.last?.end ?? view.now
        let drinks = try await documents.use(owner) { try await $0.data.drinks(from: start, to: end) }
        let shown = ShownHistory(
            span: span,
            history: DrinkHistory(of: drinks, days: days, by: span, last: count, at: date, now: view.now), until: until,
            drinks: span == .day ? drinks : [])
        return (shown, view)
    }

    // After a failure, the page's script gets the problem and keeps the form as it is; without scripts, the browser gets the page
    // again with the submitted text.
    func submit(
        _ request: Request, _ form: some TypedForm, to path: String, _ layout: Layout,
        _ body: @MainActor (CoffeeDocument) async throws -> Void,
        orElse view: (FilledForm) async throws -> some PageView
    ) async throws -> Response {
        do {
            try await documents.use(owner, body)
            return .redirect(to: path, type: .normal)
        } catch let error as any PresentableError where !request.prefersJSON {
            let problem = error.problem
            let view = try await view(FilledForm(fields: form.fields, shown: form.shown, problem: problem))
            return page(layout, view, status: problem.status)
        }
    }
}

// MARK: - Errors

extension CoffeeError: PresentableError {
    /// The error's status, title and detail.
    public var problem: Problem {
        func problem(_ status: HTTPResponse.Status, _ title: String, field: String? = nil) -> Problem {
            Problem(status, title: title, detail: description, field: field)
        }
        return switch self {
        case .invalidName: problem(.unprocessableContent, CoffeeWords.checkName, field: "name")
        case .invalidEmoji: problem(.unprocessableContent, CoffeeWords.checkEmoji, field: "emoji")
        case .invalidMilligrams: problem(.unprocessableContent, CoffeeWords.checkAmount, field: "milligrams")
        case .invalidMillilitres: problem(.unprocessableContent, CoffeeWords.checkAmount, field: "millilitres")
        case .invalidSipping: problem(.unprocessableContent, CoffeeWords.checkSipping, field: "sip")
        case .future, .invalidTime, .skippedTime: problem(.unprocessableContent, CoffeeWords.checkTime, field: "time")
        case .unknownTimeZone: problem(.unprocessableContent, CoffeeWords.checkZone, field: "zone")
        case .unknownDrink: problem(.unprocessableContent, CoffeeWords.unknownKind, field: "kind")
        case .ambiguousDrink: problem(.unprocessableContent, CoffeeWords.severalMatch)
        case .invalidSetting(_, let field): problem(.unprocessableContent, CoffeeWords.checkSettings, field: field)
        case .notFound: problem(.notFound, CoffeeWords.notFoundTitle)
        case .notOwn: problem(.forbidden, CoffeeWords.notOwnTitle)
        case .changedElsewhere: problem(.conflict, CoffeeWords.changedTitle)
        case .nothingToUndo: problem(.conflict, CoffeeWords.nothingToUndoTitle)
        case .notAuthorized: problem(.forbidden, CoffeeWords.notAllowedTitle)
        case .healthStore: problem(.badGateway, CoffeeWords.healthTitle)
        case .overBudget(let reason):
            Problem(.init(code: reason.statusCode), title: reason.title, detail: reason.message)
        case .storage: problem(.internalServerError, CoffeeWords.storageTitle)
        case .newerVersion: problem(.internalServerError, CoffeeWords.newerVersionTitle)
        }
    }
}
