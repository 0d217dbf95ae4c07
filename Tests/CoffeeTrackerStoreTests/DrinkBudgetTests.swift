import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import Persistence
import Testing

/// Drinks at the limits of an owner's budget.
@Suite(.timeLimit(.minutes(10))) struct DrinkBudgetTests {
    private static func store(_ change: (inout OwnerBudget) -> Void) -> MemoryCoffeeStore {
        var budget = OwnerBudget()
        change(&budget)
        return MemoryCoffeeStore(budget: budget)
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

    @Test func drinksOfADayHaveALimitAndRoomAgainAfterADeletion() async throws {
        let store = Self.store { $0[.drinksOfDay] = 2 }
        try await store.apply(.add(.test(1)), .add(.test(2, hour: 1)))
        let refusal = await Self.refusal { try await store.apply(.add(.test(3, hour: 2))) }
        #expect(refusal?.kind == .rate)
        // On another day, or in place of one that is deleted.
        try await store.apply(.add(.test(4, hour: 100)))
        try await store.apply(.delete(.test(1)))
        try await store.apply(.add(.test(3, hour: 2)))
    }

    @Test func allDrinksHaveALimitAndARefusedChangeChangesNothing() async throws {
        let store = Self.store { $0[.drinks] = 3 }
        try await store.apply(.add(.test(1)), .add(.test(2, hour: 1)))
        let before = try await store.everything()
        let refusal = await Self.refusal {
            try await store.apply(.add(.test(3, hour: 2)), .add(.test(4, hour: 3)))
        }
        #expect(refusal?.kind == .count && refusal?.message.contains("--max-drinks 6") == true)
        #expect(try await store.everything() == before)
        try await store.apply(.add(.test(3, hour: 2)))
    }
}
