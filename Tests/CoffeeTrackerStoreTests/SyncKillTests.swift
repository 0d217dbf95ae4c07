import CoffeeTrackerModel
import Foundation
import HealthSamples
import Persistence
import StoreTesting
import Testing

@testable import CoffeeTrackerStore

/// Tests that no drink is lost or duplicated after `kill -9` at each step of a sync.
@Suite(.timeLimit(.minutes(60)), .serialized) struct SyncKillTests {
    /// The minimum number of kills.
    private static let kills = isSoak ? 1_000 : 30

    @Test func killedSyncLosesAndDuplicatesNothing() async throws {
        var kills = 0
        for round in 0... {
            let points = try await countPoints(round)
            // The points are before and after each call, and at the steps within its transaction.
            #expect(points >= Self.kills || isSoak, "\(points) points")
            let expected = try await SyncOutcome(of: SyncFolder(round: round), uninterrupted: true)
            #expect(expected.isConsistent, "round \(round): \(expected)")
            for point in 1...points {
                let folder = try await SyncFolder(round: round)
                let path = folder.path
                await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, point = point as Int] in
                    try await SyncFolder.work(at: path, injector: CrashInjector(limit: point))
                }
                kills += 1
                let outcome = try await SyncOutcome(of: folder, uninterrupted: false)
                #expect(outcome.isConsistent, "killed at point \(point) of round \(round): \(outcome)")
                #expect(outcome == expected, "killed at point \(point) of round \(round)")
            }
            // At least one round with pages of changes, and one with a full resync.
            if kills >= Self.kills, round > 0 { return }
        }
    }

    /// Counts the points of an uninterrupted run.
    private func countPoints(_ round: Int) async throws -> Int {
        let folder = try await SyncFolder(round: round)
        // The folder is removed with its object.
        defer { withExtendedLifetime(folder) {} }
        let injector = CrashInjector()
        try await SyncFolder.work(at: folder.path, injector: injector)
        return injector.count
    }
}

/// A folder with drinks and a health store that both have changes for the other.
private final class SyncFolder: Sendable {
    let path = NSTemporaryDirectory() + "meanwhile-coffee-kill-\(UUID().uuidString)"

