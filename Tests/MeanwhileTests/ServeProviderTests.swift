import BrowserDriver
import Foundation
import StoreTesting
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension ServerRuns {
    /// People who sign in at a provider of OpenID Connect: oidc-provider-mock.
    @Suite struct Provider {
        private static let program = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../.build/python-openid/bin/oidc-provider-mock").standardizedFileURL.path()

        /// Runs a provider while the body runs.
        private func withProvider(_ workspace: Workspace, _ body: (_ issuer: String) async throws -> Void) async throws
        {
            let port = try freePort()
            let issuer = "http://127.0.0.1:\(port)"
            _ = try await workspace.run([Self.program, "--port", "\(port)"]) { program in
                try await eventually("the provider listens") {
                    #expect(!program.hasEnded)
                    return try await workspace.run(["/usr/bin/curl", "--silent", "--fail", "\(issuer)/jwks"]).exitCode
                        == 0
                }
                try await body(issuer)
                try program.send(SIGKILL)
            }
        }

        private func enterAtTheProvider(_ tab: BrowserTab, as subject: String, _ issuer: String) async throws {
            try await tab.wait(
                until: "location.origin === '\(issuer)' && document.querySelector('[name=sub]') !== null")
            try await tab.click("[name=sub]")
            try await tab.type(subject)
            try await tab.click("form:has([name=sub]) button")
        }

        @Test func peopleSignInAtAProvider() async throws {
            let axe = try Axe.source()
            try await Workspace.with { workspace in
                _ = try await workspace.run(
                    [Program.path, "user", "add", "anna", "--password-stdin", "--data", workspace.data],
                    input: "correct horse\n")
                let secret = "\(workspace.root)/secret"
                try Data("a secret\n".utf8).write(to: URL(filePath: secret))
                try await withProvider(workspace) { issuer in
                    try await workspace.serveSignedIn(
                        "--openid-issuer", issuer, "--openid-client", "meanwhile", "--openid-secret-file", secret,
                        "--openid-name", "Home", "--openid-new-accounts"
                    ) { server in
                        try await BrowserTab.run { tab in
                            try await tab.open(try server.url("/coffee/history?by=week"))
                            try await tab.wait(until: "document.querySelector('#provider button') !== null")
                            #expect(try await tab.text("#provider button") == "Sign in with Home")
                            #expect(try await Axe.violations(axe, in: tab) == [])
                            try await tab.click("#provider button")
                            try await enterAtTheProvider(tab, as: "maria", issuer)
                            try await tab.wait(until: "location.href === '\(server.origin)/coffee/history?by=week'")
                            try await tab.open(try server.url("/account"))
                            #expect(try await tab.text("main").contains("You can sign in with Home"))
                            #expect(try await Axe.violations(axe, in: tab) == [])
                            try await tab.click("#sign-out button")
                            try await tab.wait(until: "location.pathname === '/sign-in'")
                            // Anna connects her account.
                            try await tab.click("#name")
                            try await tab.type("anna")
                            try await tab.click("#password")
                            try await tab.type("correct horse")
                            try await tab.click("#sign-in button")
                            try await tab.wait(until: "location.pathname === '/'")
                            try await tab.open(try server.url("/account"))
                            try await tab.click("#connect-provider button")
                            try await enterAtTheProvider(tab, as: "anna at home", issuer)
                            try await tab.wait(until: "document.querySelector('#remove-provider') !== null")
                            #expect(try await tab.text("main").contains("You are signed in as anna"))
                            _ = await tab.takeComplaints()
                        }
                        let accounts = try await workspace.sqlite("SELECT count(*) FROM account")
                        #expect(accounts == ["2"])
                        let identities = try await workspace.sqlite("SELECT subject FROM account_identity ORDER BY 1")
                        #expect(identities == ["anna at home", "maria"])
                    }
                }
            }
        }

        @Test(arguments: [
            ["--openid-issuer", "https://id.example.com"], ["--openid-client", "a"], ["--openid-new-accounts"],
            ["--openid-issuer", "http://id.example.com", "--openid-client", "a"],
        ])
        func wrongOptionsAreRefused(options: [String]) async throws {
            try await Workspace.with { workspace in
                let refused = try await workspace.run([Program.path, "serve", "--data", workspace.data] + options)
                #expect(refused.exitCode == 64 && !workspace.exists(workspace.data), "\(refused)")
                let unreadable = try await workspace.run([
                    Program.path, "serve", "--data", workspace.data, "--openid-issuer", "https://id.example.com",
                    "--openid-client", "a", "--openid-secret-file", "\(workspace.root)/none",
                ])
                #expect(unreadable.exitCode == 1 && unreadable.errors.contains("contains no secret"))
            }
        }
    }
}
