import Accounts
import DurableFiles
import Egress
import Foundation
import Jobs
import Logging
import Persistence
import ServiceLifecycle
import Site
import UnixSignals

/// The server and all that it runs: the one place where the apps are assembled.
struct Server {
    /// How long requests may take to finish after a shutdown has begun.
    private static let grace = Duration.seconds(3)
    /// How long a shutdown may take after a signal, in seconds; the documented limit is 10.
    private static let exitLimit = 9.5

    /// The folder's lock; `nil` if several servers may use the folder.
    private let lock: FileLock?
    /// The other servers of the database; `nil` if there can't be any.
    private let cluster: ServerCluster?
    private let storage: Storage
    private let modules: SiteModules
    private let certificate: SiteCertificate?
    let site: SiteServer
    /// The server of the metrics; `nil` if none is wanted.
    private let metrics: MetricsServer?
    private let logger = Logger(label: "meanwhile.server")

    private init(
        lock: FileLock?, storage: Storage, cluster: ServerCluster?, address: StorageAddress, reach: ServerReach,
        signIn: SiteSignIn,
        chromium: String?, addressPolicy: AddressPolicy, logArguments: [String], workers: Int,
        slots: JobSlots.Counts,
        captureTimeout: Duration?, backups: BackupSchedule?, limits: SiteLimits, metricsPort: Int?
    ) async throws {
        (self.lock, self.storage, self.cluster) = (lock, storage, cluster)
        let folder = storage.folder
        // Remove files that a killed server left behind. The folder's lock ensures that no other server uses them.
        if lock != nil { try? FileManager.default.removeItem(atPath: storage.incoming) }
        certificate = reach.certificate
        let (host, port) = (reach.host, reach.port)
        if port > 0 { try folder.write(serverPort: port) }
        let services = ServerServices(storage, cluster: cluster, captureTimeout: captureTimeout)
        // Remove the jobs of requests that a killed server was answering. Those of one among several servers are removed when
        // they are old.
        if lock != nil { try await services.jobs.queue.removeJobsOfRequests() }
        var worker = ChildProcess.Configuration()
        worker.arguments =
            ["--data", folder.path] + addressPolicy.rules.flatMap { ["--allow", "\($0)"] }
            + (chromium.map { ["--chromium", $0] } ?? []) + logArguments
            + slots.arguments + folder.budget.freeDisk.arguments
        worker.environment = StorageOptions.environment(of: address)
        worker.exitLimit = .seconds(6)
        // The worker reports from the threads that run its work, which a busy machine may delay.
        worker.silenceLimit = .seconds(16)
        let library = try await LibraryModule(services)
        let metrics = services.metrics
        let art = try await ArtModule(services)
        let modules = SiteModules([
            library, art, try await CoffeeModule(services),
            try DataPages(storage, schedule: backups), AuditModule(services.audit),
            MetricsModule(services, boards: art.cacheLookups),
            // Last, because the apps wait for jobs.
            JobsModule(
                services.jobs,
                workers: WorkerSupervisor(count: workers, configuration: worker, queue: services.jobs.queue),
                pages: try JobPages(
                    queue: services.jobs.queue, libraries: library.libraries, folder: folder.path)),
        ])
        self.modules = modules
        var configuration = SiteConfiguration(
            host: host, port: port, origin: reach.origin, apps: modules.apps, dataPage: DataPages.path, limits: limits,
            signIn: signIn, sharing: services.sharing)
        (configuration.certificate, configuration.proxies) = (reach.certificate, reach.proxies)
        configuration.audit = services.audit
        configuration.metrics = metrics
        configuration.forwarding = cluster?.forwarding
        configuration.obstacle = { await services.obstacle() }
        configuration.auditedRoutes = AuditModule.routes
        let logger = logger
        self.metrics = metricsPort.map { MetricsServer(port: $0, metrics: metrics, logger: logger) }
        self.site = try SiteServer(
            configuration: configuration,
            logger: logger, home: modules,
            onReady: { port in
                // Workers start afterwards, and so know a port that the system has chosen.
                try? folder.write(serverPort: port)
                if let address = reach.address(listeningOn: port) { await cluster?.setAddress(address) }
                // Written unbuffered, even to a pipe: other programs wait for this line.
                FileHandle.standardOutput.write(
                    Data("\(CommandWords.isReady(at: host, port: port, isSecure: reach.certificate != nil))\n".utf8))
                modules.begin()
            },
            routes: modules.addRoutes)
    }
}

