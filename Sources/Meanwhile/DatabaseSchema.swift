import Accounts
import CoffeeTrackerStore
import EmojiArtStore
import HealthSamples
import Jobs
import OfflineLibraryStore
import Persistence

/// The schema of a data folder's database, shared by the server and all commands.
enum DatabaseSchema {
    static let migrations =
        LibraryMigrations.all + SQLiteSampleStore.migrations + CoffeeMigrations.all + BoardMigrations.all
        + SQLiteJobQueue.migrations + SQLiteAccountStore.migrations + AuditLog.migrations
        + SQLiteShareStore.migrations
}
