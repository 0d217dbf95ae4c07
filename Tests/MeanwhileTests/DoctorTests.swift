import FakeProvider
import Foundation
import StoreTesting
import Testing

@testable import Meanwhile

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

extension FailingRuns {
    /// `meanwhile doctor`, with each fault that it finds.
    @Suite struct Doctor {
        /// A browser that exits at once, so that only one test waits for a real one.
        private static let noBrowser = ["--chromium", "/bin/false"]

        private func doctor(
            _ workspace: Workspace, _ arguments: [String] = noBrowser, environment: [String: String] = [:],
            wrapper: [String] = []
        ) async throws -> (code: CInt?, checks: [String: DoctorReport.Check]) {
            let outcome = try await workspace.run(
                wrapper + [Program.path, "doctor", "--json", "--data", workspace.data] + arguments,
                environment: environment)
            let report = try JSONDecoder().decode(Decoded.self, from: outcome.output)
            #expect(report.version == 1 && outcome.lines.count == 1)
            return (outcome.exitCode, Dictionary(report.checks.map { ($0.id, $0) }) { first, _ in first })
        }

        private struct Decoded: Decodable {
            var version: Int
            var checks: [DoctorReport.Check]
        }

        /// Creates a database by a command.
        private func makeDatabase(_ workspace: Workspace) async throws {
            let made = try await workspace.run([Program.path, "art", "list", "--data", workspace.data])
            #expect(made.exitCode == 0, "\(made.errors)")
        }

        @Test func computerThatRunsTheTestsIsFine() async throws {
            try await Workspace.with { workspace in
                let found = try await doctor(workspace, [])
                let faults = found.checks.values.filter { $0.state == .fault }
                #expect(faults.isEmpty, "\(faults)")
                #expect(found.checks["chromium"]?.finding.contains("hrom") == true)
                #expect(found.checks["sandbox"]?.state == .good)
                #expect(found.checks["fonts-cjk"]?.state == .good && found.checks["fonts-emoji"]?.state == .good)
                // A missing data folder isn't created.
                #expect(!workspace.exists(workspace.data))
                try await makeDatabase(workspace)
                let text = try await workspace.run(
                    [Program.path, "doctor", "--data", workspace.data] + Self.noBrowser)
                #expect(text.exitCode == 1)
                #expect(text.lines.contains { $0.hasPrefix("ok      database: ") })
                #expect(text.lines.contains { $0.hasPrefix("wrong   chromium: ") })
                #expect(text.lines.contains { $0.hasPrefix("        → apt-get install --reinstall chromium") })
            }
        }

        @Test func browserThatIsMissingOrCannotUseItsSandboxIsFound() async throws {
            try await Workspace.with { workspace in
                let missing = try await doctor(workspace, ["--chromium", "/nonexistent"])
                #expect(missing.code == 1 && missing.checks["chromium"]?.remedy == "apt-get install chromium")
                let program = try workspace.makeProgram("unsandboxed", "echo 'No usable sandbox!' >&2; exit 1")
                let refused = try await doctor(workspace, ["--chromium", program])
                #expect(refused.code == 1 && refused.checks["sandbox"]?.state == .fault)
                #expect(refused.checks["sandbox"]?.remedy?.contains("unprivileged_userns_clone") == true)
            }
        }

        /// A wrapper that runs a command in a folder with the same content as the root folder, except for some folders.
        private func chroot(_ workspace: Workspace, without omitted: String) throws -> [String] {
            let script = """
                root=$1 omitted=$2; shift 2
                mount --make-rprivate / || exit 3
                for path in /*; do
                    if [ -L "$path" ]; then cp -P "$path" "$root$path"
                    elif [ -d "$path" ] && [ "$path" != "$omitted" ]; then
                        mkdir "$root$path" && mount --rbind "$path" "$root$path" || exit 3
                    fi
                done
                exec chroot "$root" "$@"
                """
            let root = "\(workspace.root)/root"
            try workspace.makeFolder(root)
            return ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh", root, omitted]
        }

        @Test(.enabled(if: geteuid() == 0, "Only root can change the root folder."))
        func chrootIsFoundAsTheReasonWhyPagesCannotBeSandboxed() async throws {
            try await Workspace.with { workspace in
                let found = try await doctor(workspace, [], wrapper: try chroot(workspace, without: "/nothing"))
                #expect(found.code == 1 && found.checks["sandbox"]?.state == .fault, "\(found.checks)")
                #expect(found.checks["sandbox"]?.finding.contains("doesn't create in a chroot") == true)
                #expect(found.checks["sandbox"]?.remedy == "apt-get install chromium-sandbox, in the chroot")
                #expect(found.checks["chromium"]?.state == .good)
            }
        }