    /// Creates the folder and its content.
    ///
    /// - Parameter round: Varies the content; in odd rounds the anchor is invalid and a drink is missing.
    /// - Throws: The error of a store.
    init(round: Int = 0) async throws {
        let (database, samples, store) = try await Self.open(path)
        for source in [SampleSource.coffeeTracker, .scale] {
            try await samples.grant(.share, to: [.dietaryCaffeine], source: source)
            try await samples.grant(.read, to: [.dietaryCaffeine], source: source)
        }
        let many = 3 + round % 5
        try await samples.save((20..<20 + many).map { .scale($0) }, by: .scale)
        try await samples.save([.scale(10, 10, sync: SyncIdentity(identifier: "x", version: 1))], by: .scale)
        try await store.apply(.add(.test(1)), .add(.test(2)), .add(.test(3)), .add(.test(6)))
        _ = try await HealthKitController(samples: samples, store: store).sync()
        // From here on each side has changes for the other.
        try await samples.save([.scale(11, 20, sync: SyncIdentity(identifier: "x", version: 2))], by: .scale)
        try await samples.delete(.ids([.test(20)]), by: .scale)
        try await samples.save([.scale(30), .scale(31)], by: .scale)
        try await store.apply(.put(.test(1, 60)), .delete(.test(2)), .add(.test(4)))
        if round % 2 == 1 {
            // No tombstone is left: the drink is read again, compared, and saved again.
            try await samples.delete(.syncIdentifiers([UUID.test(6).uuidString]), by: .coffeeTracker)
            let later = try await SQLiteSampleStore.open(
                owner: "ann", in: database, tombstoneAge: 0, now: { Date().addingTimeInterval(3_600) })
            #expect(try await later.purge() > 0)
        }
        database.close()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    static func open(
        _ path: String, injector: CrashInjector = CrashInjector()
    ) async throws -> (AppDatabase, any SampleStore, any CoffeeStoring) {
        let database = try await AppDatabase.open(
            in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations + CoffeeMigrations.all)
        let samples = try await SQLiteSampleStore.open(owner: "ann", in: database)
        let store = CoffeeDataStore(
            in: database, folder: database.folder, owner: "ann", step: { _ in injector.point() })
        return (database, samples, store)
    }

    /// The work of the process that is killed.
    static func work(at path: String, injector: CrashInjector) async throws {
        let (database, baseSamples, baseStore) = try await open(path, injector: injector)
        let (samples, store) = (
            CrashInjectingSamples(base: baseSamples, injector: injector),
            CrashInjectingStore(base: baseStore, injector: injector)
        )
        let controller = HealthKitController(samples: samples, store: store)
        _ = try await controller.sync()
        try await store.apply(.add(.test(5)))
        try acknowledge(5, at: path)
        try await store.apply(.put(.test(3, 33)), .put(.test(2), over: .exactly(nil)))
        try acknowledge(3, at: path)
        try acknowledge(2, at: path)
        _ = try await controller.sync()
        try await store.apply(.delete(.test(4)))
        try acknowledge(4, at: path)
        _ = try await controller.sync()
        database.close()
    }

    /// Records that a change of a drink was confirmed as stored.
    private static func acknowledge(_ number: Int, at path: String) throws {
        try Data().write(to: URL(filePath: "\(path)/acknowledged-\(number)"))
    }

    func isAcknowledged(_ number: Int) -> Bool {
        FileManager.default.fileExists(atPath: "\(path)/acknowledged-\(number)")
    }
}

/// The state after another process has completed all unfinished work.
private struct SyncOutcome: Equatable, CustomStringConvertible {
    /// The drinks, each with its caffeine, after the pending additions, edits and deletions.
    var drinks: [String]
    /// The health store's samples.
    var samples: [String]
    var unsyncedCount: Int
    /// The drinks whose confirmed change is missing.
    var missing: [Int]

    init(of folder: SyncFolder, uninterrupted: Bool) async throws {
        if uninterrupted { try await SyncFolder.work(at: folder.path, injector: CrashInjector()) }
        let (database, samples, store) = try await SyncFolder.open(folder.path)
        defer { database.close() }
        let stored = try await store.everything().drinks
        let found = Set(stored.map(\.id))
        let isEdited = stored.contains { $0.id == .test(3) && $0.milligrams == 33 }
        let isApplied = [
            5: found.contains(.test(5)), 2: found.contains(.test(2)), 3: isEdited, 4: !found.contains(.test(4)),
        ]
        missing = isApplied.filter { folder.isAcknowledged($0.key) && !$0.value }.keys.sorted()
        // A client without a confirmation repeats its change: each change is made once.
        if !found.contains(.test(5)) { try await store.apply(.add(.test(5))) }
        try await store.apply(.put(.test(3, 33)))
        if !found.contains(.test(2)) { try await store.apply(.put(.test(2), over: .exactly(nil))) }
        if found.contains(.test(4)) { try await store.apply(.delete(.test(4))) }
        let controller = HealthKitController(samples: samples, store: store)
        _ = try await controller.sync()
        _ = try await controller.sync()
        let snapshot = try await store.everything()
        unsyncedCount = snapshot.unsyncedCount
        drinks = snapshot.drinks.map { "\($0.source.name) \($0.milligrams)" }.sorted()
        self.samples = try await samples.samples(SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
            .map { "\($0.source.name) \($0.quantity.value)" }.sorted()
    }

    var isConsistent: Bool { missing.isEmpty && unsyncedCount == 0 && drinks == samples }

    var description: String { "drinks \(drinks), samples \(samples), \(unsyncedCount) not synced, \(missing) missing" }
}