extension Server {
    /// Opens the database and assembles the server; it doesn't listen yet.
    ///
    /// - Throws: ``StoreError`` if the folder can't be used or another server uses it.
    static func open(
        reach: ServerReach, folder: DataFolder, chromium: String?,
        addressPolicy: AddressPolicy, logArguments: [String], workers: Int, slots: JobSlots.Counts,
        captureTimeout: Duration?,
        backups: BackupSettings?, limits: SiteLimits, metricsPort: Int? = nil,
        address: StorageAddress = StorageAddress()
    ) async throws -> Server {
        let limits = limits.fitting(descriptors: DescriptorLimit.raise(to: limits.neededDescriptors))
        let lock = address.database == nil ? try folder.lock(for: "server") : nil
        var storage = try await Storage.open(in: folder, at: address)
        if address.database != nil { storage.useOwnIncomingFolder() }
        let signIn = try await signIn(in: storage, reach)
        if let setAside = storage.setAside {
            let warning = CommandWords.warning(ServerServices.notice(setAside: setAside))
            FileHandle.standardError.write(Data("\(warning)\n".utf8))
        }
        var schedule: BackupSchedule?
        if let backups, let sqlite = storage.sqlite {
            schedule = BackupSchedule(
                folder: try BackupFolder(at: backups.folder), interval: backups.interval, of: sqlite)
        }
        let cluster = try await ServerCluster.join(storage)
        do {
            return try await Server(
                lock: lock, storage: storage, cluster: cluster, address: address, reach: reach, signIn: signIn,
                chromium: chromium, addressPolicy: addressPolicy, logArguments: logArguments, workers: workers,
                slots: slots, captureTimeout: captureTimeout, backups: schedule, limits: limits,
                metricsPort: metricsPort)
        } catch {
            await cluster?.leave()
            throw error
        }
    }

    /// The accounts of the database.
    ///
    /// - Throws: ``SiteError`` if others could reach the server and there are no accounts.
    private static func signIn(
        in storage: Storage, _ reach: ServerReach
    ) async throws -> SiteSignIn {
        let store = SQLiteAccountStore(in: storage.database)
        let (host, origin) = (reach.host, reach.origin)
        let isLoopback = ["127.0.0.1", "::1", "localhost"].contains(host)
        let isRequired = !isLoopback || origin != nil && !reach.trustsProxy
        if isRequired, try await store.isEmpty() {
            throw Refusal(
                isLoopback
                    ? CommandWords.originNeedsAccounts(origin?.absoluteString ?? "")
                    : CommandWords.listenNeedsAccounts(host))
        }
        if !isLoopback, reach.certificate == nil, origin?.scheme?.lowercased() != "https" {
            let warning = CommandWords.warning(CommandWords.passwordsInTheClear(host))
            FileHandle.standardError.write(Data("\(warning)\n".utf8))
        }
        return SiteSignIn(SignIn(store: store), isRequired: isRequired, provider: reach.provider)
    }

    /// Serves until a signal or an error stops the server, then ends all its work.
    func run() async throws {
        // With a certificate, SIGHUP lets the server read the files again.
        let endingSignals: [UnixSignal] = [.sigterm, .sigint] + (certificate == nil ? [.sighup] : [])
        let forcedExit = ForcedExit.schedule(secondsAfterSignal: Self.exitLimit, endingSignals.map(\.number))
        defer { withExtendedLifetime(forcedExit) {} }
        var configuration = ServiceGroupConfiguration(
            // The last that is shut down: until then, the others must not take over.
            services: (cluster.map { [.init(service: $0)] } ?? [])
                + (certificate.map { [.init(service: CertificateReloading(certificate: $0))] } ?? [])
                + (metrics.map { [.init(service: $0)] } ?? []) + [
                    .init(service: site),
                    // Services are shut down last to first: the modules end the work that requests wait for, before the
                    // site waits for its requests.
                    .init(service: modules),
                ],
            gracefulShutdownSignals: endingSignals,
            logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.grace
        let outcome: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        await close()
        try outcome.get()
    }

    /// Ends all work, and closes the database.
    func close() async {
        await modules.shutDown()
        await cluster?.leave()
        storage.close()
        if cluster != nil { try? FileManager.default.removeItem(atPath: storage.incoming) }
        lock?.release()
    }
}
