import FixtureSite
import Foundation
import StoreTesting
import Testing

extension ServerRuns {
    /// Servers in normal use.
    @Suite struct Serving {
        @Test func serverPrintsItsAddressAndAnswers() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve { server in
                    let home = try await server.get("/")
                    #expect(home.status == 200)
                    #expect(home.text.contains("Offline Library"))
                    let library = try await server.get("/library/")
                    #expect(library.status == 200)
                    #expect(library.text.contains("No saved pages yet"))
                    let health = try await server.get("/healthz")
                    #expect(health.status == 200)
                    #expect(health.text.hasPrefix("ok"))
                }
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors == "")
            }
        }

        @Test func savedPagePersistsAcrossARestart() async throws {
            try await withSite { site, workspace in
                let first = try await workspace.serve { server in
                    try await server.save(site.address("/"))
                    try await server.wait(untilSaved: 1)
                    try await expectThePage(at: server)
                }
                #expect(first.exitCode == 0, "\(first.errors)")
                try await workspace.expectIntactData()
                #expect(workspace.stagedBlobs.isEmpty)
                let requestCount = site.requests.count
                let second = try await workspace.serve { server in try await expectThePage(at: server) }
                #expect(second.exitCode == 0, "\(second.errors)")
                #expect(site.requests.count == requestCount)
            }
        }

        private func expectThePage(at server: RunningServer) async throws {
            let list = try await server.get("/library/").text
            #expect(list.contains("page.webarchive?download"))
            let ids = try await server.workspace.sqlite("SELECT id FROM library_page")
            try #require(ids.count == 1)
            for name in ["thumbnail.png", "page.png", "page.pdf", "page.webarchive"] {
                let file = try await server.get("/library/pages/\(ids[0])/\(name)")
                #expect(file.status == 200, "\(name)")
                #expect(CompleteFile.problem(of: file.body, named: name) == nil, "\(name)")
            }
        }

        @Test func everyOptionCanBeSetInTheEnvironment() async throws {
            try await Workspace.with { workspace in
                let environment = [
                    "MEANWHILE_PORT": "0", "MEANWHILE_DATA": workspace.root + "/elsewhere",
                    "MEANWHILE_ORIGIN": "https://pages.example.com", "MEANWHILE_TRUST_PROXY": "1",
                    "MEANWHILE_LOG_LEVEL": "debug", "MEANWHILE_LOG_FORMAT": "json",
                    "MEANWHILE_METRICS_PORT": "\(try freePort())",
                ]
                let outcome = try await workspace.serve(environment: environment) { server in
                    #expect(workspace.exists(workspace.root + "/elsewhere/meanwhile.sqlite"))
                    let proxied = try await server.get("/", "--header", "Host: pages.example.com")
                    #expect(proxied.status == 200)
                }
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors.contains(#""level":"debug""#))
                #expect(!workspace.exists(workspace.data))
            }
        }

        @Test func optionsOverrideTheEnvironment() async throws {
            try await Workspace.with { workspace in
                let environment = ["MEANWHILE_PORT": "no number", "MEANWHILE_ORIGIN": "no address"]
                let outcome = try await workspace.serve(
                    "--port", "0", "--data", workspace.data, "--origin", "https://pages.example.com", "--trust-proxy",
                    environment: environment
                ) { server in
                    let home = try await server.get("/")
                    #expect(home.status == 200)
                }
                #expect(outcome.exitCode == 0)
            }
        }
    }
}
