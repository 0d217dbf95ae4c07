import EmojiArtModel
import Foundation
import Futures
import GRDB
import MemoryStores
import Persistence
import StoreTesting
import Testing

@testable import EmojiArtStore

extension ManualDate {
    /// 14 March 2026, 12:00 in Vienna.
    static var board: ManualDate { ManualDate(Date(timeIntervalSince1970: 1_773_486_000)) }
}

extension BoardPolicy {
    /// One by which a few batches do what thousands do otherwise.
    static var small: BoardPolicy {
        var policy = BoardPolicy()
        policy.logEntries = 20
        policy.snapshotEntries = 5
        return policy
    }
}

/// The stores that all behave alike.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite

    /// A new store, and nothing in it.
    func place(policy: BoardPolicy = .small) async throws -> StorePlace {
        switch self {
        case .memory:
            let time = ManualDate.board
            return StorePlace(store: MemoryBoardStore(now: { time.now }, policy: policy), time: time)
        case .sqlite: return try await SQLitePlace(policy: policy).place
        }
    }
}

/// A store, and what a test does to it.
struct StorePlace: Sendable {
    let store: any BoardStoring
    let time: ManualDate
    var folder: SQLitePlace?
}

/// A store in a temporary folder.
final class SQLitePlace: Sendable {
    private let folder: TemporaryFolder
    let time = ManualDate.board
    let policy: BoardPolicy
    let database: AppDatabase
    let store: SQLiteBoardStore

    init(policy: BoardPolicy = .small) async throws {
        self.policy = policy
        self.folder = try TemporaryFolder()
        self.database = try await Self.open(folder.path)
        self.store = Self.store(in: database, folder, time, policy)
    }

    var path: String { folder.path }

    var place: StorePlace { StorePlace(store: store, time: time, folder: self) }

    static func open(_ path: String) async throws -> AppDatabase {
        try await AppDatabase.open(in: DataFolder.open(at: path), migrations: BoardMigrations.all)
    }

    private static func store(
        in database: AppDatabase, _ folder: TemporaryFolder, _ time: ManualDate, _ policy: BoardPolicy
    ) -> SQLiteBoardStore {
        // The store keeps its folder.
        let now: @Sendable () -> Date = { withExtendedLifetime(folder) { time.now } }
        return SQLiteBoardStore(
            database: database, blobs: BlobStore(database: database, now: now), now: now, policy: policy)
    }

    /// The store of another process, or of this one after a restart.
    func another(
        policy: BoardPolicy? = nil
    ) async throws -> (store: SQLiteBoardStore, database: AppDatabase) {
        let database = try await Self.open(path)
        return (Self.store(in: database, folder, time, policy ?? self.policy), database)
    }

    /// What a statement finds.
    func numbers(_ sql: String) async throws -> [Int] {
        try await database.read { try Int.fetchAll($0, sql: sql) }
    }

    /// Does something to the rows behind the store's back.
    func meddle(_ sql: String) async throws {
        try await database.write { try $0.execute(sql: sql) }
    }

    /// How often each blob is referred to.
    var references: [Int] {
        get async throws { try await numbers(#"SELECT "references" FROM blob ORDER BY 1"#) }
    }

    /// How many files of blobs there are, those that wait to be kept too.
    var fileCount: Int {
        let names = FileManager.default.enumerator(atPath: path + "/blobs")?.compactMap { $0 as? String } ?? []
        return names.count { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(path)/blobs/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }
}

/// What is thrown; `nil` if nothing is.
func error(_ operation: () async throws -> Void) async -> BoardStoreError? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? BoardStoreError ?? .failed("another error: \(error)")
    }
}
