import Accounts
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Persistence
import StoreTesting
import Testing

@testable import Site

/// A site with accounts, and a page that shows its owner.
private struct Fixture {
    let folder: TemporaryFolder
    let database: AppDatabase
    let signIn: SignIn
    let time = ManualDate()

    init() async throws {
        folder = try TemporaryFolder()
        database = try await AppDatabase.open(
            in: try DataFolder.open(at: folder.path), migrations: SQLiteAccountStore.migrations)
        signIn = SignIn(
            store: SQLiteAccountStore(database: database),
            hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)),
            now: { [time] in time.now })
    }

    func site(
        isRequired: Bool = false, origin: String? = nil, events: AsyncStream<ServerSentEvent>? = nil
    ) throws -> some ApplicationProtocol {
        var app = SiteApp(name: "Test", path: "/test/", summary: "Tests.")
        app.tokenPaths = ["/test/upload"]
        return try SiteServer(
            configuration: SiteConfiguration(
                port: 80, origin: origin.flatMap { URL(string: $0) }, apps: [app],
                signIn: SiteSignIn(signIn, isRequired: isRequired)),
            logger: .quiet
        ) { router, layout in
            router.get("/test") { _, context in
                layout.page(title: "Test", heading: "Owner \(context.owner)", content: HTML(markup: ""))
            }
            router.post("/test/change") { _, context in "changed by \(context.owner)" }
            router.post("/test/upload") { _, context in "uploaded to \(context.owner)" }
            if let events {
                router.get("/test/events") { request, _ in EventStream().response(to: request, sending: events) }
            }
        }.application()
    }

    @discardableResult
    func add(_ name: String, isAdministrator: Bool = false) async throws -> Account {
        try await signIn.add(
            try #require(AccountName(name)), try #require(Password("correct horse")), isAdministrator: isAdministrator)
    }
}

extension TestClientProtocol {
    fileprivate func page(
        _ path: String, _ cookie: String? = nil, _ headers: HTTPFields = [.accept: "text/html"]
    ) async throws -> TestResponse {
        var headers = headers
        headers[.cookie] = cookie
        return try await execute(uri: path, method: .get, headers: headers)
    }

    fileprivate func submit(
        _ path: String, _ form: String = "", cookie: String? = nil, site: String = "same-origin"
    ) async throws -> TestResponse {
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded", .accept: "text/html"]
        headers[.secFetchSite] = site
        headers[.cookie] = cookie
        return try await execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: form))
    }

    /// Signs in, and returns the session's cookie.
    fileprivate func enter(_ name: String, cookie: String? = nil) async throws -> String {
        let response = try await submit("/sign-in", "name=\(name)&password=correct+horse", cookie: cookie)
        #expect(response.status == .seeOther)
        return try #require(response.session)
    }
}

extension TestResponse {
    /// The session's cookie that the response sets.
    fileprivate var session: String? {
        headers[values: .setCookie].first { $0.contains("meanwhile-session=") }?.prefix { $0 != ";" }.description
    }

    fileprivate var text: String { String(buffer: body) }
}

