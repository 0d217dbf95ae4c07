import FixtureSite
import Foundation
import Testing

extension SuccessfulRuns {
    /// The output, and the effect of Ctrl-C, on a terminal created by the program `script` of util-linux.
    @Suite struct TerminalOutput {
        private static let clearLine = "\r\u{1B}[2K"

        @Test func progressIsShownAndClearedAtTheEnd() async throws {
            try await withSite { site, workspace in
                let address = site.address("/plain")
                let outcome = try await workspace.run(Self.onTerminal(workspace, address))
                #expect(outcome.exitCode == 0)
                let screen = String(decoding: outcome.output, as: UTF8.self)
                #expect(screen.contains("\(Self.clearLine)\u{1B}[?7l[0/1] \(address): waiting\u{1B}[?7h"))
                // Only the line about the file follows the last status line.
                let end = screen.components(separatedBy: Self.clearLine).last
                let file = "\(workspace.output)/\(site.name("/plain", "png"))"
                #expect(end?.hasPrefix("\(file)\t") == true)
                #expect(end?.hasSuffix("\t\(address)\r\n") == true)
            }
        }

        @Test func statusLineShowsThePageAndItsProgress() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.run(Self.onTerminal(workspace, site.address("/many?n=100")))
                #expect(outcome.exitCode == 0)
                let screen = String(decoding: outcome.output, as: UTF8.self)
                #expect(screen.contains(/\[0\/1\] http\S+\/many\?n=100: (loading \d+ of \d+, |waiting for|making png)/))
            }
        }

        @Test func controlCInterruptsTheRun() async throws {
            try await withSite { site, workspace in
                let keyboard = try NamedPipe(workspace.root + "/keyboard")
                defer { keyboard.close() }
                let shell = ["/bin/sh", "-c", #"keyboard=$1; shift; exec "$@" <"$keyboard""#, "sh", keyboard.path]
                let script = Self.onTerminal(workspace, site.address("/stall"))
                let outcome = try await workspace.run(shell + script) { program in
                    try await program.waitForRequest("/stall", of: site)
                    try keyboard.write("\u{3}")
                }
                #expect(outcome.exitCode == 130)
                let screen = String(decoding: outcome.output, as: UTF8.self)
                #expect(screen.hasSuffix("\(Self.clearLine)Interrupted. 0 of 1 pages were done.\r\n"))
                workspace.expectNoOutput()
            }
        }

        private static func onTerminal(_ workspace: Workspace, _ address: String) -> [String] {
            let command = "'\(Program.path)' capture '\(address)' -f png -o '\(workspace.output)' --timeout 300"
            return ["/usr/bin/script", "--quiet", "--return", "--command", command, "/dev/null"]
        }
    }
}
