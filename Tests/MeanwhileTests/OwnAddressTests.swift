import FixtureSite
import Foundation
import Testing

extension FailingRuns {
    /// Addresses of this machine that look public.
    @Suite struct OwnAddresses {
        /// Runs the rest of the command line in a network namespace whose only interface has global addresses of both
        /// families.
        private static let namespace = [
            "/usr/bin/unshare", "--net", "/bin/sh", "-c",
            """
            PATH=$PATH:/usr/sbin:/sbin
            ip link set lo up && ip address add 1.2.3.4/24 dev lo && ip address add 2c0f:fff0::4/64 dev lo nodad || exit 77
            exec "$@"
            """, "sh",
        ]

        /// Whether this account may create network namespaces; containers often forbid it.
        private static var canMakeNamespaces: Bool {
            let child = Process()
            child.executableURL = URL(filePath: namespace[0])
            child.arguments = Array(namespace.dropFirst()) + ["true"]
            child.standardError = FileHandle.nullDevice
            do { try child.run() } catch { return false }
            child.waitUntilExit()
            return child.terminationStatus == 0
        }

        @Test(.enabled(if: canMakeNamespaces, "This account cannot make network namespaces."))
        func interfaceAddressesAndTheirNeighboursAreRefused() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.capture(
                    "http://1.2.3.4/", "http://1.2.3.99/", "http://[2c0f:fff0::4]/", "https://[2c0f:fff0::99]/",
                    "http://[::ffff:1.2.3.4]/", "http://[64:ff9b::1.2.3.99]/", "--json", wrapper: Self.namespace)
                let errors = try outcome.reports().map(\.error)
                #expect(errors.count == 6)
                for error in errors {
                    #expect(error?.code == "addressRefused", "\(error?.message ?? "")")
                    #expect(error?.message.contains("--allow ") == true, "\(error?.message ?? "")")
                }
            }
        }
    }
}

extension ServerRuns {
    /// The server's own port, which its jobs must not connect to.
    @Suite struct OwnPort {
        @Test(arguments: ["127.0.0.1", "localhost", "127.1.2.3", "[::ffff:127.0.0.1]"])
        func pageOfTheServerIsNotSavedEvenIfAllowed(host: String) async throws {
            try await Workspace.with { workspace in
                try await workspace.serve("--allow", "127.0.0.0/8", "--allow", "localhost") { server in
                    try await server.save("http://\(host):\(server.port)/library/")
                    try await server.program.wait(until: "the page is saved or has failed") {
                        server.events.contains("badge bad") || server.events.contains("page.webarchive?download")
                    }
                    let pages = try await workspace.sqlite("SELECT failure_message FROM library_page")
                    #expect(pages.count == 1 && pages.first?.contains("this program's own port") == true, "\(pages)")
                }
            }
        }
    }
}
