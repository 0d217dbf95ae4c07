import FixtureSite
import Foundation
import Testing

extension BadRuns {
    /// Addresses at which there is no page, and pages that never are one.
    @Suite struct BadAddresses {
        @Test(arguments: [
            ("banana", "banana is not an address"), ("example.org", "Did you mean https://example.org ?"),
            ("two words", "spaces in it"), ("http://", "names no host"), ("http:///page", "names no host"),
            ("file:///etc/passwd", "file: addresses are not of the web"),
            ("javascript:alert(1)", "javascript: addresses are not of the web"),
            ("chrome://version", "chrome: addresses are not of the web"),
            ("data:text/html,hello", "data: addresses are not of the web"),
            ("about:blank", "about: addresses are not of the web"),
            ("view-source:http://localhost/", "view-source: addresses are not of the web"),
            ("ftp://localhost/", "ftp: addresses are not of the web"),
        ])
        func whatIsNoAddressOfTheWebIsNotOpened(address: String, message: String) async throws {
            try await Workspace.with { workspace in
                // There is no Chromium to open it with.
                let outcome = try await workspace.capture(address, "--chromium", "/nonexistent")
                try expectFailure(of: outcome, message, in: workspace)
            }
        }

        @Test func anAddressOfTenMegabytesIsRefusedInFewWords() async throws {
            try await Workspace.with { workspace in
                let address = "http://localhost/" + String(repeating: "a", count: 10_000_000)
                let outcome = try await workspace.capture("--json", input: address + "\n")
                #expect(outcome.errors.count < 1_000)
                #expect(outcome.output.count < 1_000)
                #expect(try outcome.reports().first?.error?.code == "invalidAddress")
                try expectFailure(of: outcome, "10000017 characters long", in: workspace)
            }
        }

        @Test(arguments: ["http:///", "http://127.0.0.1:1/"])
        func aLongAddressThatCannotBeOpenedIsNotRepeatedInFull(beginning: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.capture(input: beginning + String(repeating: "a", count: 1_000_000))
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.utf8.count < 2_000)
                workspace.expectNoOutput()
            }
        }

        @Test(arguments: [
            ("http://no-such-host.invalid/", "No host named no-such-host.invalid was found"),
            ("http://127.0.0.1:22/", "Browsers refuse to connect on port 22"),
        ])
        func anAddressThatLeadsNowhereFails(address: String, message: String) async throws {
            try await Workspace.with { workspace in
                try expectFailure(of: try await workspace.capture(address), message, in: workspace)
            }
        }

        @Test func aPortThatNothingListensAtIsNamed() async throws {
            try await withSite { site, workspace in
                let url = site.refusedURL("/page")
                try expectFailure(
                    of: try await workspace.capture(url.absoluteString),
                    "Nothing answers at 127.0.0.1 on port \(url.port ?? 0). Check the address", in: workspace)
            }
        }

        @Test func aCertificateThatNobodySignedIsRefused() async throws {
            try await FixtureSite.runSelfSignedTLS { port in
                try await Workspace.with { workspace in
                    try expectFailure(
                        of: try await workspace.capture("https://localhost:\(port)/"),
                        "No safe connection to localhost on port \(port)", in: workspace)
                }
            }
        }

        @Test(arguments: [
            ("/redirect-loop", "leads in a circle"), ("/client-redirect-loop", "leads in a circle"),
            ("/redirect-to?url=file:///etc/passwd", "must not lead to"),
            ("/download", "is a file to download"), ("/binary", "is a file to download"),
            ("/document.pdf", "is a PDF already"), ("/no-content", "without a page"),
            ("/drop", "broke off the connection"), ("/truncated", "broke off the connection"),
        ])
        func anAnswerThatIsNoWholePageFails(path: String, message: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address(path))
                try expectFailure(of: outcome, message, in: workspace)
            }
        }

        @Test(arguments: [
            ("/stall", "did not finish loading|still waited for"), ("/stall-body", "did not finish loading|still waited for"),
            ("/stall-image", "still waited for .*/stall/picture.png"), ("/spin", "keep the browser busy"),
            ("/spin-before-load", "did not finish loading"),
        ])
        func aPageThatIsNeverReadyEndsAtItsDeadline(path: String, reason: String) async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address(path), "--timeout", "3")
                try expectFailure(of: outcome, "\(site.address(path)) was not ready within 3 s", in: workspace)
                #expect(try outcome.errors.contains(Regex(reason)), "\(outcome.errors)")
                #expect(outcome.errors.contains("allow more time"))
            }
        }

        @Test func oneBadAddressDoesNotStopTheOthers() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(
                    site.address("/drop"), site.address("/plain"), "file:///etc/passwd", "-f", "png", "--jobs", "1")
                #expect(outcome.exitCode == 2)
                #expect(outcome.errorLines.count == 2)
                #expect(outcome.lines.count == 1)
                #expect(workspace.outputNames == [site.name("/plain", "png")])
            }
        }

        @Test func aFolderThatWasThereStaysWhenNothingIsKept() async throws {
            try await Workspace.with { workspace in
                try workspace.makeFolder(workspace.output)
                let outcome = try await workspace.capture("banana")
                #expect(outcome.exitCode == 1)
                #expect(workspace.exists(workspace.output))
            }
        }

        @Test func noneOfTheFoldersThatTheRunMadeStaysWhenNothingIsKept() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.capture("banana", "-o", workspace.output + "/deep/down/")
                #expect(outcome.exitCode == 1)
                workspace.expectNoOutput()
            }
        }

        /// The run failed with one message, and left nothing.
        private func expectFailure(
            of outcome: Outcome, _ message: String, in workspace: Workspace,
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            #expect(outcome.exitCode == 1, sourceLocation: sourceLocation)
            #expect(outcome.errorLines.count == 1, "\(outcome.errors)", sourceLocation: sourceLocation)
            #expect(outcome.errors.hasPrefix("error: "), sourceLocation: sourceLocation)
            #expect(outcome.errors.contains(message), "\(outcome.errors)", sourceLocation: sourceLocation)
            workspace.expectNoOutput(sourceLocation: sourceLocation)
        }
    }
}
