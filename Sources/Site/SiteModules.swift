import Futures
import Logging
import Persistence
public import ServiceLifecycle

/// A service that runs the site's modules alongside its server.
///
/// The modules begin their work when the server listens. A graceful shutdown first ends the work that requests wait
/// for, so that the server can answer them; ``shutDown()`` ends the rest after the server has stopped.
public struct SiteModules: Service {
    private static let pause = Duration.seconds(60)

    private let modules: [any SiteModule]
    private let isListening = Promise<Void, any Error>()
    /// Lets one request at a time add or remove sample data: a removal during an addition would leave a part of it.
    private let sampleChanges = ConcurrencyLimiter<any Error>(
        limit: 1, cancelled: CancellationError(), closed: CancellationError())
    private let logger = Logger(label: "meanwhile.modules")

    /// Creates the service.
    ///
    /// - Parameter modules: The modules; each may use those after it, which shut down later.
    public init(_ modules: [any SiteModule]) {
        self.modules = modules
    }
}

extension SiteModules: CustomStringConvertible {
    /// A short name: a `ServiceGroup` describes each of its services at once.
    public var description: String { "SiteModules" }
}

extension SiteModules {
    /// The modules' apps, in order.
    public var apps: [SiteApp] { modules.compactMap(\.app) }

    /// The kinds of things that can be shared.
    var shareableKinds: [ShareableKind] { modules.flatMap(\.shareableKinds) }

    /// Adds the routes of all modules.
    public func addRoutes(to router: SiteRouter, layout: Layout) {
        for module in modules { module.addRoutes(to: router, layout: layout) }
    }

    /// What an owner's home page shows of each app, by the app's path; without the apps whose state can't be read.
    func overviews(of owner: OwnerID) async -> [String: AppOverview] {
        var overviews: [String: AppOverview] = [:]
        for module in modules {
            guard let app = module.app else { continue }
            do {
                overviews[app.path] = try await module.overview(of: owner)
            } catch {
                logger.error("Could not read an app's state", metadata: ["app": "\(app.name)", "error": "\(error)"])
            }
        }
        return overviews
    }

    /// Starts the modules' background work; call it when the server listens.
    public func begin() {
        isListening.resolve(())
    }

    /// Runs the modules until the task is cancelled or shut down gracefully.
    public func run() async throws {
        await cancelWhenGracefulShutdown {
            guard (try? await isListening.future.value) != nil else { return }
            await withTaskGroup { group in
                for module in modules { group.addTask { await module.run() } }
                await tidyUp()
                // Begin now and not when the last module has finished, because requests wait for this.
                await beginShutdown()
            }
        }
        // If a service returned before the others, the service group would end them all.
        try? await gracefulShutdown()
        await beginShutdown()
    }

    /// Shuts down all modules, and returns when they have ended.
    public func shutDown() async {
        // If the server failed, the shutdown hasn't begun yet.
        await beginShutdown()
        for module in modules { await module.shutDown() }
    }

    private func tidyUp() async {
        await Stopwatch(ContinuousClock()).tick(every: Self.pause) {
            for module in modules {
                do {
                    try await module.tidy()
                } catch {
                    logger.error("Cleanup failed", metadata: ["module": "\(type(of: module))", "error": "\(error)"])
                }
            }
        }
    }

    private func beginShutdown() async {
        for module in modules { await module.beginShutdown() }
    }
}

// MARK: - Sample data

extension SiteModules {
    /// Whether there is sample data.
    enum SampleState {
        /// No module has sample data to add, or none of the modules' states could be read.
        case unavailable
        case absent
        /// At least one module's sample data was added.
        case present
    }

    /// A list of the sample data of all modules: “a saved page, a board, three drinks”.
    func sampleSummary(of owner: OwnerID) -> String {
        samples(of: owner).map(\.summary).joined(separator: ", ")
    }

    private func samples(of owner: OwnerID) -> [any SampleData] { modules.compactMap { $0.samples(of: owner) } }

    /// Reads whether an owner has sample data.
    func sampleState(of owner: OwnerID) async -> SampleState {
        var state = SampleState.unavailable
        for samples in samples(of: owner) {
            do {
                if try await samples.isPresent { return .present }
                state = .absent
            } catch {
                logger.error("Could not look for sample data", metadata: ["error": "\(error)"])
            }
        }
        return state
    }

    /// Adds an owner's sample data to all modules that lack it.
    func addSamples(of owner: OwnerID) async throws {
        try await sampleChanges.run { () async throws in
            for samples in samples(of: owner) { try await samples.add() }
        }
    }

    /// Removes an owner's sample data from all modules.
    func removeSamples(of owner: OwnerID) async throws {
        try await sampleChanges.run { () async throws in
            for samples in samples(of: owner) { try await samples.remove() }
        }
    }
}
