import Accounts
import Capture
import Futures
import Jobs
import Logging
import OfflineLibraryModel
import OfflineLibraryWeb
import Persistence
import PrometheusMetrics
import Site

/// The dependencies of the server's modules.
struct ServerServices: Sendable {
    /// How long the database may take to answer before it counts as not working.
    private static let longestAnswer = Duration.seconds(2)
    private static let logger = Logger(label: "meanwhile.database")

    let storage: Storage
    private let cluster: ServerCluster?
    let blobs: BlobStore
    let jobs: JobClient
    let accounts: SQLiteAccountStore
    let audit: AuditLog
    let sharing: SiteSharing
    let metrics = PrometheusMetrics()
    /// The library's capture options and the undo window of a deleted page.
    let library: Library.Configuration
    /// A notice for every page; `nil` for none.
    let notice: String?

    /// - Parameters:
    ///   - storage: The database and the folder.
    ///   - cluster: The other servers of the database; `nil` if there are none.
    ///   - captureTimeout: The maximum duration of a capture; `nil` for the default.
    init(_ storage: Storage, cluster: ServerCluster? = nil, captureTimeout: Duration? = nil) {
        (self.storage, self.cluster) = (storage, cluster)
        accounts = SQLiteAccountStore(in: storage.database)
        audit = AuditLog(in: storage.database)
        sharing = SiteSharing(SQLiteShareStore(in: storage.database))
        var library = Library.Configuration()
        if let captureTimeout { library.options.timeout = captureTimeout }
        library.linkPath = LibraryPages.linkPath
        library.articleStylePath = LibraryPages.articleStylePath
        self.library = library
        blobs = storage.blobs
        jobs = JobClient(storage, captureOptions: library.options, metrics: metrics)
        metrics.measure(storage)
        notice = storage.setAside.map(Self.notice)
    }

    /// The owners that use the server: all people with accounts, or else the one person without.
    func owners() async throws -> [OwnerID] {
        let owners = try await accounts.accounts().map(\.owner)
        return await here(owners.isEmpty ? [.local] : owners)
    }

    /// Those of some owners whose documents this server may open.
    func here(_ owners: [OwnerID]) async -> [OwnerID] {
        guard let cluster else { return owners }
        var here: [OwnerID] = []
        for owner in owners where await cluster.isHere(owner) { here.append(owner) }
        return here
    }

    /// Returns the name of a part that can't work now; `nil` if all can.
    func obstacle() async -> String? {
        if cluster?.isCurrent() == false { return "cluster" }
        return await Self.answer { [queue = jobs.queue] () async throws(StoreError) in try await queue.lastRevision() }
            == nil
            ? "database" : nil
    }

    /// The value that the database gives, unless it fails or takes too long.
    static func answer<Value: Sendable>(
        _ read: @escaping @Sendable () async throws(StoreError) -> Value
    ) async -> Value? {
        let answer = Future(cancelsWhenUnwanted: true) { () async throws(StoreError) in try await read() }
        let late = answer.timeout(after: longestAnswer, error: StoreError(.locked, "The database is busy."))
        do throws(StoreError) {
            return try await late.value
        } catch {
            logger.warning("The database doesn't answer", metadata: ["error": "\(error)"])
            return nil
        }
    }

    /// Returns the notice about a damaged database.
    ///
    /// - Returns: The text, for users.
    static func notice(setAside folder: String) -> String {
        CommandWords.damagedDatabase(setAside: folder)
    }
}
