public import CoffeeTrackerModel
import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import Persistence
public import Site

/// Coffee Tracker's pages.
public struct CoffeePages: Sendable {
    /// The app, as the home page names it.
    public static let app = SiteApp(
        name: "Coffee Tracker", path: "/coffee/",
        summary: "What you drank, what is still in you, and when you can sleep.",
        files: [
            "coffee.css": PackageResources.coffee_css, "coffee.js": PackageResources.coffee_js,
            "gauge.css": PackageResources.gauge_css,
        ])

    let documents: OpenDocuments<CoffeeDocument>
    let templates: CoffeeTemplates
    let notice: String?
    private let events = EventStream()

    /// Creates the pages.
    ///
    /// - Parameters:
    ///   - documents: What they show.
    ///   - notice: What everybody who comes should be told.
    /// - Throws: What is wrong with a template.
    public init(documents: OpenDocuments<CoffeeDocument>, notice: String? = nil) throws {
        self.documents = documents
        self.templates = try CoffeeTemplates()
        self.notice = notice
    }

    /// Until there is sign-in, everything is this owner's.
    static let owner = "local"
}

// MARK: - Routes

extension CoffeePages {
    /// Adds the routes.
    ///
    /// - Parameters:
    ///   - router: What to add them to.
    ///   - layout: What pages are made with.
    public func addRoutes(to router: SiteRouter, layout: Layout) {
        let coffee = router.group("/coffee")
        coffee.get("/") { _, _ in
            page(layout, title: "Coffee Tracker", templates.today(try await view(), notice: notice))
        }
        coffee.get("/events") { request, _ in try await follow(request) }
        coffee.get("/timeline.json") { _, _ in try await timeline() }
        coffee.get("/history") { request, _ in try await history(request, layout: layout) }
        addDrinkRoutes(to: coffee, layout: layout)
        addSettingsRoutes(to: coffee, layout: layout)
        addComplicationRoutes(to: coffee, layout: layout)
    }

    /// A page of the app.
    func page(
        _ layout: Layout, title: String, _ content: HTML, status: HTTPResponse.Status = .ok
    ) -> Response {
        layout.page(
            title: title, heading: nil, app: Self.app, content: content,
            styles: ["coffee/gauge.css", "coffee/coffee.css"], scripts: ["coffee/coffee.js"], status: status)
    }

    /// What is shown now.
    func view() async throws -> CoffeeView {
        try await documents.use(Self.owner) { CoffeeView($0.data) }
    }

    private func follow(_ request: Request) async throws -> Response {
        // What keeps it from being opened is an answer; the stream itself opens it when it is read.
        try await documents.use(Self.owner) { _ in }
        return events.response(to: request, sending: DocumentEvents(of: documents, owner: Self.owner))
    }

    private func timeline() async throws -> Response {
        let json = try TimelineDocument(try await view()).json
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
    }

    private func history(_ request: Request, layout: Layout) async throws -> Response {
        let parameters = request.uri.queryParameters
        let span = parameters["by"].flatMap { DrinkHistory.Span(rawValue: String($0)) } ?? .day
        let view = try await view()
        let days = view.settings.days
        let today = days.day(of: view.now)
        var until = parameters["until"].flatMap { LocalDay(String($0)) }
        // No drink is older than 1970, and none is yet to come.
        if let day = until, day >= today || day < LocalDay(number: 0) { until = nil }
        let date = until.map(days.beginning(of:)) ?? view.now
        let count = HistoryView.count(span)
        let start = DrinkHistory.start(days: days, by: span, last: count, at: date)
        let empty = DrinkHistory(of: [], days: days, by: span, last: count, at: date)
        let end = empty.periods.last?.end ?? view.now
        let drinks = try await documents.use(Self.owner) { try await $0.data.drinks(from: start, to: end) }
        let shown = HistoryView(
            span: span,
            history: DrinkHistory(of: drinks, days: days, by: span, last: count, at: date, now: view.now), until: until,
            drinks: span == .day ? drinks : [])
        return page(layout, title: "History", templates.history(shown, view, notice: notice))
    }

    /// Does what a form asks for, and leads on to a page.
    ///
    /// Where it cannot be done, the page's script gets the problem, and keeps the form as it is; a browser without it gets
    /// the page once more, with what was typed.
    func submit(
        _ request: Request, then path: String = Self.app.path,
        orElse again: (Problem) async throws -> Response,
        _ body: @MainActor (CoffeeDocument) async throws -> Void
    ) async throws -> Response {
        do {
            try await documents.use(Self.owner, body)
            return .redirect(to: path, type: .normal)
        } catch let error as any PresentableError where !request.prefersJSON {
            return try await again(error.problem)
        }
    }
}

// MARK: - Errors

extension CoffeeError: PresentableError {
    /// What to show.
    public var problem: Problem {
        switch self {
        case .invalidName: Problem(.unprocessableContent, title: "That is no name", detail: description)
        case .invalidEmoji: Problem(.unprocessableContent, title: "That is no emoji", detail: description)
        case .invalidMilligrams, .invalidMillilitres, .invalidSipping:
            Problem(.unprocessableContent, title: "That cannot be", detail: description)
        case .future: Problem(.unprocessableContent, title: "That is yet to come", detail: description)
        case .invalidTime, .skippedTime:
            Problem(.unprocessableContent, title: "There is no such time", detail: description)
        case .unknownTimeZone: Problem(.unprocessableContent, title: "There is no such zone", detail: description)
        case .unknownDrink: Problem(.unprocessableContent, title: "There is no such drink", detail: description)
        case .invalidSetting: Problem(.unprocessableContent, title: "That cannot be chosen", detail: description)
        case .notFound: Problem(.notFound, title: "There is no such drink", detail: description)
        case .notOwn: Problem(.forbidden, title: "It is another program’s", detail: description)
        case .changedElsewhere: Problem(.conflict, title: "It has changed meanwhile", detail: description)
        case .nothingToUndo: Problem(.conflict, title: "There is nothing to undo", detail: description)
        case .notAuthorized: Problem(.forbidden, title: "That is not allowed", detail: description)
        case .healthStore: Problem(.badGateway, title: "The health store did not answer", detail: description)
        case .overBudget(let reason):
            Problem(.init(code: reason.statusCode), title: reason.title, detail: reason.message)
        case .storage:
            Problem(.internalServerError, title: "Coffee Tracker cannot write or read", detail: description)
        case .newerVersion:
            Problem(.internalServerError, title: "This was written by a newer version", detail: description)
        }
    }
}
