import Accounts
import CoffeeTrackerStore
import EmojiArtStore
import HealthSamples
import Jobs
import OfflineLibraryStore
import Persistence

#if PostgreSQL
    import PostgreSQL
#endif

/// The schema of a data folder's database, shared by the server and all commands.
enum DatabaseSchema {
    static let migrations =
        LibraryMigrations.all + SQLiteSampleStore.migrations + CoffeeMigrations.all + BoardMigrations.all
        + SQLiteJobQueue.migrations + SQLiteAccountStore.migrations + AuditLog.migrations
        + SQLiteShareStore.migrations

    #if PostgreSQL
        /// The schema in PostgreSQL, which several servers share.
        static let postgreSQLMigrations =
            BlobStore.postgreSQLMigrations + SQLiteStore.postgreSQLMigrations + LibraryMigrations.postgreSQL
            + SQLiteSampleStore.postgreSQLMigrations + CoffeeMigrations.postgreSQL + BoardMigrations.postgreSQL
            + SQLiteJobQueue.postgreSQLMigrations + SQLiteAccountStore.postgreSQLMigrations
            + ClusterMember.migrations
    #endif
}
