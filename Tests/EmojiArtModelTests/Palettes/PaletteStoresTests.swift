import Persistence
import Testing
import VirtualTime

@testable import EmojiArtModel

/// Tests several palette stores side by side.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PaletteStoresTests {
    private let memory = MemoryStore()

    private func stores(in store: (any Store)? = nil, shared: (any Store)? = nil) async throws -> PaletteStores {
        let stores = PaletteStores(
            in: store ?? memory, shared: shared, settings: AutosaveSettings(delay: .zero, clock: ManualClock()),
            makeID: { 77_000_000 })
        try await stores.open()
        return stores
    }

    @Test func fourStoresHaveDisjointPaletteIDs() async throws {
        let stores = try await stores()
        #expect(stores.stores.map(\.name) == ["Main", "Alternate", "Special", "Shared"])
        #expect(stores.stores[0].palettes.map(\.id) == Array(1...9))
        let numbers = stores.stores.flatMap { $0.palettes.map(\.id) }
        #expect(numbers.count == 36 && Set(numbers).count == 36)
        #expect(stores.recents.emojis == [])
    }

    @Test func storeIsFoundByExactName() async throws {
        let stores = try await stores()
        #expect(try stores.store(named: "Special") === stores.stores[2])
        for name in ["", "main", "Other"] {
            let error = await paletteError { () throws(PaletteError) in _ = try stores.store(named: name) }
            #expect(error == .noStore(name, known: PaletteStores.names))
        }
    }

    @Test func sharedPalettesAreStoredForAllOwners() async throws {
        let (ann, bob, common) = (MemoryStore(), MemoryStore(), MemoryStore())
        let (anns, bobs) = (try await stores(in: ann, shared: common), try await stores(in: bob, shared: common))
        try anns.stores[3].append(.test(5_000, "Ours"))
        try anns.stores[0].append(.test(6_000, "Mine"))
        for store in anns.stores { try await store.save() }
        await untilPalettes { bobs.stores[3].palettes.count == 10 }
        #expect(bobs.stores[3].palettes.last?.name == "Ours")
        #expect(bobs.stores[0].palettes.count == 9)
        #expect(try await ann.keys(beginningWith: "") == ["PaletteStore:Main"])
        #expect(try await common.keys(beginningWith: "") == ["PaletteStore:Shared"])
    }

    @Test func movingPaletteToAnotherStoreSavesBoth() async throws {
        let stores = try await stores()
        let (main, other) = (stores.stores[0], stores.stores[1])
        let sports = main.palettes[1]
        try await stores.move(2, from: main, to: other)
        #expect(main.palettes.map(\.id) == [1, 3, 4, 5, 6, 7, 8, 9])
        #expect(other.palettes.last == sports && other.palettes.count == 10)
        try await stores.move(3, from: main, to: other, at: 0)
        #expect(other.palettes[0].name == "Music")
        // Both stores are saved.
        let next = try await self.stores()
        #expect(next.stores[0].list == main.list && next.stores[1].list == other.list)
        // And back.
        try await stores.move(2, from: other, to: main, at: 1)
        #expect(main.palettes[1] == sports && !other.palettes.contains(sports))
    }

    @Test func movingWithinStoreChangesOrder() async throws {
        let main = try await stores().stores[0]
        let stores = try await stores()
        try await stores.move(1, from: main, to: main, at: 2)
        #expect(main.palettes.map(\.id) == [2, 3, 1, 4, 5, 6, 7, 8, 9])
        try await stores.move(2, from: main, to: main)
        #expect(main.palettes.last?.id == 2)
    }

    @Test func refusedMoveLeavesPaletteInPlace() async throws {
        let stores = try await stores()
        let (main, other) = (stores.stores[0], stores.stores[1])
        main.palettes = [main.palettes[0]]
        let last = await paletteError { () throws(PaletteError) in try await stores.move(1, from: main, to: other) }
        #expect(last == .lastPalette && main.palettes.count == 1 && other.palettes.count == 9)
        let gone = await paletteError { () throws(PaletteError) in try await stores.move(99, from: main, to: other) }
        #expect(gone == .noPalette)
        other.palettes = try (0..<BoardLimits.palettes).map { try .test(2_000 + $0) }
        try main.append(.test(5))
        let full = await paletteError { () throws(PaletteError) in try await stores.move(5, from: main, to: other) }
        #expect(full == .tooManyPalettes && main.palettes.count == 2)
    }

    @Test func movedPaletteGetsNewIDIfItsIDIsTaken() async throws {
        let stores = try await stores()
        let (main, other) = (stores.stores[0], stores.stores[1])
        try other.append(.test(1, "Another"))
        try await stores.move(1, from: main, to: other)
        #expect(other.palettes.map(\.name).suffix(2) == ["Another", "Vehicles"])
        #expect(other.palettes.last?.id == 77_000_000)
        // A palette that is in both stores, because the process ended during a move, isn't duplicated.
        try main.insert(.test(4_000))
        try other.insert(.test(4_000))
        try await stores.move(4_000, from: main, to: other)
        #expect(other.palettes.filter { $0.id == 4_000 }.count == 1 && !main.palettes.contains { $0.id == 4_000 })
    }

    @Test func failedMoveKeepsPaletteInSourceStore() async throws {
        let failing = FailingStore()
        let stores = try await stores(shared: failing)
        let (main, shared) = (stores.stores[0], stores.stores[3])
        failing.fail(StoreError(.diskFull, "There is no room left."))
        let error = await paletteError { () throws(PaletteError) in try await stores.move(1, from: main, to: shared) }
        #expect(error == .failed("There is no room left."))
        #expect(main.palettes.contains { $0.id == 1 })
    }

    @Test func unreadableStoreIsReportedAndOthersAreOpened() async throws {
        let first = try await stores()
        try first.stores[0].append(.test(5_000))
        try await first.stores[0].save()
        let failing = FailingStore()
        failing.fail(StoreError(.inputOutput, "The disk is broken."))
        let stores = PaletteStores(
            in: memory, shared: failing, settings: AutosaveSettings(delay: .zero, clock: ManualClock()))
        #expect(
            await paletteError { () throws(PaletteError) in try await stores.open() } == .failed("The disk is broken."))
        #expect(stores.stores[0].palettes.count == 10)
        failing.fail(nil)
        try await stores.stores[3].save()
    }
}
