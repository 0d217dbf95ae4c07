import Foundation
import Futures
import GRDB
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import HealthSamples

/// The stores that must pass the conformance suite.
enum SampleStoreKind: String, CaseIterable, Codable, Sendable, CustomTestStringConvertible {
    case memory
    case database
    case postgreSQL

    var testDescription: String { rawValue }
}

/// A test's stores and their clock, in a temporary folder that is removed with this object and its last database store.
final class SampleStoreFixture: Sendable {
    let kind: SampleStoreKind
    private let temporary: TemporaryFolder
    let tombstoneAge: TimeInterval
    let consent: SampleConsent
    private let time = ManualDate(.noon)
    private let memories = Lock<[OwnerID: MemorySampleStore]>([:])

    init(
        _ kind: SampleStoreKind, tombstoneAge: TimeInterval = 2_592_000, consent: SampleConsent = .later
    ) throws {
        self.kind = kind
        self.tombstoneAge = tombstoneAge
        self.consent = consent
        self.temporary = try TemporaryFolder()
    }

    var path: String { temporary.path }

    var now: Date { time.now }

    func advance(by seconds: TimeInterval) {
        time.advance(by: seconds)
    }

    /// Opens a store, which behaves towards the others as if it were in another process.
    func open(owner: OwnerID = "ann") async throws -> any SampleStore {
        switch kind {
        case .database: return try await openDatabase(owner: owner)
        case .postgreSQL:
            let database = try await DatabaseKind.postgreSQL.open(
                in: path, [], SQLiteSampleStore.postgreSQLMigrations)
            return try await SQLiteSampleStore.open(
                owner: owner, inAny: database, consent: consent, tombstoneAge: tombstoneAge, now: { self.now })
        case .memory:
            // The closure must not retain this object, which retains the store: the cycle would leave the folder.
            let new = MemorySampleStore(consent: consent, tombstoneAge: tombstoneAge, now: { [time] in time.now })
            return memories.withLock { memories in
                let memory = memories[owner] ?? new
                memories[owner] = memory
                return memory
            }
        }
    }

    func openDatabase(owner: OwnerID = "ann") async throws -> SQLiteSampleStore {
        let database = try await AppDatabase.open(in: folder, migrations: SQLiteSampleStore.migrations)
        return try await SQLiteSampleStore.open(
            owner: owner, in: database, consent: consent, tombstoneAge: tombstoneAge, now: { self.now })
    }

    var folder: DataFolder {
        get throws { try DataFolder.open(at: "\(path)/data") }
    }

    /// Opens the database without a store.
    ///
    /// Its connection waits while another one, which is being closed, locks the file.
    func openFile() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(60)
        return try DatabaseQueue(path: "\(path)/data/meanwhile.sqlite", configuration: configuration)
    }

    /// Opens a store in which the app and the watch may write and read caffeine and water.
    func openForAll(owner: OwnerID = "ann") async throws -> any SampleStore {
        let store = try await open(owner: owner)
        for source in [SampleSource.app, .watch] {
            try await store.grant(.share, to: [.dietaryCaffeine, .dietaryWater], source: source)
            try await store.grant(.read, to: [.dietaryCaffeine, .dietaryWater], source: source)
        }
        return store
    }
}

extension Date {
    /// The start of every test: 2026-03-14 12:00 UTC.
    static let noon = Date(timeIntervalSince1970: 1_773_489_600)

    /// The time that many minutes before noon.
    static func before(_ minutes: Double) -> Date { noon.addingTimeInterval(-minutes * 60) }
}

extension SampleSource {
    static let app = SampleSource(identifier: "app", name: "App")
    static let watch = SampleSource(identifier: "watch", name: "Watch")
}

extension SampleQuery {
    /// All caffeine.
    static let caffeine = SampleQuery(types: [.dietaryCaffeine])
}

extension Sample {
    /// Caffeine that many minutes before noon.
    static func caffeine(
        _ milligrams: Double = 95, _ minutes: Double = 60, sync: String? = nil, version: Int = 1,
        id: UUID = UUID(), by source: SampleSource = .app
    ) -> Sample {
        Sample(
            id: id, type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: .before(minutes),
            source: source, sync: sync.map { SyncIdentity(identifier: $0, version: version) })
    }
}

extension SampleStore {
    /// Reads all pages from an anchor on.
    func allChanges(
        _ query: SampleQuery = .caffeine, since anchor: Anchor? = nil, limit: Int = 100, by source: SampleSource = .app
    ) async throws -> SampleChanges {
        var all = try await changes(query, since: anchor, limit: limit, by: source)
        while all.hasMore {
            let page = try await changes(query, since: all.anchor, limit: limit, by: source)
            all.added += page.added
            all.deleted += page.deleted
            all.anchor = page.anchor
            all.hasMore = page.hasMore
        }
        return all
    }

    /// The values in the store, in milligrams, in order of time.
    func milligrams(by source: SampleSource = .app) async throws -> [Double] {
        try await samples(.caffeine, by: source).map(\.quantity.value)
    }
}

/// The code of the error that an operation throws; `nil` if it doesn't throw.
func code(_ operation: () async throws -> Void) async -> SampleStoreError.Code? {
    do {
        try await operation()
        return nil
    } catch {
        return (error as? SampleStoreError)?.code
    }
}
