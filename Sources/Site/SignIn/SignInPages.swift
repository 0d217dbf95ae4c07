import Accounts
import Digests
import Foundation
import HTTPTypes
import Hummingbird
import Persistence

/// The pages for signing in and out, for invitations, and for a person's own account.
struct SignInPages: Sendable {
    static let path = "/sign-in"
    static let invitationPath = "/invitation"
    static let accountPath = "/account"
    /// Begins a sign-in at the provider.
    static let providerPath = "/sign-in/provider"
    /// Where the provider returns to.
    static let callbackPath = "/sign-in/provider/callback"
    /// The cookie with a hash of the owner who signed in last.
    private static let ownerCookie = "meanwhile-owner"
    /// The longest lifetime that browsers allow: 400 days, in seconds.
    private static let ownerLifetime = 400 * 24 * 60 * 60

    let signIn: SignIn
    let provider: SiteProvider?
    private let layout: Layout
    private let templates: Templates
    /// `nil` behind a proxy that isn't trusted, whose address all clients have.
    private let addresses: AddressThrottle?

    init(_ signIn: SiteSignIn, layout: Layout, knowsAddresses: Bool) throws {
        (self.signIn, provider) = (signIn.signIn, signIn.provider)
        self.layout = layout
        self.templates = try Self.parsed.get()
        self.addresses = knowsAddresses ? AddressThrottle() : nil
    }

    private static let parsed = Result {
        try Templates(
            [
                "signin": PackageResources.signin_mustache, "account": PackageResources.account_mustache,
                "invitation": PackageResources.invitation_mustache, "continue": PackageResources.continue_mustache,
            ], words: SiteWords.signInTemplates)
    }

    func addRoutes(to router: SiteRouter) {
        router.get("/sign-in") { request, context in
            let next = ReturnPath.path(request.uri.queryParameters["next"].map { String($0) })
            if context.person != nil { return Response.redirect(to: next, type: .normal) }
            return signInPage(next: next)
        }
        addProviderRoutes(to: router)
        router.post("/sign-in") { request, context in try await enter(request, context) }
        router.post("/sign-out") { _, context in try await leave(context) }
        router.get("/invitation") { request, context in
            try await invitation(request.uri.queryParameters["token"].map { String($0) } ?? "")
        }
        router.post("/invitation") { request, context in try await accept(request, context) }
        router.get("/account") { _, context in try await account(context) }
        router.post("/account/password") { request, context in try await changePassword(request, context) }
        router.post("/account/sessions/end") { request, context in
            let form = try await request.decode(as: SessionForm.self, context: context)
            let person = try Self.person(in: context)
            try await signIn.store.endSession(form.session ?? "", of: person.account.owner)
            context.record(.sessionEnded)
            return Response.redirect(to: Self.accountPath, type: .normal)
        }
        router.post("/account/sessions/end-others") { _, context in
            let person = try Self.person(in: context)
            try await signIn.store.endSessions(of: person.account.owner, except: person.session.id)
            context.record(.otherSessionsEnded)
            return Response.redirect(to: Self.accountPath, type: .normal)
        }
    }

    private struct SessionForm: Decodable {
        var session: String?
    }

    static func person(in context: SiteContext) throws(Problem) -> SignedInPerson {
        guard let person = context.person else {
            throw Problem(.notFound, title: SiteWords.noAccountTitle, detail: SiteWords.noAccountYet)
        }
        return person
    }
}

// MARK: - Signing in and out

extension SignInPages {
    private struct SignInForm: Decodable {
        var name: String?
        var password: String?
        var next: String?
    }

    private func enter(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.decode(as: SignInForm.self, context: context)
        let next = ReturnPath.path(form.next)
        do throws(AccountError) {
            try admit(context)
            guard let password = Password(form.password ?? "") else { throw .wrongPassword }
            let entered = try await signIn.signIn(
                form.name ?? "", password, device: Device.name(request.headers[.userAgent] ?? ""))
            record(.signedIn, entered.session, context)
            return try await response(to: request, context, entered, next: next)
        } catch {
            if error.isFailedAttempt {
                let name = AccountName((form.name ?? "").trimmingCharacters(in: .whitespaces))
                context.recordFailure(.signInFailed, ofAccountNamed: name)
            }
            if request.prefersJSON { throw error }
            let problem = error.problem
            return signInPage(next: next, name: String((form.name ?? "").prefix(100)), problem)
        }
    }

    func admit(_ context: SiteContext) throws(AccountError) {
        try addresses?.admit(context.clientAddress, at: signIn.now())
    }

