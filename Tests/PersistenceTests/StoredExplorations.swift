import Foundation
import Futures
import Interleaving
import StoreTesting
import Testing

@testable import Persistence

/// Explores stored values under many schedules: nothing hangs, no value is stale, and no change is lost.
@Suite(.timeLimit(.minutes(20))) struct StoredExplorations {
    private static let schedules = isSoak ? 20_000 : 500

    /// Numbers whose concurrent changes are merged.
    @MainActor
    private static func merging(_ store: any Store) -> Stored<[Int]> {
        Stored(
            "numbers", in: store, format: .numbers, default: [], settings: settings,
            merge: { conflict in .merged(Set(conflict.local + conflict.foreign).sorted()) })
    }

    /// Numbers that aren't merged: the last write wins.
    @MainActor
    private static func replacing(_ store: any Store) -> Stored<[Int]> {
        Stored("numbers", in: store, format: .numbers, default: [], settings: settings)
    }

    private static var settings: AutosaveSettings {
        var backoff = AutosaveSettings.backoff
        backoff.random = { 0 }
        return AutosaveSettings(delay: .milliseconds(1), backoff: backoff)
    }

    /// Waits until the changes of other writers, and their timers, have been processed.
    private static func waitUntilIdle() async throws {
        for _ in 0..<3 {
            await waitForOtherTasks()
            try await Task.sleep(for: .seconds(1))
        }
        await waitForOtherTasks()
    }

    @Test func concurrentAdditionsAreMerged() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let first = await Self.merging(store)
            let second = await Self.merging(store)
            async let adding: Void = Task { @MainActor in
                first.value.append(1)
                try await first.flush()
            }.value
            async let alsoAdding: Void = Task { @MainActor in
                second.value.append(2)
                try await second.flush()
            }.value
            _ = try await (adding, alsoAdding)
            let flushed = try await store.numbers("numbers")
            // The task that wrote last has merged the other's change.
            check(flushed?.sorted() == [1, 2], "\(String(describing: flushed)) is stored")
            try await Self.waitUntilIdle()
            let shown = await (first.value, second.value)
            check(shown.0 == flushed && shown.1 == flushed, "\(shown)")
            let statuses = await (first.status, second.status)
            check(statuses.0.isSaved && statuses.1.isSaved, "\(statuses)")
        }
    }

    @Test func losingValueIsStoredAsAConflictCopy() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let first = await Self.replacing(store)
            let second = await Self.replacing(store)
            await first.load()
            async let setting: Void = Task { @MainActor in
                // Append rather than set: a writer that has read the other's value may replace it without a copy.
                first.value.append(1)
                try await first.flush()
            }.value
            async let alsoSetting: Void = Task { @MainActor in
                second.value.append(2)
                try await second.flush()
            }.value
            _ = try await (setting, alsoSetting)
            try await Self.waitUntilIdle()
            let all = try await store.allNumbers()
            check(all == [1, 2], "\(all) is stored")
            let shown = await (first.value, second.value)
            let stored = try await store.numbers("numbers")
            check(
                shown.0 == stored && shown.1 == stored, "\(shown) is shown, but \(String(describing: stored)) is stored"
            )
        }
    }

    @Test func valueSetDuringLoadingIsNotLost() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            try await store.write([1], "numbers")
            let stored = await Self.merging(store)
            let setting = Task { @MainActor in stored.value.append(2) }
            await stored.load()
            await setting.value
            try await stored.flush()
            let numbers = try await store.numbers("numbers")
            check(numbers == [1, 2], "\(String(describing: numbers)) is stored")
            let shown = await stored.value
            check(shown == [1, 2], "\(shown) is shown")
        }
    }

    @Test func writesAndRemovalsOfAnotherWriterAreFollowed() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let stored = await Self.replacing(store)
            let other = Task {
                try await store.write([1], "numbers")
                _ = try await store.commit([StoreWrite("numbers", nil)])
                try await store.write([2], "numbers")
            }
            await stored.load()
            try await other.value
            try await Self.waitUntilIdle()
            let shown = await stored.value
            check(shown == [2], "\(shown) is shown")
            let status = await stored.status
            check(status.isSaved, "\(status)")
        }
    }

    @Test func failingStoreLosesNoValue() {
        explore(schedules: Self.schedules) {
            let store = FaultyStore()
            store.failReads([.temporary])
            store.failCommits([.temporary])
            let stored = await Self.merging(store)
            let another = await Self.merging(store)
            let setting = Task { @MainActor in
                stored.value.append(1)
                try? await stored.flush()
                stored.value.append(2)
            }
            let other = Task { @MainActor in
                another.value.append(3)
                try? await another.flush()
            }
            _ = await (setting.value, other.value)
            try await Task.sleep(for: .seconds(100))
            let all = try await store.allNumbers()
            check(all == [1, 2, 3], "\(all) is stored")
            let (status, shown) = await (stored.status, stored.value)
            check(status.isSaved, "\(status)")
            let numbers = try await store.numbers("numbers")
            check(shown == numbers, "\(shown) is shown, but \(String(describing: numbers)) is stored")
        }
    }

    @Test func savedStatusMeansThatTheValueIsStored() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            let stored = await Self.replacing(store)
            await stored.load()
            let setting = Task { @MainActor in
                for number in 1...3 {
                    stored.value = [number]
                    await Task.yield()
                }
            }
            let watching = Task { @MainActor in
                for _ in 0..<5 {
                    if stored.status.isSaved, stored.value != [] {
                        let value = stored.value
                        let numbers = try await store.numbers("numbers")
                        // The store may contain a newer value by now.
                        let isStored = (numbers?.first ?? 0) >= (value.first ?? 0)
                        check(isStored, "\(value) has the status saved, but \(String(describing: numbers)) is stored")
                    }
                    try await Task.sleep(for: .milliseconds(1))
                }
            }
            await setting.value
            try await watching.value
            try await stored.flush()
        }
    }

    @Test func valueIsWrittenAfterItsOwnerIsReleased() {
        explore(schedules: Self.schedules) {
            let store = MemoryStore()
            do {
                let stored = await Self.replacing(store)
                await Task { @MainActor in stored.value = [1] }.value
            }
            try await Self.waitUntilIdle()
            let numbers = try await store.numbers("numbers")
            check(numbers == [1], "\(String(describing: numbers)) is stored")
        }
    }
}
