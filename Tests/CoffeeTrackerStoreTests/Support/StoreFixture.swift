import CoffeeTrackerModel
import Foundation
import HealthSamples
import MemoryStores
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import CoffeeTrackerStore

/// The store implementations, which must all behave alike.
enum StoreKind: CaseIterable, Sendable {
    case memory, sqlite, postgreSQL

    /// Creates an empty store.
    func fixture(budget: OwnerBudget = OwnerBudget()) async throws -> StoreFixture {
        switch self {
        case .memory: StoreFixture(store: MemoryCoffeeStore(budget: budget))
        case .sqlite: try await SQLiteFixture(budget: budget).fixture
        case .postgreSQL: try await SQLiteFixture(.postgreSQL, budget: budget).fixture
        }
    }
}

/// A store, and the folder that must exist while it is used.
struct StoreFixture: Sendable {
    let store: any CoffeeStoring
    var folder: SQLiteFixture?
}

/// A store in a temporary folder, which is removed when the fixture is released.
final class SQLiteFixture: Sendable {
    private let kind: DatabaseKind
    private let folder: TemporaryFolder
    let database: any SQLDatabase
    let store: CoffeeDataStore

    init(_ kind: DatabaseKind = .sqlite, budget: OwnerBudget = OwnerBudget()) async throws {
        self.kind = kind
        self.folder = try TemporaryFolder()
        self.database = try await Self.open(kind, folder.path)
        var data = try DataFolder.open(at: folder.path)
        data.budget = budget
        self.store = CoffeeDataStore(in: database, folder: data, owner: "ann")
    }

    var path: String { folder.path }

    static func open(_ path: String, budget: OwnerBudget = OwnerBudget()) async throws -> AppDatabase {
        var folder = try DataFolder.open(at: path)
        folder.budget = budget
        return try await AppDatabase.open(in: folder, migrations: CoffeeMigrations.all)
    }

    private static func open(_ kind: DatabaseKind, _ path: String) async throws -> any SQLDatabase {
        try await kind.open(
            in: path, CoffeeMigrations.all, BlobStore.postgreSQLMigrations + CoffeeMigrations.postgreSQL)
    }

    var fixture: StoreFixture { StoreFixture(store: store, folder: self) }

    /// Opens the store like another process, or like this one after a restart.
    func another(_ owner: OwnerID = "ann") async throws -> (store: CoffeeDataStore, database: any SQLDatabase) {
        let database = try await Self.open(kind, path)
        return (CoffeeDataStore(in: database, folder: try DataFolder.open(at: path), owner: owner), database)
    }
}

extension CoffeeStoring {
    /// All stored drinks.
    func everything() async throws -> CoffeeSnapshot { try await snapshot(since: .distantPast) }

    /// Applies changes, and returns all drinks.
    @discardableResult
    func apply(_ changes: DrinkChange...) async throws -> CoffeeSnapshot {
        _ = try await apply(changes)
        return try await everything()
    }

    /// Applies a page of the health store's changes, and returns whether it was accepted.
    @discardableResult
    func takePage(
        added: [Sample] = [], deleted: [DeletedSample] = [], after old: Anchor?, to new: Anchor, hasMore: Bool = false
    ) async throws -> Bool {
        let page = SampleChanges(added: added, deleted: deleted, anchor: new, hasMore: hasMore)
        return try await apply(.page(page), after: old, own: .coffeeTracker) != nil
    }

    /// The anchor up to which the health store has been read.
    func anchor() async throws -> Anchor? { try await progress().anchor }
}

extension Anchor {
    /// An anchor with a number.
    static func test(_ number: Int) throws -> Anchor {
        try #require(Anchor("1:\(UUID.test(1).uuidString):\(UUID.test(2).uuidString):\(number):0:ff"))
    }
}

extension UUID {
    /// An ID with a number.
    static func test(_ number: Int) -> UUID {
        let digits = String(number, radix: 16)
        let text = String(repeating: "0", count: 12 - digits.count) + digits
        return UUID(uuidString: "00000000-0000-4000-8000-\(text)") ?? UUID()
    }
}

extension Drink {
    /// A drink with a numeric ID.
    static func test(_ number: Int, _ milligrams: Double = 96, hour: Double = 0, name: String = "Coffee") -> Drink {
        Drink(
            id: .test(number), name: name, emoji: "☕️", milligrams: milligrams, millilitres: 200,
            start: Date.morning.addingTimeInterval(hour * 3600), sipping: 90, timeZone: "Europe/Vienna")
    }
}

extension Date {
    /// A date with milliseconds.
    static let morning = Date(timeIntervalSince1970: 1_773_475_200.123)
}

extension SampleSource {
    static let scale = SampleSource(identifier: "scale", name: "Scale")
}

extension Sample {
    /// A sample of another program.
    static func scale(_ number: Int, _ milligrams: Double = 50, sync: SyncIdentity? = nil) -> Sample {
        Sample(
            id: .test(number), type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: .morning,
            source: .scale, sync: sync)
    }

    /// The deleted sample.
    var deleted: DeletedSample { known }
}