    /// Records an event in a session that has just begun.
    func record(_ action: AuditAction, _ session: Session, _ context: SiteContext, _ subject: String = "") {
        context.audit?.record(
            AuditEvent(
                action, of: session.owner, subject: subject, session: session.id, device: session.device,
                address: context.clientAddress))
    }

    /// Gives the browser its new session, in place of one that it has.
    func response(
        to request: Request, _ context: SiteContext, _ entered: (session: Session, token: RandomToken), next: String
    ) async throws(AccountError) -> Response {
        if let old = context.person { try await signIn.store.endSession(old.session.id, of: old.account.owner) }
        var response = Response.redirect(to: next, type: .normal)
        response.headers[.cacheControl] = "no-store"
        SessionCookie(usesHTTPS: context.usesHTTPS).set(entered.token, in: &response)
        // What another person has stored in this browser must not be shown to this one, and waiting changes must not be sent
        // in this one's name.
        let owner = String(BlobStore.ID(of: Data(entered.session.owner.rawValue.utf8)).description.prefix(16))
        if request.cookies[Self.ownerCookie]?.value != owner { response.headers[.clearSiteData] = Self.stored }
        response.setCookie(
            Cookie(
                name: Self.ownerCookie, value: owner, maxAge: Self.ownerLifetime, path: "/",
                // With `strict`, it would be missing when a provider has sent the browser back.
                secure: context.usesHTTPS, httpOnly: true, sameSite: .lax))
        return response
    }

    private static let stored = "\"cache\", \"storage\""

    private func leave(_ context: SiteContext) async throws -> Response {
        if let person = context.person {
            try await signIn.store.endSession(person.session.id, of: person.account.owner)
            context.record(.signedOut)
        }
        var response = Response.redirect(to: Self.path, type: .normal)
        response.headers[.cacheControl] = "no-store"
        response.headers[.clearSiteData] = Self.stored
        SessionCookie(usesHTTPS: context.usesHTTPS).remove(in: &response)
        return response
    }

    func signInPage(next: String, name: String = "", _ problem: Problem? = nil) -> Response {
        let view = SignInView(
            name: name, next: next, problem: problem?.detail, provider: provider?.name)
        var page = page(SiteWords.signIn, "signin", view, status: problem?.status ?? .ok)
        for field in problem?.headers ?? [:] { page.headers.append(field) }
        return page
    }

    func page(
        _ title: String, _ template: String, _ view: Any, scripts: [String] = [], status: HTTPResponse.Status = .ok
    ) -> Response {
        var response = layout.page(
            title: title, heading: title, content: templates.render(template, view), scripts: scripts, status: status)
        response.headers[.cacheControl] = "no-store"
        return response
    }
}

// MARK: - Invitations

extension SignInPages {
    private struct InvitationForm: Decodable {
        var token: String?
        var name: String?
        var password: String?
        var again: String?
    }

    private func invitation(
        _ token: String, name: String = "", problem: String? = nil, status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        guard let known = RandomToken(token),
            try await signIn.store.isInvitation(tokenHash: known.hash, at: signIn.now())
        else { throw AccountError.invalidInvitation }
        return page(
            SiteWords.invitation, "invitation",
            InvitationView(token: token, name: name, problem: problem, length: Password.minimumLength), status: status)
    }

    private func accept(_ request: Request, _ context: SiteContext) async throws -> Response {
        let form = try await request.decode(as: InvitationForm.self, context: context)
        try admit(context)
        guard let token = form.token.flatMap({ RandomToken($0) }) else { throw AccountError.invalidInvitation }
        do {
            guard let name = AccountName((form.name ?? "").trimmingCharacters(in: .whitespaces)) else {
                throw Problem.invalidName
            }
            let password = try Self.newPassword(form.password, again: form.again)
            let entered = try await signIn.accept(
                token, name, password, device: Device.name(request.headers[.userAgent] ?? ""))
            record(.accountAdded, entered.session, context, name.description)
            context.record(.accountAdded, name.description, of: AuditEvent.server)
            return try await response(to: request, context, entered, next: "/")
        } catch let error as any PresentableError where error.problem.status == .unprocessableContent {
            return try await invitation(
                token.text, name: String((form.name ?? "").prefix(100)), problem: error.problem.detail,
                status: .unprocessableContent)
        }
    }

    /// A password that was typed twice.
    private static func newPassword(_ text: String?, again: String?) throws(Problem) -> Password {
        guard let password = Password(text ?? ""), password.isLongEnough else { throw .shortPassword }
        guard text == again else { throw .differentPasswords }
        return password
    }
}

