package import Foundation
import Logging
import ServiceLifecycle
package import Site

/// A site on a port of its own, in the test process.
package struct ServedSite: Sendable {
    /// The port on loopback.
    package let port: Int
    /// The method and path of each of its routes.
    package let routes: [String]
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Starts a site, and returns once it listens.
    ///
    /// - Parameters:
    ///   - apps: The apps that its pages name.
    ///   - port: The port to listen on; 0 for any port.
    ///   - origin: The public address, if any.
    ///   - shutdownTimeout: The longest time of a graceful shutdown; `nil` for the usual one.
    ///   - routes: Adds the apps' routes.
    /// - Returns: The site, which the caller must stop.
    /// - Throws: The error of a site that can't be started.
    package static func start(
        _ apps: [SiteApp], port: Int = 0, origin: URL? = nil, shutdownTimeout: Duration? = nil,
        routes: (SiteRouter, Layout) throws -> Void
    ) async throws -> ServedSite {
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
        var configuration = SiteConfiguration(port: port, origin: origin, apps: apps)
        // A busy machine may take long to send a request.
        configuration.limits.requestTimeout = .seconds(600)
        if let shutdownTimeout { configuration.limits.shutdownTimeout = shutdownTimeout }
        let site = try SiteServer(
            configuration: configuration, logger: logger,
            onReady: { continuation.yield($0) }, routes: routes)
        let group = ServiceGroup(configuration: .init(services: [site], logger: logger))
        let running = Task {
            defer { continuation.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            // The site has failed, or the test's time limit has cancelled this task.
            running.cancel()
            try await running.value
            throw CancellationError()
        }
        return ServedSite(port: port, routes: site.routes, group: group, running: running)
    }

    /// Shuts the site down gracefully, as a signal does, or by force if the test's time limit cancels the task.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            running.cancel()
        }
    }

    /// Starts a server on a port to which it can return after it has stopped.
    ///
    /// The port isn't one that the system assigns, because another test could be assigned it before the second start.
    ///
    /// - Parameter start: Starts the server on a port; throws if the port is taken.
    /// - Returns: The server.
    /// - Throws: The error of the last attempt.
    package static func startAtPortOfItsOwn<Server>(
        _ start: (_ port: Int) async throws -> Server
    ) async throws -> Server {
        for _ in 0..<20 {
            if let server = try? await start(.random(in: 20_000..<32_000)) { return server }
        }
        return try await start(.random(in: 20_000..<32_000))
    }
}
