import CoffeeTrackerStore
import EmojiArtStore
import HealthSamples
import Jobs
import OfflineLibraryStore
import Persistence

/// What the database of a data folder looks like, to the server and to every command.
enum DatabaseForm {
    static let migrations =
        LibraryMigrations.all + SQLiteSampleStore.migrations + CoffeeMigrations.all + BoardMigrations.all
        + SQLiteJobQueue.migrations
}