// MARK: - The account

extension SignInPages {
    private struct PasswordForm: Decodable {
        var current: String?
        var password: String?
        var again: String?
    }

    func account(
        _ context: SiteContext, problem: String? = nil, providerProblem: Problem? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let person = try Self.person(in: context)
        let hasPassword = try await signIn.store.passwordHash(of: person.account.owner)?.isEmpty == false
        let isConnected = try await !signIn.store.identities(of: person.account.owner).isEmpty
        let sessions = try await signIn.store.sessions(of: person.account.owner, at: signIn.now())
        return page(
            SiteWords.account, "account",
            AccountView(
                name: person.account.name.description, isAdministrator: person.account.isAdministrator,
                sessions: sessions.map { SessionView($0, isCurrent: $0.id == person.session.id) },
                hasOthers: sessions.count > 1, activity: context.audit.map { _ in Link(AuditPages.path) },
                problem: problem, providerProblem: providerProblem?.detail, length: Password.minimumLength,
                hasPassword: hasPassword,
                providers: provider.map { [$0.name] } ?? [], isConnected: isConnected,
                isRemovable: isConnected && hasPassword),
            scripts: ["site/account.js"], status: providerProblem?.status ?? status)
    }

    private func changePassword(_ request: Request, _ context: SiteContext) async throws -> Response {
        let person = try Self.person(in: context)
        let form = try await request.decode(as: PasswordForm.self, context: context)
        do {
            try admit(context)
            let new = try Self.newPassword(form.password, again: form.again)
            guard let current = Password(form.current ?? "") else { throw AccountError.wrongPassword }
            try await signIn.changePassword(of: person.account, from: current, to: new, keeping: person.session.id)
            context.record(.passwordChanged)
            return .redirect(to: Self.accountPath, type: .normal)
        } catch let error as any PresentableError {
            if (error as? AccountError)?.isFailedAttempt == true { context.record(.passwordChangeFailed) }
            if request.prefersJSON { throw error }
            let problem = error.problem
            let detail = error as? AccountError == .wrongPassword ? SiteWords.wrongCurrentPassword : problem.detail
            return try await account(context, problem: detail, status: problem.status)
        }
    }
}

extension AccountError {
    /// Whether a visitor may be guessing a password.
    fileprivate var isFailedAttempt: Bool {
        switch self {
        case .wrongPassword, .tooManyAttempts: true
        default: false
        }
    }
}

extension Problem {
    fileprivate static let invalidName = Problem(
        .unprocessableContent, title: SiteWords.checkName, detail: SiteWords.nameRules, field: "name")
    fileprivate static let shortPassword = Problem(
        .unprocessableContent, title: SiteWords.checkPassword,
        detail: SiteWords.passwordRules(Password.minimumLength), field: "password")
    fileprivate static let differentPasswords = Problem(
        .unprocessableContent, title: SiteWords.checkPassword, detail: SiteWords.differentPasswords, field: "again")
}

/// The browser and the system of a client, for the list of sessions.
enum Device {
    /// Names them by the header `User-Agent`.
    static func name(_ agent: String) -> String {
        let agent = agent.prefix(1_000)
        let browser = SiteWords.browsers.first { agent.contains($0.0) }?.1
        let system = SiteWords.systems.first { agent.contains($0.0) }?.1
        switch (browser, system) {
        case (let browser?, let system?): return SiteWords.device(browser, on: system)
        case (let name?, nil), (nil, let name?): return name
        case (nil, nil): return SiteWords.unknownDevice
        }
    }
}

// MARK: - Values of the templates

private struct SignInView {
    let name: String
    let next: String
    let problem: String?
    /// What people call the provider; `nil` for passwords only.
    let provider: String?
}

private struct InvitationView {
    let token: String
    let name: String
    let problem: String?
    let length: Int
}

private struct AccountView {
    let name: String
    let isAdministrator: Bool
    let sessions: [SessionView]
    let hasOthers: Bool
    let activity: Link?
    let problem, providerProblem: String?
    let length: Int
    let hasPassword: Bool
    /// What people call the provider at which they can sign in, if there is one.
    let providers: [String]
    /// Whether the account is connected to it, and can be disconnected.
    let isConnected, isRemovable: Bool
}

private struct SessionView {
    let id: String
    let device: String
    let isCurrent: Bool
    let created: HTML
    let used: HTML

    init(_ session: Session, isCurrent: Bool) {
        (id, device, self.isCurrent) = (session.id, session.device, isCurrent)
        (created, used) = (HTML.time(session.createdAt), HTML.time(session.usedAt))
    }
}
