import FixtureSite
import Foundation
import Testing

extension FailingRuns {
    /// Addresses without a page, and pages that never load.
    @Suite struct BadAddresses {
        @Test(arguments: [
            ("banana", "banana isn't a web address"), ("example.org", "Did you mean https://example.org ?"),
            ("two words", "contains spaces"), ("http://", "contains no server name"),
            ("http:///page", "contains no server name"),
            ("file:///etc/passwd", "file: addresses aren't web addresses"),
            ("javascript:alert(1)", "javascript: addresses aren't web addresses"),
            ("chrome://version", "chrome: addresses aren't web addresses"),
            ("data:text/html,hello", "data: addresses aren't web addresses"),
            ("about:blank", "about: addresses aren't web addresses"),
            ("view-source:http://localhost/", "view-source: addresses aren't web addresses"),
            ("ftp://localhost/", "ftp: addresses aren't web addresses"),
        ])
        func nonWebAddressIsRefused(address: String, message: String) async throws {
            try await Workspace.with { workspace in
                // No Chromium could open it: the program must reject the address first.
                let outcome = try await workspace.capture(address, "--chromium", "/nonexistent")
                try expectFailure(of: outcome, message, in: workspace)
            }
        }

        @Test func hugeAddressIsRefusedWithAShortMessage() async throws {
            try await Workspace.with { workspace in
                let address = "http://localhost/" + String(repeating: "a", count: 10_000_000)
                let outcome = try await workspace.capture("--json", input: address + "\n")
                #expect(outcome.errors.count < 1_000)
                #expect(try outcome.reports().first?.error?.code == "invalidAddress")
                try expectFailure(of: outcome, "too long: it has 10000017 bytes", in: workspace)
            }
        }

