import Accounts
import Capture
import OfflineLibraryModel
import OfflineLibraryWeb
import Persistence
import Site

/// The dependencies of the server's modules.
struct ServerServices: Sendable {
    let database: AppDatabase
    let blobs: BlobStore
    let jobs: JobClient
    let accounts: SQLiteAccountStore
    let audit: AuditLog
    let sharing: SiteSharing
    /// The library's capture options and the undo window of a deleted page.
    let library: Library.Configuration
    /// A notice for every page; `nil` for none.
    let notice: String?

    /// - Parameters:
    ///   - database: The database.
    ///   - captureTimeout: The maximum duration of a capture; `nil` for the default.
    init(database: AppDatabase, captureTimeout: Duration? = nil) {
        self.database = database
        accounts = SQLiteAccountStore(database: database)
        audit = AuditLog(database: database)
        sharing = SiteSharing(SQLiteShareStore(database: database))
        var library = Library.Configuration()
        if let captureTimeout { library.options.timeout = captureTimeout }
        library.linkPath = LibraryPages.linkPath
        library.articleStylePath = LibraryPages.articleStylePath
        self.library = library
        blobs = BlobStore(database: database, undoWindow: .seconds(library.undoWindow))
        jobs = JobClient(database: database, captureOptions: library.options)
        notice = database.setAside.map(Self.notice)
    }

    /// The owners that use the server: all people with accounts, or else the one person without.
    func owners() async throws -> [OwnerID] {
        let owners = try await accounts.accounts().map(\.owner)
        return owners.isEmpty ? [.local] : owners
    }

    /// Returns the notice about a damaged database.
    ///
    /// - Returns: The text, for users.
    static func notice(setAside folder: String) -> String {
        CommandWords.damagedDatabase(setAside: folder)
    }
}
