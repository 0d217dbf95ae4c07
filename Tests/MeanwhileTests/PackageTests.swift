import Foundation
import Testing

extension SuccessfulRuns {
    /// The Debian package that `script/package` makes, of the program that was built with the tests.
    @Suite struct Packaging {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../")
            .standardizedFileURL.path()

        @Test func packageContainsTheProgramAndWhatBelongsToIt() async throws {
            try await Workspace.with { workspace in
                let folder = "\(workspace.root)/package"
                let made = try await workspace.run(
                    ["\(Self.root)/script/package", "--program", Program.path, "--output", folder],
                    environment: ["MEANWHILE_PACKAGE_COMPRESSION": "none"])
                let package = try #require(made.lines.last, "\(made.errors)")
                #expect(made.exitCode == 0 && package.hasSuffix(".deb"), "\(made.errors)")
                let unpacked = try await workspace.run([
                    "/usr/bin/dpkg-deb", "--raw-extract", package, "\(folder)/content",
                ])
                #expect(unpacked.exitCode == 0, "\(unpacked.errors)")
                func text(_ path: String) throws -> String {
                    try String(contentsOfFile: "\(folder)/content/\(path)", encoding: .utf8)
                }
                #expect(try text("DEBIAN/control").contains("Package: meanwhile\n"))
                // Systemd accepts the unit. It looks for the program in this computer's folders.
                let unit = try text("lib/systemd/system/meanwhile.service")
                for line in ["NoNewPrivileges=yes", "ProtectSystem=strict", "MemoryMax=8G", "User=meanwhile"] {
                    #expect(unit.contains("\n\(line)\n"), "\(line)")
                }
                try workspace.makeFile("meanwhile.service", unit.replacing("/usr/bin/meanwhile", with: "/bin/true"))
                let verified = try await workspace.run([
                    "/usr/bin/systemd-analyze", "verify", "--man=no", "\(workspace.root)/meanwhile.service",
                ])
                #expect(verified.exitCode == 0 && verified.errors.isEmpty, "\(verified.errors)")
                for script in ["postinst", "prerm", "postrm"] {
                    let checked = try await workspace.run(["/bin/sh", "-n", "\(folder)/content/DEBIAN/\(script)"])
                    #expect(checked.exitCode == 0, "\(script) \(checked.errors)")
                }
                let completion = "\(folder)/content/usr/share/bash-completion/completions/meanwhile"
                #expect(try await workspace.run(["/bin/bash", "-n", completion]).exitCode == 0)
                let pages = workspace.names(in: "\(folder)/content/usr/share/man/man1")
                #expect(pages.contains("meanwhile-user-log.1.gz") && pages.contains("meanwhile-serve.1.gz"))
                #expect(!pages.contains { $0.contains("job") }, "\(pages)")
                let list = try JSONDecoder().decode(
                    Components.self, from: Data(try text("usr/share/doc/meanwhile/sbom.cdx.json").utf8))
                #expect(list.bomFormat == "CycloneDX" && list.components.contains { $0.name == "swift-nio" })
                // The program of the package runs as another account.
                let run = try await workspace.run(
                    Program.unprivileged + ["\(folder)/content/usr/bin/meanwhile", "--version"])
                #expect(run.exitCode == 0, "\(run.errors)")
            }
        }

        private struct Components: Decodable {
            struct Component: Decodable {
                var name: String
            }

            var bomFormat: String
            var components: [Component]
        }
    }
}
