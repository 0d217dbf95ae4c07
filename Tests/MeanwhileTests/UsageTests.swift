import FixtureSite
import Testing

extension FailingRuns {
    /// Invalid command lines, whose errors explain how to correct them.
    @Suite struct Usage {
        @Test(arguments: [
            (["--format", "gif", "http://localhost/"], "'gif' is invalid for '--format"),
            (["--format", "", "http://localhost/"], "invalid for '--format"),
            (["-o", "-", "http://localhost/"], "choose its format"),
            (["-o", "-", "--format", "png,pdf", "http://localhost/"], "choose its format"),
            (["-o", "-", "--format", "png", "--json", "http://localhost/"], "both write to standard output"),
            (["-o", "-", "--format", "png", "http://localhost/", "http://localhost/2"], "give one address"),
            (["-o", "", "http://localhost/"], "-o takes a folder's name"),
            (["--timeout", "0", "http://localhost/"], "--timeout takes a number of seconds above 0"),
            (["--timeout", "-1", "http://localhost/"], "--timeout"),
            (["--timeout", "nan", "http://localhost/"], "--timeout takes a number of seconds above 0"),
            (["--timeout", "86401", "http://localhost/"], "a day (86400) at the most"),
            (["--timeout", "soon", "http://localhost/"], "'soon' is invalid for '--timeout"),
            (["--viewport", "100", "http://localhost/"], "'100' is invalid for '--viewport"),
            (["--viewport", "0x0", "http://localhost/"], "'0x0' is invalid for '--viewport"),
            (["--scale", "0", "http://localhost/"], "--scale takes a number above 0"),
            (["--jobs", "0", "http://localhost/"], "--jobs takes a whole number from 1 to 32"),
            (["--jobs", "33", "http://localhost/"], "--jobs takes a whole number from 1 to 32"),
            (["--jobs", "two", "http://localhost/"], "'two' is invalid for '--jobs"),
            (["--paper", "a3", "http://localhost/"], "'a3' is invalid for '--paper"),
            (["--log-level", "loud", "http://localhost/"], "'loud' is invalid for '--log-level"),
            (["--colour", "http://localhost/"], "Unknown option '--colour'"),
            (["--allow", "*.local", "http://localhost/"], "--allow: *.local cannot be allowed"),
            (["--allow", "10.0.0.1/8", "http://localhost/"], "Did you mean 10.0.0.0/8?"),
        ])
        func invalidOptionExitsWith64(arguments: [String], message: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run([Program.path, "capture"] + arguments)
                #expect(outcome.exitCode == 64)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
                #expect(workspace.names(in: workspace.root) == ["input", "tmp"])
            }
        }

        @Test(arguments: ["", "\n\n", "# only a comment\n   \n"])
        func missingAddressExitsWith64(input: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.capture(input: input)
                #expect(outcome.exitCode == 64)
                #expect(outcome.errors.contains("Standard input holds no address"))
                workspace.expectNoOutput()
            }
        }

        @Test func missingAddressOnATerminalExitsWith64WithoutWaiting() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run([
                    "/usr/bin/script", "--quiet", "--return", "--command", "'\(Program.path)' capture", "/dev/null",
                ])
                #expect(outcome.exitCode == 64)
                #expect(String(decoding: outcome.output, as: UTF8.self).contains("Give the address of a page"))
            }
        }

        @Test func twoAddressesForStandardOutputExitWith64() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.capture(
                    "-o", "-", "-f", "png", input: "http://localhost/1\nhttp://localhost/2\n")
                #expect(outcome.exitCode == 64)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains("give one address"))
            }
        }

        @Test func invalidLogLevelInTheEnvironmentExitsWith64() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.capture(
                    "http://localhost/", environment: ["MEANWHILE_LOG_LEVEL": "loud"])
                #expect(outcome.exitCode == 64)
                #expect(outcome.errors.contains("MEANWHILE_LOG_LEVEL takes one of trace"))
                workspace.expectNoOutput()
            }
        }

        @Test func helpNamesEveryExitCode() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run([Program.path, "capture", "--help"])
                #expect(outcome.exitCode == 0)
                // The lines are as wide as the terminal, if there is one.
                let help = String(decoding: outcome.output, as: UTF8.self).replacing("\n", with: " ")
                #expect(
                    help.contains(
                        "Exit codes: 0 all pages are kept, 1 none is, 2 some are, 64 wrong usage, 130 interrupted."))
            }
        }
    }
}
