import CoffeeTrackerModel
import CoffeeTrackerWeb
import Egress
import EmojiArtModel
import EmojiArtStore
import EmojiArtWeb
import Foundation
import Futures
import Jobs
import Logging
import OfflineLibraryModel
import OfflineLibraryStore
import OfflineLibraryWeb
import Persistence
import ServiceLifecycle
import Site
import UnixSignals

/// The server with all it lives on: the one place where the apps are put together.
struct Server {
    /// How long whoever is asking may take after the end was asked for.
    private static let grace = Duration.seconds(3)
    /// How long the end may take after a signal, in seconds: the promise is 10.
    private static let exitLimit = 9.5

    private let folder: DataFolder
    private let lock: FolderLock
    private let database: Database
    private let jobs: JobClient
    private let workers: WorkerSupervisor
    private let libraries: OpenLibraries
    private let coffee: OpenDocuments<CoffeeDocument>
    private let art: ArtParts
    private let store: SQLiteLibraryStore
    private let site: SiteServer
    private let backups: BackupSchedule?
    private let isListening: AsyncStream<Void>
    private let logger = Logger(label: "meanwhile.server")

    private init(
        folder: DataFolder, lock: FolderLock, database: Database, port: Int, origin: URL?, chromium: String?,
        addressPolicy: AddressPolicy, logLevel: LogLevelName?, workers: Int, slots: JobSlots.Counts,
        backups: BackupSchedule?, limits: SiteLimits
    ) async throws {
        self.folder = folder
        self.lock = lock
        self.database = database
        self.backups = backups
        // Files that a killed server left. The folder's lock makes this the only server that uses it.
        try? FileManager.default.removeItem(atPath: folder.incoming)
        if port > 0 { try folder.write(serverPort: port) }
        let library = Library.Configuration()
        let client = JobClient(database: database, captureOptions: library.options)
        // Those of requests that a killed server was answering.
        try await client.queue.removeRequests()
        self.jobs = client
        var worker = ChildProcess.Configuration()
        worker.arguments =
            ["--data", folder.path] + addressPolicy.rules.flatMap { ["--allow", "\($0)"] }
            + (chromium.map { ["--chromium", $0] } ?? []) + (logLevel.map { ["--log-level", $0.level.rawValue] } ?? [])
            + slots.arguments + folder.budget.freeDisk.arguments
        worker.exitLimit = .seconds(6)
        // It reports from the threads of all its work, which a busy machine may hold up.
        worker.silenceLimit = .seconds(16)
        self.workers = WorkerSupervisor(count: workers, configuration: worker, queue: client.queue)
        let blobs = BlobStore(database: database, undoWindow: .seconds(library.undoWindow))
        let store = SQLiteLibraryStore(database: database, blobs: blobs, captures: client.captures)
        self.store = store
        let libraries = try await OpenLibraries { owner in
            Library(
                owner: owner, store: store,
                settings: LibrarySettings.kept(in: SQLiteStore(database: database, owner: owner)), capturer: client,
                configuration: library)
        }
        self.libraries = libraries
        let (isListening, listens) = AsyncStream.makeStream(of: Void.self)
        self.isListening = isListening
        let coffee = await OpenDocuments<CoffeeDocument> { owner in
            let parts = try await CoffeeParts(owner: owner, in: database)
            return try CoffeeDocument(data: parts.data, health: parts.health, samples: parts.samples)
        }
        self.coffee = coffee
        let art = await ArtParts(in: database, blobs: blobs, jobs: client)
        self.art = art
        let notice = database.setAside.map(Self.notice)
        let pages = try LibraryPages(libraries: libraries, notice: notice)
        let coffeePages = try CoffeePages(documents: coffee, notice: notice)
        let artPages = try ArtPages(
            documents: art.boards, store: art.store, palettes: art.palettes, fetching: art.fetching, renderer: client,
            reading: client, incoming: folder.incoming, leaving: folder.budget.freeDisk, notice: notice)
        let dataPages = try DataPages(database: database, schedule: backups)
        let jobPages = try JobPages(queue: client.queue, libraries: libraries, folder: folder.path)
        self.site = try SiteServer(
            configuration: SiteConfiguration(
                port: port, origin: origin, apps: Self.apps, dataPage: DataPages.path, limits: limits), logger: logger,
            onReady: { port in
                // A port that the system chooses is known before the first worker starts.
                try? folder.write(serverPort: port)
                Self.say("Meanwhile is at http://127.0.0.1:\(port)")
                listens.yield()
            },
            routes: { router, layout in
                pages.addRoutes(to: router, layout: layout)
                artPages.addRoutes(to: router, layout: layout)
                coffeePages.addRoutes(to: router, layout: layout)
                dataPages.addRoutes(to: router, layout: layout)
                jobPages.addRoutes(to: router, layout: layout)
            })
    }

    private static let apps = [LibraryPages.app, ArtPages.app, CoffeePages.app]

    static func notice(setAside: String) -> String {
        "The database was damaged and could not be read. It was moved, with everything that belongs to it, to \(setAside), "
            + "where nothing of it is changed, and an empty one was begun. If you have a backup, stop Meanwhile and put "
            + "the backup in its place."
    }