        @Test(arguments: ["http:///", "http://127.0.0.1:1/"])
        func longAddressIsNotRepeatedInFull(beginning: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.capture(input: beginning + String(repeating: "a", count: 1_000_000))
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.utf8.count < 2_000)
                workspace.expectNoOutput()
            }
        }

        @Test(arguments: [
            ("http://no-such-host.invalid/", "The server no-such-host.invalid wasn't found"),
            ("http://127.0.0.1:22/", "Browsers don't connect to 127.0.0.1 on port 22"),
        ])
        func unknownHostOrBlockedPortFails(address: String, message: String) async throws {
            try await Workspace.with { workspace in
                try expectFailure(of: try await workspace.capture(address), message, in: workspace)
            }
        }

        @Test func localAddressIsRefusedWithTheAllowOption() async throws {
            try await withSite { site, workspace in
                let words = "--allow 127.0.0.1:\(site.port)"
                let refused = try await workspace.capture(
                    site.address("/plain"), "--json", environment: ["MEANWHILE_ALLOW": ""])
                #expect(try refused.reports().first?.error?.code == "addressRefused")
                try expectFailure(of: refused, words, in: workspace)
                #expect(site.requests.isEmpty)
                let allowed = try await workspace.capture(
                    site.address("/plain"), "--allow", "127.0.0.1:\(site.port)", environment: ["MEANWHILE_ALLOW": ""])
                #expect(allowed.exitCode == 0)
            }
        }

        @Test func refusedConnectionNamesThePort() async throws {
            try await withSite { site, workspace in
                let url = site.refusedURL("/page")
                try expectFailure(
                    of: try await workspace.capture(url.absoluteString),
                    "127.0.0.1 refused the connection on port \(url.port ?? 0). Check the address", in: workspace)
            }
        }

        @Test func selfSignedCertificateIsRefused() async throws {
            try await FixtureSite.runSelfSignedTLS { port in
                try await Workspace.with { workspace in
                    try expectFailure(
                        of: try await workspace.capture("https://localhost:\(port)/"),
                        "Can't connect securely to localhost on port \(port)", in: workspace)
                }
            }
        }

        @Test func responseWithoutACompletePageFails() async throws {
            try await expectFailures(
                [
                    "/redirect-loop": ("tooManyRedirects", "redirects too many times"),
                    "/client-redirect-loop": ("tooManyRedirects", "redirects too many times"),
                    "/redirect-to?url=file:///etc/passwd": ("blocked", "address that browsers don't allow"),
                    "/download": ("download", "is a file to download"),
                    "/binary": ("download", "is a file to download"),
                    "/document.pdf": ("download", "is a PDF, not a web page"),
                    "/no-content": ("noPage", "without a page"),
                    "/drop": ("connectionFailed", "closed the connection before its response was complete"),
                    "/truncated": ("connectionFailed", "closed the connection before its response was complete"),
                ], "--jobs", "3")
        }

        @Test func pageWithStalledResponsesFailsAtItsDeadline() async throws {
            // How far the page loads in that time depends on the machine.
            let late =
                "ready within 4 s: (it didn't finish loading|it was still waiting for .*). Try again, or allow more time. "
                + "For more time, use --timeout 8"
            try await expectFailures(
                [
                    "/stall": ("timedOut", late), "/stall-body": ("timedOut", late), "/stall-image": ("timedOut", late),
                ], "--timeout", "4", "--jobs", "3")
        }

        // Each runs alone, because a spinning script slows down other tests on two processors.
        @Test(arguments: [
            // Whether its document or its scripts are late depends on timing.
            ("/spin", "4", "(it loaded, but its scripts.*|it didn't finish loading|it was still waiting for http.*)"),
            ("/spin-before-load", "2", "(it didn't finish loading|it was still waiting for http.*)"),
        ])
        func pageWithAnEndlessScriptFailsAtItsDeadline(path: String, limit: String, reason: String) async throws {
            try await expectFailures(
                [path: ("timedOut", "ready within \(limit) s: \(reason). Try again, or allow more time")],
                "--timeout", limit)
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

        @Test func existingOutputFolderStaysAfterAFailedRun() async throws {
            try await Workspace.with { workspace in
                try workspace.makeFolder(workspace.output)
                let outcome = try await workspace.capture("banana")
                #expect(outcome.exitCode == 1)
                #expect(workspace.exists(workspace.output))
            }
        }

        @Test(arguments: ["out/deep/down", "out/deep/down/", "./out/../out/deep//down", "out"])
        func createdFoldersAreRemovedAfterAFailedRun(folder: String) async throws {
            try await Workspace.with { workspace in
                for path in ["\(workspace.root)/\(folder)", folder] {
                    let outcome = try await workspace.capture("banana", "-o", path)
                    #expect(outcome.exitCode == 1)
                    #expect(workspace.names(in: workspace.root) == ["input", "tmp"], "-o \(path)")
                }
            }
        }

        @Test func nonEmptyOutputFolderStaysAfterAFailedRun() async throws {
            try await withSite { site, workspace in
                let outcome = try await workspace.capture(site.address("/stall")) { program in
                    try await program.waitForRequest("/stall", of: site)
                    try workspace.makeFile("out/mine")
                    try kill(#require(workspace.chromium))
                }
                #expect(outcome.exitCode == 1)
                #expect(workspace.outputNames == ["mine"])
            }
        }

        /// Captures pages, expects each to fail with its code and message, and expects no output.
        private func expectFailures(
            _ expected: [String: (code: String, message: String)], _ options: String...,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            try await withSite(sourceLocation: sourceLocation) { site, workspace in
                let addresses = expected.keys.map(site.address)
                let outcome = try await workspace.capture(all: ["--json"] + options + addresses)
                #expect(outcome.exitCode == 1, sourceLocation: sourceLocation)
                let reports = try Dictionary(uniqueKeysWithValues: outcome.reports().map { ($0.address, $0.error) })
                #expect(outcome.errorLines.count == expected.count, sourceLocation: sourceLocation)
                for (path, (code, message)) in expected {
                    let error = reports[site.address(path)] ?? nil
                    #expect(error?.code == code, "\(path)", sourceLocation: sourceLocation)
                    let actual = error?.message ?? ""
                    let isAsExpected = try actual.contains(Regex(message))
                    #expect(isAsExpected, "\(path): \(actual)", sourceLocation: sourceLocation)
                    #expect(outcome.errorLines.contains("error: \(actual)"), sourceLocation: sourceLocation)
                }
                workspace.expectNoOutput(sourceLocation: sourceLocation)
            }
        }

        /// Expects a run that failed with one message and left no output.
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
