import OfflineLibraryModel
import Persistence

/// What the modules of the server are built from.
struct ServerServices: Sendable {
    let database: AppDatabase
    let blobs: BlobStore
    let jobs: JobClient
    /// How the library captures, and for how long a deleted page can be restored.
    let library: Library.Configuration
    /// What every page shows; `nil` for nothing.
    let notice: String?

    init(database: AppDatabase) {
        self.database = database
        library = Library.Configuration()
        blobs = BlobStore(database: database, undoWindow: .seconds(library.undoWindow))
        jobs = JobClient(database: database, captureOptions: library.options)
        notice = database.setAside.map(Self.notice)
    }

    /// What people are told about a damaged database.
    ///
    /// - Returns: The text.
    static func notice(setAside folder: String) -> String {
        "The database was damaged and could not be read. It was moved, with everything that belongs to it, to \(folder), "
            + "where nothing of it is changed, and an empty one was begun. If you have a backup, stop Meanwhile and put "
            + "the backup in its place."
    }
}
