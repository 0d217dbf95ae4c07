import EmojiArtModel
import Foundation
import Futures
import GRDB
import MemoryStores
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import EmojiArtStore

extension ManualDate {
    /// 14 March 2026, 12:00 in Vienna.
    static var board: ManualDate { ManualDate(Date(timeIntervalSince1970: 1_773_486_000)) }
}

extension BoardPolicy {
    /// A policy with small limits, so that a few batches reach them.
    static var small: BoardPolicy {
        var policy = BoardPolicy()
        policy.logEntries = 20
        policy.snapshotEntries = 5
        return policy
    }
}

/// The stores that must behave alike.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite, postgreSQL

    /// Creates an empty store.
    func fixture(policy: BoardPolicy = .small) async throws -> StoreFixture {
        switch self {
        case .memory:
            let time = ManualDate.board
            return StoreFixture(store: MemoryBoardStore(now: { time.now }, policy: policy), time: time)
        case .sqlite: return try await SQLiteFixture(policy: policy).fixture
        case .postgreSQL: return try await SQLiteFixture(.postgreSQL, policy: policy).fixture
        }
    }
}

/// A store with its clock; `sqlite` is `nil` for a store that isn't in SQLite.
struct StoreFixture: Sendable {
    let store: any BoardStoring
    let time: ManualDate
    var sqlite: SQLiteFixture?
}

/// A store in a temporary folder.
final class SQLiteFixture: Sendable {
    private let folder: TemporaryFolder
    private let kind: DatabaseKind
    let time = ManualDate.board
    let policy: BoardPolicy
    let database: any SQLDatabase
    let store: SQLiteBoardStore

    init(_ kind: DatabaseKind = .sqlite, policy: BoardPolicy = .small) async throws {
        self.kind = kind
        self.policy = policy
        self.folder = try TemporaryFolder()
        self.database = try await kind.open(folder)
        self.store = try Self.store(in: database, folder, time, policy)
    }

    var path: String { folder.path }

    var fixture: StoreFixture { StoreFixture(store: store, time: time, sqlite: kind == .sqlite ? self : nil) }

    static func open(_ path: String) async throws -> AppDatabase {
        try await AppDatabase.open(in: DataFolder.open(at: path), migrations: BoardMigrations.all)
    }

    private static func store(
        in database: any SQLDatabase, _ folder: TemporaryFolder, _ time: ManualDate, _ policy: BoardPolicy,
        step: @escaping @Sendable (BoardStep) -> Void = { _ in }
    ) throws -> SQLiteBoardStore {
        // The closure retains the folder for as long as the store.
        let now: @Sendable () -> Date = { withExtendedLifetime(folder) { time.now } }
        let blobs = BlobStore(in: database, folder: try DataFolder.open(at: folder.path), now: now)
        return SQLiteBoardStore(in: database, blobs: blobs, now: now, policy: policy, step: step)
    }

    /// Creates another store in the same database, which calls `step` at each step of a transaction.
    func store(step: @escaping @Sendable (BoardStep) -> Void) throws -> SQLiteBoardStore {
        try Self.store(in: database, folder, time, policy, step: step)
    }

    /// Opens the store as another process would, or this one after a restart.
    func openAnother(
        policy: BoardPolicy? = nil
    ) async throws -> (store: SQLiteBoardStore, database: any SQLDatabase) {
        let database = try await kind.open(folder)
        return (try Self.store(in: database, folder, time, policy ?? self.policy), database)
    }

    /// The numbers that a query returns.
    func numbers(_ sql: String) async throws -> [Int] {
        try await database.readRows { try $0.values(sql) }
    }

    /// Changes rows with SQL, without using the store.
    func changeRows(_ sql: String) async throws {
        try await database.writeRows(locking: []) { connection in
            if connection.dialect == .sqlite { return try connection.sqlite.execute(sql: sql) }
            for statement in sql.split(separator: ";") { try connection.execute(String(statement)) }
        }
    }

    /// The reference count of each blob.
    var references: [Int] {
        get async throws { try await numbers(#"SELECT "references" FROM blob ORDER BY 1"#) }
    }

    /// The number of blob files, including staged ones.
    var fileCount: Int {
        let names = FileManager.default.enumerator(atPath: path + "/blobs")?.compactMap { $0 as? String } ?? []
        return names.count { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(path)/blobs/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}

extension DatabaseKind {
    fileprivate func open(_ folder: TemporaryFolder) async throws -> any SQLDatabase {
        try await open(
            in: folder.path, BoardMigrations.all, BlobStore.postgreSQLMigrations + BoardMigrations.postgreSQL)
    }
}

/// The error that the operation throws; `nil` if it succeeds.
func error(_ operation: () async throws -> Void) async -> BoardStoreError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? BoardStoreError ?? .failed("another error: \(error)")
    }
}
