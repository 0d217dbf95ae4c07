package import Foundation
import Logging
import ServiceLifecycle
package import Site

/// A site on a port of its own, in the process of the tests.
package struct ServedSite: Sendable {
    /// Where it listens, on loopback.
    package let port: Int
    /// The method and path of each of its routes.
    package let routes: [String]
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Starts a site, and returns when it listens.
    ///
    /// - Parameters:
    ///   - apps: The apps that its pages name.
    ///   - port: Where it listens; 0 for any port.
    ///   - origin: The public address, where there is one.
    ///   - routes: Adds the apps' routes.
    /// - Returns: The site: stop it.
    /// - Throws: Why it could not be started.
    package static func start(
        _ apps: [SiteApp], port: Int = 0, origin: URL? = nil, routes: (SiteRouter, Layout) throws -> Void
    ) async throws -> ServedSite {
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let site = try SiteServer(
            configuration: SiteConfiguration(port: port, origin: origin, apps: apps), logger: logger,
            onReady: { found.yield($0) }, routes: routes)
        let group = ServiceGroup(configuration: .init(services: [site], logger: logger))
        let running = Task {
            defer { found.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            // It has failed, or the test's time is up.
            running.cancel()
            try await running.value
            throw CancellationError()
        }
        return ServedSite(port: port, routes: site.routes, group: group, running: running)
    }

    /// Ends it as a signal does, and returns when it has ended; where the test's time limit cancels that, by force.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await withTaskCancellationHandler {
            try await running.value
        } onCancel: {
            running.cancel()
        }
    }

    /// Starts something at a port to which it can come back after it has stopped.
    ///
    /// Not one that the system gives away: another test would have it before the second start.
    ///
    /// - Parameter start: Starts it at a port; it throws if the port is taken.
    /// - Returns: What it returns.
    /// - Throws: What it throws at the last of several ports.
    package static func startAtPortOfItsOwn<Server>(
        _ start: (_ port: Int) async throws -> Server
    ) async throws -> Server {
        for _ in 0..<20 {
            if let server = try? await start(.random(in: 20_000..<32_000)) { return server }
        }
        return try await start(.random(in: 20_000..<32_000))
    }
}
