import Foundation
import Persistence
import Testing
import VirtualTime

@testable import EmojiArtModel

/// Tests that set-aside palettes are listed, restored and deleted.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct SetAsidePalettesTests {
    private let memory = MemoryStore()
    private static let key: StoreKey = "PaletteStore:Main"

    private func opened(_ name: String = "Main") async throws -> PaletteStore {
        let store = try PaletteStore(
            named: name, in: memory, firstID: 1, settings: AutosaveSettings(delay: .zero, clock: ManualClock()))
        try await store.open()
        try await store.loadSetAside()
        return store
    }

    private func put(_ text: String) async throws {
        let content = StoredContent(format: "emojiart.palettes", version: 2, payload: Data(text.utf8))
        _ = try await memory.commit([StoreWrite(Self.key, content)])
    }

    /// Sets two readable palettes aside, as a faulty program might have done.
    private func setPetsAside() async throws {
        let list = try #require(PaletteList([try .test(4_000, "Pets"), try .test(5_000, "Zoo")]))
        let written = try await memory.commit([StoreWrite(Self.key, PaletteList.format.content(of: list))])
        guard case .committed(let revisions) = written, let revision = revisions[Self.key] else { return }
        #expect(try await memory.setAside(Self.key, revision: revision, reason: "A fault") != nil)
    }

    @Test(arguments: [
        ("{", "not valid JSON"), ("[]", "the type is wrong"), ("{}", "“palettes” is missing"),
        (#"{"palettes":[]}"#, "There are no palettes"),
        (#"{"palettes":[{"id":"x"}]}"#, "at “palettes.0.id”, the type is wrong"),
    ])
    func unreadablePalettesAreListedWithTheReasonAndCannotBeRestored(text: String, reason: String) async throws {
        try await put(text)
        // The first program sets them aside, and the next one finds them.
        _ = try await opened()
        let store = try await opened()
        #expect(store.isBuiltIn && store.reports.isEmpty)
        let found = try #require(store.setAside.first)
        guard case .unreadable(let words) = found.cause else {
            Issue.record("\(found.cause)")
            return
        }
        #expect(words.contains(reason), "\(words)")
        #expect(found.problem == words && found.count == 0)
        #expect(try await store.setAsideBytes(found.id) == Data(text.utf8))
        let refusal = await paletteError { () throws(PaletteError) in try await store.restore(setAside: found.id) }
        guard case .notRestorable = refusal else {
            Issue.record("\(String(describing: refusal))")
            return
        }
        #expect(store.isBuiltIn && store.setAside == [found])
        #expect(try await memory.palettes() == nil)
    }

    @Test func restoredPalettesAreShownAndThoseFromBeforeAreSetAside() async throws {
        try await setPetsAside()
        let store = try await opened()
        let found = try #require(store.setAside.first)
        #expect(found.cause == .unreadable("A fault") && found.problem == nil && found.count == 2)
        try store.append(.test(6_000, "Later"))
        try await store.restore(setAside: found.id)
        #expect(store.palettes.map(\.name) == ["Pets", "Zoo"] && store.status.isSaved && !store.isBuiltIn)
        #expect(try await memory.palettes()?.palettes.map(\.name) == ["Pets", "Zoo"])
        let replaced = try #require(store.setAside.first)
        #expect(store.setAside.count == 1 && replaced.cause == .replaced && replaced.count == 10)
        try await store.restore(setAside: replaced.id)
        #expect(store.palettes.last?.name == "Later" && store.palettes.count == 10)
        #expect(store.setAside.map(\.count) == [2])
    }

    @Test func deletedSetAsidePalettesCannotBeRestored() async throws {
        try await setPetsAside()
        let (one, two) = (try await opened(), try await opened())
        let id = try #require(one.setAside.first?.id)
        try await two.deleteSetAside(id)
        #expect(two.setAside.isEmpty)
        let before = one.list
        for store in [one, two] {
            #expect(
                await paletteError { () throws(PaletteError) in try await store.restore(setAside: id) } == .noSetAside)
            #expect(
                await paletteError { () throws(PaletteError) in try await store.deleteSetAside(id) } == .noSetAside)
            #expect(
                await paletteError { () throws(PaletteError) in _ = try await store.setAsideBytes(id) } == .noSetAside)
        }
        #expect(one.list == before)
        try await one.loadSetAside()
        #expect(one.setAside.isEmpty)
    }

    @Test func setAsidePalettesOfAnotherStoreAreNotReached() async throws {
        try await setPetsAside()
        let main = try await opened()
        let other = try await opened("Alternate")
        let id = try #require(main.setAside.first?.id)
        #expect(other.setAside.isEmpty)
        for name in [id, "", "0", "../\(id)"] {
            #expect(
                await paletteError { () throws(PaletteError) in try await other.restore(setAside: name) } == .noSetAside
            )
            #expect(
                await paletteError { () throws(PaletteError) in try await other.deleteSetAside(name) } == .noSetAside)
        }
        #expect(try await memory.setAsideRecords().count == 1)
    }

    @Test func palettesThatAreDamagedWhileTheyAreShownAreListed() async throws {
        let store = try await opened()
        try await put("{")
        await waitForPalettes { !store.reports.isEmpty }
        #expect(store.setAside.isEmpty)
        await store.loadNewSetAside()
        #expect(store.setAside.count == 1)
    }

    @Test func restoreChangesNothingWhenDiskIsFull() async throws {
        try await setPetsAside()
        let failing = FailingStore(memory)
        let store = try PaletteStore(
            named: "Main", in: failing, firstID: 1, settings: AutosaveSettings(delay: .zero, clock: ManualClock()))
        try await store.open()
        try await store.loadSetAside()
        let id = try #require(store.setAside.first?.id)
        try store.append(.test(6_000))
        failing.fail(StoreError(.diskFull, "There is no room left."))
        #expect(
            await paletteError { () throws(PaletteError) in try await store.restore(setAside: id) }
                == .failed("There is no room left."))
        #expect(try await memory.setAsideRecords().map(\.id) == [id])
        failing.fail(nil)
        try await store.restore(setAside: id)
        #expect(store.palettes.map(\.name) == ["Pets", "Zoo"])
    }
}
