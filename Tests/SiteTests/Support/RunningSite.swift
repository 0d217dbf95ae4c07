import Logging
import ServiceLifecycle
import Site

/// A site that runs on a real port during a test.
struct RunningSite: Sendable {
    let port: Int
    private let group: ServiceGroup
    private let ended: AsyncStream<Void>

    /// Adds a test's routes.
    typealias Routes = @Sendable (SiteRouter) throws -> Void

    /// Starts a site, runs the body, and shuts the site down gracefully; if the body throws, cancels the site.
    static func run<R>(
        _ configuration: SiteConfiguration = SiteConfiguration(port: 0),
        routes: Routes = { _ in },
        _ body: (RunningSite) async throws -> R
    ) async throws -> R {
        var configuration = configuration
        // A busy machine may take long to send a request; a test of this limit sets another one.
        if configuration.limits.requestTimeout == SiteLimits().requestTimeout {
            configuration.limits.requestTimeout = .seconds(600)
        }
        let (ports, portFound) = AsyncStream.makeStream(of: Int.self)
        let (ended, end) = AsyncStream.makeStream(of: Void.self)
        let server = try SiteServer(
            configuration: configuration, logger: .quiet,
            onReady: { port in
                portFound.yield(port)
                portFound.finish()
            },
            routes: { router, _ in try routes(router) })
        let group = ServiceGroup(services: [server], logger: .quiet)
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer {
                    portFound.finish()
                    end.finish()
                }
                try await group.run()
            }
            defer { tasks.cancelAll() }
            guard let port = await ports.first(where: { _ in true }) else {
                try await tasks.next()
                throw Unexpected("the site ended before it listened")
            }
            let result = try await body(RunningSite(port: port, group: group, ended: ended))
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }

    /// Begins a graceful shutdown, and returns when the site has ended.
    func shutDown() async {
        await group.triggerGracefulShutdown()
        for await _ in ended {}
    }
}

extension RunningSite {
    /// Sends a request on a new connection, and returns the whole response.
    func send(_ method: String = "GET", _ path: String = "/", _ fields: [String], body: String = "") async throws
        -> String
    {
        try await Wire.connect(port: port) { wire in
            let lines = ["\(method) \(path) HTTP/1.1", "Connection: close"] + fields
            let length = body.isEmpty && method == "GET" ? [] : ["Content-Length: \(body.utf8.count)"]
            try await wire.send((lines + length + ["", body]).joined(separator: "\r\n"))
            return try await wire.readAll()
        }
    }

    /// The header field `Host` with the correct value.
    var host: String { "Host: 127.0.0.1:\(port)" }
}

/// An unexpected outcome in a test.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

extension Logger {
    /// Logs nothing.
    static let quiet = Logger(label: "SiteTests") { _ in SwiftLogNoOpLogHandler() }
}
