import Persistence
import Testing
import VirtualTime

@testable import EmojiArtModel

/// Tests the recently used emoji.
@MainActor
@Suite(.timeLimit(.minutes(10))) struct RecentsTests {
    private let store = MemoryStore()

    private func recents() async throws -> Recents {
        let recents = Recents(in: store, settings: AutosaveSettings(delay: .zero, clock: ManualClock()))
        try await recents.open()
        return recents
    }

    @Test func latestEmojiIsFirstWithoutDuplicates() async throws {
        let recents = try await recents()
        #expect(recents.emojis == [])
        for emoji in ["🐶", "🐱", "🐶", "∞"] { try recents.use(emoji) }
        #expect(recents.emojis == ["∞", "🐶", "🐱"])
    }

    @Test func recentsAreLimitedToForty() async throws {
        let recents = try await recents()
        let all = EmojiSearch.index.hits.prefix(50).map(\.emoji)
        for emoji in all { try recents.use(emoji) }
        #expect(recents.emojis == Array(all.reversed().prefix(40)))
    }

    @Test(arguments: ["", " ", "ab", "🐶🐱", "\n", "\u{200B}", "a" + String(repeating: "\u{301}", count: 100)])
    func textOtherThanOneCharacterIsRefused(_ text: String) async throws {
        let recents = try await recents()
        #expect(await paletteError { () throws(PaletteError) in try recents.use(text) } == .noEmoji(text))
        #expect(recents.emojis == [])
    }

    @Test func savedRecentsAreLoadedAfterReopening() async throws {
        let recents = try await recents()
        try recents.use("🐶")
        try await recents.save()
        #expect(recents.status.isSaved)
        #expect(try await self.recents().emojis == ["🐶"])
    }

    @Test func repeatedUseOfLatestEmojiDoesNotNotify() async throws {
        let recents = try await recents()
        try recents.use("🐶")
        #expect(
            try await palettesWake {
                _ = recents.emojis
            } when: {
                try recents.use("🐶")
            } == false)
        #expect(
            try await palettesWake {
                _ = recents.emojis
            } when: {
                try recents.use("🐱")
            })
    }

    @Test(arguments: [
        (["c", "a", "b"], ["a", "b"], ["a", "b"], ["c", "a", "b"]),
        (["c", "a", "b"], ["d", "a", "b"], ["a", "b"], ["c", "d", "a", "b"]),
        (["b", "a"], ["d", "a", "b"], ["a", "b"], ["b", "d", "a"]),
        (["a", "b"], ["d", "a", "b"], ["a", "b"], ["d", "a", "b"]),
        (["c"], ["d"], [], ["c", "d"]), ([], ["d"], [], ["d"]), (["x"], ["d"], ["a", "b"], ["x", "d"]),
    ])
    func concurrentRecentsAreMerged(_ local: [String], _ foreign: [String], _ base: [String], _ merged: [String]) {
        #expect(Recents.merged(local, with: foreign, from: base) == merged)
    }

    @Test func concurrentUseInTwoTabsLosesNoEmoji() async throws {
        let (one, two) = (try await recents(), try await recents())
        try one.use("🐶")
        try two.use("🐱")
        try await one.save()
        try await two.save()
        await untilPalettes { one.emojis == two.emojis && one.emojis.count == 2 }
        #expect(Set(one.emojis) == ["🐶", "🐱"])
    }

    @Test func invalidStoredRecentsAreRepaired() async throws {
        let content = try StoredFormat<[String]>("emojiart.recents").content(of: ["🐶🐱", "", "🐶", " "])
        _ = try await store.commit([StoreWrite("EmojiRecents", content)])
        #expect(try await recents().emojis == ["🐶", "🐱"])
    }
}
