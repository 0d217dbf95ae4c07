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

/// A site with an audit log, and a route that is audited.
private struct Fixture {
    let folder: TemporaryFolder
    let signIn: SignIn
    let log: AuditLog

    init() async throws {
        folder = try TemporaryFolder()
        let database = try await AppDatabase.open(
            in: try DataFolder.open(at: folder.path), migrations: SQLiteAccountStore.migrations + AuditLog.migrations)
        signIn = SignIn(
            store: SQLiteAccountStore(database: database),
            hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)))
        log = AuditLog(database: database)
    }

    func site() throws -> some ApplicationProtocol {
        var configuration = SiteConfiguration(port: 80, signIn: SiteSignIn(signIn, isRequired: false))
        configuration.audit = log
        configuration.auditedRoutes = ["POST /things/{id}/delete": AuditedRoute(.deleted, "<b>Thing</b>")]
        return try SiteServer(configuration: configuration, logger: .quiet) { router, _ in
            router.post("/things/:id/delete") { _, context -> Response in
                guard context.parameters.get("id") == "1" else { throw HTTPError(.notFound) }
                return .redirect(to: "/", type: .normal)
            }
        }.application()
    }

    @discardableResult
    func add(_ name: String, isAdministrator: Bool = false) async throws -> Account {
        try await signIn.add(
            try #require(AccountName(name)), try #require(Password("correct horse")), isAdministrator: isAdministrator)
    }

    func actions(_ owner: OwnerID) async throws -> [AuditAction?] {
        try await log.write()
        return try await log.entries(AuditLog.Filter(of: [owner]), limit: 100).reversed().map(\.action)
    }
}

extension TestClientProtocol {
    fileprivate func get(_ path: String, _ cookie: String? = nil) async throws -> (status: Int, text: String) {
        var headers: HTTPFields = [.accept: "text/html"]
        headers[.cookie] = cookie
        let response = try await execute(uri: path, method: .get, headers: headers)
        return (response.status.code, String(buffer: response.body))
    }

    fileprivate func submit(_ path: String, _ form: String = "", _ cookie: String? = nil) async throws -> TestResponse {
        var headers: HTTPFields = [
            .contentType: "application/x-www-form-urlencoded", .accept: "text/html", .secFetchSite: "same-origin",
            .userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        ]
        headers[.cookie] = cookie
        return try await execute(uri: path, method: .post, headers: headers, body: ByteBuffer(string: form))
    }

    fileprivate func enter(_ name: String) async throws -> String {
        let response = try await submit("/sign-in", "name=\(name)&password=correct+horse")
        let cookie = response.headers[values: .setCookie].first { $0.contains("meanwhile-session=") }
        return try #require(cookie).prefix { $0 != ";" }.description
    }
}

@Suite(.timeLimit(.minutes(10))) struct AuditPageTests {
    @Test func everyStepOfASessionIsRecorded() async throws {
        let fixture = try await Fixture()
        let anna = try await fixture.add("anna")
        try await fixture.site().test(.router) { client in
            _ = try await client.submit("/sign-in", "name=anna&password=wrong-secret")
            let cookie = try await client.enter("anna")
            let other = try await client.enter("anna")
            _ = try await client.submit("/account/sessions/end-others", "", other)
            #expect(try await client.submit("/things/1/delete", "", cookie).status == .unauthorized)
            _ = try await client.submit("/things/1/delete", "", other)
            _ = try await client.submit("/things/2/delete", "", other)
            _ = try await client.submit(
                "/account/password", "current=wrong-secret&password=new+secret+words&again=new+secret+words", other)
            _ = try await client.submit(
                "/account/password", "current=correct+horse&password=new+secret+words&again=new+secret+words", other)
            #expect(
                try await fixture.actions(anna.owner) == [
                    .signInFailed, .signedIn, .signedIn, .otherSessionsEnded, .deleted, .passwordChangeFailed,
                    .passwordChanged,
                ])
            let page = try await client.get("/activity", other).text
            #expect(page.contains("Firefox on Linux") && page.contains("This browser"))
            #expect(page.contains("Deleted: &lt;b&gt;Thing&lt;/b&gt;"))
            #expect(!page.contains("secret"))
            #expect(page.contains("A sign-in failed") && page.contains("Password changed"))
            _ = try await client.submit("/sign-out", "", other)
            #expect(try await fixture.actions(anna.owner).last == .signedOut)
        }
    }

    @Test func peopleSeeTheirOwnEntriesAndAdministratorsTheServers() async throws {
        let fixture = try await Fixture()
        try await fixture.add("anna", isAdministrator: true)
        try await fixture.add("bert")
        try await fixture.site().test(.router) { client in
            let (hers, his) = (try await client.enter("anna"), try await client.enter("bert"))
            _ = try await client.submit("/things/1/delete", "", hers)
            _ = try await client.submit("/sign-in", "name=nobody&password=wrong")
            let attacks = [
                "", "?of=server", "?of=all", "?of=mine&before=999999999", "?topic=data", "?owner=anna", "?before=-1",
                "?before=x&topic=%00&here=1&of=%ff", "?here=1&here=2",
            ]
            for query in attacks {
                let page = try await client.get("/activity\(query)", his)
                #expect(page.status == 200 && !page.text.contains("Thing"), "\(query)")
                #expect(!page.text.contains("Only the server’s") && !page.text.contains("A sign-in failed"), "\(query)")
            }
            let all = try await client.get("/activity", hers).text
            #expect(all.contains("Thing") && all.contains("A sign-in failed"))
            let server = try await client.get("/activity?of=server", hers).text
            #expect(!server.contains("Thing") && server.contains("A sign-in failed"))
            let own = try await client.get("/activity?of=mine&topic=data&here=1", hers).text
            #expect(own.contains("Thing") && !own.contains("A sign-in failed") && own.contains("checked"))
            #expect(try await client.get("/activity").status == 303)
        }
    }

    @Test func withoutAccountsTheLogBelongsToOnePerson() async throws {
        let fixture = try await Fixture()
        try await fixture.site().test(.router) { client in
            #expect(try await client.get("/activity").text.contains("Nothing to show"))
            _ = try await client.submit("/things/1/delete")
            let page = try await client.get("/activity")
            #expect(page.text.contains("Thing") && !page.text.contains("This browser"))
        }
    }

    @Test func longLogHasSeveralPages() async throws {
        let fixture = try await Fixture()
        for number in 0..<120 { fixture.log.record(AuditEvent(.deleted, of: .local, subject: "Thing \(number).")) }
        try await fixture.site().test(.router) { client in
            var (path, seen, pages) = ("/activity?topic=data&of=mine", Set<Substring>(), 0)
            while true {
                let text = try await client.get(path).text
                pages += 1
                seen.formUnion(text.matches(of: /Thing \d+\./).map(\.output))
                guard let next = text.firstMatch(of: /id="older" href="([^"]+)"/) else { break }
                path = String(next.output.1).replacing("&amp;", with: "&")
            }
            #expect(pages == 3 && seen.count == 120)
        }
    }
}
