import Foundation
import Persistence
import Testing

@testable import HealthSamples

/// Saving and deleting samples in every store.
@Suite(.timeLimit(.minutes(20))) struct SavingTests {
    @Test(arguments: SampleStoreKind.allCases)
    func newStoreIsEmpty(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).open()
        #expect(store.isAvailable)
        #expect(try await store.samples(.caffeine, by: .app) == [])
        let changes = try await store.changes(.caffeine, since: nil, limit: 1, by: .app)
        #expect(changes.added == [] && changes.deleted == [] && !changes.hasMore)
        #expect(try await store.authorizations() == [])
        #expect(try await store.purge() == 0)
        #expect(try await store.delete(.ids([UUID()]), by: .app) == 0)
        #expect(try await store.save([], by: .app) == [])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func savedSampleIsReadExactlyByAnotherStore(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let sample = Sample(
            type: .dietaryCaffeine, quantity: Quantity(0.1 + 0.2, .ounce),
            start: Date(timeIntervalSinceReferenceDate: 761_234_567.123_456_78), end: Date.before(1),
            timeZone: "Asia/Tokyo",
            source: .app,
            metadata: [
                "name": .text("Café “crème” ☕️\0"), "number": .number(-1e-300), "yes": .flag(true), "no": .flag(false),
                "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "empty": .text(""),
                "size": .quantity(Quantity(8.3, .fluidOunceUS)),
            ],
            sync: SyncIdentity(identifier: "ä/1", version: 7))
        var long = sample
        long.end = long.start.addingTimeInterval(3_600)
        #expect(try await fixture.openForAll().save(long, by: .app) == .added)
        let other = try await fixture.open()
        #expect(try await other.samples(.caffeine, by: .app) == [long])
        #expect(try await other.changes(.caffeine, since: nil, limit: 9, by: .app).added == [long])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func greaterVersionReplacesTheSample(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let first = Sample.caffeine(100, sync: "a", version: 1)
        #expect(try await store.save(first, by: .app) == .added)
        #expect(try await store.save(.caffeine(300, sync: "a", version: 3), by: .app) == .replaced(first.id))
        #expect(try await store.save(.caffeine(200, sync: "a", version: 2), by: .app) == .outdated(by: 3))
        #expect(try await store.save(.caffeine(400, sync: "a", version: 3), by: .app) == .unchanged)
        #expect(try await store.milligrams() == [300])
        // The same sync identifier of another source is another sample.
        #expect(try await store.save(.caffeine(50, 90, sync: "a", by: .watch), by: .watch) == .added)
        #expect(try await store.milligrams() == [50, 300])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func deletedSampleReturnsOnlyWithAGreaterVersion(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind, tombstoneAge: 1_000)
        let store = try await fixture.openForAll()
        try await store.save(.caffeine(100, sync: "a", version: 5), by: .app)
        #expect(try await store.delete(.syncIdentifiers(["a", "unknown"]), by: .app) == 1)
        #expect(try await store.save(.caffeine(100, sync: "a", version: 5), by: .app) == .deleted)
        #expect(try await store.save(.caffeine(100, sync: "a", version: 4), by: .app) == .outdated(by: 5))
        #expect(try await store.milligrams() == [])
        #expect(try await store.save(.caffeine(106, sync: "a", version: 6), by: .app) == .added)
        #expect(try await store.delete(.syncIdentifiers(["a"]), by: .app) == 1)
        #expect(try await store.save(.caffeine(106, sync: "a", version: 6), by: .app) == .deleted)
        // Once the deletion is purged, a lower version can be saved.
        fixture.advance(by: 1_001)
        #expect(try await store.purge() == 2)
        #expect(try await store.save(.caffeine(104, sync: "a", version: 4), by: .app) == .added)
        #expect(try await store.milligrams() == [104])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func batchIsSavedCompletelyOrNotAtAll(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let stored = Sample.caffeine(1)
        try await store.save(stored, by: .app)
        var other = stored
        other.quantity.value = 2
        let batches: [([Sample], SampleStoreError.Code)] = [
            ([.caffeine(10, sync: "a"), .caffeine(-1)], .invalidSample),
            ([.caffeine(10, sync: "a"), other], .duplicateIdentifier),
            ([.caffeine(10, sync: "a"), .caffeine(20, sync: "b", id: stored.id)], .duplicateIdentifier),
            ([.caffeine(10, sync: "a"), .caffeine(20, by: .watch)], .invalidSample),
        ]
        try await store.save(.caffeine(5, 90, sync: "kept"), by: .app)
        try await store.save(.caffeine(6, 80, sync: "moved"), by: .app)
        let anchor = try await store.latestAnchor(.caffeine, by: .app)
        for (batch, expected) in batches {
            // A failed save restores the samples that it had already replaced.
            let replacing = [
                Sample.caffeine(7, 80, sync: "moved", version: 2), .caffeine(8, 80, sync: "moved", version: 3),
            ]
            #expect(await code { _ = try await store.save(replacing + batch, by: .app) } == expected)
        }
        #expect(try await store.milligrams() == [5, 6, 1])
        #expect(try await store.save(.caffeine(6, 80, sync: "moved"), by: .app) == .unchanged)
        #expect(try await store.allChanges().added.map(\.quantity.value) == [1, 5, 6])
        #expect(try await store.latestAnchor(.caffeine, by: .app) == anchor)
        // If a batch has the same sync identifier several times, the greatest version wins in any order.
        let outcomes = try await store.save(
            [.caffeine(10, sync: "a"), .caffeine(30, sync: "a", version: 3), .caffeine(20, sync: "a", version: 2)],
            by: .app)
        #expect(outcomes.count == 3 && outcomes[0] == .added && outcomes[2] == .outdated(by: 3))
        #expect(try await store.milligrams().sorted() == [1, 5, 6, 30])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func identifierBelongsToOneSample(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let sample = Sample.caffeine(10)
        try await store.save(sample, by: .app)
        #expect(try await store.save(sample, by: .app) == .unchanged)
        let others = Sample.caffeine(10, id: sample.id, by: .watch)
        #expect(await code { _ = try await store.save(others, by: .watch) } == .duplicateIdentifier)
        // A new version may reuse the identifier of the older one, or have another.
        let versioned = Sample.caffeine(20, sync: "a")
        try await store.save(versioned, by: .app)
        #expect(
            try await store.save(.caffeine(21, sync: "a", version: 2, id: versioned.id), by: .app)
                == .replaced(versioned.id))
        let taken = Sample.caffeine(22, sync: "a", version: 3, id: sample.id)
        #expect(await code { _ = try await store.save(taken, by: .app) } == .duplicateIdentifier)
        #expect(try await store.milligrams().sorted() == [10, 21])
        // A sample without versions can be saved again after its deletion.
        #expect(try await store.delete(.ids([sample.id]), by: .app) == 1)
        #expect(try await store.save(sample, by: .app) == .added)
        // The sample that was saved again is reported.
        let changes = try await store.allChanges(since: nil)
        #expect(Set(changes.added.map(\.quantity.value)) == [10, 21])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func ownersDoNotSeeEachOthersSamples(kind: SampleStoreKind) async throws {
        let fixture = try SampleStoreFixture(kind)
        let ann = try await fixture.openForAll()
        let ben = try await fixture.openForAll(owner: "ben")
        let sample = Sample.caffeine(10, sync: "a")
        try await ann.save(sample, by: .app)
        #expect(try await ben.milligrams() == [])
        #expect(try await ben.save(sample, by: .app) == .added)
        #expect(try await ben.delete(.query(.caffeine), by: .app) == 1)
        #expect(try await ann.milligrams() == [10])
        let anchor = try await ann.latestAnchor(.caffeine, by: .app)
        #expect(
            await code { _ = try await ben.changes(.caffeine, since: anchor, limit: 1, by: .app) } == .anchorMismatch)
    }

    @Test(arguments: SampleStoreKind.allCases)
    func sourceDeletesOnlyItsOwnSamples(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let mine = Sample.caffeine(1, 50, sync: "a")
        let theirs = Sample.caffeine(2, 40, sync: "a", by: .watch)
        try await store.save([mine, .caffeine(3, 30), .caffeine(4, 20)], by: .app)
        try await store.save(theirs, by: .watch)
        #expect(try await store.delete(.ids([theirs.id]), by: .app) == 0)
        #expect(try await store.delete(.syncIdentifiers(["a"]), by: .app) == 1)
        var query = SampleQuery.caffeine
        query.window = .between(.before(45), .before(25))
        #expect(try await store.delete(.query(query), by: .app) == 1)
        query.sources = .only(["watch"])
        #expect(try await store.delete(.query(query), by: .app) == 0)
        #expect(try await store.milligrams() == [2, 4])
    }

    @Test(arguments: SampleStoreKind.allCases)
    func latestNameOfASourceIsReturned(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        try await store.save(.caffeine(1), by: .app)
        let renamed = SampleSource(identifier: "app", name: "Coffee")
        try await store.save(.caffeine(2, by: renamed), by: renamed)
        #expect(try await store.samples(.caffeine, by: .app).map(\.source.name) == ["Coffee", "Coffee"])
    }

    /// A drink can be sipped for half an hour from now on: only its start must not be in the future.
    ///
    /// It can last at most four days.
    @Test(arguments: SampleStoreKind.allCases)
    func sampleThatEndsInTheFutureIsSaved(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        var sipped = Sample.caffeine(95, 0)
        sipped.end = .noon.addingTimeInterval(1_800)
        #expect(try await store.save(sipped, by: .app) == .added)
        #expect(try await store.samples(.caffeine, by: .app) == [sipped])
        var long = Sample.caffeine(95, 0)
        long.end = .noon.addingTimeInterval(345_600)
        #expect(try await store.save(long, by: .app) == .added)
        long.id = UUID()
        long.end += 1
        #expect(await code { _ = try await store.save(long, by: .app) } == .invalidSample)
    }

    /// Two canonically equivalent spellings are equal in Swift but not in a database, so only one of them is valid.
    @Test(arguments: SampleStoreKind.allCases)
    func onlyNormalizedNamesAreAccepted(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        let cafe = SampleSource(identifier: composed, name: "Café")
        try await store.grant(.share, to: [.dietaryCaffeine], source: cafe)
        try await store.save(.caffeine(1, sync: composed, by: cafe), by: cafe)
        let other = SampleSource(identifier: decomposed, name: "Another")
        #expect(
            await code { try await store.grant(.share, to: [.dietaryCaffeine], source: other) } == .invalidSample)
        #expect(await code { _ = try await store.save(.caffeine(2, by: other), by: other) } == .invalidSample)
        #expect(
            await code { _ = try await store.save(.caffeine(3, sync: decomposed, version: 2, by: cafe), by: cafe) }
                == .invalidSample)
        #expect(
            await code { _ = try await store.delete(.syncIdentifiers([decomposed]), by: cafe) } == .invalidSample)
        var noted = Sample.caffeine(4, by: cafe)
        noted.metadata[decomposed] = .flag(true)
        #expect(await code { _ = try await store.save(noted, by: cafe) } == .invalidSample)
        for sources in [SampleQuery.Sources.only([decomposed]), .allExcept([decomposed])] {
            let query = SampleQuery(types: [.dietaryCaffeine], sources: sources)
            #expect(await code { _ = try await store.samples(query, by: .app) } == .invalidQuery)
        }
        #expect(try await store.samples(.caffeine, by: cafe).map(\.quantity.value) == [1])
        #expect(try await store.authorizations().filter { $0.source == cafe }.count == 1)
        // A value needs no normalization.
        noted.metadata = [composed: .text(decomposed)]
        #expect(try await store.save(noted, by: cafe) == .added)
    }

    /// Each sample is rejected with a message that says why.
    @Test(arguments: SampleStoreKind.allCases)
    func invalidSampleIsRefusedWithItsReason(kind: SampleStoreKind) async throws {
        let store = try await SampleStoreFixture(kind).openForAll()
        func refused(_ change: (inout Sample) -> Void) async -> String? {
            var sample = Sample.caffeine(95, sync: "a")
            change(&sample)
            do {
                try await store.save(sample, by: .app)
                return nil
            } catch {
                return error.code == .invalidSample ? error.message : "\(error.code)"
            }
        }
        #expect(await refused { $0.quantity.value = -1 }?.contains("negative") == true)
        #expect(await refused { $0.quantity.value = .nan }?.contains("finite") == true)
        #expect(await refused { $0.quantity.value = .infinity }?.contains("finite") == true)
        #expect(await refused { $0.quantity = Quantity(5, .kilogram) }?.contains("Check the unit") == true)
        #expect(await refused { $0.quantity = Quantity(5, .count) }?.contains("another unit") == true)
        #expect(await refused { $0.end = $0.start.addingTimeInterval(-1) }?.contains("before it begins") == true)
        #expect(
            await refused {
                $0.start = .noon.addingTimeInterval(601)
                $0.end = $0.start
            }?.contains("future") == true)
        #expect(await refused { $0.start = .before(60 * 24 * 5) }?.contains("lasts") == true)
        #expect(await refused { $0.start = Date(timeIntervalSince1970: -1e12) }?.contains("no valid time") == true)
        #expect(
            await refused { $0.start = Date(timeIntervalSinceReferenceDate: .nan) }?.contains("no valid time") == true)
        #expect(await refused { $0.timeZone = "Mars/Olympus" }?.contains("time zone") == true)
        #expect(await refused { $0.timeZone = "UTC\u{0}" }?.contains("time zone") == true)
        #expect(await refused { $0.sync?.identifier = "" }?.contains("sync identifier") == true)
        #expect(await refused { $0.sync?.version = -1 }?.contains("from 0 up to") == true)
        #expect(await refused { $0.sync?.version = (1 << 53) + 1 }?.contains("up to 9007199254740992") == true)
        #expect(await refused { $0.sync?.version = .max }?.contains("up to 9007199254740992") == true)
        #expect(await refused { $0.metadata["a\n"] = .flag(true) }?.contains("name in the metadata") == true)
        #expect(await refused { $0.metadata["a"] = .number(.nan) }?.contains("finite") == true)
        let long = String(repeating: "x", count: 9_000)
        #expect(
            await refused { $0.metadata["a"] = .text(long) }?.contains("At most 64 entries with 8192 bytes") == true)
        #expect(
            await refused { for number in 0..<65 { $0.metadata["\(number)"] = .flag(true) } }?.contains("65") == true)
        #expect(
            await refused {
                $0.end = .noon.addingTimeInterval(600)
                $0.start = $0.end
            } == nil)
        #expect(await refused { $0.sync?.version = 1 << 53 } == nil)
        let unnamed = SampleSource(identifier: "", name: "")
        #expect(await code { _ = try await store.save([], by: unnamed) } == .invalidSample)
    }
}
