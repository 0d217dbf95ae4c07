import Foundation
import Futures
import Interleaving
import Persistence
import StoreTesting
import Testing

@testable import EmojiArtModel

/// Explores two sessions that edit the same palettes: no addition is lost, and in the end both show the stored palettes.
@Suite(.timeLimit(.minutes(20))) struct PaletteExplorations {
    private static let schedules = isSoak ? 20_000 : 300

    private static var settings: AutosaveSettings {
        var backoff = AutosaveSettings.backoff
        backoff.random = { 0 }
        return AutosaveSettings(delay: .milliseconds(1), backoff: backoff)
    }

    /// Waits until all writes and timers have finished.
    private static func waitUntilIdle() async throws {
        for _ in 0..<3 {
            await waitForOtherTasks()
            try await Task.sleep(for: .seconds(1))
        }
        await waitForOtherTasks()
    }

    @MainActor
    private static func palettes(_ store: any Store) throws -> PaletteStore {
        try PaletteStore(named: "Main", in: store, firstID: 1, settings: settings)
    }

    private static func compare(_ one: PaletteStore, _ two: PaletteStore, _ store: any Store) async throws
        -> PaletteList
    {
        try await waitUntilIdle()
        let shown = await (one.list, two.list)
        let stored = try await store.palettes()
        check(
            shown.0 == shown.1 && shown.0 == stored, "\(shown) are shown, and \(String(describing: stored)) is stored")
        let statuses = await (one.status, two.status)
        check(statuses.0.isSaved && statuses.1.isSaved, "\(statuses)")
        let reports = await one.reports + two.reports
        check(reports.isEmpty, "\(reports)")
        return shown.0
    }

    @Test func concurrentAdditionsOfPalettesAndEmojiLoseNothing() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let (one, two) = (try await Self.palettes(store), try await Self.palettes(store))
            async let first: Void = Task { @MainActor in
                try one.append(.test(5_000, "Food"))
                try await one.save()
                try one.edit { list throws(PaletteError) in _ = try list.add("🐶", to: 1) }
                try await one.save()
            }.value
            async let second: Void = Task { @MainActor in
                try two.edit { list throws(PaletteError) in _ = try list.add("🐱", to: 1) }
                try await two.save()
                try two.insert(.test(6_000, "Drink"), at: 0)
                try await two.save()
            }.value
            _ = try await (first, second)
            let list = try await Self.compare(one, two, store)
            check(Set(list.palettes.map(\.id)) == Set(Array(1...9) + [5_000, 6_000]), "\(list.palettes.map(\.id))")
            let emojis = try list.palette(1).emojis
            check(Set(emojis.prefix(2)) == ["🐶", "🐱"], "\(emojis)")
        }
    }

    @Test func changedPaletteSurvivesConcurrentDeletion() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let (one, two) = (try await Self.palettes(store), try await Self.palettes(store))
            async let deleting: Bool = Task { @MainActor in
                // If the new name was seen, the deletion is intended.
                let isSeen = try one.list.palette(2).name == "Games"
                try one.edit { list throws(PaletteError) in
                    try list.delete(2)
                    try list.delete(3)
                }
                try await one.save()
                return isSeen
            }.value
            async let changing: Bool = Task { @MainActor in
                // The palette may be deleted by now; then nothing is changed.
                let exists = two.palettes.contains { $0.id == 2 }
                if exists { try two.edit { list throws(PaletteError) in try list.rename(2, to: "Games") } }
                try await two.save()
                return exists
            }.value
            let (isSeen, isChanged) = try await (deleting, changing)
            let list = try await Self.compare(one, two, store)
            let names = list.palettes.map(\.name)
            check(!names.contains("Music") && !names.contains("Sports"), "\(names)")
            check(names.contains("Games") == (isChanged && !isSeen), "\(names)")
        }
    }

    @Test func movingBetweenStoresWhileAnotherAddsLosesNothing() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let stores = await PaletteStores(in: store, settings: Self.settings)
            let main = await stores.stores[0]
            let target = await stores.stores[1]
            let other = try await Self.palettes(store)
            async let moving: Void = Task { @MainActor in
                try await stores.move(2, from: main, to: target)
            }.value
            async let adding: Void = Task { @MainActor in
                try other.append(.test(5_000, "Food"))
                try await other.save()
            }.value
            _ = try await (moving, adding)
            let list = try await Self.compare(main, other, store)
            check(list.palettes.map(\.id) == [1, 3, 4, 5, 6, 7, 8, 9, 5_000], "\(list.palettes.map(\.id))")
            let moved = try await store.palettes("Alternate")?.palettes.last?.id
            check(moved == 2, "\(String(describing: moved)) is the last palette of the target")
        }
    }

    @Test func concurrentlyUsedEmojiAreAllInRecents() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let (one, two) = await (
                Recents(in: store, settings: Self.settings), Recents(in: store, settings: Self.settings)
            )
            async let first: Void = Task { @MainActor in
                try one.use("🐶")
                try await one.save()
                try one.use("🐭")
                try await one.save()
            }.value
            async let second: Void = Task { @MainActor in
                try two.use("🐱")
                try await two.save()
            }.value
            _ = try await (first, second)
            try await Self.waitUntilIdle()
            let shown = await (one.emojis, two.emojis)
            check(shown.0 == shown.1 && Set(shown.0) == ["🐶", "🐱", "🐭"], "\(shown)")
        }
    }
}
