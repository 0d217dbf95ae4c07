public import Accounts
import Foundation
import Futures
import HTTPTypes
import Hummingbird
import Persistence

/// Lets only signed-in people pass, once there are accounts, and finds the owner of each request.
///
/// | accounts | session | |
/// |---|---|---|
/// | none | – | the request belongs to ``Persistence/OwnerID/local``; if accounts are required, it is refused |
/// | some | valid | the request belongs to the account's owner |
/// | some | none | a page leads to the sign-in page; anything else gets the status 401 |
///
/// Under `/api/`, only tokens count:
///
/// | token | |
/// |---|---|
/// | valid | the request belongs to the token's owner, and may do what its scopes allow |
/// | none, or invalid | it gets the status 401, whatever cookies it has |
///
/// The sign-in page, invitations, the site's static files, the checks of health, links to shared things and paths that check
/// their own tokens are open. A token's owner is that of its path.
struct SignInGate: RouterMiddleware {
    typealias Context = SiteContext

    private let signIn: SignIn
    private let isRequired: Bool
    private let tokenPaths, openPaths: Set<String>
    private let files: String

    init(_ configuration: SiteSignIn, tokenPaths: Set<String>, openPaths: Set<String>, files: String) {
        (signIn, isRequired) = (configuration.signIn, configuration.isRequired)
        (self.tokenPaths, self.openPaths, self.files) = (tokenPaths, openPaths, files)
    }

    @concurrent
    func handle(
        _ request: Request, context: SiteContext,
        next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        let path = request.uri.path
        var context = context
        if path.hasPrefix(files + "/") || HealthPages.paths.contains(path) || path == "/favicon.ico"
            || openPaths.contains(path)
        {
            context.forgetOwner()
            return try await next(request, context)
        }
        context.access = .none
        if APIPath.isForScripts(path) { return try await respond(toScript: request, context, next) }
        let cookie = SessionCookie(usesHTTPS: context.usesHTTPS)
        let token = cookie.token(in: request)
        let found = try await signIn.store.session(tokenHash: token?.hash, at: signIn.now())
        let isOpen = isOpen(request)
        guard found.hasAccounts else {
            if isRequired, !isOpen { throw Problem.noAccounts }
            var response = try await next(request, context)
            response.endStream(
                after: { [store = signIn.store] in store.changes() },
                if: { [signIn] in try await signIn.store.session(tokenHash: nil, at: signIn.now()).hasAccounts })
            return response
        }
        context.forgetOwner()
        guard let token, let session = found.session, let account = found.account else {
            if isOpen { return try await next(request, context) }
            return try refusal(of: request)
        }
        context.owner = account.owner
        context.isAdministrator = account.isAdministrator
        context.person = SignedInPerson(account: account, session: session)
        let isDue = signIn.now().timeIntervalSince(session.usedAt) >= SessionPolicy.accuracy
        if isDue { try await signIn.store.use(session.id, at: signIn.now()) }
        var response = try await SignedInPerson.name.withValue(account.name.description) { [context] in
            try await next(request, context)
        }
        if isDue, !response.headers[values: .setCookie].contains(where: { $0.hasPrefix(cookie.name + "=") }) {
            cookie.set(token, in: &response)
        }
        response.endStream(
            after: { [store = signIn.store] in store.changes() },
            if: { [signIn] in try await !signIn.store.isValid(session.id, at: signIn.now()) })
        return response
    }

