import Accounts
import Egress
import Persistence
import Site

@testable import Meanwhile

extension Server {
    /// Opens a server without workers, whose requests a test sends to its router.
    static func openWithoutWorkers(
        in folder: DataFolder, provider: SiteProvider? = nil, backups: BackupSettings? = nil
    ) async throws -> Server {
        try await open(
            reach: ServerReach(port: 80, provider: provider), folder: folder, chromium: nil, addressPolicy: .publicOnly,
            logArguments: [],
            workers: 0, slots: JobSlots.Counts(browser: 1, other: 1), captureTimeout: nil, backups: backups,
            limits: SiteLimits())
    }
}

extension SignIn {
    /// The accounts of a database, with passwords that are cheap to check.
    init(cheaplyIn database: AppDatabase) {
        self.init(
            store: SQLiteAccountStore(database: database),
            hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)))
    }
}
