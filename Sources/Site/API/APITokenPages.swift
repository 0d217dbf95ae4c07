import Accounts
import HTTPTypes
import Hummingbird
import Persistence

/// The page with a person's tokens; without accounts, those of the one person.
struct APITokenPages: Sendable {
    static let path = "/account/tokens"
    private static let lifetimes = [7, 30, APITokenPolicy.usualDays, 365]

    private let signIn: SignIn
    private let apps: [SiteApp]
    private let layout: Layout
    private let templates: Templates

    init(_ signIn: SignIn, apps: [SiteApp], layout: Layout) throws {
        (self.signIn, self.layout) = (signIn, layout)
        self.apps = apps.filter { $0.api != nil }
        templates = try Self.parsed.get()
    }

    private static let parsed = Result {
        try Templates(["tokens": PackageResources.tokens_mustache], words: SiteWords.tokenTemplates)
    }

    func addRoutes(to router: SiteRouter) {
        router.get(RouterPath(Self.path)) { _, context in try await page(context) }
        router.post(RouterPath(Self.path)) { request, context in try await add(request, context) }
        router.post(RouterPath("\(Self.path)/remove")) { request, context in
            let form = try await request.decode(as: RemovalForm.self, context: context)
            let tokens = try await signIn.store.tokens(of: context.owner, at: signIn.now())
            guard try await signIn.store.removeToken(form.token ?? "", of: context.owner) else {
                throw AccountError.tokenNotFound
            }
            context.record(.tokenRevoked, tokens.first { $0.id == form.token }?.name ?? "")
            return Response.redirect(to: Self.path, type: .normal)
        }
    }

    private struct RemovalForm: Decodable {
        var token: String?
    }

    private struct TokenForm: Decodable {
        var name: String?
        var scope: [String: String]?
        var days: String?
    }

    private func add(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.decode(as: TokenForm.self, context: context)
        let known = Set(apps.compactMap { $0.api?.name })
        let scopes = (form.scope ?? [:]).compactMap { app, verb in
            known.contains(app) ? APIScope("\(app):\(verb)") : nil
        }
        do throws(AccountError) {
            let (token, secret) = try await signIn.addToken(
                of: context.owner, named: form.name ?? "", scopes: Set(scopes), days: form.days.flatMap { Int($0) } ?? 0
            )
            context.record(.tokenMade, token.name)
            return try await page(context, secret: secret)
        } catch {
            if request.prefersJSON { throw error }
            return try await page(context, form, error.problem)
        }
    }

    private func page(
        _ context: SiteContext, _ form: TokenForm = TokenForm(), secret: APITokenSecret? = nil,
        _ problem: Problem? = nil
    ) async throws(AccountError) -> Response {
        let tokens = try await signIn.store.tokens(of: context.owner, at: signIn.now())
        let days = form.days.flatMap { Int($0) } ?? APITokenPolicy.usualDays
        let view = View(
            secret: secret?.text, hasTokens: !tokens.isEmpty, tokens: tokens.map { TokenView($0) },
            problem: problem?.detail, name: String((form.name ?? "").prefix(200)),
            length: APITokenPolicy.maximumNameLength,
            apps: apps.compactMap { app in
                app.api.map { AppView(id: $0.name, name: app.name, chosen: form.scope?[$0.name]) }
            },
            lifetimes: Self.lifetimes.map { LifetimeView(days: $0, isChosen: $0 == days) })
        var response = layout.page(
            title: SiteWords.tokens, heading: SiteWords.tokens, content: templates.render("tokens", view),
            scripts: secret == nil ? [] : ["site/tokens.js"], status: problem?.status ?? .ok)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

// MARK: - Values of the template

private struct View {
    let secret: String?
    let hasTokens: Bool
    let tokens: [TokenView]
    let problem: String?
    let name: String
    let length: Int
    let apps: [AppView]
    let lifetimes: [LifetimeView]
}

private struct TokenView {
    let id, name, scopes: String
    let expires: HTML
    let used: HTML?

    init(_ token: APIToken) {
        (id, name) = (token.id, token.name)
        scopes = token.scopes.map(\.description).joined(separator: ", ")
        (expires, used) = (HTML.time(token.expiresAt), token.usedAt.map { HTML.time($0) })
    }
}

private struct AppView {
    let id, name: String
    let isRead, isWrite: Bool

    init(id: String, name: String, chosen: String?) {
        (self.id, self.name) = (id, name)
        (isRead, isWrite) = (chosen == "read", chosen == "write")
    }
}

private struct LifetimeView {
    let days: Int
    let label: String
    let isChosen: Bool

    init(days: Int, isChosen: Bool) {
        (self.days, self.isChosen, label) = (days, isChosen, SiteWords.days(days))
    }
}
