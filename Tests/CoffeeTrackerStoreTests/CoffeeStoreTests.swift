import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import HealthSamples
import Persistence
import Testing

/// Tests the behaviour of every store of drinks.
@Suite(.timeLimit(.minutes(10))) struct CoffeeStoreTests {
    @Test(arguments: StoreKind.allCases)
    func storedDrinksAreReturnedNewestFirst(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let drinks = [Drink.test(1, hour: 2), .test(2, 0.1 + 0.2, hour: 3, name: "Tè “verde” 🍵"), .test(3, hour: 1)]
        let commit = try await fixture.store.apply(drinks.map(DrinkChange.add))
        let snapshot = try await fixture.store.everything()
        #expect(snapshot.drinks == [drinks[1], drinks[0], drinks[2]])
        #expect(snapshot.unsyncedCount == 3)
        let changed = Dictionary(uniqueKeysWithValues: drinks.map { ($0.id, Optional($0)) })
        #expect(commit == CoffeeCommit(revision: snapshot.revision, drinks: changed, unsyncedCount: 3))
    }

    @Test(arguments: StoreKind.allCases)
    func snapshotExcludesOlderDrinks(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let drinks = (0..<4).map { Drink.test($0, hour: Double($0)) }
        let start = drinks[1].start
        _ = try await fixture.store.apply(drinks.map(DrinkChange.add))
        let snapshot = try await fixture.store.snapshot(since: start)
        #expect(snapshot.drinks.map(\.id) == [.test(3), .test(2), .test(1)])
        #expect(try await fixture.store.drinks(from: start, to: drinks[3].start).map(\.id) == [.test(2), .test(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func drinkIsFoundByAPrefixOfItsID(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.apply(.add(.test(0x1a)), .add(.test(0x1b, hour: 1)), .add(.test(0x2a)))
        try await fixture.store.apply(.delete(.test(0x2a)))
        let id = UUID.test(0x1a).uuidString
        #expect(try await fixture.store.drinks(withIDPrefix: id).map(\.id) == [.test(0x1a)])
        let alike = try await fixture.store.drinks(withIDPrefix: String(id.dropLast()))
        #expect(alike.map(\.id) == [.test(0x1b), .test(0x1a)])
        #expect(try await fixture.store.drinks(withIDPrefix: UUID.test(0x2a).uuidString) == [])
        #expect(try await fixture.store.drinks(withIDPrefix: "").count == 2)
        #expect(try await fixture.store.drinks(withIDPrefix: "%").isEmpty)
    }

    @Test(arguments: StoreKind.allCases)
    func failedChangeRollsBackTheBatch(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.apply(.add(.test(1)))
        let before = try await fixture.store.everything()
        await #expect(throws: CoffeeError.notFound) {
            try await fixture.store.apply(.add(.test(2)), .delete(.test(1)), .delete(.test(9)))
        }
        #expect(try await fixture.store.everything() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func unchangedDrinkDoesNotIncrementTheRevision(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let before = try await fixture.store.apply(.add(.test(1)))
        #expect(try await fixture.store.apply(.add(.test(1)), .put(.test(1))) == before)
        let after = try await fixture.store.apply(.put(.test(1, 97)))
        #expect(after.revision > before.revision)
    }

    @Test(arguments: StoreKind.allCases)
    func outboxContainsOnlyUnsyncedDrinks(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.apply(.add(.test(1)), .add(.test(2, hour: -1)))
        #expect(try await fixture.store.outbox().map(\.drink.id) == [.test(2), .test(1)])
        _ = try await fixture.store.recordAnswers([
            SentDrink(id: .test(1), version: 1, answer: .done), SentDrink(id: .test(2), version: 1, answer: .done),
        ])
        #expect(try await fixture.store.everything().unsyncedCount == 0)
        try await fixture.store.apply(.delete(.test(1)))
        let outbox = try await fixture.store.outbox()
        #expect(outbox.map(\.isDeleted) == [true] && outbox.map(\.version) == [2])
        _ = try await fixture.store.recordAnswers([SentDrink(id: .test(1), version: 2, answer: .done)])
        #expect(try await fixture.store.outbox() == [])
    }

    @Test(arguments: StoreKind.allCases)
    func changesAreStoredWithTheirAnchor(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        #expect(try await fixture.store.anchor() == nil)
        let (first, second) = (try Anchor.test(1), try Anchor.test(2))
        #expect(try await fixture.store.takePage(added: [.scale(5)], after: nil, to: first))
        #expect(try await fixture.store.anchor() == first)
        #expect(
            try await fixture.store.everything().drinks.map(\.source) == [.other(name: "Scale", identifier: "scale")])
        // Another controller has stored a newer page since, so a late page has no effect.
        #expect(try await !fixture.store.takePage(deleted: [Sample.scale(5).deleted], after: nil, to: second))
        #expect(try await fixture.store.anchor() == first)
        #expect(try await fixture.store.everything().drinks.count == 1)
        #expect(try await fixture.store.takePage(deleted: [Sample.scale(5).deleted], after: first, to: second))
        #expect(try await fixture.store.everything().drinks == [])
    }

    @Test(arguments: StoreKind.allCases)
    func repeatedPageChangesNothing(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let first = try Anchor.test(1)
        let samples = [
            Sample.scale(5), .scale(6, sync: SyncIdentity(identifier: "x", version: 2)),
            Drink.test(9).ownSample(version: 4),
        ]
        try await fixture.store.takePage(added: samples, after: nil, to: first)
        let once = try await fixture.store.everything()
        try await fixture.store.takePage(added: samples, after: first, to: try .test(2))
        #expect(try await fixture.store.everything() == once)
        #expect(once.drinks.count == 3 && once.unsyncedCount == 0)
    }

    @Test(arguments: StoreKind.allCases)
    func replacedSampleUpdatesTheSameDrink(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let old = Sample.scale(5, 50, sync: SyncIdentity(identifier: "x", version: 1))
        let new = Sample.scale(6, 70, sync: SyncIdentity(identifier: "x", version: 2))
        try await fixture.store.takePage(added: [old], after: nil, to: try .test(1))
        let id = try await fixture.store.everything().drinks.map(\.id)
        try await fixture.store.takePage(added: [new], deleted: [old.deleted], after: try .test(1), to: try .test(2))
        #expect(try await fixture.store.everything().drinks.map(\.milligrams) == [70])
        #expect(try await fixture.store.everything().drinks.map(\.id) == id)
        // An outdated page.
        try await fixture.store.takePage(added: [old], deleted: [old.deleted], after: try .test(2), to: try .test(3))
        #expect(try await fixture.store.everything().drinks.map(\.milligrams) == [70])
    }

    @Test(arguments: StoreKind.allCases)
    func sampleReplacedOnTheNextPageUpdatesTheSameDrink(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let old = Sample.scale(5, 50, sync: SyncIdentity(identifier: "x", version: 1))
        let new = Sample.scale(6, 70, sync: SyncIdentity(identifier: "x", version: 2))
        try await store.takePage(added: [old], after: nil, to: try .test(1))
        try await store.takePage(deleted: [old.deleted], after: try .test(1), to: try .test(2), hasMore: true)
        #expect(try await store.everything().drinks == [])
        #expect(try await store.known(own: .coffeeTracker) == [])
        #expect(try await store.everything().unsyncedCount == 0)
        try await store.takePage(added: [new], after: try .test(2), to: try .test(3))
        #expect(try await store.everything().drinks.map(\.milligrams) == [70])
        #expect(try await store.everything().drinks.map(\.id) == [.test(5)])
        // A deleted sample that isn't replaced by the end of the last page is forgotten.
        try await store.takePage(deleted: [new.deleted], after: try .test(3), to: try .test(4), hasMore: true)
        try await store.takePage(after: try .test(4), to: try .test(5))
        let next = Sample.scale(7, 80, sync: SyncIdentity(identifier: "x", version: 1))
        try await store.takePage(added: [next], after: try .test(5), to: try .test(6))
        #expect(try await store.everything().drinks.map(\.id) == [.test(7)])
    }

    @Test(arguments: StoreKind.allCases)
    func resyncBetweenPagesUpdatesTheSameDrink(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let store = fixture.store
        let old = Sample.scale(5, 50, sync: SyncIdentity(identifier: "x", version: 1))
        let new = Sample.scale(6, 70, sync: SyncIdentity(identifier: "x", version: 2))
        try await store.takePage(added: [old, .scale(8)], after: nil, to: try .test(1))
        let deleted = [old.deleted, Sample.scale(8).deleted]
        try await store.takePage(deleted: deleted, after: try .test(1), to: try .test(2), hasMore: true)
        let resync = SampleResync(added: [new], changed: [], deleted: [], anchor: try .test(3))
        #expect(try await store.apply(.resync(resync), after: try .test(2), own: .coffeeTracker) != nil)
        #expect(try await store.everything().drinks.map(\.id) == [.test(5)])
        #expect(try await store.known(own: .coffeeTracker) == [new.known])
    }

    @Test(arguments: StoreKind.allCases)
    func deletedIdentifierCanBeSavedAgainAtALowerVersion(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let high = Sample.scale(5, 50, sync: SyncIdentity(identifier: "x", version: 9))
        let low = Sample.scale(6, 70, sync: SyncIdentity(identifier: "x", version: 1))
        try await fixture.store.takePage(added: [high], after: nil, to: try .test(1))
        try await fixture.store.takePage(added: [low], deleted: [high.deleted], after: try .test(1), to: try .test(2))
        #expect(try await fixture.store.everything().drinks.map(\.milligrams) == [70])
    }

    @Test(arguments: StoreKind.allCases)
    func knownSamplesAreThoseTheHealthStoreMayHave(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.apply(.add(.test(1)), .add(.test(2)), .add(.test(3)))
        _ = try await fixture.store.recordAnswers([1, 3].map { SentDrink(id: .test($0), version: 1, answer: .done) })
        try await fixture.store.apply(.delete(.test(3)))
        try await fixture.store.takePage(added: [.scale(5)], after: nil, to: try .test(1))
        let known = try await fixture.store.known(own: .coffeeTracker)
        let expected = [Drink.test(1).ownSample(version: 1).known, Sample.scale(5).known]
        #expect(Set(known) == Set(expected))
    }

    @Test(arguments: StoreKind.allCases)
    func sampleOfVersionZeroIsRemovedByAResync(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let sample = Sample.scale(5, sync: SyncIdentity(identifier: "x", version: 0))
        try await fixture.store.takePage(added: [sample], after: nil, to: try .test(1))
        let known = try await fixture.store.known(own: .coffeeTracker)
        #expect(known == [sample.known])
        let resync = SampleResync(added: [], changed: [], deleted: [sample.known], anchor: try .test(2))
        #expect(try await fixture.store.apply(.resync(resync), after: try .test(1), own: .coffeeTracker) != nil)
        #expect(try await fixture.store.everything().drinks == [])
    }

    @Test(arguments: StoreKind.allCases)
    func resyncReconcilesAllDifferences(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.apply(.add(.test(1)), .add(.test(2)))
        _ = try await fixture.store.recordAnswers([1, 2].map { SentDrink(id: .test($0), version: 1, answer: .done) })
        try await fixture.store.takePage(added: [.scale(5), .scale(6, 60)], after: nil, to: try .test(1))
        let known = try await fixture.store.known(own: .coffeeTracker)
        let lost = known.filter { $0.key != Sample.scale(6).key && $0.key != Drink.test(2).ownSample(version: 1).key }
        let resync = SampleResync(
            added: [Drink.test(7).ownSample(version: 2)], changed: [], deleted: lost, anchor: try .test(2))
        #expect(try await fixture.store.apply(.resync(resync), after: try .test(1), own: .coffeeTracker) != nil)
        let drinks = try await fixture.store.everything().drinks
        #expect(Set(drinks.map(\.id)) == [.test(1), .test(2), .test(6), .test(7)])
        // A resync never loses a drink that was logged here: it is saved to the health store again.
        #expect(try await fixture.store.outbox().map(\.drink.id) == [.test(1)])
    }

    @Test(arguments: StoreKind.allCases)
    func sampleWithAUsedIDGetsANewDrinkID(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        try await fixture.store.apply(.add(.test(5)))
        try await fixture.store.takePage(added: [.scale(5)], after: nil, to: try .test(1))
        let drinks = try await fixture.store.everything().drinks
        #expect(drinks.count == 2 && Set(drinks.map(\.id)).count == 2)
    }

    @Test(arguments: StoreKind.allCases)
    func observerReceivesEachCommit(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        var commits = fixture.store.updates().makeAsyncIterator()
        let first = try await fixture.store.apply([.add(.test(1))])
        // The first element may cover earlier commits.
        while try #require(await commits.next()).map(\.revision).max() != first.revision {}
        let second = try await fixture.store.apply([.put(.test(1, 50)), .add(.test(2))])
        #expect(isNotice(await commits.next(), of: second, kind))
        #expect(second.drinks == [.test(1): .test(1, 50), .test(2): .test(2)] && second.unsyncedCount == 2)
        let third = try await fixture.store.apply([.delete(.test(1))])
        #expect(isNotice(await commits.next(), of: third, kind))
        #expect(third.drinks == [.test(1): nil] && third.revision == second.revision + 1)
        // A change without effect and a new anchor alone don't notify.
        let none = CoffeeCommit(revision: third.revision, drinks: [:], unsyncedCount: 2)
        #expect(try await fixture.store.apply([.put(.test(2))]) == none)
        try await fixture.store.takePage(after: nil, to: try .test(1))
        try await fixture.store.takePage(added: [.scale(5)], after: try .test(1), to: try .test(2))
        let last = try #require(await commits.next()?.first)
        #expect(last.drinks?.keys.first == .test(5) || last.drinks == nil && kind != .memory)
    }

    /// Whether a notice is about a commit.
    ///
    /// A database may be read between a commit and its report; the notice doesn't know its drinks then.
    private func isNotice(_ notice: Set<CoffeeCommit>?, of commit: CoffeeCommit, _ kind: StoreKind) -> Bool {
        let unknown = CoffeeCommit(revision: commit.revision, drinks: nil, unsyncedCount: 0)
        return notice == [commit] || notice == [unknown] && kind != .memory
    }
}

extension Drink {
    /// The drink's sample, as this app saves it.
    func ownSample(version: Int) -> Sample {
        Sample(
            id: DrinkRecord(drink: self, version: version, syncedVersion: version).known(own: .coffeeTracker)?.id
                ?? UUID(),
            type: .dietaryCaffeine, quantity: Quantity(milligrams, .milligram), start: start, end: end,
            timeZone: timeZone, source: .coffeeTracker,
            metadata: [
                "drinkName": .text(name), "drinkEmoji": .text(emoji),
                "drinkVolume": .quantity(Quantity(millilitres ?? 0, .millilitre)),
            ], sync: SyncIdentity(identifier: id.uuidString, version: version))
    }
}
