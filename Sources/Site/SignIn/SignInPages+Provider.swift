import Accounts
import Foundation
import HTTPTypes
import Hummingbird
public import OpenIDConnect

// Signing in at a provider: OpenID Connect.
//
// 1. A form of the sign-in page, or of the person's account, begins an attempt, which the browser keeps in a cookie.
// 2. A page leads to the provider. It isn't a redirect, because the site's policy allows forms to lead to this site only.
// 3. The provider sends the browser back with a code, which counts only in the browser with that cookie.

extension SignInPages {
    func addProviderRoutes(to router: SiteRouter) {
        guard let provider else { return }
        router.post(RouterPath(Self.providerPath)) { request, context in
            let form = try await request.decode(as: StartForm.self, context: context)
            let next = ReturnPath.path(form.next)
            return try await begin(request, context, provider, AttemptCookie.Value(next: next, session: nil))
        }
        router.get(RouterPath(Self.callbackPath)) { request, context in
            try await finish(request, context, provider)
        }
        router.post("/account/provider") { request, context in
            // An answer that comes in another session connects nothing.
            let session = try Self.person(in: context).session.id
            return try await begin(
                request, context, provider, AttemptCookie.Value(next: Self.accountPath, session: session))
        }
        router.post("/account/provider/remove") { _, context in
            let person = try Self.person(in: context)
            try await signIn.store.removeIdentities(of: person.account.owner)
            context.record(.identityRemoved, provider.name)
            return Response.redirect(to: Self.accountPath, type: .normal)
        }
    }

    private struct StartForm: Decodable {
        var next: String?
    }

    private func begin(
        _ request: Request, _ context: SiteContext, _ provider: SiteProvider, _ value: AttemptCookie.Value
    ) async throws -> Response {
        let name = provider.name
        do throws(OpenIDError) {
            let url = try await provider.provider.signInURL(for: value.attempt, callback: callback(request, context))
            var response = page(
                SiteWords.signInAt(name), "continue", ContinueView(url: Link(url), provider: name))
            if let refresh = HTTPField.Name("Refresh") { response.headers[refresh] = "0; url=\(url.absoluteString)" }
            AttemptCookie(usesHTTPS: context.usesHTTPS).set(value, in: &response)
            return response
        } catch {
            if request.prefersJSON || value.session != nil { throw error }
            return signInPage(next: value.next, error.problem)
        }
    }

    /// The site's address to which the provider returns.
    private func callback(_ request: Request, _ context: SiteContext) -> String {
        context.siteAddress(in: request) + Self.callbackPath
    }

    private func finish(
        _ request: Request, _ context: SiteContext, _ provider: SiteProvider
    ) async throws -> Response {
        let cookie = AttemptCookie(usesHTTPS: context.usesHTTPS)
        let value = cookie.value(in: request)
        var response: Response
        do {
            response = try await enter(request, context, provider, value)
        } catch let error as any PresentableError {
            if let value, value.session == nil {
                context.recordFailure(.signInFailed, ofAccountNamed: nil)
            }
            if request.prefersJSON { throw error }
            let isConnecting = value?.session != nil && context.person != nil
            response =
                isConnecting
                ? try await account(context, providerProblem: error.problem)
                : signInPage(next: value?.next ?? "/", error.problem)
        }
        cookie.remove(in: &response)
        return response
    }

    private func enter(
        _ request: Request, _ context: SiteContext, _ provider: SiteProvider, _ value: AttemptCookie.Value?
    ) async throws -> Response {
        guard let value else { throw OpenIDError.otherAttempt }
        // Counted like passwords, because each attempt makes this server ask the provider.
        try admit(context)
        let query = request.uri.queryParameters
        func text(_ name: Substring) -> String? { query[name].map { String($0) } }
        let found = try await provider.provider.identity(
            by: OpenIDAnswer(code: text("code"), state: text("state"), issuer: text("iss"), error: text("error")),
            to: value.attempt, callback: callback(request, context))
        let name = provider.name
        let identity = ProviderIdentity(issuer: found.issuer, subject: found.subject)
        if let session = value.session {
            let person = try Self.person(in: context)
            guard person.session.id == session else { throw OpenIDError.otherAttempt }
            try await signIn.store.add(identity, to: person.account.owner)
            context.record(.identityConnected, name)
            return .redirect(to: Self.accountPath, type: .normal)
        }
        // The first account administers the server, and is made by a command.
        guard try await !signIn.store.accounts().isEmpty else { throw Problem.noAccounts }
        let entered = try await signIn.signIn(
            identity, newName: provider.createsAccounts ? found.preferredName ?? "" : nil,
            device: Device.name(request.headers[.userAgent] ?? ""))
        if let account = entered.newAccount {
            record(.accountAdded, entered.session, context, account.name.description)
            context.record(.accountAdded, account.name.description, of: AuditEvent.server)
        }
        record(.signedIn, entered.session, context, name)
        return try await self.response(to: request, context, (entered.session, entered.token), next: value.next)
    }
}

/// The cookie with an attempt to sign in at a provider.
struct AttemptCookie {
    /// How long a person may take at the provider: 10 minutes, in seconds.
    private static let lifetime = 600
    /// The longest path that is remembered, in bytes, because browsers limit cookies to 4,096.
    private static let maximumPathBytes = 1_500

    struct Value {
        var attempt = OpenIDAttempt()
        /// The page to open afterwards.
        var next: String
        /// The session of the person who connects the provider to their account; `nil` to sign in.
        var session: String?
    }

    let usesHTTPS: Bool

    private var name: String { usesHTTPS ? "__Host-meanwhile-provider" : "meanwhile-provider" }

    func value(in request: Request) -> Value? {
        guard let parts = request.cookies[name]?.value.split(separator: "~", omittingEmptySubsequences: false),
            parts.count == 3, let attempt = OpenIDAttempt(parts[0]),
            let path = Data(base64Encoded: String(parts[2])).flatMap({ String(data: $0, encoding: .utf8) })
        else { return nil }
        return Value(
            attempt: attempt, next: ReturnPath.path(path), session: parts[1].isEmpty ? nil : String(parts[1]))
    }

    func set(_ value: Value, in response: inout Response) {
        let path = value.next.utf8.count <= Self.maximumPathBytes ? value.next : "/"
        let encoded = Data(path.utf8).base64EncodedString()
        response.setCookie(cookie("\(value.attempt.text)~\(value.session ?? "")~\(encoded)", Self.lifetime))
    }

    func remove(in response: inout Response) {
        response.setCookie(cookie("", 0))
    }

    private func cookie(_ value: String, _ maxAge: Int) -> Cookie {
        // With `strict`, it would be missing when the provider sends the browser back.
        Cookie(
            name: name, value: value, maxAge: maxAge, path: "/", secure: usesHTTPS, httpOnly: true, sameSite: .lax)
    }
}

extension OpenIDError: PresentableError {
    /// The page that shows the error.
    public var problem: Problem {
        let status: HTTPResponse.Status =
            switch self {
            case .unreachable, .unusable, .invalidToken, .invalidIssuer: .badGateway
            case .otherAttempt, .refused: .forbidden
            }
        return Problem(status, title: SiteWords.notSignedInTitle, detail: "\(self)")
    }
}

private struct ContinueView {
    let url: Link?
    let provider: String
}
