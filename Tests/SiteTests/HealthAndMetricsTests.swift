import CoreMetrics
import Foundation
import Futures
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import Persistence
import PrometheusMetrics
import Testing

@testable import Site

@Suite(.timeLimit(.minutes(10))) struct HealthAndMetricsTests {
    private struct Failure: Error {}

    private func site(
        _ configure: (inout SiteConfiguration) throws -> Void = { _ in },
        logger: Logger = .quiet
    ) throws -> some ApplicationProtocol {
        var configuration = SiteConfiguration(port: 80)
        try configure(&configuration)
        return try SiteServer(configuration: configuration, logger: logger) { router, _ in
            router.get("/things/{id}") { _, _ in RequestID.current ?? "none" }
            router.get("/fails") { _, _ -> String in throw Failure() }
        }.application()
    }

    // MARK: Health

    @Test func serverIsReadyUnlessAPartCannotWork() async throws {
        let obstacle = Lock<String?>(nil)
        let site = try site { $0.obstacle = { obstacle.withLock(\.self) } }
        try await site.test(.router) { client in
            func answer(_ path: String) async throws -> String {
                let answer = try await client.execute(uri: path, method: .get)
                #expect(answer.headers[.cacheControl] == "no-store")
                return "\(answer.status.code) \(String(buffer: answer.body))"
            }
            let ready = try await answer("/readyz")
            obstacle.withLock { $0 = "database" }
            let answers = (try await answer("/readyz"), try await answer("/healthz"))
            #expect(ready == "200 ready\n" && answers == ("503 not ready: database\n", "200 ok\n"))
        }
    }

    // MARK: Request IDs

    @Test func eachRequestHasAnIDOfItsOwn() async throws {
        try await site().test(.router) { client in
            var ids: Set<String> = []
            for _ in 0..<3 {
                let answer = try await client.execute(uri: "/things/1", method: .get)
                let id = try #require(answer.headers[.xRequestID])
                #expect(String(buffer: answer.body) == id)
                ids.insert(id)
            }
            #expect(ids.count == 3)
        }
    }

    /// Anyone else could make the log's lines look like those of another request.
    @Test(arguments: [
        (["a-B_9.0"], true), (["a b"], false), (["a", "b"], false), ([""], false), (["é"], false),
        ([String(repeating: "a", count: 64)], true), ([String(repeating: "a", count: 65)], false),
    ])
    func onlyATrustedProxyGivesIDs(given: [String], isValid: Bool) async throws {
        for isTrusted in [true, false] {
            let site = try site { $0.proxies = isTrusted ? try TrustedProxies(["127.0.0.1"]) : nil }
            try await site.test(.live) { client in
                var headers: HTTPFields = [.hostField: "127.0.0.1"]
                for id in given { headers.append(HTTPField(name: .xRequestID, value: id)) }
                let answer = try await client.execute(uri: "/things/1", method: .get, headers: headers)
                let id = try #require(answer.headers[.xRequestID])
                #expect(!id.isEmpty && (id == given[0]) == (isTrusted && isValid), "\(id)")
            }
        }
    }

    @Test func failureIsFoundInTheLogByTheIDOfTheRequest() async throws {
        let lines = Lock<[Logger.Metadata]>([])
        let logger = Logger(label: "test") { _ in RecordingLog { line in lines.withLock { $0.append(line) } } }
        try await site(logger: logger).test(.router) { client in
            let answer = try await client.execute(
                uri: "/fails", method: .get, headers: [.accept: "application/problem+json"])
            let id = try #require(answer.headers[.xRequestID])
            #expect(answer.status == .internalServerError)
            #expect(String(buffer: answer.body).contains(id))
            #expect(lines.withLock { $0.contains { $0["reference"] == "\(id)" } })
            #expect(lines.withLock { $0.contains { $0["path"] == "/fails" && $0["status"] == "500" } })
        }
    }

    // MARK: Metrics

    @Test func requestsAreCountedByRouteAndNotByWhatAClientChooses() async throws {
        let metrics = PrometheusMetrics()
        let site = try site { $0.metrics = metrics }
        try await site.test(.router) { client in
            for id in ["1", "2", "3"] {
                _ = try await client.execute(uri: "/things/\(id)?secret", method: .get)
            }
            _ = try await client.execute(uri: "/nowhere/secret", method: .get)
            _ = try await client.execute(uri: "/fails", method: .get)
            _ = try await client.execute(
                uri: "/things/1", method: try #require(HTTPRequest.Method("SECRET")),
                headers: [.xRequestedWith: "test"])
        }
        let lines = await metrics.text().split(separator: "\n")
        func count(_ method: String, _ route: String, _ status: Int) -> String {
            "http_server_requests_total{method=\"\(method)\",route=\"\(route)\",status=\"\(status)\"}"
        }
        #expect(lines.contains("\(count("GET", "/things/{id}", 200)) 3"))
        #expect(lines.contains("\(count("GET", "NotFound", 404)) 1"))
        #expect(lines.contains("\(count("GET", "/fails", 500)) 1"))
        #expect(lines.contains { $0.hasPrefix("http_server_requests_total{method=\"other\"") })
        #expect(lines.contains("http_server_active_requests 0"))
        #expect(lines.contains("meanwhile_connections 0"))
        #expect(!lines.contains { $0.lowercased().contains("secret") })
    }

    @Test func metricsAreServedToThisComputerOnly() async throws {
        let metrics = PrometheusMetrics()
        Counter(label: "cows", factory: metrics).increment()
        let started = Promise<Int, any Error>()
        let server = MetricsServer(port: 0, metrics: metrics, logger: .quiet) { started.resolve($0) }
        let running = Task { try await server.run() }
        let port = try await started.future.value
        try await Wire.connect(port: port) { wire in
            try await wire.send("GET /metrics HTTP/1.1\r\nHost: localhost:\(port)\r\n\r\n")
            let answer = try await wire.read(until: "cows_total 1\n")
            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.lowercased().contains("content-type: text/plain; version=0.0.4; charset=utf-8"))
            for host in ["page.example", "page.example:\(port)", "127.0.0.1.page.example"] {
                try await wire.send("GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                let refused = try await wire.read(until: "\r\n\r\n")
                #expect(refused.hasPrefix("HTTP/1.1 421 ") && !refused.contains("cows"), "\(refused)")
            }
        }
        let second = MetricsServer(port: port, metrics: metrics, logger: .quiet)
        let error = await #expect(throws: SiteError.self) { try await second.run() }
        #expect(error?.message.contains("--metrics-port") == true)
        running.cancel()
        try? await running.value
    }

    @Test func delaysAreMeasured() async throws {
        let metrics = PrometheusMetrics()
        let delays = DelayMetrics(metrics)
        let running = Task { await delays.run() }
        let names = ["meanwhile_main_actor_delay_seconds_count", "meanwhile_event_loop_delay_seconds_count"]
        while true {
            let lines = await metrics.text().split(separator: "\n")
            if names.allSatisfy({ name in lines.contains { $0.hasPrefix("\(name) ") && $0 != "\(name) 0" } }) { break }
            try await Stopwatch(ContinuousClock()).sleep(until: .milliseconds(10))
        }
        running.cancel()
        await running.value
    }
}

/// Gives the metadata of each line to a closure.
private struct RecordingLog: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel = Logger.Level.debug
    let record: @Sendable (Logger.Metadata) -> Void

    init(_ record: @escaping @Sendable (Logger.Metadata) -> Void) {
        self.record = record
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        record(metadata.merging(event.metadata ?? [:]) { $1 })
    }
}
