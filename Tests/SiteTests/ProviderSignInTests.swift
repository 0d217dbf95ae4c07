import Accounts
import FakeProvider
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OpenIDConnect
import Persistence
import StoreTesting
import Testing

@testable import Site

/// A site at which people can sign in at a provider.
private struct Fixture {
    let folder: TemporaryFolder
    let signIn: SignIn
    let log: AuditLog
    let provider: FakeProvider

    init(_ provider: FakeProvider) async throws {
        folder = try TemporaryFolder()
        self.provider = provider
        let database = try await AppDatabase.open(
            in: try DataFolder.open(at: folder.path), migrations: SQLiteAccountStore.migrations + AuditLog.migrations)
        signIn = SignIn(
            store: SQLiteAccountStore(database: database),
            hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)))
        log = AuditLog(database: database)
    }

    func site(
        createsAccounts: Bool = false, origin: String? = nil, timeLimit: Duration = .seconds(600)
    ) throws -> some ApplicationProtocol {
        let configuration = try OpenIDProvider.Configuration(
            issuer: provider.issuer, clientID: "site", name: "<b>Home</b>")
        var site = SiteConfiguration(
            port: 80, origin: origin.flatMap { URL(string: $0) },
            signIn: SiteSignIn(
                signIn, isRequired: false,
                provider: SiteProvider(
                    OpenIDProvider(configuration, timeLimit: timeLimit), createsAccounts: createsAccounts)))
        site.audit = log
        return try SiteServer(configuration: site, logger: .quiet) { router, layout in
            router.get("/test") { _, context in
                layout.page(title: "Test", heading: "Owner \(context.owner)", content: HTML(markup: ""))
            }
        }.application()
    }

    @discardableResult
    func add(_ name: String) async throws -> Account {
        try await signIn.add(
            try #require(AccountName(name)), try #require(Password("correct horse")), isAdministrator: name == "anna")
    }

    func actions(_ owner: OwnerID) async throws -> [AuditAction?] {
        try await log.write()
        return try await log.entries(AuditLog.Filter(of: [owner]), limit: 100).reversed().map(\.action)
    }
}

/// A browser with its cookies.
private actor Browser {
    private let client: any TestClientProtocol
    private var cookies: [String: String]

    init(_ client: any TestClientProtocol, cookies: [String: String] = [:]) {
        (self.client, self.cookies) = (client, cookies)
    }

    var session: String? { cookies["meanwhile-session"] }
    func cookie(_ name: String) -> String? { cookies[name] }
    func copy() -> Browser { Browser(client, cookies: cookies) }
    func set(_ name: String, _ value: String?) { cookies[name] = value }

    func send(
        _ method: HTTPRequest.Method, _ path: String, _ form: String = "", site: String = "same-origin"
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "text/html"]
        headers[.secFetchSite] = site
        headers[.cookie] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        let response = try await client.execute(
            uri: path, method: method, headers: headers, body: method == .get ? nil : ByteBuffer(string: form))
        for text in response.headers[values: .setCookie] {
            let pair = text.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            cookies[String(pair[0])] = pair.count < 2 || pair[1].isEmpty ? nil : String(pair[1])
        }
        return response
    }

    /// Begins an attempt, and returns the provider's page, to which the browser is led.
    func begin(_ path: String = "/sign-in/provider", _ form: String = "next=%2Ftest") async throws -> URLComponents {
        let page = try await send(.post, path, form)
        #expect(page.status == .ok && page.headers[.cacheControl] == "no-store")
        let text = String(buffer: page.body)
        #expect(!text.contains("<b>Home"))
        let name = try #require(HTTPField.Name("Refresh"))
        let refresh = try #require(page.headers[name])
        let url = refresh.replacing("0; url=", with: "")
        #expect(text.contains(url.replacing("&", with: "&amp;")))
        return try #require(URLComponents(string: url))
    }

    /// Returns from the provider.
    func finish(_ page: URLComponents, _ change: (inout [String: String]) -> Void = { _ in }) async throws
        -> TestResponse
    {
        let items = page.queryItems ?? []
        var query = ["code": "code", "state": items.first { $0.name == "state" }?.value ?? ""]
        change(&query)
        let text = query.map { "\($0.key)=\($0.value)" }.joined(separator: "&")
        return try await send(.get, "/sign-in/provider/callback?\(text)", site: "cross-site")
    }

    /// Signs in at the provider.
    func signIn(_ provider: FakeProvider, _ path: String = "/sign-in/provider") async throws -> TestResponse {
        let page = try await begin(path)
        provider.expect(nonce: page.queryItems?.first { $0.name == "nonce" }?.value ?? "")
        return try await finish(page)
    }
}

