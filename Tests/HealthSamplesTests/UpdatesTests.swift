import Foundation
import Futures
import Persistence
import Testing

@testable import HealthSamples

/// Updates about changes by any source.
@Suite(.timeLimit(.minutes(20))) struct UpdatesTests {
    @Test(arguments: SampleStoreKind.allCases)
    func ownAndForeignChangesAreReported(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let store = try await fixture.openForAll()
        let other = try await fixture.open()
        var updates = store.updates(.caffeine, by: .app).makeAsyncIterator()
        var anchor = try await store.latestAnchor(.caffeine, by: .app)
        for (number, writer) in [store, other, store, other].enumerated() {
            let sample = Sample.caffeine(Double(number), sync: "\(number)")
            try await writer.save(sample, by: .app)
            var page = try await updates.nextPage(of: store, since: &anchor)
            #expect(page.added.map(\.quantity.value) == [Double(number)])
            try await writer.delete(.ids([sample.id]), by: .app)
            page = try await updates.nextPage(of: store, since: &anchor)
            #expect(page.deleted.map(\.id) == [sample.id])
        }
    }

    @Test(arguments: SampleStoreKind.allCases)
    func changesWithoutReadPermissionAreNotReported(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        try await store.revoke(.read, to: [.dietaryCaffeine], source: .app)
        let all = SampleQuery(types: [.dietaryCaffeine, .dietaryWater])
        var updates = store.updates(all, by: .app).makeAsyncIterator()
        try await store.save(.caffeine(by: .watch), by: .watch)
        let water = Sample(type: .dietaryWater, quantity: Quantity(1, .litre), start: .before(1), source: .watch)
        try await store.save(water, by: .watch)
        // The first update may be about an earlier change, here the permission to read water.
        #expect(await updates.next() == [.dietaryWater])
        // Being granted access counts as a change.
        try await store.grant(.read, to: [.dietaryCaffeine], source: .app)
        while let types = await updates.next(), !types.contains(.dietaryCaffeine) {}
    }

    @Test(arguments: SampleStoreKind.allCases)
    func unreadUpdatesAreCombinedWithoutLoss(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let store = try await fixture.openForAll()
        let other = try await fixture.open()
        var updates = store.updates(.caffeine, by: .app).makeAsyncIterator()
        var anchor = try await store.latestAnchor(.caffeine, by: .app)
        for number in 0..<50 { try await other.save(.caffeine(Double(number)), by: .app) }
        var count = 0
        while count < 50 {
            let page = try await updates.nextPage(of: store, since: &anchor)
            count += page.added.count
        }
        #expect(count == 50)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func listeningEndsWhenItsTaskIsCancelled(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let reported = Promise<Void, Never>()
        let updates = store.updates(.caffeine, by: .app)
        let task = Task {
            for await _ in updates { reported.resolve(()) }
            return true
        }
        try await store.save(.caffeine(), by: .app)
        await reported.future.value
        task.cancel()
        #expect(await task.value)
    }

    @Test func changesOfAnotherProcessAreReported() async throws {
        let fixture = try SampleStoreFixture(.database)
        let store = try await fixture.openForAll()
        var updates = store.updates(.caffeine, by: .app).makeAsyncIterator()
        var anchor = try await store.latestAnchor(.caffeine, by: .app)
        let path = try fixture.folder.path
        await #expect(processExitsWith: .success) { [path = path as String] in
            let database = try await AppDatabase.open(
                in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations)
            let store = try await SQLiteSampleStore.open(owner: "ann", in: database)
            try await store.save(.caffeine(42), by: .app)
        }
        let page = try await updates.nextPage(of: store, since: &anchor)
        #expect(page.added.map(\.quantity.value) == [42])
    }
}

extension Updates.Iterator where Element == Set<SampleType> {
    /// Waits for a page with changes, and returns it.
    mutating func nextPage(of store: any SampleStore, since anchor: inout Anchor) async throws -> SampleChanges {
        while true {
            let page = try await store.changes(.caffeine, since: anchor, limit: 1_000, by: .app)
            anchor = page.anchor
            if !page.added.isEmpty || !page.deleted.isEmpty { return page }
            _ = try #require(await next())
        }
    }
}
