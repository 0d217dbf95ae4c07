import BrowserDriver
import Testing

extension FailingRuns {
    /// Invalid and extreme numbers and times on the command line.
    @Suite struct HostileNumbers {
        @Test(arguments: [
            "nan", "inf", "-1", "1e308", "-1e308", "9223372036854775807", "-9223372036854775808",
            "1000000000000000000000000000000", "٣", "", "275760-09-13T00:00:00Z", "-0001-01-01 00:00", "99:99",
        ])
        func extremeOptionValuesDoNotCrash(value: String) async throws {
            try await Workspace.with { workspace in
                let data = "--data=\(workspace.data)"
                let commandLines = [
                    ["coffee", "add", "espresso", "--mg=\(value)", data],
                    ["coffee", "add", "espresso", "--sip=\(value)", data],
                    ["coffee", "add", "espresso", "--at=\(value)", data],
                    ["coffee", "list", "--days=\(value)", data],
                    ["coffee", "delete", data, "--", value],
                    ["art", "delete", data, "--", value],
                    // The origin is invalid, so that no server is started.
                    ["serve", "--port=\(value)", "--origin=nowhere", data],
                    ["capture", "--timeout=\(value)", "-o", "", "http://localhost/"],
                    ["capture", "--scale=\(value)", "-o", "", "http://localhost/"],
                    ["capture", "--jobs=\(value)", "-o", "", "http://localhost/"],
                    ["capture", "--viewport=\(value)x\(value)", "-o", "", "http://localhost/"],
                ]
                for commandLine in commandLines {
                    let outcome = try await workspace.run([Program.path] + commandLine)
                    #expect([0, 1, 64].contains(outcome.exitCode), "\(commandLine): \(outcome.errors)")
                }
            }
        }
    }
}
