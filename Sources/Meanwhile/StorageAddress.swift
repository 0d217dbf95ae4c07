import Persistence

#if PostgreSQL
    import PostgreSQL
#endif
#if S3
    import S3
#endif

/// Where the data is that isn't in the data folder.
struct StorageAddress: Sendable {
    /// A PostgreSQL database.
    struct Database: Sendable {
        let text: String
        #if PostgreSQL
            let value: PostgresAddress
        #endif
    }

    /// A bucket of an S3-compatible store.
    struct Blobs: Sendable {
        let text: String
        let objects: any BlobObjects
        /// The files of jobs, on their way between servers and workers.
        let files: any TemporaryObjects
    }

    /// The database; `nil` if it is in the folder.
    private(set) var database: Database?
    /// The contents of pages and pictures; `nil` if they are only in the folder.
    private(set) var blobs: Blobs?

    /// Everything is in the folder.
    init() {}

    /// Checks the addresses.
    ///
    /// - Parameters:
    ///   - database: The address of a database, which begins with `postgres://`; `nil` or empty for none.
    ///   - blobs: The address of a bucket, which begins with `s3://`; `nil` or empty for none.
    ///   - environment: The variables with the access key of the bucket.
    /// - Throws: ``StoreError`` if one is invalid, or if this program was built without it.
    init(database: String?, blobs: String?, environment: [String: String]) throws(StoreError) {
        if let database, !database.isEmpty {
            #if PostgreSQL
                self.database = Database(text: database, value: try PostgresAddress(database))
            #else
                throw StoreError(.invalidName, CommandWords.without(CommandWords.postgreSQL))
            #endif
        }
        if let blobs, !blobs.isEmpty {
            #if S3
                let client = S3Client(
                    try S3Address(blobs), credentials: try S3Credentials(environment: environment))
                self.blobs = Blobs(text: blobs, objects: S3Blobs(client), files: S3Files(client))
            #else
                throw StoreError(.invalidName, CommandWords.without(CommandWords.s3))
            #endif
        }
    }
}
