import Foundation
import Interleaving
import Persistence
import StoreTesting
import Testing

@testable import HealthSamples

/// Explores the in-memory store, with concurrent callers, under many schedules.
@Suite(.timeLimit(.minutes(20))) struct SampleExplorations {
    private static let schedules = isSoak ? 20_000 : 500

    private static func store() async throws -> MemorySampleStore {
        let store = MemorySampleStore(now: { .noon })
        try await store.grant(.share, to: [.dietaryCaffeine], source: .app)
        try await store.grant(.read, to: [.dietaryCaffeine], source: .app)
        return store
    }

    @Test func followerOfUpdatesMatchesTheStoreAtTheEnd() {
        explore(schedules: Self.schedules) {
            let store = try await Self.store()
            let updates = store.updates(.caffeine, by: .app)
            let following = Task {
                var known: [SampleKey: Sample] = [:]
                var anchor: Anchor?
                for await _ in updates {
                    var page: SampleChanges
                    repeat {
                        page = try await store.changes(.caffeine, since: anchor, limit: 1, by: .app)
                        page.apply(to: &known)
                        anchor = page.anchor
                    } while page.hasMore
                    let newest = known[.sync(source: "app", identifier: "a")]?.sync?.version
                    if newest == 4, known.count == 2 { break }
                }
                return known
            }
            async let one: Void = Task {
                try await store.save(.caffeine(1, sync: "a", version: 1), by: .app)
                try await store.delete(.syncIdentifiers(["a"]), by: .app)
                try await store.save(.caffeine(1, sync: "last"), by: .app)
            }.value
            async let other: Void = Task {
                try await store.save(.caffeine(2, sync: "a", version: 2), by: .app)
                try await store.save(.caffeine(3, sync: "a", version: 3), by: .app)
            }.value
            _ = try await (one, other)
            try await store.save(.caffeine(4, sync: "a", version: 4), by: .app)
            let known = try await following.value
            let stored = try await store.samples(.caffeine, by: .app)
            check(Set(known.values) == Set(stored), "\(known) is known, but \(stored) is stored")
        }
    }

    @Test func greaterVersionWinsWhenSavedConcurrently() {
        explore(schedules: Self.schedules) {
            let store = try await Self.store()
            async let one = Task { try await store.save(.caffeine(1, sync: "a", version: 1), by: .app) }.value
            async let two = Task { try await store.save(.caffeine(2, sync: "a", version: 2), by: .app) }.value
            let outcomes = try await (one, two)
            let stored = try await store.samples(.caffeine, by: .app)
            check(stored.map(\.sync?.version) == [2], "\(outcomes), \(stored)")
            let isFirst = outcomes.0 == .added
            check(isFirst == (outcomes.1 != .added), "\(outcomes)")
            let changes = try await store.changes(.caffeine, since: nil, limit: 9, by: .app)
            check(changes.added == stored, "\(changes)")
        }
    }

    @Test func nothingIsReportedAfterARevocation() {
        explore(schedules: Self.schedules) {
            let store = try await Self.store()
            let reader = SampleSource.watch
            try await store.grant(.read, to: [.dietaryCaffeine], source: reader)
            try await store.save([.caffeine(1), .caffeine(2), .caffeine(3)], by: .app)
            let revoking = Task {
                try await store.revoke(.read, to: [.dietaryCaffeine], source: reader)
                return try await store.samples(.caffeine, by: reader).count
            }
            var anchor: Anchor?
            var reported = 0
            for _ in 0..<3 {
                let page = try await store.changes(.caffeine, since: anchor, limit: 1, by: reader)
                anchor = page.anchor
                reported += page.added.count
            }
            let after = try await revoking.value
            check(after == 0, "\(after) after the revocation")
            check(reported <= 3, "\(reported)")
            let last = try await store.changes(.caffeine, since: anchor, limit: 9, by: reader)
            check(last.added.isEmpty, "\(last)")
        }
    }
}
