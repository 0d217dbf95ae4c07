import CoffeeTrackerModel
import Foundation
import GRDB
import HealthSamples
import Persistence
import ServedPostgreSQL
import Testing

@testable import CoffeeTrackerStore

/// Tests rows that no version of the program writes: numbers at the limits, and values of another type.
@Suite(.timeLimit(.minutes(10))) struct HostileRowTests {
    private static let columns = ["start", "sipping", "version", "told", "milligrams", "millilitres", "is_deleted"]
    private static let numbers = [
        "9223372036854775807", "-9223372036854775808", "-9223372036854775807", "-1", "0", "9e999", "-9e999", "1e308",
    ]

    @Test(arguments: columns, numbers) func extremeNumbersDoNotCrash(column: String, number: String) async throws {
        let fixture = try await Self.fixture()
        // A value that the strict table rejects does no harm.
        guard (try? await fixture.tamper("UPDATE coffee_drink SET \(column) = \(number)")) != nil else { return }
        await Self.useEverything(of: fixture.store)
        let (store, database) = try await fixture.another()
        await Self.useEverything(of: store)
        database.close()
    }

    @Test func deletedDrinkOfTheLowestVersionDoesNotCrash() async throws {
        let fixture = try await Self.fixture()
        try await fixture.tamper(
            "UPDATE coffee_drink SET version = -9223372036854775807, told = -9223372036854775808, is_deleted = 1")
        await Self.useEverything(of: fixture.store)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808"])
    func extremeRevisionsDoNotCrash(number: String) async throws {
        let fixture = try await Self.fixture()
        try await fixture.tamper("UPDATE coffee_state SET revision = \(number)")
        await Self.useEverything(of: fixture.store)
    }

    @Test func impossibleValuesAreBroughtIntoRange() async throws {
        let fixture = try await Self.fixture()
        try await fixture.tamper(
            "UPDATE coffee_drink SET milligrams = 9e999, millilitres = -1, start = 9223372036854775806, sipping = -1")
        let drink = try #require(try await fixture.store.everything().drinks.first)
        #expect(drink.milligrams == 100_000)
        #expect(drink.millilitres == nil)
        #expect(drink.sipping == 0)
        #expect(drink.start < Date(timeIntervalSince1970: 1e12))
    }

    private static let texts = [
        "id", "name", "emoji", "milligrams", "millilitres", "start", "sipping", "time_zone", "version", "told",
        "is_deleted", "sample_id", "source",
    ]

    @Test(arguments: texts, ["NULL", "x'ff00'", "'text'", "1e308"])
    func valuesOfAnotherTypeDoNotCrash(column: String, value: String) async throws {
        let fixture = try await Self.fixture()
        // Removes the table's constraints, as if another program had created it.
        try await fixture.tamper(
            """
            PRAGMA writable_schema = ON;
            UPDATE sqlite_schema SET sql = replace(replace(sql, 'STRICT, ', ''), 'NOT NULL', '')
                WHERE name = 'coffee_drink';
            PRAGMA writable_schema = RESET;
            """)
        let (store, database) = try await fixture.another()
        let sql = "PRAGMA ignore_check_constraints = ON; UPDATE coffee_drink SET \(column) = \(value)"
        _ = try? await database.writeRows(locking: []) { try $0.sqlite.execute(sql: sql) }
        await Self.useEverything(of: store)
        database.close()
    }

    @Test(arguments: ["sample_id = 'text'", "sample_id = NULL", "source = NULL"])
    func anotherProgramsDrinkIsNeverReadAsAnOwnDrink(damage: String) async throws {
        let fixture = try await SQLiteFixture()
        let sample = Sample.scale(5)
        let isTaken = try await fixture.store.takePage(added: [sample], after: nil, to: .test(1))
        #expect(isTaken)
        try await fixture.tamper("PRAGMA ignore_check_constraints = ON; UPDATE coffee_drink SET \(damage)")
        let error = await #expect(throws: CoffeeError.self) { try await fixture.store.everything() }
        #expect(error?.description.contains("damaged") == true)
    }

    private static func fixture() async throws -> SQLiteFixture {
        let fixture = try await SQLiteFixture()
        try await fixture.store.apply(.add(.test(1)))
        return fixture
    }

    /// Calls everything that reads or writes the rows, and ignores errors.
    private static func useEverything(of store: CoffeeDataStore) async {
        _ = try? await store.everything()
        _ = try? await store.drinks(from: .distantPast, to: .distantFuture)
        _ = try? await store.drinks(withIDPrefix: "0")
        _ = try? await store.outbox()
        _ = try? await store.known(own: .coffeeTracker)
        let samples = MemorySampleStore()
        let health = HealthKitController(samples: samples, store: store)
        try? await health.requestAuthorization()
        try? await samples.grant(.share, to: [.dietaryCaffeine], source: .coffeeTracker)
        try? await samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
        _ = try? await health.sync()
        _ = try? await store.apply(.put(.test(1, 60)))
        _ = try? await store.apply(.add(.test(2)))
        _ = try? await store.apply(.delete(.test(1)))
        _ = try? await health.sync()
    }
}

extension SQLiteFixture {
    /// Changes the rows without the store.
    fileprivate func tamper(_ sql: String) async throws {
        try await database.writeRows(locking: []) { try $0.sqlite.execute(sql: sql) }
    }
}
