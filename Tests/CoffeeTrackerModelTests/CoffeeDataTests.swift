import Foundation
import HealthSamples
import MemoryStores
import Persistence
import Testing

@testable import CoffeeTrackerModel

/// Tests adding, editing, deleting and undoing drinks through the calls that a screen makes.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct CoffeeDataTests {
    @Test func addedDrinkStartsNow() async throws {
        let fixture = try await CoffeeFixture()
        let drink = try await fixture.data.add(.sample("small-coffee"))
        #expect(drink.start == TestTime.start && drink.sipping == 0 && drink.name == "Small Coffee")
        #expect(fixture.data.drinks == [drink])
        #expect(await fixture.store.wrapped.snapshot(since: .distantPast).drinks == [drink])
        #expect(fixture.data.totalCupsToday == 1)
    }

    @Test func addedDrinkIsShownBeforeItIsStored() async throws {
        // Each call shows its drink before it suspends, so two concurrent taps add two drinks.
        let fixture = try await CoffeeFixture()
        let (first, second) = (fixture.store.hold(), fixture.store.hold())
        async let one = fixture.data.add(.sample("small-coffee"))
        await first.arrived()
        async let two = fixture.data.add(.sample("black-tea"))
        await second.arrived()
        #expect(fixture.data.drinks.count == 2 && fixture.data.savingCount == 2 && !fixture.data.isSaved)
        second.open()
        _ = try await two
        #expect(fixture.data.drinks.count == 2)
        first.open()
        _ = try await one
        #expect(fixture.data.drinks.count == 2 && fixture.data.isSaved)
        #expect(await fixture.store.wrapped.snapshot(since: .distantPast).drinks == fixture.data.drinks)
    }

    @Test func drinkThatCannotBeStoredIsRemovedAndReported() async throws {
        let fixture = try await CoffeeFixture()
        let gate = fixture.store.hold()
        async let failing = failure { try await fixture.data.add(.sample("small-coffee")) }
        await gate.arrived()
        #expect(fixture.data.drinks.count == 1)
        gate.fail()
        #expect(await failing == .diskFull)
        #expect(fixture.data.drinks == [] && fixture.data.failure == .diskFull && fixture.data.undoName == nil)
        fixture.data.dismissFailure()
        #expect(fixture.data.failure == nil)
    }

    @Test func aDrinkCanBeBackdatedAndSipped() async throws {
        let fixture = try await CoffeeFixture()
        let start = moment("2026-03-14 07:00")
        let drink = try await fixture.data.add(.sample("black-tea"), at: start, sipping: 1800, timeZone: "Asia/Tokyo")
        #expect(drink.start == start && drink.end == start.addingTimeInterval(1800) && drink.timeZone == "Asia/Tokyo")
    }

    @Test func futureOrInvalidDrinkIsRefused() async throws {
        let fixture = try await CoffeeFixture()
        let later = TestTime.start.addingTimeInterval(3600)
        #expect(await failure { try await fixture.data.add(.sample("black-tea"), at: later) } == .future(later))
        var kind = DrinkKind.sample("black-tea")
        kind.milligrams = -1
        #expect(await failure { try await fixture.data.add(kind) } == .invalidMilligrams(-1))
        #expect(await failure { try await fixture.data.add(.sample("black-tea"), sipping: .nan) } != nil)
        #expect(fixture.data.drinks == [])
    }

    @Test func repeatedAddLogsTheDrinkOnce() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"), id: .test(77))
        try await fixture.data.add(.sample("black-tea"), id: .test(77))
        #expect(fixture.data.drinks.count == 1)
    }

    @Test func changeWithoutEffectDoesNotHideAnotherProcessesDrink() async throws {
        let fixture = try await CoffeeFixture()
        let drink = try await fixture.data.add(.sample("black-tea"), id: .test(77))
        let other = Drink.test(2, 96, at: TestTime.start)
        _ = try await fixture.store.wrapped.apply([.add(other)])
        // The drink is already stored, so the result has the revision of the other process's commit, but not its drink.
        try await fixture.data.add(.sample("black-tea"), id: .test(77))
        #expect(Set(fixture.data.drinks) == [drink, other])
    }

    @Test func editingDuplicatingAndDeletingCanBeUndoneAndHaveNames() async throws {
        let fixture = try await CoffeeFixture()
        let data = fixture.data
        let drink = try await data.add(.sample("black-tea"))
        #expect(data.undoName == "Added Black Tea")
        var changed = drink
        changed.milligrams = 60
        changed.name = "Strong Tea"
        try await data.edit(changed, over: drink)
        #expect(data.drinks == [changed] && data.undoName == "Edited Black Tea")
        fixture.time.advance(hours: 1)
        let copy = try await data.duplicate(changed)
        #expect(copy.start == fixture.time.now && copy.id != changed.id && data.undoName == "Added Strong Tea again")
        try await data.delete(changed)
        #expect(data.drinks == [copy] && data.undoName == "Deleted Strong Tea")
        #expect(try await data.undo() == "Deleted Strong Tea")
        #expect(data.drinks == [copy, changed])
        #expect(try await data.undo() == "Added Strong Tea again")
        #expect(try await data.undo() == "Edited Black Tea")
        #expect(data.drinks == [drink])
        #expect(try await data.undo() == "Added Black Tea")
        #expect(data.drinks == [])
        #expect(await failure { try await data.undo() } == .nothingToUndo)
    }

    @Test func namedActionIsUndoneOutOfOrderAndOnlyOnce() async throws {
        let fixture = try await CoffeeFixture()
        let data = fixture.data
        let first = try await data.add(.sample("black-tea"))
        let step = try #require(data.lastUndo)
        #expect(step.added == first)
        let second = try await data.add(.sample("green-tea"))
        #expect(try await data.undo(step.id) == "Added Black Tea")
        #expect(data.drinks == [second] && data.undoName == "Added Green Tea")
        #expect(await failure { try await data.undo(step.id) } == .nothingToUndo)
        // An action whose undo failed returns to its place in the list.
        let third = try await data.add(.sample("small-coffee"))
        let middle = try #require(data.undos.first)
        fixture.store.failOperations()
        #expect(await failure { try await data.undo(middle.id) } == .diskFull)
        fixture.store.failOperations(false)
        #expect(data.undoName == "Added Small Coffee")
        #expect(try await data.undo(middle.id) == "Added Green Tea")
        #expect(data.drinks == [third])
    }

    @Test func actionThatIsBeingStoredCanBeUndone() async throws {
        let fixture = try await CoffeeFixture()
        let data = fixture.data
        let drink = try await data.add(.sample("black-tea"))
        let gate = fixture.store.hold()
        async let deleting: Void = data.delete(drink)
        await gate.arrived()
        // The page no longer shows the drink. Undoing that it was added would fail.
        #expect(data.drinks == [] && data.undoName == "Deleted Black Tea")
        gate.open()
        try await deleting
        #expect(try await data.undo() == "Deleted Black Tea")
        #expect(data.drinks == [drink] && data.undoName == "Added Black Tea")
    }

    @Test func failedActionIsNotOfferedToBeUndone() async throws {
        let fixture = try await CoffeeFixture()
        let data = fixture.data
        let drink = try await data.add(.sample("black-tea"))
        let gate = fixture.store.hold()
        async let failing = failure { try await data.delete(drink) }
        await gate.arrived()
        gate.fail()
        #expect(await failing == .diskFull)
        #expect(data.drinks == [drink] && data.undoName == "Added Black Tea")
    }

    @Test func concurrentChangeIsNotOverwritten() async throws {
        let fixture = try await CoffeeFixture()
        let other = try await fixture.another()
        let drink = try await fixture.data.add(.sample("black-tea"))
        try await other.reload()
        var (mine, theirs) = (drink, drink)
        mine.milligrams = 40
        theirs.milligrams = 50
        try await other.edit(theirs, over: drink)
        #expect(await failure { try await fixture.data.edit(mine, over: drink) } == .changedElsewhere)
        #expect(await failure { try await fixture.data.delete(drink) } == .changedElsewhere)
        #expect(await failure { try await fixture.data.undo() } == .changedElsewhere)
        #expect(fixture.data.undoName == nil)
        try await fixture.data.reload()
        #expect(fixture.data.drinks == [theirs])
        try await fixture.data.delete(theirs)
        #expect(await failure { try await other.edit(mine, over: theirs) } == .notFound)
    }

    @Test func changeAfterAMissedCommitShowsBothDrinks() async throws {
        let fixture = try await CoffeeFixture()
        let other = try await fixture.another()
        let theirs = try await other.add(.sample("black-tea"))
        // This process lacks the earlier commit and can't read the store; the drink is stored and shown anyway.
        fixture.store.failSnapshots()
        let mine = try await fixture.data.add(.sample("small-coffee"))
        #expect(fixture.data.drinks == [mine] && fixture.data.isSaved && fixture.data.failure == .diskFull)
        fixture.store.failSnapshots(false)
        let next = try await fixture.data.add(.sample("green-tea"))
        #expect(Set(fixture.data.drinks) == [theirs, mine, next] && fixture.data.revision == 3)
    }

    @Test func failedUndoCanBeRetried() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"))
        fixture.store.failOperations()
        #expect(await failure { try await fixture.data.undo() } == .diskFull)
        fixture.store.failOperations(false)
        #expect(try await fixture.data.undo() == "Added Black Tea")
        #expect(fixture.data.drinks == [])
    }

    @Test func unreadableStoreIsReportedAndReloadCanBeRetried() async throws {
        // The sample application ends with `fatalError`.
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"))
        fixture.store.failOperations()
        #expect(await failure { try await fixture.data.reload() } == .diskFull)
        #expect(fixture.data.failure == .diskFull && fixture.data.drinks.count == 1)
        fixture.store.failOperations(false)
        try await fixture.data.reload()
        #expect(fixture.data.drinks.count == 1)
    }

    @Test func customKindsAppearInFavouritesAndRecents() async throws {
        let fixture = try await CoffeeFixture()
        let data = fixture.data
        let mate = try await data.keepKind(name: " Mate ", emoji: "🧉", milligrams: 80, millilitres: 300)
        #expect(mate.name == "Mate" && data.kinds.first == mate)
        try await data.setFavourite(mate.id, true)
        try await data.setFavourite("sample/black-tea", true)
        #expect(data.favourites.map(\.name) == ["Mate", "Black Tea"])
        let strong = try await data.keepKind(mate.id, name: "Mate", emoji: "🧉", milligrams: 120)
        #expect(data.favourites.first == strong && data.kinds.count { $0.name == "Mate" } == 1)
        for kind in [strong, .sample("black-tea"), strong] {
            try await data.add(kind)
            fixture.time.advance(hours: 1)
        }
        #expect(data.recents.map(\.name) == ["Mate", "Black Tea"])
        #expect(try data.kind(data.recents[1].id).milligrams == 47)
        try await data.removeKind(mate.id)
        #expect(data.favourites.map(\.name) == ["Black Tea"] && data.drinks.count == 3)
        let unknown = await failure { try await data.keepKind(mate.id, name: "M", emoji: "🧉", milligrams: 1) }
        #expect(unknown == .unknownDrink(mate.id, known: []))
        #expect(await failure { try await data.keepKind(name: "M", emoji: "M", milligrams: 1) } == .invalidEmoji("M"))
        #expect(await failure { try await data.setFavourite("sample/nectar", true) } != nil)
    }

    @Test func kindBasedOnADrinkCannotBeAFavourite() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"))
        let recent = try #require(fixture.data.recents.first)
        let failure = await failure { try await fixture.data.setFavourite(recent.id, true) }
        #expect(failure == .unknownDrink(recent.id, known: fixture.data.kinds.map(\.name)))
        #expect(fixture.data.settings.favourites == [])
    }

    @Test func invalidSettingsAreRefusedAndValidOnesAreShared() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.choose { $0.zone = "Europe/Vienna" }
        #expect(await failure { try await fixture.data.choose { $0.halfLife = .nan } } != nil)
        #expect(fixture.data.settings.halfLife == 5)
        let other = try await fixture.another()
        #expect(other.settings.zone == "Europe/Vienna")
    }

    @Test func settingsOfANewerVersionAreNotOverwritten() async throws {
        let settingsStore = MemoryStore()
        let newer = StoredContent(format: "coffee.settings", version: 2, payload: Data("{}".utf8))
        _ = try await settingsStore.commit([StoreWrite("coffee/settings", newer)])
        let data = CoffeeData(
            owner: "ann", store: MemoryCoffeeStore(), settings: CoffeeSettings.stored(in: settingsStore))
        try await data.open()
        let failure = await failure { try await data.choose { $0.bedtime = 1300 } }
        guard case .newerVersion = failure else {
            Issue.record("\(String(describing: failure))")
            return
        }
        #expect(try await settingsStore.read("coffee/settings")?.content == newer)
    }

    /// A zone and an emoji that only a newer machine knows don't invalidate the other settings.
    @Test func unknownValuesDoNotInvalidateOtherSettings() async throws {
        let settingsStore = MemoryStore()
        var written = CoffeeSettings(zone: "Mars/Olympus_Mons")
        written.favourites = ["own/1"]
        written.kinds = [
            DrinkKind(id: "own/1", name: "Of tomorrow", emoji: "\u{1FAFF}\u{1FAFF}", milligrams: 50),
            DrinkKind(id: "own/2", name: "Of nowhere", emoji: "☕️", milligrams: -1),
        ]
        written.halfLife = 1_000
        let payload = try JSONEncoder().encode(written)
        let content = StoredContent(format: "coffee.settings", version: 1, payload: payload)
        _ = try await settingsStore.commit([StoreWrite("coffee/settings", content)])
        let data = CoffeeData(
            owner: "ann", store: MemoryCoffeeStore(), settings: CoffeeSettings.stored(in: settingsStore))
        try await data.open()
        #expect(data.settings.zone == "Mars/Olympus_Mons" && data.settings.timeZone == .gmt)
        #expect(data.favourites.map(\.name) == ["Of tomorrow"])
        #expect(data.settings.kinds.count == 1 && data.settings.halfLife == 5)
        try await data.choose { $0.bedtime = 1300 }
        #expect(data.settings.zone == "Mars/Olympus_Mons" && data.settings.kinds.map(\.id) == ["own/1"])
        #expect(await failure { try await data.choose { $0.zone = "Mars/Elysium" } } != nil)
    }

    @Test func deletedKindReturnsToItsPlaces() async throws {
        let data = try await CoffeeFixture().data
        var kinds: [DrinkKind] = []
        for name in ["A", "B", "C"] {
            kinds.append(try await data.keepKind(name: name, emoji: "🧉", milligrams: 80))
            try await data.setFavourite(kinds[kinds.count - 1].id, true)
        }
        try await data.removeKind(kinds[1].id)
        #expect(data.undoName == "Deleted B" && data.settings.kinds.map(\.name) == ["A", "C"])
        #expect(try await data.undo() == "Deleted B")
        #expect(data.settings.kinds == kinds && data.favourites == kinds && data.undoName == nil)
        // A second deletion of the same kind, from another tab, changes nothing.
        try await data.removeKind(kinds[1].id)
        try await data.removeKind(kinds[1].id)
        try await data.removeKind("sourced/espresso")
        // If a list has become shorter than the kind's former position, the kind returns to the list's end.
        try await data.removeKind(kinds[0].id)
        try await data.removeKind(kinds[2].id)
        let step = try #require(data.lastUndo?.id)
        _ = try await data.undo(step)
        #expect(data.settings.kinds == [kinds[2]])
        _ = try await data.undo()
        _ = try await data.undo()
        #expect(Set(data.settings.kinds) == Set(kinds) && Set(data.favourites) == Set(kinds))
    }

    @Test func firstProcessSetsTheTimeZoneForAll() async throws {
        let settingsStore = MemoryStore()
        for zone in ["Europe/Vienna", "Asia/Tokyo"] {
            try await CoffeeSettings.storeInitial(zone: zone, in: settingsStore)
            let settings = CoffeeSettings.stored(in: settingsStore, zone: zone)
            await settings.load()
            #expect(settings.value == CoffeeSettings(zone: "Europe/Vienna"))
        }
    }

    @Test func kindOfAReplacedRecentDrinkIsStillFound() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"))
        let shown = try #require(fixture.data.recents.first)
        fixture.time.advance(hours: 1)
        try await fixture.data.add(shown)
        #expect(fixture.data.recents.first?.id != shown.id)
        #expect(try fixture.data.kind(shown.id).name == shown.name)
    }

    @Test func longerHalfLifeShowsOlderDrinksImmediately() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"))
        fixture.time.advance(hours: 24 * 8)
        try await fixture.data.reload()
        #expect(fixture.data.drinks.isEmpty)
        try await fixture.data.choose { $0.halfLife = 24 }
        #expect(fixture.data.drinks.count == 1)
    }

    @Test func longerHalfLifeShowsOlderDrinksBeforeItIsStored() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"))
        fixture.time.advance(hours: 24 * 8)
        try await fixture.data.reload()
        #expect(fixture.data.drinks.isEmpty)
        // A cancelled task doesn't wait until the settings are stored.
        let choosing = Task { await failure { try await fixture.data.choose { $0.halfLife = 24 } } }
        choosing.cancel()
        _ = await choosing.value
        #expect(fixture.data.drinks.count == 1)
    }

    @Test func concurrentSettingsChangesAreMerged() throws {
        let base = CoffeeSettings()
        var (local, foreign) = (base, base)
        local.bedtime = 1400
        local.favourites = ["a", "b"]
        local.kinds = [DrinkKind(id: "1", name: "One", emoji: "☕️", milligrams: 1)]
        foreign.zone = "Europe/Vienna"
        foreign.favourites = ["c"]
        foreign.kinds = [DrinkKind(id: "2", name: "Two", emoji: "☕️", milligrams: 2)]
        let merged = local.merged(with: foreign, from: base)
        #expect(merged.bedtime == 1400 && merged.zone == "Europe/Vienna")
        #expect(Set(merged.favourites) == ["a", "b", "c"] && Set(merged.kinds.map(\.id)) == ["1", "2"])
        var removed = merged
        removed.favourites = ["a"]
        #expect(removed.merged(with: merged, from: merged).favourites == ["a"])
        #expect(merged.merged(with: removed, from: merged).favourites == ["a"])
    }

    @Test func historyIncludesDrinksThatAreNoLongerShown() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.add(.sample("black-tea"), at: moment("2026-01-02 08:00"))
        #expect(fixture.data.drinks == [])
        let history = try await fixture.data.history(by: .month, last: 3)
        #expect(history.periods.map(\.milligrams) == [47, 0, 0])
        let start = moment("2026-01-01 00:00")
        #expect(try await fixture.data.drinks(from: start, to: TestTime.start).count == 1)
    }

    @Test func simpleDecayReproducesTheSampleApplicationsFigures() async throws {
        let fixture = try await CoffeeFixture()
        try await fixture.data.choose { $0.usesSimpleDecay = true }
        try await fixture.data.add(.sample("quad-espresso"), at: moment("2026-03-14 07:00"))
        #expect(abs(fixture.data.totalCupsToday - 256 / 96) < 1e-9)
        let (drinks, settings) = (fixture.data.drinks, fixture.data.settings)
        let timeline = Timeline(drinks: drinks, settings: settings, from: fixture.data.now)
        #expect(abs(timeline.entries[0].milligrams - 128) < 1e-9)
        #expect(abs(fixture.data.answers.currentMilligrams - 128) < 1e-9)
    }
}
