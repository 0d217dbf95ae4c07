import Logging
import ServiceLifecycle
package import Site

/// A site on a port of its own, in the process of the tests.
package struct ServedSite: Sendable {
    /// Where it listens, on loopback.
    package let port: Int
    private let group: ServiceGroup
    private let running: Task<Void, any Error>

    /// Starts a site, and returns when it listens.
    ///
    /// - Parameters:
    ///   - apps: The apps that its pages name.
    ///   - port: Where it listens; 0 for any port.
    ///   - routes: Adds the apps' routes.
    /// - Returns: The site: stop it.
    /// - Throws: Why it could not be started.
    package static func start(
        _ apps: [SiteApp], port: Int = 0, routes: (SiteRouter, Layout) throws -> Void
    ) async throws -> ServedSite {
        let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let site = try SiteServer(
            configuration: SiteConfiguration(port: port, apps: apps), logger: logger,
            onReady: { found.yield($0) }, routes: routes)
        let group = ServiceGroup(configuration: .init(services: [site], logger: logger))
        let running = Task {
            defer { found.finish() }
            try await group.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await running.value
            throw CancellationError()
        }
        return ServedSite(port: port, group: group, running: running)
    }

    /// Ends it as a signal does, and returns when it has ended.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await running.value
    }
}
