import FixtureSite
import Foundation
import StoreTesting
import Subprocess
import Testing

extension ServerRuns {
    /// What programs that watch the server see of it.
    @Suite(.timeLimit(.minutes(20))) struct Metrics {
        /// Reads metrics with Prometheus' own library, and prints each sample as its name, a tab, and its value.
        private static let reader = """
            import sys
            from prometheus_client.parser import text_string_to_metric_families
            for family in text_string_to_metric_families(open(sys.argv[1]).read()):
                assert family.documentation, family
                for sample in family.samples:
                    labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
                    print(f"{sample.name}{{{labels}}}\\t{sample.value}")
            """

        private func metrics(port: Int) async throws -> [String: Double] {
            let file = FileManager.default.temporaryDirectory.appending(path: "metrics-\(UUID().uuidString)")
            try await curl(["http://127.0.0.1:\(port)/metrics"]).body.write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            // Not standardized, which would follow the link to a Python without the libraries.
            let python = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../.build/python/bin/python").path()
            let result = try await Subprocess.run(
                .name("env"), arguments: [python, "-c", Self.reader, file.path()],
                output: .string(limit: 8 << 20), error: .string(limit: 1 << 20))
            try #require(result.terminationStatus.isSuccess, "\(result.standardError)")
            var values: [String: Double] = [:]
            for line in result.standardOutput.split(separator: "\n") {
                let parts = line.split(separator: "\t")
                try #require(parts.count == 2, "\(line)")
                let value: Double = try #require(Double(String(parts[1])))
                values[String(parts[0])] = value
            }
            return values
        }

        @Test func prometheusReadsWhatAServerHasDone() async throws {
            try await withSite { site, workspace in
                let port = try freePort()
                let outcome = try await workspace.serve("--metrics-port", "\(port)") { server in
                    try await server.save(site.address("/"))
                    try await server.wait(untilSaved: 1)
                    #expect(try await server.post("/art/boards", "name=Farm").status == 303)
                    try await eventually { try await server.get("/readyz").text == "ready\n" }
                    // The delays are measured once a second.
                    let delays = ["main_actor", "event_loop"].map { "meanwhile_\($0)_delay_seconds_count{}" }
                    var values: [String: Double] = [:]
                    try await eventually {
                        values = try await metrics(port: port)
                        return delays.allSatisfy { values[$0, default: 0] > 0 }
                    }
                    func value(_ name: String) -> Double { values[name] ?? -1 }
                    #expect(value("http_server_requests_total{method=POST,route=/library/pages,status=303}") == 1)
                    #expect(value("http_server_request_duration_seconds_count{method=POST,route=/art/boards}") == 1)
                    // The tab that the test keeps open.
                    #expect(value("meanwhile_event_streams{}") == 1 && value("meanwhile_connections{}") >= 1)
                    for phase in ["starting", "loading", "settling", "rendering"] {
                        #expect(value("meanwhile_capture_phase_seconds_count{phase=\(phase)}") == 1, "\(phase)")
                    }
                    #expect(value("meanwhile_job_seconds_count{kind=capture,outcome=succeeded}") == 1)
                    for operation in ["read", "write"] {
                        #expect(value("meanwhile_database_seconds_count{operation=\(operation)}") > 0)
                        #expect(value("meanwhile_database_wait_seconds_count{operation=\(operation)}") > 0)
                    }
                    #expect(value("meanwhile_cache_lookups_total{cache=boards,outcome=hit}") >= 0)
                    #expect(value("process_resident_memory_bytes{}") > 1e6)
                    #expect(value("process_open_fds{}") > 3 && value("process_cpu_seconds_total{}") > 0)
                    #expect(value("meanwhile_build_info{version=0.1.0}") == 1)
                    // Nothing names a person, a page or a board.
                    #expect(!values.keys.contains { $0.contains("Farm") || $0.contains("127.0.0.1") })
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func waitingJobsAreCountedWithTheirAge() async throws {
            try await withSite { site, workspace in
                let port = try freePort()
                let outcome = try await workspace.serve("--no-worker", "--metrics-port", "\(port)") { server in
                    try await server.save(site.address("/"))
                    // What the database doesn't answer within two seconds is missing.
                    var before: [String: Double] = [:]
                    try await eventually {
                        before = try await metrics(port: port)
                        return before["meanwhile_jobs{lane=browser,state=waiting}"] == 1
                    }
                    let age = "meanwhile_oldest_waiting_job_seconds{lane=browser}"
                    let first = try #require(before[age])
                    #expect(first >= 0)
                    var second: Double?
                    try await eventually {
                        second = try await metrics(port: port)[age]
                        return second != nil
                    }
                    #expect(try #require(second) > first)
                }
                #expect(outcome.exitCode == 0, "\(outcome.errors)")
            }
        }

        @Test func takenMetricsPortEndsTheServer() async throws {
            try await Workspace.with { workspace in
                _ = try await workspace.serve { server in
                    let outcome = try await workspace.run([
                        Program.path, "serve", "--port", "0", "--data", workspace.root + "/other", "--metrics-port",
                        "\(server.port)",
                    ])
                    #expect(outcome.exitCode == 1)
                    #expect(outcome.errors.contains("--metrics-port"), "\(outcome.errors)")
                }
            }
        }

        /// The lines of the server, its worker and the job's process have the ID with which the server responded.
        @Test func aRequestIsFollowedThroughAllProcesses() async throws {
            try await withSite { site, workspace in
                var id = ""
                let outcome = try await workspace.serve("--log-level", "debug", "--log-format", "json") { server in
                    let answer = try await server.get(
                        "/library/pages", "--include", "--data-urlencode", "address=\(site.address("/"))", "--data",
                        "png=on", "--header", "Origin: \(server.origin)")
                    #expect(answer.status == 303)
                    let field = answer.text.split(separator: "\r\n").first {
                        $0.lowercased().hasPrefix("x-request-id:")
                    }
                    id = try #require(field?.split(separator: " ").last.map(String.init))
                    try await server.program.wait(until: "the page is saved") {
                        server.events.contains("page.png")
                    }
                }
                #expect(outcome.exitCode == 0)
                var components: [String: [String]] = [:]
                for line in outcome.errorLines {
                    let fields = try JSONDecoder().decode([String: String].self, from: Data(line.utf8))
                    #expect(
                        fields["time"]?.contains("T") == true && fields["level"] != nil && fields["message"] != nil,
                        "\(line)")
                    guard fields["request"] == id else { continue }
                    components[fields["component"] ?? "", default: []].append(fields["message"] ?? "")
                }
                #expect(components["meanwhile.server"]?.contains("Request") == true, "\(components)")
                #expect(components["meanwhile.jobs"]?.contains("A job is done") == true, "\(components)")
                #expect(components["meanwhile.job"]?.contains("A job begins") == true, "\(components)")
            }
        }
    }
}
