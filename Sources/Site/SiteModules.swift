import Futures
import Logging
public import ServiceLifecycle

/// Runs the modules of a site beside its server, as a service.
///
/// They begin when the server listens. At a graceful shutdown what requests wait for ends first, so that the server can answer them;
/// ``shutDown()`` ends the rest, after the server.
public struct SiteModules: Service {
    private static let pause = Duration.seconds(60)

    private let modules: [any SiteModule]
    private let isListening = Promise<Void, any Error>()
    private let logger = Logger(label: "meanwhile.modules")

    /// Creates the service.
    ///
    /// - Parameter modules: The modules; each may use those after it until they have ended.
    public init(_ modules: [any SiteModule]) {
        self.modules = modules
    }
}

extension SiteModules {
    /// The apps among them, in their order.
    public var apps: [SiteApp] { modules.compactMap(\.app) }

    /// Adds the routes of all.
    public func addRoutes(to router: SiteRouter, layout: Layout) {
        for module in modules { module.addRoutes(to: router, layout: layout) }
    }

    /// Lets them begin their work: the server listens.
    public func begin() {
        isListening.resolve(())
    }

    /// Runs them until the task is cancelled, or shut down gracefully.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            guard (try? await isListening.future.value) != nil else { return }
            await withTaskGroup { group in
                for module in modules { group.addTask { await module.run() } }
                await tidyUp()
                // At once, and not when the last has ended its work: requests wait for this.
                await beginShutdown()
            }
        }
        // A service that returns before the others ends them all.
        try? await gracefulShutdown()
        await beginShutdown()
    }

    /// Ends all of them, and returns when they have ended.
    public func shutDown() async {
        // Where the server failed, nothing has ended yet.
        await beginShutdown()
        for module in modules { await module.shutDown() }
    }

    private func tidyUp() async {
        await Stopwatch(ContinuousClock()).tick(every: Self.pause) {
            for module in modules {
                do {
                    try await module.tidy()
                } catch {
                    logger.error("Could not tidy up", metadata: ["module": "\(type(of: module))", "error": "\(error)"])
                }
            }
        }
    }

    private func beginShutdown() async {
        for module in modules { await module.beginShutdown() }
    }
}
