import Formats
public import HTTPTypes
public import Hummingbird
import NIOCore

/// The common layout of all pages: the head, the navigation between the apps, and the footer.
public struct Layout: Sendable {
    /// The static files that pages refer to.
    public let files: StaticFiles
    private let templates: Templates
    private let apps: [SiteApp]
    private let dataPage: String?

    /// Creates the layout of a site.
    ///
    /// - Parameters:
    ///   - apps: The apps in the navigation.
    ///   - dataPage: The path of the page “Your data”, which the footer links to; `nil` for no link.
    /// - Throws: An error if a template is invalid.
    public init(apps: [SiteApp], dataPage: String? = nil) throws {
        self.templates = try Self.parsed.get()
        self.files = StaticFiles(of: apps)
        self.apps = apps
        self.dataPage = dataPage
    }

    private static let parsed = Result {
        try Templates(
            ["layout": PackageResources.layout_mustache, "problem": PackageResources.problem_mustache],
            words: SiteWords.layoutTemplates)
    }
}

extension Layout {
    /// Returns a whole page as a response.
    ///
    /// - Parameters:
    ///   - title: The page's title, which the browser's tab shows before the names of the app and the site.
    ///   - heading: The text of the page's `<h1>`; `nil` if the content contains one.
    ///   - app: The app of the page; `nil` for the site's own pages.
    ///   - content: The content of `<main>`.
    ///   - styles: The page's style sheets among the static files, such as `art/art.css`, in addition to
    ///     `site/site.css`.
    ///   - scripts: The page's ES modules among the static files, in addition to `site/live.js`.
    ///   - status: The status of the response.
    ///   - visit: The request, if the page is the app's first page, which shows the app's hint until the user dismisses
    ///     it; `nil` for all other pages.
    /// - Returns: The response.
    public func page(
        title: String, heading: String?, app: SiteApp? = nil, content: HTML, styles: [String] = [],
        scripts: [String] = [], status: HTTPResponse.Status = .ok, firstPageIn visit: Request? = nil
    ) -> Response {
        var hint: HintView?
        if let app, let visit, !DismissedHints(in: visit).contains(app) { hint = HintView(app) }
        let html = html(
            title: title, heading: heading, app: app, content: content, styles: styles, scripts: scripts,
            hint: hint)
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-cache", .vary: "Accept-Language, Cookie",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html.markup)))
    }

    /// Returns a whole page for visitors who have only a link: without a navigation and without the visitor's name.
    ///
    /// - Parameters:
    ///   - title: The page's title, which the browser's tab shows before the name of the site.
    ///   - heading: The text of the page's `<h1>`; `nil` if the content contains one.
    ///   - content: The content of `<main>`.
    ///   - styles: The page's style sheets among the static files, in addition to `site/site.css`.
    ///   - scripts: The page's ES modules among the static files, in addition to `site/live.js`.
    ///   - status: The status of the response.
    /// - Returns: The response.
    public func guestPage(
        title: String, heading: String?, content: HTML, styles: [String] = [], scripts: [String] = [],
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let html = html(
            title: title, heading: heading, app: nil, content: content, styles: styles, scripts: scripts, hint: nil,
            isForGuests: true)
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store", .vary: "Accept-Language, Cookie",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html.markup)))
    }

    /// Returns a whole page as HTML.
    ///
    /// - Parameters:
    ///   - title: The page's title, which the browser's tab shows before the names of the app and the site.
    ///   - heading: The text of the page's `<h1>`; `nil` if the content contains one.
    ///   - app: The app of the page; `nil` for the site's own pages.
    ///   - content: The content of `<main>`.
    ///   - styles: The page's style sheets among the static files, such as `art/art.css`, in addition to
    ///     `site/site.css`.
    ///   - scripts: The page's ES modules among the static files, in addition to `site/live.js`.
    /// - Returns: The HTML.
    public func html(
        title: String, heading: String?, app: SiteApp? = nil, content: HTML, styles: [String] = [],
        scripts: [String] = []
    ) -> HTML {
        html(
            title: title, heading: heading, app: app, content: content, styles: styles, scripts: scripts, hint: nil)
    }

    private func html(
        title: String, heading: String?, app: SiteApp?, content: HTML, styles: [String], scripts: [String],
        hint: HintView?, isForGuests: Bool = false
    ) -> HTML {
        var names = [title]
        for name in [app?.name, SiteWords.name].compactMap(\.self) where !names.contains(name) { names.append(name) }
        let view = PageView(
            title: names.joined(separator: " · "), heading: heading,
            apps: apps.map { AppView($0, isCurrent: $0.path == app?.path) }, content: content,
            icon: Link(files.path(of: "site/icon.svg")), manifest: app?.manifest.map { Link($0) },
            styles: (["site/site.css"] + styles).map { Link(files.path(of: $0)) },
            scripts: (["site/live.js"] + scripts).map { Link(files.path(of: $0)) },
            hint: hint, dataPage: isForGuests ? nil : dataPage.map { Link($0) },
            hasAPI: !isForGuests && apps.contains { $0.api != nil },
            person: isForGuests ? nil : SignedInPerson.name.get(), isForGuests: isForGuests,
            language: ReaderFormats.current.language,
            zone: ReaderFormats.current.zoneName)
        return templates.render("layout", view)
    }

    /// Returns a page that shows a problem.
    func page(_ problem: Problem, path: String) -> Response {
        let app = apps.first { $0.isReady && path.hasPrefix($0.path) && path != $0.path }
        let isForGuests = path.hasPrefix(SharedPath.prefix)
        let content = templates.render(
            "problem",
            ProblemView(
                status: problem.status.code, title: problem.title, detail: problem.detail,
                isForm: problem.status == .unprocessableContent, isForGuests: isForGuests,
                backPath: Link(app?.path ?? "/"),
                backName: app?.name ?? SiteWords.homePage))
        if isForGuests {
            return guestPage(title: problem.title, heading: nil, content: content, status: problem.status)
        }
        var response = page(
            title: problem.title, heading: nil, app: app, content: content, status: problem.status)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

// MARK: - Values of the templates

private struct PageView {
    let title: String
    let heading: String?
    let apps: [AppView]
    let content: HTML
    let icon: Link
    let manifest: Link?
    let styles: [Link]
    let scripts: [Link]
    let hint: HintView?
    let dataPage: Link?
    let hasAPI: Bool
    /// The name of the signed-in person; `nil` if there is none.
    let person: String?
    /// Whether the page has no navigation.
    let isForGuests: Bool
    /// The reader's language and region, and the time zone of the page's times, for scripts.
    let language, zone: String
}

/// The hint for new users of an app.
private struct HintView {
    let app: String
    let text: String

    init?(_ app: SiteApp) {
        guard let text = app.hint else { return nil }
        self.app = app.path
        self.text = text
    }
}

private struct ProblemView {
    let status: Int
    let title: String
    let detail: String
    /// Whether the user can go back to a form and correct it.
    let isForm: Bool
    let isForGuests: Bool
    let backPath: Link
    let backName: String
}

/// An app in the navigation.
private struct AppView {
    private let name: String
    private let path: Link
    private let isReady: Bool
    private let isCurrent: Bool

    init(_ app: SiteApp, isCurrent: Bool) {
        self.name = app.name
        self.path = Link(app.path)
        self.isReady = app.isReady
        self.isCurrent = isCurrent
    }
}