        @Test(.enabled(if: geteuid() == 0, "Only root can change the root folder."))
        func missingProcessFolderIsReported() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run(
                    try chroot(workspace, without: "/proc") + [Program.path, "doctor", "--data", workspace.data])
                #expect(outcome.exitCode == 1 && outcome.errors.contains("mount -t proc proc /proc"), "\(outcome)")
                #expect(outcome.output.isEmpty)
            }
        }

        @Test func missingFontsAreFound() async throws {
            try await Workspace.with { workspace in
                try workspace.makeFolder("\(workspace.root)/bin")
                let environment = ["PATH": "\(workspace.root)/bin"]
                let unknown = try await doctor(workspace, environment: environment)
                #expect(unknown.checks["fonts"]?.state == .warning)
                _ = try workspace.makeProgram("bin/fc-list", "[ \"$1\" = :lang=zh ] || echo 'Emoji,Emoji Two'")
                let found = try await doctor(workspace, environment: environment)
                #expect(found.checks["fonts-cjk"]?.state == .fault)
                #expect(found.checks["fonts-cjk"]?.remedy == "apt-get install fonts-wqy-microhei")
                #expect(found.checks["fonts-emoji"]?.finding == "Emoji")
            }
        }

        @Test(arguments: [0, 4_096, 20_000])
        func damagedDatabaseIsFoundAndNotChanged(offset: Int) async throws {
            try await Workspace.with { workspace in
                try await makeDatabase(workspace)
                let file = "\(workspace.data)/meanwhile.sqlite"
                for log in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + log) }
                let handle = try #require(FileHandle(forUpdatingAtPath: file))
                try handle.seek(toOffset: UInt64(offset))
                try handle.write(contentsOf: Data(repeating: 0xA5, count: 30_000))
                try handle.close()
                let before = try Data(contentsOf: URL(filePath: file))
                let found = try await doctor(workspace)
                #expect(found.code == 1 && found.checks["database"]?.state == .fault)
                #expect(found.checks["database"]?.remedy?.contains("meanwhile restore") == true)
                #expect(try Data(contentsOf: URL(filePath: file)) == before)
            }
        }

        @Test func databaseOfANewerVersionIsFound() async throws {
            try await Workspace.with { workspace in
                try await makeDatabase(workspace)
                _ = try await workspace.sqlite("INSERT INTO grdb_migrations VALUES ('library.999')")
                let found = try await doctor(workspace)
                #expect(found.checks["database"]?.state == .fault)
                #expect(found.checks["database"]?.finding.contains("newer version") == true)
            }
        }

        @Test func fullDiskIsFound() async throws {
            try await Workspace.with { workspace in
                let found = try await doctor(workspace, environment: ["MEANWHILE_FREE_DISK": "8000000GB"])
                #expect(found.code == 1 && found.checks["disk"]?.state == .fault)
            }
        }

        @Test func folderThatCannotBeWrittenIsFound() async throws {
            try await Workspace.with { workspace in
                // A folder of another account, which may not be written.
                try workspace.makeFolder(workspace.data, mode: 0o755)
                let found = try await doctor(workspace, wrapper: Program.unprivileged)
                #expect(found.code == 1 && found.checks["data"]?.state == .fault)
                #expect(found.checks["data"]?.remedy?.contains("--data") == true)
            }
        }

        @Test func temporaryFolderThatCannotBeWrittenIsFound() async throws {
            try await Workspace.with { workspace in
                let found = try await doctor(workspace, environment: ["TMPDIR": "\(workspace.root)/none"])
                #expect(found.checks["temporary"]?.state == .fault)
                #expect(found.checks["temporary"]?.remedy?.contains("TMPDIR") == true)
            }
        }

        @Test func clockThatWasSetBackIsFound() async throws {
            try await Workspace.with { workspace in
                try await makeDatabase(workspace)
                try FileManager.default.setAttributes(
                    [.modificationDate: Date() + 30 * 24 * 3_600], ofItemAtPath: "\(workspace.data)/meanwhile.sqlite")
                let found = try await doctor(workspace)
                #expect(
                    found.checks["clock"]?.state == .fault
                        && found.checks["clock"]?.remedy == "timedatectl set-ntp true")
            }
        }

        @Test func lowLimitOfDescriptorsIsFound() async throws {
            try await Workspace.with { workspace in
                let found = try await doctor(
                    workspace, wrapper: ["/bin/sh", "-c", "ulimit -n 512; exec \"$@\"", "sh"])
                #expect(found.checks["descriptors"]?.state == .warning)
                #expect(found.checks["descriptors"]?.remedy?.contains("ulimit -n") == true)
            }
        }

        @Test(arguments: [
            (["--origin", "pages.example.com"], "proxy", DoctorReport.State.fault),
            (["--origin", "http://pages.example.com"], "proxy", .warning), (["--trust-proxy"], "proxy", .warning),
            (["--listen", "0.0.0.0"], "proxy", .warning), (["--listen", "0.0.0.0"], "accounts", .fault),
            (["--origin", "https://pages.example.com"], "proxy", .good),
            (["--origin", "https://pages.example.com"], "accounts", .fault), ([], "proxy", .good),
        ])
        func reachableServerIsChecked(options: [String], id: String, state: DoctorReport.State) async throws {
            try await Workspace.with { workspace in
                let found = try await doctor(workspace, Self.noBrowser + options)
                #expect(found.checks[id]?.state == state, "\(found.checks)")
                #expect(!workspace.exists(workspace.data))
            }
        }

        @Test func providerIsAskedAsTheServerAsksIt() async throws {
            try await Workspace.with { workspace in
                func check(_ options: String...) async throws -> (code: CInt?, check: DoctorReport.Check?) {
                    let found = try await doctor(workspace, Self.noBrowser + options)
                    return (found.code, found.checks["openid"])
                }
                #expect(try await check().check == nil)
                #expect(try await check("--openid-client", "a").check?.remedy?.contains("--openid-issuer") == true)
                try await FakeProvider.run { provider in
                    let options = ["--openid-issuer", provider.issuer, "--openid-client", "site"]
                    func check(_ more: String...) async throws -> DoctorReport.Check? {
                        try await doctor(workspace, Self.noBrowser + options + more).checks["openid"]
                    }
                    #expect(try await check()?.state == .good)
                    let unreadable = try await check("--openid-secret-file", "\(workspace.root)/none")
                    #expect(unreadable?.state == .fault && unreadable?.remedy?.contains("--openid-secret-file") == true)
                    // Another name, as of a proxy in front.
                    provider.answer { $0.document = ["issuer": "https://id.example.com"] }
                    let other = try await check()
                    #expect(
                        other?.state == .fault && other?.finding.contains("another address") == true, "\(other as Any)")
                    #expect(other?.remedy?.contains("\(provider.issuer)/.well-known/openid-configuration") == true)
                    provider.answer { $0.document = ["token_endpoint": nil] }
                    #expect(try await check()?.finding.contains("token_endpoint") == true)
                    provider.answer { $0.document = [:] }
                    provider.answer { $0.keys = "nothing" }
                    #expect(try await check()?.state == .fault)
                }
                let port = try freePort()
                let gone = try await check("--openid-issuer", "http://127.0.0.1:\(port)", "--openid-client", "site")
                #expect(gone.code == 1 && gone.check?.finding.contains("can't be reached") == true)
                #expect(gone.check?.remedy?.contains("curl --verbose http://127.0.0.1:\(port)/.well-known/") == true)
            }
        }

        @Test func certificateOfTheServerIsChecked() async throws {
            try await Workspace.with { workspace in
                func check(_ name: String, _ options: String...) async throws -> [String: DoctorReport.Check] {
                    let files = [
                        "--certificate", "\(workspace.root)/\(name).pem", "--key", "\(workspace.root)/\(name).key",
                    ]
                    return try await doctor(workspace, Self.noBrowser + files + options).checks
                }
                _ = try await workspace.makeCertificate("long", days: 90)
                let good = try await check("long", "--listen", "0.0.0.0")
                #expect(good["certificate"]?.state == .good && good["proxy"]?.state == .good, "\(good)")
                _ = try await workspace.makeCertificate("short", days: 2)
                #expect(try await check("short")["certificate"]?.state == .warning)
                let missing = try await check("none")
                #expect(missing["certificate"]?.state == .fault)
                #expect(missing["certificate"]?.remedy?.contains("--certificate FILE --key FILE") == true)
                let half = try await doctor(workspace, Self.noBrowser + ["--key", "\(workspace.root)/long.key"])
                #expect(half.checks["certificate"]?.state == .fault)
                let listening = try await doctor(
                    workspace, Self.noBrowser,
                    environment: [
                        "MEANWHILE_CERTIFICATE": "\(workspace.root)/long.pem",
                        "MEANWHILE_KEY": "\(workspace.root)/short.key",
                    ])
                #expect(listening.checks["certificate"]?.state == .fault)
            }
        }
    }
}
