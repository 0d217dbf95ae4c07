import DurableFiles
import Foundation
import Futures
import PostgreSQL
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Persistence

/// The kinds of stores that the conformance suite covers.
enum StoreKind: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case memory
    case folder
    case plainFolder
    case database
    case postgreSQL
    case defaults

    /// The kinds that several processes can share.
    static let shared: [StoreKind] = [.folder, .plainFolder, .database, .postgreSQL]

    /// The kinds in which each owner has a store of their own; each store of the others is a place of its own.
    static let withOwners: [StoreKind] = [.database, .postgreSQL]

    var testDescription: String { rawValue }
}

/// The storage of one test, which several stores can open.
final class StoreFixture: Sendable {
    let kind: StoreKind
    let folder: TemporaryFolder
    private let memory = MemoryStore()

    init(_ kind: StoreKind) throws {
        self.kind = kind
        self.folder = try TemporaryFolder()
    }

    deinit {
        // Foundation writes this file to the user's configuration folder.
        guard kind == .defaults else { return }
        let suite = StoreKind.suite(at: path)
        UserDefaults().removePersistentDomain(forName: suite)
        let configuration = ProcessInfo.processInfo.environment["XDG_CONFIG_HOME"] ?? NSHomeDirectory() + "/.config"
        try? FileManager.default.removeItem(atPath: configuration + "/\(suite).plist")
    }

    /// The path of the folder of values, or of the database.
    var path: String { folder.path + "/data" }

    /// Opens a store; stores of one fixture behave like those of different processes.
    ///
    /// - Parameter owner: The owner, in a store that has owners.
    /// - Returns: The store.
    /// - Throws: ``StoreError``.
    func open(owner: OwnerID = "sam") async throws -> any Store {
        FixtureStore(fixture: self, store: kind == .memory ? memory : try await kind.open(at: path, owner: owner))
    }
}

/// A store that retains its fixture.
private struct FixtureStore: Store {
    let fixture: StoreFixture
    let store: any Store

    func read(_ key: StoreKey) async throws(StoreError) -> StoredRecord? {
        try await store.read(key)
    }

    func keys(beginningWith prefix: String) async throws(StoreError) -> [StoreKey] {
        try await store.keys(beginningWith: prefix)
    }

    func commit(_ writes: [StoreWrite]) async throws(StoreError) -> CommitResult {
        try await store.commit(writes)
    }

    func setAside(
        _ key: StoreKey, revision: Revision, reason: String
    ) async throws(StoreError) -> SetAsideRecord? {
        try await store.setAside(key, revision: revision, reason: reason)
    }

    func setAsideRecords() async throws(StoreError) -> [SetAsideRecord] {
        try await store.setAsideRecords()
    }

    func setAsideContent(of record: SetAsideRecord) async throws(StoreError) -> SetAsideContent? {
        try await store.setAsideContent(of: record)
    }

    func restore(
        _ record: SetAsideRecord, expecting expectation: StoreWrite.Expectation, reason: String
    ) async throws(StoreError) -> RestoredRecord {
        try await store.restore(record, expecting: expectation, reason: reason)
    }

    func removeSetAside(_ record: SetAsideRecord) async throws(StoreError) -> Bool {
        try await store.removeSetAside(record)
    }

    func updates() -> Updates<Set<StoreKey>> {
        store.updates()
    }
}

extension StoreKind {
    /// Opens a store of this kind; a store in memory is always a new one.
    func open(at path: String, owner: OwnerID = "sam") async throws -> any Store {
        switch self {
        case .memory: MemoryStore()
        case .folder: try Self.folderStore(at: path, .checked)
        case .plainFolder: try Self.folderStore(at: path, .plainJSON)
        case .database:
            SQLiteStore(
                database: try await AppDatabase.open(in: DataFolder.open(at: path), migrations: []), owner: owner)
        case .postgreSQL:
            SQLiteStore(
                in: try await PostgresDatabase.open(
                    ServedPostgreSQL.schema(for: path, isShared: true), limits: ServedPostgreSQL.limits,
                    migrations: SQLiteStore.postgreSQLMigrations),
                owner: owner)
        case .defaults:
            try UserDefaultsStore(suite: Self.suite(at: path), lock: path + ".lock", lockTimeout: .seconds(600))
        }
    }

    /// The suite for a path: a unique name that is valid as a file name.
    static func suite(at path: String) -> String {
        "meanwhile-tests" + path.replacing("/", with: "-")
    }

    /// Opens a folder store that waits up to ten minutes for other writers, in case the disk is slow.
    private static func folderStore(at path: String, _ style: FolderStore.Style) throws -> FolderStore {
        let folder = try DataFolder.make(at: path)
        let files = FolderFiles(path: folder.path, style: style, disk: .real, now: { Date() })
        return FolderStore(files: files, lockTimeout: .seconds(600))
    }
}

extension StoredContent {
    /// Content with a text as JSON.
    static func text(_ text: String, version: Int = 1, format: String = "text") -> StoredContent {
        let data = (try? JSONEncoder().encode(text)) ?? Data()
        return StoredContent(format: format, version: version, payload: data)
    }
}

extension StoredRecord {
    /// The record's text.
    var text: String? { try? JSONDecoder().decode(String.self, from: content.payload) }
}

extension Store {
    /// Writes a text; throws if there is a conflict.
    @discardableResult
    func put(
        _ key: StoreKey, _ text: String, version: Int = 1, expecting: StoreWrite.Expectation = .anything
    ) async throws -> Revision {
        let result = try await commit([StoreWrite(key, .text(text, version: version), expecting: expecting)])
        guard case .committed(let revisions) = result, let revision = revisions[key] else {
            throw UnexpectedConflict(result: result)
        }
        return revision
    }

    func remove(_ key: StoreKey) async throws {
        let result = try await commit([StoreWrite(key, nil)])
        guard result == .committed([:]) else { throw UnexpectedConflict(result: result) }
    }

    func text(_ key: StoreKey) async throws -> String? {
        try await read(key)?.text
    }

    /// All keys.
    var keys: [StoreKey] {
        get async throws { try await keys(beginningWith: "") }
    }

    /// Increments a number that other writers increment concurrently.
    func increment(_ key: StoreKey) async throws {
        while true {
            let record = try await read(key)
            let number = Int(record?.text ?? "0") ?? 0
            let expectation = record.map { StoreWrite.Expectation.revision($0.revision) } ?? .nothing
            let write = StoreWrite(key, .text("\(number + 1)"), expecting: expectation)
            if case .committed = try await commit([write]) { return }
        }
    }
}

struct UnexpectedConflict: Error {
    var result: CommitResult
}

extension Updates.Iterator where Element == Set<StoreKey> {
    /// Waits until changes of all these keys have been reported.
    ///
    /// - Returns: All keys that were reported by then.
    @discardableResult
    mutating func wait(for wanted: Set<StoreKey>) async -> Set<StoreKey> {
        var reported: Set<StoreKey> = []
        while !reported.isSuperset(of: wanted), let more = await next() { reported.formUnion(more) }
        return reported
    }
}
