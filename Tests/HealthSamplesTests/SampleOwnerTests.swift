import Foundation
import Persistence
import Testing

@testable import HealthSamples

/// Two owners whose samples have the same identifiers, in every kind of store.
@Suite(.timeLimit(.minutes(20))) struct SampleOwnerTests {
    /// Opens the stores of two owners.
    private func open(_ fixture: SampleStoreFixture) async throws -> (ann: any SampleStore, ben: any SampleStore) {
        (try await fixture.openForAll(), try await fixture.openForAll(owner: "ben"))
    }

    @Test(arguments: SampleStoreKind.allCases)
    func equalIdentifiersAreSeparateSamples(kind: SampleStoreKind) async throws {
        let (ann, ben) = try await open(try SampleStoreFixture(kind))
        let first = Sample.caffeine(10, sync: "a")
        try await ann.save(first, by: .app)
        var his = Sample.caffeine(20, sync: "a", id: first.id)
        #expect(try await ben.save(his, by: .app) == .added)
        #expect(try await ann.milligrams() == [10])
        #expect(try await ben.milligrams() == [20])
        // A new version replaces the owner's own sample only.
        his = .caffeine(21, sync: "a", version: 5, id: first.id)
        #expect(try await ben.save(his, by: .app) == .replaced(first.id))
        #expect(try await ann.milligrams() == [10])
        #expect(try await ann.save(.caffeine(11, sync: "a", version: 2, id: first.id), by: .app) == .replaced(first.id))
        // A deletion, which the store remembers, is the owner's own.
        #expect(try await ben.delete(.ids([first.id]), by: .app) == 1)
        #expect(try await ben.delete(.syncIdentifiers(["a"]), by: .app) == 0)
        #expect(try await ben.milligrams().isEmpty)
        #expect(try await ann.milligrams() == [11])
        #expect(try await ben.save(his, by: .app) == .deleted)
        #expect(try await ann.save(.caffeine(12, sync: "a", version: 5, id: first.id), by: .app) == .replaced(first.id))
        let days = try SampleDays(timeZone: "UTC")
        #expect(try await ann.statistics(.caffeine, perDay: days, in: .milligram, by: .app).map(\.sum) == [12])
        #expect(try await ben.statistics(.caffeine, perDay: days, in: .milligram, by: .app).isEmpty)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func pagesOfChangesContainOnlyTheOwnersOwn(kind: SampleStoreKind) async throws {
        let (ann, ben) = try await open(try SampleStoreFixture(kind))
        var ids: [UUID] = []
        for number in 0..<6 {
            let sample = Sample.caffeine(Double(number))
            ids.append(sample.id)
            try await ann.save(sample, by: .app)
            try await ben.save(.caffeine(100 + Double(number), id: sample.id, by: .watch), by: .watch)
        }
        for (store, expected) in [(ann, 0..<6), (ben, 100..<106)] {
            let all = try await store.allChanges(limit: 1)
            #expect(all.added.map(\.quantity.value) == expected.map(Double.init))
            #expect(all.deleted.isEmpty)
        }
        let (hers, his) = (
            try await ann.latestAnchor(.caffeine, by: .app), try await ben.latestAnchor(.caffeine, by: .app)
        )
        #expect(try await ben.delete(.ids([ids[0], ids[3]]), by: .watch) == 2)
        #expect(try await ann.allChanges(since: hers, limit: 1).deleted.isEmpty)
        #expect(try await ann.delete(.ids([ids[1]]), by: .app) == 1)
        #expect(try await ann.allChanges(since: hers, limit: 1).deleted.map(\.id) == [ids[1]])
        #expect(Set(try await ben.allChanges(since: his, limit: 1).deleted.map(\.id)) == [ids[0], ids[3]])
        // An anchor works only in the store that made it, also within a page.
        let page = try await ann.changes(.caffeine, since: nil, limit: 2, by: .app)
        for anchor in [hers, page.anchor] {
            #expect(
                await code { _ = try await ben.changes(.caffeine, since: anchor, limit: 1, by: .app) }
                    == .anchorMismatch)
        }
        #expect(
            await code { _ = try await ann.changes(.caffeine, since: his, limit: 1, by: .app) } == .anchorMismatch)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func purgeRemovesOnlyTheOwnersDeletions(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind, tombstoneAge: 60)
        let (ann, ben) = try await open(fixture)
        let sample = Sample.caffeine(1, sync: "a")
        for store in [ann, ben] {
            try await store.save(sample, by: .app)
            try await store.delete(.ids([sample.id]), by: .app)
        }
        let (hers, his) = (
            try await ann.latestAnchor(.caffeine, by: .app), try await ben.latestAnchor(.caffeine, by: .app)
        )
        fixture.advance(by: 120)
        #expect(try await ben.purge() == 1)
        #expect(try await ann.changes(.caffeine, since: hers, limit: 1, by: .app).deleted.isEmpty)
        #expect(try await ben.changes(.caffeine, since: his, limit: 1, by: .app).deleted.isEmpty)
        // Ann's deletion is still remembered.
        #expect(try await ann.save(sample, by: .app) == .deleted)
        #expect(try await ben.save(sample, by: .app) == .added)
        #expect(try await ann.purge() == 1)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func permissionsAreThoseOfOneOwner(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let (ann, ben) = (try await fixture.open(), try await fixture.open(owner: "ben"))
        try await ann.grant(.share, to: [.dietaryCaffeine], source: .app)
        try await ann.grant(.read, to: [.dietaryCaffeine], source: .app)
        #expect(try await ben.authorizations().isEmpty)
        #expect(try await ben.authorizationStatus(for: .dietaryCaffeine, source: .app) == .notDetermined)
        #expect(await code { _ = try await ben.save(.caffeine(), by: .app) } == .notAuthorized)
        try await ben.requestAuthorization(toShare: [.dietaryWater], read: [], source: .watch)
        try await ben.revoke(.share, to: [.dietaryCaffeine], source: .app)
        try await ben.revoke(.read, to: [.dietaryCaffeine], source: .app)
        #expect(
            try await ann.authorizations() == [
                SampleAuthorization(source: .app, type: .dietaryCaffeine, share: .granted, read: .granted)
            ])
        try await ann.save(.caffeine(7), by: .app)
        #expect(try await ann.milligrams() == [7])
        // The name of a source is also the owner's own.
        try await ben.grant(.share, to: [.dietaryCaffeine], source: .app)
        let renamed = SampleSource(identifier: "app", name: "Coffee")
        try await ben.save(.caffeine(8, by: renamed), by: renamed)
        #expect(try await ann.samples(.caffeine, by: .app).map(\.source.name) == ["App"])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func changesOfAnotherOwnerAreNotReported(kind: SampleStoreKind) async throws {
        let (ann, ben) = try await open(try SampleStoreFixture(kind))
        let all = SampleQuery(types: [.dietaryCaffeine, .dietaryWater])
        var updates = ann.updates(all, by: .app).makeAsyncIterator()
        func saveWater() async throws {
            let water = Sample(type: .dietaryWater, quantity: Quantity(1, .litre), start: .before(1), source: .app)
            try await ann.save(water, by: .app)
        }
        // The first updates may be about the permissions.
        try await ann.save(.caffeine(1), by: .app)
        while let types = await updates.next(), !types.contains(.dietaryCaffeine) {}
        try await saveWater()
        while let types = await updates.next(), !types.contains(.dietaryWater) {}
        for number in 0..<20 {
            try await ben.save(.caffeine(Double(number)), by: .app)
            try await ben.revoke(.read, to: [.dietaryCaffeine], source: .app)
            try await ben.grant(.read, to: [.dietaryCaffeine], source: .app)
            try await saveWater()
            #expect(await updates.next() == [.dietaryWater])
        }
    }
}