extension TestResponse {
    fileprivate var text: String { String(buffer: body) }
}

@Suite(.timeLimit(.minutes(10))) struct ProviderSignInTests {
    private func withSite(
        createsAccounts: Bool = false, _ body: @Sendable (Fixture, Browser) async throws -> Void
    ) async throws {
        try await FakeProvider.run { provider in
            let fixture = try await Fixture(provider)
            try await fixture.site(createsAccounts: createsAccounts).test(.router) { client in
                try await body(fixture, Browser(client))
            }
        }
    }

    @Test func connectedPersonSignsIn() async throws {
        try await withSite { fixture, browser in
            let anna = try await fixture.add("anna")
            // A stranger gets no account.
            let stranger = try await browser.signIn(fixture.provider)
            #expect(stranger.status == .forbidden && stranger.text.contains("Sign in with your password"))
            #expect(await browser.session == nil)
            #expect(try await browser.send(.post, "/sign-in", "name=anna&password=correct+horse").status == .seeOther)
            #expect(try await browser.send(.get, "/account").text.contains("Connect &lt;b&gt;Home"))
            let connected = try await browser.signIn(fixture.provider, "/account/provider")
            #expect(connected.status == .seeOther && connected.headers[.location] == "/account")
            #expect(try await browser.send(.get, "/account").text.contains("You can sign in with &lt;b&gt;Home"))
            let before = try #require(await browser.session)
            _ = try await browser.send(.post, "/sign-out")
            #expect(await browser.session == nil)

            let entered = try await browser.signIn(fixture.provider)
            #expect(entered.status == .seeOther && entered.headers[.location] == "/test")
            // The same person's stored data remains.
            #expect(entered.headers[.clearSiteData] == nil)
            #expect(await browser.session != nil)
            #expect(await browser.session != before)
            #expect(await browser.cookie("meanwhile-provider") == nil)
            #expect(try await browser.send(.get, "/test").text.contains("Owner \(anna.owner)"))
            #expect(try await browser.send(.post, "/account/provider/remove").status == .seeOther)
            _ = try await browser.send(.post, "/sign-out")
            #expect(try await browser.signIn(fixture.provider).status == .forbidden)
            #expect(
                try await fixture.actions(anna.owner) == [
                    .signedIn, .identityConnected, .signedOut, .signedIn, .identityRemoved, .signedOut,
                ])
            #expect(try await fixture.actions(AuditEvent.server).contains(.signInFailed))
        }
    }

    @Test func newPersonGetsAnAccountOfTheirOwn() async throws {
        try await withSite(createsAccounts: true) { fixture, browser in
            // The first account administers the server, and so isn't a provider's.
            #expect(try await browser.signIn(fixture.provider).status == .forbidden)
            try await fixture.add("anna")
            let maria = try await fixture.add("maria")
            let entered = try await browser.signIn(fixture.provider)
            #expect(entered.status == .seeOther && entered.headers[.clearSiteData] != nil)
            // The name is taken, and its account isn't given away.
            let page = try await browser.send(.get, "/account").text
            #expect(page.contains("maria-2") && !page.contains("administer") && !page.contains("change-password"))
            #expect(try await !browser.send(.get, "/test").text.contains(maria.owner.rawValue))
            #expect(try await browser.send(.post, "/account/provider/remove").status == .conflict)
            // No password opens it.
            for password in ["", "-", "correct+horse"] {
                let wrong = try await browser.copy().send(.post, "/sign-in", "name=maria-2&password=\(password)")
                #expect(wrong.status == .unprocessableContent || wrong.status == .tooManyRequests)
            }
            _ = try await browser.signIn(fixture.provider)
            #expect(try await fixture.signIn.store.accounts().map(\.name.description) == ["anna", "maria", "maria-2"])
            for (number, name) in ["🦊", "", "--", "a b", String(repeating: "x", count: 300)].enumerated() {
                fixture.provider.answer {
                    $0.claims["sub"] = .text("person \(number)")
                    $0.claims["preferred_username"] = .text(name)
                }
                #expect(try await browser.copy().signIn(fixture.provider).status == .seeOther, "\(name)")
            }
            let names = try await fixture.signIn.store.accounts().map(\.name.description)
            #expect(Set(names).isSuperset(of: ["user", "user-2", "user-3", "a-b"]) && names.count == 8, "\(names)")
        }
    }

    @Test func answerCountsOnlyInTheBrowserAndTheSessionThatHasAsked() async throws {
        try await withSite { fixture, browser in
            let anna = try await fixture.add("anna")
            try await fixture.signIn.store.add(
                ProviderIdentity(issuer: fixture.provider.issuer, subject: "person-1"), to: anna.owner)
            // Fixation: a link with an attacker's state and code, in a browser with another attempt and in one without.
            let (first, second) = (await browser.copy(), await browser.copy())
            let page = try await first.begin()
            fixture.provider.expect(nonce: page.queryItems?.first { $0.name == "nonce" }?.value ?? "")
            #expect(try await second.finish(page).status == .forbidden)
            _ = try await second.begin()
            #expect(try await second.finish(page).status == .forbidden)
            #expect(await second.session == nil)
            #expect(fixture.provider.exchanges.isEmpty)
            // Each attempt counts once, because its cookie is removed.
            #expect(try await first.finish(page).status == .seeOther)
            let entered = await first.session
            #expect(try await first.finish(page).status == .forbidden)
            #expect(await first.session == entered)
            // Another site can't begin an attempt or connect an account.
            for path in ["/sign-in/provider", "/account/provider", "/account/provider/remove"] {
                #expect(try await first.send(.post, path, site: "cross-site").status == .forbidden)
                #expect(try await [401, 404, 405].contains(first.send(.get, path).status.code))
            }
            // An attempt that was begun to connect an account connects only that session's.
            let bert = try await fixture.add("bert")
            let his = await browser.copy()
            _ = try await his.send(.post, "/sign-in", "name=bert&password=correct+horse")
            fixture.provider.answer { $0.claims["sub"] = "person-2" }
            let connecting = try await his.begin("/account/provider", "")
            let planted = await his.cookie("meanwhile-provider")
            await first.set("meanwhile-provider", planted)
            fixture.provider.expect(nonce: connecting.queryItems?.first { $0.name == "nonce" }?.value ?? "")
            #expect(try await first.finish(connecting).status == .forbidden)
            #expect(try await fixture.signIn.store.identities(of: anna.owner).count == 1)
            #expect(try await his.finish(connecting).status == .seeOther)
            #expect(try await fixture.signIn.store.identities(of: bert.owner).map(\.subject) == ["person-2"])
            // An identity belongs to one account.
            let taken = try await first.signIn(fixture.provider, "/account/provider")
            #expect(taken.status == .conflict && taken.text.contains("another account"))
        }
    }

    @Test func otherSitesAndPathsAreNotReturnedTo() async throws {
        try await withSite { fixture, browser in
            let anna = try await fixture.add("anna")
            try await fixture.signIn.store.add(
                ProviderIdentity(issuer: fixture.provider.issuer, subject: "person-1"), to: anna.owner)
            let long = "%2F" + String(repeating: "a", count: 1_900)
            for next in [
                "https://evil.example/", "//evil.example", "%5C%5Cevil.example", "%2F%09%2Fevil", "/sign-in", long,
            ] {
                let page = try await browser.begin("/sign-in/provider", "next=\(next)")
                fixture.provider.expect(nonce: page.queryItems?.first { $0.name == "nonce" }?.value ?? "")
                let entered = try await browser.finish(page)
                #expect(entered.headers[.location].map { $0 == "/" || $0.hasPrefix("/%09") } == true, "\(next)")
            }
            for cookie in ["", "~~", "a.b.c~~L3Rlc3Q=", "x~y~z~", String(repeating: "a", count: 3_000)] {
                await browser.set("meanwhile-provider", cookie)
                let response = try await browser.send(.get, "/sign-in/provider/callback?code=c&state=s")
                #expect(response.status == .forbidden)
            }
            let refused = try await browser.finish(try await browser.begin()) { $0["error"] = "access_denied" }
            #expect(refused.status == .forbidden && refused.text.contains("access_denied"))
            fixture.provider.answer { $0.response = (500, "") }
            #expect(try await browser.signIn(fixture.provider).status == .forbidden)
            fixture.provider.answer { $0.token = "" }
            fixture.provider.answer { $0.response = nil }
            #expect(try await browser.signIn(fixture.provider).status == .badGateway)
        }
    }

    @Test func cookiesAreForTheSiteAlone() async throws {
        try await FakeProvider.run { provider in
            let fixture = try await Fixture(provider)
            try await fixture.add("anna")
            try await fixture.site(origin: "https://pages.example.com").test(.router) { client in
                let response = try await Browser(client).send(.post, "/sign-in/provider", "next=%2F")
                let cookie = try #require(response.headers[values: .setCookie].first)
                #expect(cookie.hasPrefix("__Host-meanwhile-provider="))
                for attribute in ["Secure", "HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=600"] {
                    #expect(cookie.contains(attribute), "\(cookie)")
                }
                #expect(!cookie.contains("Domain"))
            }
        }
    }

    /// A person sees why the sign-in doesn't begin, and can sign in with a password.
    @Test func silentProviderIsExplainedOnTheSignInPage() async throws {
        try await FakeProvider.run { provider in
            let fixture = try await Fixture(provider)
            try await fixture.add("anna")
            // A busy machine needs more time to begin than the other site has. The attempt is in a cookie.
            let (begun, attempt) = try await fixture.site().test(.router) { client in
                let browser = Browser(client)
                return (try await browser.begin(), await browser.cookie("meanwhile-provider"))
            }
            // The provider stops answering while the person is there.
            provider.silence("/token")
            try await fixture.site(timeLimit: .milliseconds(300)).test(.router) { client in
                let browser = Browser(client)
                await browser.set("meanwhile-provider", attempt)
                let page = try await browser.finish(begun)
                #expect(page.status == .badGateway && page.text.contains("answer in time"), "\(page.text)")
                #expect(page.text.contains("Try again later") && page.text.contains("name=\"password\""))
                #expect(await browser.session == nil)
            }
            try await fixture.site(timeLimit: .milliseconds(300)).test(.router) { client in
                let browser = Browser(client)
                provider.silence("/.well-known/openid-configuration")
                let page = try await browser.send(.post, "/sign-in/provider", "next=%2Ftest")
                #expect(page.status == .badGateway && page.text.contains("answer in time"), "\(page.text)")
                #expect(page.text.contains("name=\"password\""))
                let entered = try await browser.send(.post, "/sign-in", "name=anna&password=correct+horse&next=%2Ftest")
                #expect(entered.status == .seeOther && entered.headers[.location] == "/test")
            }
        }
    }

    @Test func siteWithoutAProviderHasNoSuchPages() async throws {
        try await FakeProvider.run { provider in
            let fixture = try await Fixture(provider)
            try await fixture.add("anna")
            let site = try SiteServer(
                configuration: SiteConfiguration(port: 80, signIn: SiteSignIn(fixture.signIn, isRequired: false)),
                logger: .quiet
            ) { _, _ in }
            try await site.application().test(.router) { client async throws in
                let browser = Browser(client)
                #expect(try await !browser.send(.get, "/sign-in").text.contains("/sign-in/provider"))
                #expect(try await browser.send(.post, "/sign-in/provider").status == .notFound)
                #expect(try await browser.send(.get, "/sign-in/provider/callback?code=c&state=s").status == .notFound)
            }
        }
    }
}
