import Foundation
import Observation
import Persistence
import Testing
import VirtualTime

@testable import EmojiArtModel

/// Tests palettes that are stored, observed, and shared with other tabs and processes.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct PaletteStoreTests {
    private let memory = MemoryStore()

    private func makeStore(
        _ name: String = "Main", in store: (any Store)? = nil
    ) throws(PaletteError) -> PaletteStore {
        try PaletteStore(
            named: name, in: store ?? memory, firstID: 1,
            settings: AutosaveSettings(delay: .zero, clock: ManualClock()),
            makeID: { 77_000_000 })
    }

    private func opened(_ name: String = "Main", in store: (any Store)? = nil) async throws -> PaletteStore {
        let palettes = try makeStore(name, in: store)
        try await palettes.open()
        return palettes
    }

    @Test func palettesOfDifferentStoresHaveDifferentIDs() throws {
        let numbers = try ["Main", "Alternate", "Special"].flatMap { name in
            try PaletteStore(named: name, in: memory).palettes.map(\.id)
        }
        #expect(numbers.count == 27 && Set(numbers).count == 27)
        #expect(numbers.allSatisfy { $0 < 1 << 53 })
        // The IDs are the same in each process.
        #expect(try PaletteStore(named: "Main", in: MemoryStore()).palettes.map(\.id) == Array(numbers.prefix(9)))
    }

    @Test(arguments: ["PaletteStore:Main", "Main"])
    func coursePalettesAreAdoptedFromUserDefaults(entry: String) async throws {
        // The course stores them with `UserDefaults.set(_:forKey:)`, as JSON data.
        let json = #"""
            [{"name":"Vehicles","emojis":"🚙🚗","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F"},
            {"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E60","name":"Mine","emojis":"🦄"}]
            """#
        let suite = "meanwhile-tests-\(UUID().uuidString)"
        defer { UserDefaults().removePersistentDomain(forName: suite) }
        let lock = FileManager.default.temporaryDirectory.path + "/\(suite).lock"
        defer { try? FileManager.default.removeItem(atPath: lock) }
        UserDefaults(suiteName: suite)?.set(Data(json.utf8), forKey: entry)
        let defaults = try UserDefaultsStore(suite: suite, lock: lock)
        #expect(try await PaletteStore.adoptCoursePalettes(named: "Main", in: defaults))
        let store = try await opened("Main", in: defaults)
        #expect(store.palettes.map(\.name) == ["Vehicles", "Mine"])
        #expect(store.palettes.map(\.emojis) == [["🚙", "🚗"], ["🦄"]])
        #expect(try await !PaletteStore.adoptCoursePalettes(named: "Main", in: defaults))
    }

    // MARK: - Storing

    @Test func emptyStoreShowsBuiltInPalettesAndWritesNothing() async throws {
        let store = try await opened()
        #expect(store.palettes.count == 9 && store.cursorIndex == 0 && store.name == "Main" && store.id == "Main")
        try await store.save()
        #expect(try await memory.palettes() == nil)
    }

    @Test func savedChangesAreLoadedAfterReopening() async throws {
        let store = try await opened()
        try store.edit { list throws(PaletteError) in try list.delete(1) }
        let math = try store.insertNew()
        store.cursorIndex += 2
        try await store.save()
        #expect(store.status.isSaved)
        let next = try await opened()
        #expect(next.list == store.list)
        #expect(next.palettes.map(\.name).prefix(3) == ["Math", "Sports", "Music"])
        #expect(next.palettes[0] == math && next.cursorIndex == 2)
        // The palettes are stored under the course's key.
        #expect(try await memory.keys(beginningWith: "") == ["PaletteStore:Main"])
    }

    @Test func storesOfDifferentNamesAreIndependent() async throws {
        let (main, other) = (try await opened(), try await opened("Alternate"))
        try main.edit { list throws(PaletteError) in try list.delete(1) }
        try await main.save()
        #expect(other.palettes.count == 9)
        #expect(try await opened("Alternate").palettes.count == 9)
    }

    @Test func invalidStoreNameIsRefused() async {
        for name in ["a\u{0}", String(repeating: "a", count: 100)] {
            let error = await paletteError { () throws(PaletteError) in _ = try makeStore(name) }
            #expect(error?.description.contains("is not a valid key") == true)
        }
    }

    @Test func courseFormatIsReadAndUpgradedOnChange() async throws {
        let text = """
            [{"id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","name":"Vehicles","emojis":"🚙🚗🏳️‍🌈"},
            {"id":"00000000-0000-0000-0000-000000000000","name":"Math","emojis":"+−×÷∝∞"}]
            """
        let content = StoredContent(format: "emojiart.palettes", version: 1, payload: Data(text.utf8))
        _ = try await memory.commit([StoreWrite("PaletteStore:Main", content)])
        let store = try await opened()
        #expect(store.palettes.map(\.name) == ["Vehicles", "Math"])
        #expect(store.palettes[0].emojis == ["🚙", "🚗", "🏳️‍🌈"] && store.palettes[1].emojis == Palette.math.emojis)
        #expect(store.palettes.map(\.id) == [1_000_000 + 0xE621_E1F8_C36C, 1_000_000])
        // Opening doesn't write.
        try await store.save()
        #expect(try await memory.read("PaletteStore:Main")?.content == content)
        try store.append(.test(5))
        try await store.save()
        #expect(try await memory.read("PaletteStore:Main")?.content.version == 2)
        #expect(try await opened().palettes.map(\.name) == ["Vehicles", "Math", "Pets"])
    }

    @Test func newerFormatIsNeitherOpenedNorOverwritten() async throws {
        let content = StoredContent(format: "emojiart.palettes", version: 3, payload: Data("unknown content".utf8))
        _ = try await memory.commit([StoreWrite("PaletteStore:Main", content)])
        let store = try makeStore()
        let opening = await paletteError { () throws(PaletteError) in try await store.open() }
        guard case .newerVersion(let words)? = opening else {
            Issue.record("It was opened: \(String(describing: opening))")
            return
        }
        #expect(words.contains("newer"))
        #expect(store.palettes.count == 9)
        let before = store.list
        let editing = await paletteError { () throws(PaletteError) in try store.append(try .test(5)) }
        #expect(editing == opening)
        // The setters can't throw, but they have no effect either.
        store.cursorIndex = 3
        store.palettes = [try .test(5)]
        #expect(store.list == before)
        _ = await paletteError { () throws(PaletteError) in try await store.save() }
        #expect(try await memory.read("PaletteStore:Main")?.content == content)
        #expect(try await memory.setAsideRecords().isEmpty)
    }

    @Test(arguments: ["", "{", "[]", #"{"palettes":[]}"#, #"{"palettes":[{"id":"x"}]}"#, "\u{0}\u{1}"])
    func unreadablePalettesAreSetAsideAndBuiltInOnesShown(_ text: String) async throws {
        let content = StoredContent(format: "emojiart.palettes", version: 2, payload: Data(text.utf8))
        _ = try await memory.commit([StoreWrite("PaletteStore:Main", content)])
        let store = try await opened()
        #expect(store.palettes.count == 9)
        let record = try #require(try await memory.setAsideRecords().first)
        #expect(try await memory.setAsideContent(of: record)?.content.get() == content)
        #expect(store.reports == [.setAside(record)])
    }

    @Test func failedSaveKeepsChangeAndCanBeRetried() async throws {
        let failing = FailingStore(memory)
        let store = try await opened(in: failing)
        failing.fail(StoreError(.diskFull, "There is no room left. Make some."))
        try store.append(.test(5_000))
        let saving = await paletteError { () throws(PaletteError) in try await store.save() }
        #expect(saving == .failed("There is no room left. Make some."))
        #expect(store.palettes.count == 10)
        failing.fail(nil)
        try await store.save()
        #expect(try await memory.palettes()?.palettes.count == 10)
    }

    @Test func failedReadIsReportedAndStoredPalettesSurvive() async throws {
        let first = try await opened()
        try first.edit { list throws(PaletteError) in try list.delete(1) }
        try await first.save()
        let failing = FailingStore(memory)
        failing.fail(StoreError(.inputOutput, "The disk is broken."))
        let store = try makeStore(in: failing)
        #expect(
            await paletteError { () throws(PaletteError) in try await store.open() } == .failed("The disk is broken."))
        try store.append(.test(5_000))
        _ = await paletteError { () throws(PaletteError) in try await store.save() }
        failing.fail(nil)
        try await store.save()
        // Both the stored palettes and the one that was added before they could be read.
        #expect(try await memory.palettes()?.palettes.map(\.id) == Array(2...9) + [5_000])
        #expect(store.palettes.map(\.id) == Array(2...9) + [5_000])
    }

    // MARK: - Rules

    @Test func emptyListIsIgnoredWithoutNotification() async throws {
        let failing = FailingStore(memory)
        let store = try await opened(in: failing)
        let before = store.list
        let isNotified = try await notifiesObservers {
            _ = (store.palettes, store.cursorIndex, store.list, store.status.isSaved)
        } when: {
            store.palettes = []
            try await store.save()
        }
        #expect(!isNotified && store.list == before && failing.commits == 0)
        // Any other list notifies.
        #expect(
            try await notifiesObservers {
                _ = store.palettes
            } when: {
                store.palettes = [try .test(1)]
            })
        #expect(store.palettes == [try .test(1)])
    }

    @Test func equalValueDoesNotNotify() async throws {
        let failing = FailingStore(memory)
        let store = try await opened(in: failing)
        let isNotified = try await notifiesObservers {
            _ = (store.palettes, store.cursorIndex, store.status.isSaved)
        } when: {
            store.palettes = store.palettes
            store.cursorIndex = 9
            try store.edit { list throws(PaletteError) in
                try list.remove("nothing", from: 1)
                try list.move(1, to: 0)
            }
            try await store.save()
        }
        #expect(!isNotified && failing.commits == 0)
    }

    @Test func aRefusedChangeChangesNothing() async throws {
        let store = try await opened()
        let before = store.list
        let error = await paletteError { () throws(PaletteError) in
            try store.edit { list throws(PaletteError) in
                try list.delete(1)
                try list.delete(1)
            }
        }
        #expect(error == .noPalette && store.list == before)
    }

    @Test func observationsDeliverNewestValue() async throws {
        let store = try await opened()
        let names = Observations { store.palettes.map(\.name) }
        var iterator = names.makeAsyncIterator()
        #expect(await iterator.next()?.count == 9)
        store.palettes = []
        store.palettes = [try .test(1, "One")]
        // The refused list is never observed.
        #expect(await iterator.next() == ["One"])
    }

    @Test func newPaletteIsMathAndIsShown() async throws {
        let store = try await opened()
        store.cursorIndex = 3
        let math = try store.insertNew()
        #expect(math.name == "Math" && math.emojis == ["+", "−", "×", "÷", "∝", "∞"])
        #expect(store.cursorIndex == 3 && store.list.current == math && store.palettes.count == 10)
    }

    @Test func newPaletteHasGivenNameAndEmoji() async throws {
        let store = try await opened()
        #expect(try store.insertNew(name: " Pets ", emojis: "🐶, 🐱").emojis == ["🐶", "🐱"])
        #expect(store.list.current.name == "Pets")
        store.palettes = [try .test(1)]
        #expect(try store.insertNew(name: "Empty").emojis == [])
        store.palettes = [try .test(1)]
        #expect(try store.insertNew(name: "Empty", emojis: " ").emojis == [])
        store.palettes = [try .test(1)]
        // A form submits the default that it offers.
        #expect(try store.insertNew(name: "Sums", emojis: "+−×÷∝∞").emojis == Palette.math.emojis)
        store.palettes = [try .test(1)]
        let before = store.list
        let refusals: [(String, String?, PaletteError)] = [
            ("Text", "abc", .noEmoji("abc")), (" ", nil, .name), ("a\nb", "🐶", .name),
        ]
        for (name, emojis, refusal) in refusals {
            let error = await paletteError { () throws(PaletteError) in try store.insertNew(name: name, emojis: emojis)
            }
            #expect(error == refusal)
        }
        #expect(store.list == before)
    }

    // MARK: - Other processes

    @Test func changeByAnotherProcessIsApplied() async throws {
        let (one, two) = (try await opened(), try await opened())
        try one.append(.test(5_000, "Food"))
        try await one.save()
        await waitForPalettes { two.palettes.count == 10 }
        #expect(two.list == one.list)
    }

    @Test func concurrentChangesAreMerged() async throws {
        let (one, two) = (try await opened(), try await opened())
        try one.append(.test(5_000, "Food"))
        try one.edit { list throws(PaletteError) in _ = try list.add("🐶", to: 1) }
        try two.append(.test(6_000, "Drink"))
        try two.edit { list throws(PaletteError) in
            try list.delete(9)
            try list.rename(1, to: "Cars")
        }
        try await one.save()
        try await two.save()
        await waitForPalettes { one.list == two.list }
        #expect(one.list == two.list)
        #expect(Set(one.palettes.map(\.id)) == Set(Array(1...8) + [5_000, 6_000]))
        #expect(one.palettes[0].name == "Cars" && one.palettes[0].emojis.first == "🐶")
        #expect(one.reports.isEmpty && two.reports.isEmpty)
        #expect(try await memory.keys(beginningWith: "") == ["PaletteStore:Main"])
    }

    @Test func deletionSurvivesConcurrentAddition() async throws {
        let first = try await opened()
        first.palettes = [try .test(4_000), try .test(5_000)]
        try await first.save()
        let (one, two) = (try await opened(), try await opened())
        try one.append(.test(6_000))
        try two.edit { list throws(PaletteError) in try list.delete(4_000) }
        try await one.save()
        try await two.save()
        await waitForPalettes { one.list == two.list }
        #expect(one.palettes.map(\.id) == [5_000, 6_000])
    }

    @Test func changeBeforeOpeningIsMergedWithStoredPalettes() async throws {
        let first = try await opened()
        try first.edit { list throws(PaletteError) in try list.delete(9) }
        try await first.save()
        let second = try makeStore()
        try second.append(.test(5_000, "Food"))
        try await second.save()
        #expect(second.palettes.map(\.id) == Array(1...8) + [5_000])
    }
}