    /// At once, also into a pipe: somebody waits for this line.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

extension Server {
    /// Opens what is kept, and puts the server together; it does not listen yet.
    ///
    /// - Throws: ``PersistenceError``, if the folder cannot be used or another server uses it.
    static func open(
        port: Int, folder: DataFolder, origin: URL?, chromium: String?, addressPolicy: AddressPolicy,
        logLevel: LogLevelName?, workers: Int, slots: JobSlots.Counts, backups: BackupSettings?, limits: SiteLimits
    ) async throws -> Server {
        let limits = limits.fitting(descriptors: DescriptorLimit.raise(to: limits.neededDescriptors))
        let lock = try folder.lock(for: "server")
        let database = try await Database.open(in: folder, migrations: DatabaseForm.migrations)
        if let setAside = database.setAside {
            FileHandle.standardError.write(Data("warning: \(notice(setAside: setAside))\n".utf8))
        }
        let schedule = try backups.map {
            BackupSchedule(folder: try BackupFolder(at: $0.folder), interval: $0.interval, of: database)
        }
        return try await Server(
            folder: folder, lock: lock, database: database, port: port, origin: origin, chromium: chromium,
            addressPolicy: addressPolicy, logLevel: logLevel, workers: workers, slots: slots, backups: schedule,
            limits: limits)
    }

    /// Serves until it is asked to end, and leaves nothing running.
    func run() async throws {
        let forcedExit = ForcedExit.schedule(secondsAfterSignal: Self.exitLimit)
        defer { withExtendedLifetime(forcedExit) {} }
        var configuration = ServiceGroupConfiguration(
            services: [
                .init(service: site),
                // The last is ended first: what somebody waits for must end before the site waits for its readers.
                .init(
                    service: Upkeep(
                        libraries: libraries, store: store, jobs: jobs, workers: workers, coffee: coffee,
                        art: art, backups: backups, isListening: isListening)),
            ],
            gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.grace
        let outcome: Result<Void, any Error>
        do {
            try await ServiceGroup(configuration: configuration).run()
            outcome = .success(())
        } catch {
            outcome = .failure(error)
        }
        // Where the site failed, nothing has ended yet. First the waits for jobs: pages and models wait for them.
        await libraries.beginEnd()
        await jobs.follower.close()
        await libraries.end()
        await coffee.end()
        await art.end()
        database.close()
        lock.release()
        try outcome.get()
    }
}

/// Goes on with what was interrupted, tidies up every now and then, and ends what runs when the server is to end.
private struct Upkeep: Service {
    private static let pause = Duration.seconds(60)

    let libraries: OpenLibraries
    let store: SQLiteLibraryStore
    let jobs: JobClient
    let workers: WorkerSupervisor
    let coffee: OpenDocuments<CoffeeDocument>
    let art: ArtParts
    let backups: BackupSchedule?
    /// One element, as soon as the server listens.
    let isListening: AsyncStream<Void>
    private let logger = Logger(label: "meanwhile.upkeep")

    init(
        libraries: OpenLibraries, store: SQLiteLibraryStore, jobs: JobClient, workers: WorkerSupervisor,
        coffee: OpenDocuments<CoffeeDocument>, art: ArtParts, backups: BackupSchedule?, isListening: AsyncStream<Void>
    ) {
        self.libraries = libraries
        self.store = store
        self.jobs = jobs
        self.workers = workers
        self.coffee = coffee
        self.art = art
        self.backups = backups
        self.isListening = isListening
    }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            guard await isListening.first(where: { _ in true }) != nil else { return }
            await withTaskGroup { group in
                group.addTask { await workers.run() }
                await work()
                // Nothing waits for jobs any more while the workers exit.
                await endWaiting()
            }
        }
        // A service that returns before the others ends them all.
        try? await gracefulShutdown()
        await endWaiting()
    }

    private func work() async {
        await attempt("go on with what was interrupted") {
            try await libraries.resume(owners: try await store.ownersOfUnfinishedPages())
        }
        await withTaskGroup { group in
            group.addTask { await tidyUp() }
            group.addTask {
                await attempt("find the sizes of older pictures") { try await art.findPictureSizes() }
            }
            group.addTask { await refreshCoffee() }
            group.addTask { await backups?.run() }
        }
    }

    /// Ends what waits for jobs, so that pages can be answered.
    private func endWaiting() async {
        await libraries.beginEnd()
        await coffee.beginEnd()
        await art.beginEnd()
        await jobs.follower.close()
    }

    private func tidyUp() async {
        await Stopwatch(ContinuousClock()).tick(every: Self.pause) {
            await attempt("expire jobs") { try await jobs.queue.expire() }
            await attempt("tidy up") { try await libraries.tidy() }
            await coffee.tidy()
            await art.boards.tidy()
            await attempt("tidy up the boards") { try await art.store.tidy() }
        }
    }

    /// Also while nobody looks: what commands have logged is told, and what others have told is heard.
    private func refreshCoffee() async {
        await BackgroundRefresh().run {
            await attempt("refresh the drinks") {
                try await coffee.use(CoffeeParts.owner) { try await $0.refresh() }
            }
        }
    }

    private func attempt(_ what: String, _ body: () async throws -> Void) async {
        do {
            try await body()
        } catch {
            logger.error("Could not \(what)", metadata: ["error": "\(error)"])
        }
    }
}
