public import HTTPTypes
public import Hummingbird
import Mustache
import NIOCore

/// What all pages have in common: the head, the navigation between the apps, and the foot.
public struct Layout: Sendable {
    private let frame: MustacheTemplate
    private let problem: MustacheTemplate
    private let apps: [SiteApp]

    /// Creates the layout of a site.
    ///
    /// - Parameter apps: The apps that the navigation names.
    /// - Throws: What is wrong with the templates.
    public init(apps: [SiteApp]) throws {
        self.frame = try MustacheTemplate(string: String(decoding: PackageResources.layout_mustache, as: UTF8.self))
        self.problem = try MustacheTemplate(string: String(decoding: PackageResources.problem_mustache, as: UTF8.self))
        self.apps = apps
    }
}

extension Layout {
    /// A whole page, as an answer.
    ///
    /// - Parameters:
    ///   - title: What the page is: in the browser's tab, before the names of the app and the site.
    ///   - heading: The page's `<h1>`, as text; nil where the content brings one.
    ///   - app: The app that the page belongs to; nil for the site's own.
    ///   - content: The HTML inside `<main>`, in which everything that came from outside is escaped.
    ///   - scripts: Paths of ES modules, besides `/site/live.js`, which every page has.
    ///   - status: The status of the answer.
    /// - Returns: The answer.
    public func page(
        title: String, heading: String?, app: SiteApp? = nil, content: String, scripts: [String] = [],
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let text = html(title: title, heading: heading, app: app, content: content, scripts: scripts)
        return Response(
            status: status,
            headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-cache"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    /// A whole page, as text.
    ///
    /// - Parameters:
    ///   - title: What the page is: in the browser's tab, before the names of the app and the site.
    ///   - heading: The page's `<h1>`, as text; nil where the content brings one.
    ///   - app: The app that the page belongs to; nil for the site's own.
    ///   - content: The HTML inside `<main>`, in which everything that came from outside is escaped.
    ///   - scripts: Paths of ES modules, besides `/site/live.js`.
    /// - Returns: The HTML.
    public func html(
        title: String, heading: String?, app: SiteApp? = nil, content: String, scripts: [String] = []
    ) -> String {
        var names = [title]
        for name in [app?.name, "Meanwhile"].compactMap(\.self) where !names.contains(name) { names.append(name) }
        let links = apps.map { other -> [String: Any] in
            ["name": other.name, "path": other.path, "isReady": other.isReady, "isCurrent": other.path == app?.path]
        }
        var values: [String: Any] = [
            "title": names.joined(separator: " · "), "apps": links, "content": content, "scripts": scripts,
        ]
        values["heading"] = heading
        return frame.render(values)
    }

    /// The page that shows a problem.
    ///
    /// - Parameters:
    ///   - problem: What to show.
    ///   - path: The path of the request, which says which app it belongs to.
    /// - Returns: The answer.
    func page(_ problem: Problem, path: String) -> Response {
        let app = apps.first { $0.isReady && path.hasPrefix($0.path) && path != $0.path }
        let content = self.problem.render([
            "status": "\(problem.status.code)", "title": problem.title, "detail": problem.detail,
            "backPath": app?.path ?? "/", "backName": app?.name ?? "the home page",
        ])
        var response = page(
            title: problem.title, heading: nil, app: app, content: content, status: problem.status)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}