@Suite(.timeLimit(.minutes(10))) struct SignInPageTests {
    @Test func withoutAccountsEverythingBelongsToOnePerson() async throws {
        let fixture = try await Fixture()
        try await fixture.site().test(.router) { client in
            #expect(try await client.page("/test").text.contains("Owner local"))
            #expect(try await client.submit("/test/change").text == "changed by local")
            #expect(try await client.page("/account").status == .notFound)
            // The first account takes effect at once.
            try await fixture.add("anna")
            #expect(try await client.page("/test").status == .seeOther)
        }
    }

    @Test func reachableSiteNeedsAccounts() async throws {
        let fixture = try await Fixture()
        try await fixture.site(isRequired: true).test(.router) { client in
            let refused = try await client.page("/test")
            #expect(refused.status == .forbidden && refused.text.contains("meanwhile user add"))
            #expect(try await client.submit("/test/change").status == .forbidden)
            #expect(try await client.page("/healthz").text == "ok\n")
        }
    }

    @Test func onlySignedInPeoplePass() async throws {
        let fixture = try await Fixture()
        let anna = try await fixture.add("anna")
        let bert = try await fixture.add("bert")
        try await fixture.site().test(.router) { client in
            let page = try await client.page("/test?a=1&b=%2F")
            #expect(page.status == .seeOther)
            #expect(page.headers[.location] == "/sign-in?next=/test%3Fa%3D1%26b%3D%252F")
            #expect(try await client.page("/nothing").status == .seeOther)
            #expect(try await client.page("/test", nil, [.accept: "application/json"]).status == .unauthorized)
            #expect(try await client.page("/test", nil, [.accept: "*/*"]).status == .unauthorized)
            #expect(try await client.submit("/test/change").status == .unauthorized)
            #expect(try await client.submit("/test/upload").status == .unauthorized)
            let upload = try await client.execute(
                uri: "/test/upload", method: .post, headers: [.authorization: "Bearer abc"])
            #expect(upload.text == "uploaded to none")
            let (hers, his) = (try await client.enter("anna"), try await client.enter("bert"))
            #expect(try await client.page("/test", hers).text.contains("Owner \(anna.owner)"))
            #expect(try await client.page("/test", hers).text.contains("Signed in as anna"))
            #expect(try await client.submit("/test/change", cookie: his).text == "changed by \(bert.owner)")
            #expect(
                try await client.page("/test", "meanwhile-session=\(String(repeating: "0", count: 64))").status
                    == .seeOther)
        }
    }

    @Test func wrongPasswordShowsTheFormAgain() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            for name in ["anna", "bert", "%3Cb%3E"] {
                let wrong = try await client.submit("/sign-in", "name=\(name)&password=wrong")
                #expect(wrong.status == .unprocessableContent && wrong.session == nil)
                #expect(wrong.text.contains("The name or the password is wrong") && !wrong.text.contains("<b>"))
            }
            for _ in 0..<4 { _ = try await client.submit("/sign-in", "name=anna&password=wrong") }
            let early = try await client.submit("/sign-in", "name=anna&password=correct+horse")
            #expect(early.status == .tooManyRequests && early.headers[.retryAfter] == "2" && early.session == nil)
            fixture.time.advance(by: 2)
            _ = try await client.enter("anna")
        }
    }

    @Test func clientMayTryTwentyNames() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            for number in 0..<20 { _ = try await client.submit("/sign-in", "name=n\(number)&password=wrong") }
            let response = try await client.submit("/sign-in", "name=anna&password=correct+horse")
            #expect(response.status == .tooManyRequests && response.session == nil)
        }
    }

    @Test(arguments: [
        "https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "/%09/evil.example%00",
        "javascript:alert(1)", "evil", "", "/sign-in", "/sign-out",
    ])
    func signInReturnsOnlyToOwnPages(next: String) async throws {
        #expect(["/", "/%09/evil.example%00"].contains(ReturnPath.path(next)))
        #expect(ReturnPath.path("/\t/evil.example") == "/%09/evil.example")
        #expect(ReturnPath.path("/library/?q=a b") == "/library/?q=a%20b")
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            let encoded = next.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            let response = try await client.submit(
                "/sign-in", "name=anna&password=correct+horse&next=\(encoded)")
            let location = try #require(response.headers[.location])
            #expect(location.hasPrefix("/") && !location.hasPrefix("//") && !location.contains("\\"))
        }
    }

    @Test func eachSignInBeginsANewSession() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            // A session that an attacker has set isn't used.
            let fixed = "meanwhile-session=\(RandomToken().text)"
            let first = try await client.enter("anna", cookie: fixed)
            #expect(first != fixed)
            #expect(try await client.page("/test", fixed).status == .seeOther)
            // The earlier session of the browser ends.
            let second = try await client.enter("anna", cookie: first)
            #expect(try await client.page("/test", first).status == .seeOther)
            #expect(try await client.page("/test", second).status == .ok)
        }
    }

    @Test func otherSitesCannotSignInOrOut() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            let form = "name=anna&password=correct+horse"
            #expect(try await client.submit("/sign-in", form, site: "cross-site").status == .forbidden)
            let cookie = try await client.enter("anna")
            #expect(try await client.submit("/sign-out", cookie: cookie, site: "cross-site").status == .forbidden)
            #expect(try await client.page("/test", cookie).status == .ok)
        }
    }

    @Test func cookieIsProtected() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        for (origin, name) in [(nil, "meanwhile-session="), ("https://pages.example.com", "__Host-meanwhile-session=")]
        {
            try await fixture.site(isRequired: origin != nil, origin: origin).test(.router) { client in
                let response = try await client.submit("/sign-in", "name=anna&password=correct+horse")
                let cookie = try #require(response.headers[values: .setCookie].first { $0.hasPrefix(name) })
                #expect(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax") && cookie.contains("Path=/"))
                #expect(cookie.contains("Secure") == (origin != nil))
            }
        }
    }

    @Test func signingOutClearsTheBrowser() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            let cookie = try await client.enter("anna")
            let response = try await client.submit("/sign-out", cookie: cookie)
            #expect(response.status == .seeOther && response.headers[.location] == "/sign-in")
            #expect(response.headers[.clearSiteData] == "\"cache\", \"storage\"")
            #expect(response.session == "meanwhile-session=")
            #expect(try await client.page("/test", cookie).status == .seeOther)
        }
    }

    @Test func anotherPersonsSignInClearsTheBrowser() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.add("bert")
        try await fixture.site().test(.router) { client in
            let form = { (name: String) in "name=\(name)&password=correct+horse" }
            let first = try await client.submit("/sign-in", form("anna"))
            #expect(first.headers[.clearSiteData] != nil)
            let owner = try #require(
                first.headers[values: .setCookie].first { $0.hasPrefix("meanwhile-owner=") }
            ).prefix { $0 != ";" }
            let same = try await client.submit("/sign-in", form("anna"), cookie: String(owner))
            #expect(same.headers[.clearSiteData] == nil)
            let other = try await client.submit("/sign-in", form("bert"), cookie: String(owner))
            #expect(other.headers[.clearSiteData] != nil)
        }
    }

    @Test func sessionsAreListedAndEnded() async throws {
        let fixture = try await Fixture()
        let anna = try await fixture.add("anna")
        try await fixture.add("bert")
        try await fixture.site().test(.router) { client in
            let (own, other) = (try await client.enter("anna"), try await client.enter("anna"))
            let his = try await client.enter("bert")
            #expect(try await client.page("/account", own).text.components(separatedBy: "name=\"session\"").count == 2)
            let token = try #require(RandomToken(String(other.dropFirst("meanwhile-session=".count))))
            let id = try #require(
                try await fixture.signIn.store.session(tokenHash: token.hash, at: fixture.time.now).session?.id)
            // Another person can't end it.
            _ = try await client.submit("/account/sessions/end", "session=\(id)", cookie: his)
            #expect(try await client.page("/test", other).status == .ok)
            _ = try await client.submit("/account/sessions/end", "session=\(id)", cookie: own)
            #expect(try await client.page("/test", other).status == .seeOther)
            let third = try await client.enter("anna")
            _ = try await client.submit("/account/sessions/end-others", cookie: own)
            #expect(try await client.page("/test", third).status == .seeOther)
            #expect(try await client.page("/test", own).status == .ok)
            #expect(try await client.page("/test", his).status == .ok)
            #expect(try await fixture.signIn.store.sessions(of: anna.owner, at: fixture.time.now).count == 1)
        }
    }

    @Test func newPasswordNeedsTheCurrentOne() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            let (own, other) = (try await client.enter("anna"), try await client.enter("anna"))
            for form in [
                "current=wrong&password=battery+staple&again=battery+staple",
                "current=correct+horse&password=battery+staple&again=battery+stable",
                "current=correct+horse&password=short&again=short", "",
            ] {
                let response = try await client.submit("/account/password", form, cookie: own)
                #expect(response.status == .unprocessableContent && response.text.contains("id=\"problem\""))
            }
            #expect(try await client.page("/test", other).status == .ok)
            let changed = try await client.submit(
                "/account/password", "current=correct+horse&password=battery+staple&again=battery+staple", cookie: own)
            #expect(changed.status == .seeOther)
            #expect(try await client.page("/test", other).status == .seeOther)
            #expect(try await client.page("/test", own).status == .ok)
        }
    }

    @Test func invitedPersonCreatesAnAccount() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        let token = try await fixture.signIn.invite().text
        try await fixture.site().test(.router) { client in
            #expect(try await client.page("/invitation?token=\(token)").text.contains(token))
            #expect(try await client.page("/invitation?token=abc").status == .notFound)
            let form = "token=\(token)&password=correct+horse&again=correct+horse&name="
            let taken = try await client.submit("/invitation", form + "anna")
            #expect(taken.status == .unprocessableContent && taken.text.contains("Another account"))
            #expect(try await client.submit("/invitation", form + "%21").status == .unprocessableContent)
            let created = try await client.submit("/invitation", form + "bert")
            let cookie = try #require(created.session)
            #expect(try await client.page("/test", cookie).text.contains("Signed in as bert"))
            #expect(try await client.submit("/invitation", form + "carl").status == .notFound)
        }
    }

    @Test func usedSessionIsExtended() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            let cookie = try await client.enter("anna")
            #expect(try await client.page("/test", cookie).session == nil)
            for _ in 0..<3 {
                fixture.time.advance(by: SessionPolicy.lifetime - 1)
                #expect(try await client.page("/test", cookie).session == cookie)
            }
            fixture.time.advance(by: SessionPolicy.lifetime)
            #expect(try await client.page("/test", cookie).status == .seeOther)
        }
    }

    @Test func eventStreamEndsWithItsSession() async throws {
        let fixture = try await Fixture()
        let anna = try await fixture.add("anna")
        let (events, event) = AsyncStream<ServerSentEvent>.makeStream()
        event.yield(ServerSentEvent(data: "first", name: "news"))
        let entered = try await fixture.signIn.signIn("anna", try #require(Password("correct horse")), device: "")
        try await fixture.site(events: events).test(.router) { client in
            async let response = client.page(
                "/test/events", "meanwhile-session=\(entered.token.text)", [.accept: "text/event-stream"])
            try await fixture.signIn.store.endSession(entered.session.id, of: anna.owner)
            // The body ends with an error, because the stream isn't complete.
            _ = try? await response
            #expect(
                try await client.page(
                    "/test/events", "meanwhile-session=\(entered.token.text)", [.accept: "text/event-stream"]
                ).status == .unauthorized)
        }
        event.finish()
    }
}