    /// Finds the owner of a request by its token.
    ///
    /// Cookies don't count, so that no page of another site can make a browser send
    /// what is accepted here.
    private func respond(
        toScript request: Request, _ context: SiteContext,
        _ next: @concurrent (Request, SiteContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.forgetOwner()
        if request.uri.path == APIPath.description { return try await next(request, context) }
        guard let text = request.bearerToken else { throw Problem.noToken }
        guard let secret = APITokenSecret(text) else { throw Problem.wrongToken }
        let found = try await signIn.store.token(hash: secret.hash, at: signIn.now())
        guard found.hasAccounts || !isRequired else { throw Problem.noAccounts }
        guard let token = found.token else { throw Problem.wrongToken }
        context.owner = token.owner
        context.access = .token(token)
        context.requests = signIn.store
        let unrecorded = token.usedAt.map { signIn.now().timeIntervalSince($0) }
        if unrecorded.map({ $0 >= APITokenPolicy.accuracy }) ?? true {
            try await signIn.store.useToken(token.id, at: signIn.now())
        }
        return try await next(request, context)
    }

    private func isOpen(_ request: Request) -> Bool {
        let path = request.uri.path
        return path == SignInPages.path || path == SignInPages.invitationPath || path == SignInPages.providerPath
            || path == SignInPages.callbackPath
            || path.hasPrefix(SharedPath.prefix)
            || tokenPaths.contains(path) && request.bearerToken != nil
    }

    /// Leads a page to the sign-in page; anything else is refused.
    private func refusal(of request: Request) throws(Problem) -> Response {
        let mode = request.headers[.secFetchMode]
        let isPage =
            mode.map { $0 == "navigate" } ?? request.headers[values: .accept].contains { $0.contains("text/html") }
        guard isPage, request.method == .get || request.method == .head, !request.prefersJSON else {
            throw .notSignedIn
        }
        var response = Response.redirect(to: ReturnPath.signIn(returningTo: request.uri.description), type: .normal)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

extension SiteContext {
    /// An owner without data.
    static let noOwner: OwnerID = "none"

    /// Makes a request without a session that of an owner without data.
    fileprivate mutating func forgetOwner() {
        owner = Self.noOwner
        isAdministrator = false
    }
}

extension AccountError: PresentableError {
    /// The page that shows the error.
    public var problem: Problem {
        switch self {
        case .nameTaken: Problem(.unprocessableContent, title: SiteWords.checkName, detail: "\(self)", field: "name")
        case .notFound: Problem(.notFound, title: SiteWords.noAccountTitle, detail: "\(self)")
        case .invalidInvitation: Problem(.notFound, title: SiteWords.invitationTitle, detail: "\(self)")
        case .wrongPassword:
            Problem(.unprocessableContent, title: SiteWords.notSignedInTitle, detail: "\(self)", field: "password")
        case .unknownIdentity: Problem(.forbidden, title: SiteWords.notSignedInTitle, detail: "\(self)")
        case .identityTaken, .lastWayIn: Problem(.conflict, title: SiteWords.accountChanges, detail: "\(self)")
        case .tooManyAttempts(let seconds):
            Problem(
                .tooManyRequests, title: SiteWords.notSignedInTitle, detail: "\(self)",
                headers: [.retryAfter: "\(Int(max(1, seconds.rounded(.up))))"])
        case .busy:
            Problem(
                .serviceUnavailable, title: SiteWords.notSignedInTitle, detail: "\(self)",
                headers: [.retryAfter: "5"])
        case .invalidTokenName:
            Problem(.unprocessableContent, title: SiteWords.accountChanges, detail: "\(self)", field: "name")
        case .noScope, .invalidLifetime, .tooManyTokens:
            Problem(.unprocessableContent, title: SiteWords.accountChanges, detail: "\(self)")
        case .tokenNotFound: Problem(.notFound, title: SiteWords.accountChanges, detail: "\(self)")
        case .tooManyKeys:
            Problem(
                .tooManyRequests, title: SiteWords.keyTitle, detail: "\(self)", headers: [.retryAfter: "3600"])
        case .storage: Problem(.internalServerError, title: SiteWords.serverError, detail: "\(self)")
        }
    }
}

extension Problem {
    static let notSignedIn = Problem(
        .unauthorized, title: SiteWords.signInFirst, detail: SiteWords.signInFirstDetail)
    static let noAccounts = Problem(
        .forbidden, title: SiteWords.noAccountsTitle, detail: SiteWords.noAccounts)
}
