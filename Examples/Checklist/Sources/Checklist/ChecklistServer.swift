import ChecklistModel
import ChecklistWeb
import DurableFiles
import Logging
import Persistence
import ServiceLifecycle
import Site
import UnixSignals

/// The server and all that it runs: the one place where the app is assembled.
enum ChecklistServer {
    /// Serves the app while a closure runs.
    ///
    /// - Parameters:
    ///   - folder: The data folder, which only one server may use at a time.
    ///   - port: The port on loopback; 0 for any free port.
    ///   - signals: The signals that end the server; they cancel the closure.
    ///   - body: Receives the port as soon as the server listens.
    /// - Throws: `StoreError` or `SiteError` if the server can't be started, or the closure's error.
    static func run(
        in folder: DataFolder, port: Int, until signals: [UnixSignal] = [],
        _ body: @escaping @Sendable (_ port: Int) async throws -> Void
    ) async throws {
        let logger = Logger(label: "checklist")
        let lock = try folder.lock(for: "server")
        let database = try await AppDatabase.open(in: folder, migrations: [])
        if let damaged = database.setAside {
            logger.warning("The database was damaged, and is now in \(damaged). An empty one was created.")
        }
        let modules = SiteModules([
            try await ChecklistModule { owner in ChecklistData(in: SQLiteStore(database: database, owner: owner)) }
        ])
        let (ports, listening) = AsyncStream.makeStream(of: Int.self)
        let site = try SiteServer(
            configuration: SiteConfiguration(port: port, apps: modules.apps), logger: logger,
            onReady: { port in
                modules.begin()
                listening.yield(port)
            },
            routes: modules.addRoutes)
        let closure = ListeningClosure(ports: ports, body: body)
        var configuration = ServiceGroupConfiguration(
            services: [
                // Services are shut down last to first.
                .init(service: site),
                .init(service: modules),
                .init(service: closure, successTerminationBehavior: .gracefullyShutdownGroup),
            ],
            gracefulShutdownSignals: signals, logger: logger)
        configuration.maximumGracefulShutdownDuration = .seconds(3)
        let outcome: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await modules.shutDown()
        database.close()
        lock.release()
        try outcome.get()
    }
}

/// Runs a closure once the server listens; a shutdown cancels it.
private struct ListeningClosure: Service {
    let ports: AsyncStream<Int>
    let body: @Sendable (_ port: Int) async throws -> Void

    func run() async throws {
        try await cancelWhenGracefulShutdown {
            if let port = await ports.first(where: { _ in true }) { try await body(port) }
        }
    }
}
