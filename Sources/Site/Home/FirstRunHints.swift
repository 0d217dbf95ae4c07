import HTTPTypes
import Hummingbird

/// The hints for new users that a browser has dismissed.
///
/// They are in a cookie, because they concern the browser's user and not the data.
struct DismissedHints: Equatable {
    private static let cookieName = "meanwhile-hints"
    /// The longest lifetime that browsers allow: 400 days, in seconds.
    private static let lifetime = 400 * 24 * 60 * 60

    private(set) var names: Set<String>

    /// Reads a request's cookie.
    init(in request: Request) {
        self.init(value: request.cookies[Self.cookieName]?.value ?? "")
    }

    /// Parses a cookie's value, such as `art.coffee`; ignores what isn't a name.
    init(value: String) {
        let parts = value.utf8.count > 1_000 ? [] : value.split(separator: ".")
        names = Set(parts.filter { $0.utf8.allSatisfy(Self.isPlain) }.map(String.init))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
        default: false
        }
    }
}

extension DismissedHints {
    /// Whether an app's hint was dismissed.
    func contains(_ app: SiteApp) -> Bool { names.contains(Self.name(of: app)) }

    /// Dismisses an app's hint.
    mutating func insert(_ app: SiteApp) { names.insert(Self.name(of: app)) }

    /// The cookie's value.
    var value: String { names.sorted().joined(separator: ".") }

    func cookie(usesHTTPS: Bool) -> Cookie {
        Cookie(
            name: Self.cookieName, value: value, maxAge: Self.lifetime, path: "/", secure: usesHTTPS, httpOnly: true,
            sameSite: .strict)
    }

    private static func name(of app: SiteApp) -> String {
        app.path.split(separator: "/").joined(separator: "-")
    }
}

/// The route that dismisses an app's hint.
struct FirstRunHints {
    let apps: [SiteApp]

    /// Adds the route, if an app has a hint.
    func addRoutes(to router: SiteRouter) {
        let apps = apps.filter { $0.hint != nil }
        if apps.isEmpty { return }
        router.post("/hints/dismiss") { request, context in
            let form = try await request.decode(as: Form.self, context: context)
            guard let app = apps.first(where: { $0.path == form.app }) else {
                throw Problem(
                    .unprocessableContent, title: SiteWords.noHint, detail: SiteWords.noHintDetail)
            }
            var dismissed = DismissedHints(in: request)
            dismissed.insert(app)
            var response = Response.redirect(to: app.path, type: .normal)
            response.setCookie(dismissed.cookie(usesHTTPS: context.usesHTTPS))
            return response
        }
    }

    private struct Form: Decodable {
        var app: String?
    }
}
