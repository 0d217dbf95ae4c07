import FixtureSite
import Foundation
import Testing

extension SuccessfulRuns {
    /// The command `meanwhile verify` with files of saved pages.
    @Suite struct VerifiedPages {
        private func verify(_ workspace: Workspace, _ arguments: String...) async throws -> Outcome {
            try await workspace.run([Program.path, "verify"] + arguments)
        }

        @Test func filesOfACaptureAreCompleteUntilTheyAreDamaged() async throws {
            try await withSite { site, workspace in
                #expect(try await workspace.capture(site.address("/redirected-resources")).exitCode == 0)
                let files = site.names("/redirected-resources").map { "\(workspace.output)/\($0)" }
                let sound = try await workspace.run([Program.path, "verify"] + files)
                #expect(sound.exitCode == 0, "\(sound.errors)")
                for file in files { #expect(sound.lines.contains("\(file): complete")) }
                #expect(sound.lines.contains("It looks like its picture."))
                for file in files where !file.hasSuffix(".pdf") {
                    var data = try Data(contentsOf: URL(filePath: file))
                    if file.hasSuffix(".webarchive") {
                        data = data.prefix(data.count / 2)
                    } else {
                        data[data.count / 3] ^= 1
                    }
                    try data.write(to: URL(filePath: file))
                    let damaged = try await verify(workspace, file)
                    #expect(damaged.exitCode == 1)
                    #expect(damaged.lines.first == "\(file): damaged")
                }
            }
        }

        @Test func missingPartsOfAPageAreListed() async throws {
            try await withSite { site, workspace in
                _ = try await workspace.capture(site.address("/missing-resources"), "-f", "webarchive")
                let file = "\(workspace.output)/\(site.name("/missing-resources", "webarchive"))"
                let partial = try await verify(workspace, file)
                #expect(partial.exitCode == 2, "\(partial.errors)")
                #expect(partial.lines.first == "\(file): partial")
                #expect(partial.lines.contains("missing: \(site.address("/missing/absent.png"))"))
                let json = try await verify(workspace, file, "--json")
                #expect(json.exitCode == 2 && json.lines.count == 1)
                #expect(json.lines.first?.contains(#""outcome":"partial""#) == true)
            }
        }

        @Test func fileThatIsNoPageIsAnError() async throws {
            try await Workspace.with { workspace in
                try workspace.makeFile("page.wacz", "not a page")
                for name in ["page.wacz", "none.png"] {
                    let outcome = try await verify(workspace, "\(workspace.root)/\(name)")
                    #expect(outcome.exitCode == 1 && outcome.lines.isEmpty && outcome.errorLines.count == 1)
                }
            }
        }
    }
}
