import Foundation
import S3
import ServedPostgreSQL
import ServedS3
import StoreTesting
import Testing

@testable import Persistence

/// Runs each test of a suite in each kind of database: its fixture reads ``kind``.
struct EachDatabase: SuiteTrait, TestTrait, TestScoping {
    @TaskLocal static var kind = DatabaseKind.sqlite
    /// Whether the blobs of the test are objects of S3.
    @TaskLocal static var hasObjects = false
    /// Whether the test depends on SQLite and on files, and so runs only there.
    var isSQLite = false
    /// Whether the test also runs with objects of S3.
    var isOfBlobs = false

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        if isSQLite {
            if Self.kind == .sqlite, !Self.hasObjects { try await function() }
            return
        }
        for kind in DatabaseKind.allCases {
            for hasObjects in isOfBlobs ? [false, true] : [false] {
                try await Self.$kind.withValue(kind) {
                    try await Self.$hasObjects.withValue(hasObjects) { try await function() }
                }
            }
        }
    }
}

extension Trait where Self == EachDatabase {
    /// Runs the tests in each kind of database.
    static var eachDatabase: Self { EachDatabase() }
    /// Runs the tests in each kind of database, both with files and with objects of S3.
    static var eachBlobStore: Self { EachDatabase(isOfBlobs: true) }
    /// Runs a test of such a suite only in SQLite, and with files.
    static var onlySQLite: Self { EachDatabase(isSQLite: true) }
}

extension TemporaryFolder {
    /// A database of the kind that ``EachDatabase`` runs the test in, whose blobs are in the data folder.
    func anyDatabase(
        _ migrations: [AppDatabase.Migration] = [], _ postgreSQL: [SQLMigration] = []
    ) async throws -> any SQLDatabase {
        try await EachDatabase.kind.open(in: data.path, migrations, BlobStore.postgreSQLMigrations + postgreSQL)
    }
}

extension TemporaryFolder {
    /// The objects of the data folder's blobs, if the test runs with objects.
    var objects: S3Blobs? {
        get async throws {
            guard EachDatabase.hasObjects else { return nil }
            return S3Blobs(try await s3)
        }
    }

    /// A client of the part of the bucket that belongs to this folder.
    var s3: S3Client {
        get async throws {
            let prefix = URL(filePath: path).lastPathComponent
            return S3Client(
                try await ServedS3.seaweedFS.address(prefix: prefix), credentials: ServedS3.credentials,
                settings: ServedS3.settings)
        }
    }

    /// The blobs of a database, whose contents are in the data folder or are objects, as the test demands.
    func blobs(
        in database: any SQLDatabase, undoWindow: Duration = .seconds(600), now: @escaping @Sendable () -> Date
    ) async throws -> BlobStore {
        BlobStore(
            in: database, folder: try data, objects: try await objects, limits: BlobCacheLimits(listingInterval: .zero),
            undoWindow: undoWindow, now: now)
    }

    /// The IDs of all objects of blobs.
    var objectIDs: [String] {
        get async throws {
            try await s3.list().objects.filter { $0.key.contains("/") }.map { String($0.key.suffix(64)) }.sorted()
        }
    }

    /// Replaces the content of a blob, wherever it is stored.
    func damage(_ id: BlobStore.ID, _ data: Data) async throws {
        let path = "\(try self.data.blobsPath)/\(id.description.prefix(2))/\(id)"
        try data.write(to: URL(filePath: path))
        try await objects?.put(id, file: path, byteCount: data.count)
    }
}
