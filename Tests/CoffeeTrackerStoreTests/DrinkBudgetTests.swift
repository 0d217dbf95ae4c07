import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import Persistence
import ServedPostgreSQL
import Testing

/// Tests drinks at the limits of an owner's budget.
@Suite(.timeLimit(.minutes(10))) struct DrinkBudgetTests {
    private static func fixture(
        _ kind: StoreKind, _ item: OwnerBudget.Item, _ limit: Int
    ) async throws -> StoreFixture {
        var budget = OwnerBudget()
        budget[item] = limit
        return try await kind.fixture(budget: budget)
    }

    private static func refusal(_ body: () async throws -> Void) async -> OverBudget? {
        do {
            try await body()
        } catch CoffeeError.overBudget(let refusal) {
            return refusal
        } catch {
            Issue.record(error)
        }
        return nil
    }

    @Test(arguments: StoreKind.allCases)
    func deletionMakesRoomUnderTheDailyLimit(kind: StoreKind) async throws {
        let fixture = try await Self.fixture(kind, .drinksOfDay, 2)
        let store = fixture.store
        try await store.apply(.add(.test(1)), .add(.test(2, hour: 1)))
        let refusal = await Self.refusal { try await store.apply(.add(.test(3, hour: 2))) }
        #expect(refusal?.kind == .rate)
        // Another day has its own limit, and deleting a drink makes room for another one.
        try await store.apply(.add(.test(4, hour: 100)))
        try await store.apply(.delete(.test(1)))
        try await store.apply(.add(.test(3, hour: 2)))
    }

    @Test(arguments: StoreKind.allCases)
    func noDrinkIsStoredIfTheChangeExceedsTheTotalLimit(kind: StoreKind) async throws {
        let fixture = try await Self.fixture(kind, .drinks, 3)
        let store = fixture.store
        try await store.apply(.add(.test(1)), .add(.test(2, hour: 1)))
        let before = try await store.everything()
        let refusal = await Self.refusal {
            try await store.apply(.add(.test(3, hour: 2)), .add(.test(4, hour: 3)))
        }
        #expect(refusal?.kind == .count && refusal?.message.contains("--max-drinks 6") == true)
        #expect(try await store.everything() == before)
        try await store.apply(.add(.test(3, hour: 2)))
        // A deleted drink is remembered and counts; existing drinks can still be changed.
        try await store.apply(.delete(.test(3)))
        #expect(await Self.refusal { try await store.apply(.add(.test(5, hour: 4))) }?.kind == .count)
        try await store.apply(.put(.test(1, 50)))
        withExtendedLifetime(fixture) {}
    }

    /// The database stores the count, so other processes and later launches continue it.
    @Test func drinkCountPersistsAcrossLaunches() async throws {
        let fixture = try await SQLiteFixture()
        try await fixture.store.apply(.add(.test(1)), .add(.test(2, hour: 1)))
        fixture.database.close()
        var budget = OwnerBudget()
        budget[.drinks] = 2
        let database = try await SQLiteFixture.open(fixture.path, budget: budget)
        let store = CoffeeDataStore(database: database, owner: "ann")
        #expect(await Self.refusal { try await store.apply(.add(.test(3, hour: 2))) }?.kind == .count)
        // Another owner has a separate count.
        try await CoffeeDataStore(database: database, owner: "bob").apply(.add(.test(3)))
        database.close()
    }
}
