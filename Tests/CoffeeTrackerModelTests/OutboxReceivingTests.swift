import Foundation
import ModelJSON
import Testing

@testable import CoffeeTrackerModel

/// Tests that the server applies each change of a page's outbox once, however often and late it arrives.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct OutboxReceivingTests {
    private static let drink = logged(64)
    private static let start = TestTime.start.timeIntervalSince1970 - 3600

    private static func logged(_ milligrams: Double, name: String = "Espresso") -> LoggedDrink {
        LoggedDrink(
            id: UUID.test(7).uuidString, name: name, emoji: "☕️", milligrams: milligrams, start: start,
            timeZone: "Europe/Vienna")
    }

    private static func change(
        _ drink: LoggedDrink, isDeleted: Bool = false, replaced: [LoggedDrink] = []
    ) throws -> DrinkOutbox.Request {
        try DrinkOutbox.Request(
            .object([
                JSON.Member("drink", drink.json), JSON.Member("isDeleted", .bool(isDeleted)),
                JSON.Member("replaced", .array(replaced.map { $0.json })),
            ]))
    }

    @Test func drinkThatArrivesTwiceIsAddedOnce() async throws {
        let data = try await CoffeeFixture().data
        let change = try Self.change(Self.drink)
        try await data.receive(change)
        try await data.receive(change)
        #expect(data.drinks.map(\.id) == [.test(7)])
        #expect(data.drinks.first?.start.timeIntervalSince1970 == Self.start)
        #expect(data.drinks.first?.source == .own)
        // The server offers no undo for the changes of an outbox.
        #expect(data.undoName == nil)
    }

    @Test func drinkThatArrivesTwiceAtTheSameTimeIsAddedOnce() async throws {
        let data = try await CoffeeFixture().data
        let change = try Self.change(Self.drink)
        async let first: Void = data.receive(change)
        async let second: Void = data.receive(change)
        _ = try await (first, second)
        #expect(data.drinks.count == 1)
    }

    @Test func drinkThatArrivesAfterItsDeletionIsNotAddedAgain() async throws {
        let data = try await CoffeeFixture().data
        let deletion = try Self.change(Self.drink, isDeleted: true, replaced: [Self.drink])
        // The deletion overtakes the drink.
        try await data.receive(deletion)
        try await data.receive(try Self.change(Self.drink))
        #expect(data.drinks.isEmpty)
        try await data.receive(deletion)
        #expect(data.drinks.isEmpty)
        #expect(data.failure == nil)
    }

    @Test func deletionOfAnInvalidDrinkIsConfirmedAndNotRecorded() async throws {
        let data = try await CoffeeFixture().data
        let revision = data.revision
        let long = Self.logged(64, name: String(repeating: "a", count: 10_000))
        try await data.receive(try Self.change(long, isDeleted: true, replaced: [long]))
        #expect(data.drinks.isEmpty && data.revision == revision)
    }

    @Test func drinkThatWasDeletedOnTheServerIsNotAddedAgain() async throws {
        let data = try await CoffeeFixture().data
        let change = try Self.change(Self.drink)
        try await data.receive(change)
        try await data.delete(try #require(data.drinks.first))
        try await data.receive(change)
        #expect(data.drinks.isEmpty)
    }

    @Test func editReplacesWhatThePageSaw() async throws {
        let data = try await CoffeeFixture().data
        try await data.receive(try Self.change(Self.drink))
        let edit = try Self.change(Self.logged(80), replaced: [Self.drink])
        try await data.receive(edit)
        try await data.receive(edit)
        #expect(data.drinks.map(\.milligrams) == [80])
        // The first request arrives late, after the edit.
        let late = await failure { try await data.receive(try Self.change(Self.drink)) }
        #expect(late == .changedElsewhere)
        #expect(data.drinks.map(\.milligrams) == [80])
    }

    @Test func drinkThatWasChangedElsewhereStaysAsItIs() async throws {
        let data = try await CoffeeFixture().data
        try await data.receive(try Self.change(Self.drink))
        let stored = try #require(data.drinks.first)
        var changed = stored
        changed.milligrams = 100
        try await data.edit(changed, over: stored)
        let edit = await failure {
            try await data.receive(try Self.change(Self.logged(80), replaced: [Self.drink]))
        }
        #expect(edit == .changedElsewhere)
        let deletion = await failure {
            try await data.receive(try Self.change(Self.drink, isDeleted: true, replaced: [Self.drink]))
        }
        #expect(deletion == .changedElsewhere)
        #expect(data.drinks.map(\.milligrams) == [100])
    }

    @Test func invalidDrinkIsRefused() async throws {
        let data = try await CoffeeFixture().data
        let strong = await failure { try await data.receive(try Self.change(Self.logged(5000))) }
        #expect(strong == .invalidMilligrams(5000))
        let nameless = await failure { try await data.receive(try Self.change(Self.logged(64, name: " "))) }
        #expect(nameless == .invalidName)
        #expect(data.drinks.isEmpty)
    }
}
