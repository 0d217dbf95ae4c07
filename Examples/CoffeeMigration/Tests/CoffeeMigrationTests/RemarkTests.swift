import Drinks
import HealthKitFacade
import Synchronization
import Testing

@testable import AppDriver
@testable import Remarks
@testable import Step12Model

/// Tests the remarks that the talk makes in passing.
@Suite(.timeLimit(.minutes(10))) struct RemarkTests {
    /// A class that is isolated to the main actor converts samples into drinks on the main queue.
    ///
    /// Steps 6 and 7 convert them off it.
    @Test @MainActor func wholeClassOnTheMainActorWorksOnTheMainQueue() async throws {
        let world = try await World.make(.real)
        _ = try await world.saveFromOtherApp(64)
        let places = Mutex<[Place]>([])
        let controller = MainActorHealthKitController(world.healthStore) {
            places.withLock { $0.append(.current) }
        }
        try await controller.requestAuthorization()
        let drinks = try await controller.loadNewDrinks()
        #expect(drinks.map(\.milligrams) == [64])
        #expect(controller.isAuthorized)
        #expect(places.withLock { $0 } == [.main])
    }

    @Test @MainActor func syncBlocksTheMainQueueAndAwaitDoesNot() async {
        let isBlockedDuringSync = Waiting.blocked { MainQueue.isBlocked }
        #expect(isBlockedDuringSync)
        let isFreeDuringAwait = await Waiting.suspended { MainQueue.isFree(within: 300) }
        #expect(isFreeDuringAwait)
    }

    @Test func manyRoomsKeepTheirOwnMessages() async {
        let server = ChatServer()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask { await server.room(number.isMultiple(of: 2) ? "even" : "odd").post("\(number)") }
            }
        }
        let even = await server.room("even").messages
        let odd = await server.room("odd").messages
        #expect(Set(even) == Set(stride(from: 0, to: 100, by: 2).map(String.init)))
        #expect(even.count == 50 && odd.count == 50)
    }

    /// Step 12: the view reads the model without `await`, and its button's task adds the drink.
    @Test @MainActor func drinkListViewAddsADrinkAndShowsIt() async throws {
        let world = try await World.make(.real)
        let model = CoffeeData(file: world.file, healthStore: world.healthStore, log: world.journal.note)
        let view = DrinkListView(model: model)
        await view.addDrink(milligrams: 96, at: World.noon).value
        #expect(view.rows == ["96 mg"])
        #expect(world.file.drinks.map(\.milligrams) == [96])
    }
}
