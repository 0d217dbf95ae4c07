import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import Testing

/// The behaviour of comparisons, checks and schedules that all stores have in common.
@Suite(.timeLimit(.minutes(10))) struct VersionStoreTests {
    private static let comparison = VersionComparison(words: TextChanges.Count(added: 2, removed: 1), picture: nil)

    private func stores(_ kind: StoreKind) async throws -> (fixture: StoreFixture, versions: any VersionStore) {
        let fixture = try await kind.fixture()
        return (fixture, try #require(fixture.store as? any VersionStore))
    }

    /// Adds a version, captured some seconds after the start.
    private func add(_ store: any LibraryStore, at seconds: TimeInterval) async throws -> SavedPage.ID {
        let id = try await store.add(at: seconds).id
        _ = try #require(try await store.save(.page("A page"), as: id, attempt: 1, at: .start + seconds))
        return id
    }

    private func changed(_ store: any LibraryStore) async throws -> [SavedPage.ID] {
        var filter = PageFilter()
        filter.isChanged = true
        return try await store.find(LibraryQuery(filter: filter), owner: "ann", range: 0..<99).pages.map(\.id)
    }

    private func schedule(_ address: String = "https://example.org/", at time: Date = .start) throws
        -> RecaptureSchedule
    {
        let url = try #require(URL(string: address))
        return RecaptureSchedule(
            CaptureRequest(url: url, formats: [.png, .webArchive]), .daily, from: time, zone: "UTC")
    }

    @Test(arguments: StoreKind.allCases)
    func comparisonsAreStoredUntilAPageIsCapturedAgain(_ kind: StoreKind) async throws {
        let (fixture, versions) = try await stores(kind)
        let (old, new) = (try await add(fixture.store, at: 0), try await add(fixture.store, at: 1))
        let pair = VersionPair(old: old, new: new)
        #expect(try await versions.comparisons(of: [new], owner: "ann") == [:])
        try await versions.saveComparison(Self.comparison, of: pair, owner: "ann")
        try await versions.saveComparison(Self.comparison, of: pair, owner: "ann")
        #expect(try await versions.comparisons(of: [old, new], owner: "ann") == [pair: Self.comparison])
        #expect(try await versions.comparisons(of: [old], owner: "ann") == [:])
        let attempt = try await fixture.store.beginAgain(old)
        _ = try await fixture.store.save(.page("B"), as: old, attempt: attempt, at: .start)
        #expect(try await versions.comparisons(of: [new], owner: "ann") == [:])
    }

    @Test(arguments: StoreKind.allCases)
    func otherOwnersHaveNoAccess(_ kind: StoreKind) async throws {
        let (fixture, versions) = try await stores(kind)
        let (old, new) = (try await add(fixture.store, at: 0), try await add(fixture.store, at: 1))
        let pair = VersionPair(old: old, new: new)
        try await versions.saveComparison(Self.comparison, of: pair, owner: "bob")
        #expect(try await versions.comparisons(of: [new], owner: "ann") == [:])
        try await versions.saveComparison(Self.comparison, of: pair, owner: "ann")
        #expect(try await versions.comparisons(of: [new], owner: "bob") == [:])
        try await versions.setSchedule(try schedule(), owner: "ann")
        #expect(try await versions.schedules(ofOwner: "bob") == [])
        try await versions.removeSchedule(ofAddress: try schedule().key, owner: "bob")
        #expect(try await versions.schedules(ofOwner: "ann").count == 1)
        try await versions.recordOpening(of: new, owner: "bob", at: .start)
        #expect(try await changed(fixture.store) == [new])
    }

    @Test(arguments: StoreKind.allCases)
    func newVersionIsFoundUntilItIsOpened(_ kind: StoreKind) async throws {
        let (fixture, versions) = try await stores(kind)
        let old = try await add(fixture.store, at: 0)
        #expect(try await changed(fixture.store) == [])
        let new = try await add(fixture.store, at: 10)
        #expect(try await changed(fixture.store) == [new])
        // The older version doesn't count, opened or not.
        try await versions.recordOpening(of: old, owner: "ann", at: .start)
        #expect(try await changed(fixture.store) == [new])
        try await versions.recordOpening(of: new, owner: "ann", at: .start)
        #expect(try await changed(fixture.store) == [])
        let newest = try await add(fixture.store, at: 20)
        #expect(try await changed(fixture.store) == [newest])
        let same = VersionComparison(words: TextChanges.Count(), picture: nil)
        try await versions.saveComparison(same, of: VersionPair(old: new, new: newest), owner: "ann")
        #expect(try await changed(fixture.store) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func purgedPagesLeaveNoComparisonsAndChecks(_ kind: StoreKind) async throws {
        let (fixture, versions) = try await stores(kind)
        let (old, new) = (try await add(fixture.store, at: 0), try await add(fixture.store, at: 1))
        try await versions.saveComparison(Self.comparison, of: VersionPair(old: old, new: new), owner: "ann")
        try await fixture.store.delete(old, at: .start)
        try await fixture.store.purge(deletedBefore: .distantFuture)
        #expect(try await versions.comparisons(of: [new], owner: "ann") == [:])
    }

    @Test(arguments: StoreKind.allCases)
    func scheduledCaptureEndsOnce(_ kind: StoreKind) async throws {
        let (fixture, versions) = try await stores(kind)
        let page = try await add(fixture.store, at: 0)
        let stored = try schedule()
        try await versions.setSchedule(stored, owner: "ann")
        #expect(try await versions.schedules(ofOwner: "ann") == [stored])
        #expect(try await versions.ownersWithDueSchedules(at: .start) == [])
        #expect(try await versions.beginScheduled(ofAddress: stored.key, owner: "ann", at: .start) == nil)
        let due = stored.nextAt
        #expect(try await versions.ownersWithDueSchedules(at: due) == ["ann"])
        var running = try #require(try await versions.beginScheduled(ofAddress: stored.key, owner: "ann", at: due))
        // It was begun already.
        #expect(try await versions.beginScheduled(ofAddress: stored.key, owner: "ann", at: due) == running)
        running.nextAt = due + 86_400
        #expect(try await versions.endScheduled(running, .unchanged(page), owner: "ann", at: due))
        #expect(!(try await versions.endScheduled(running, .unchanged(page), owner: "ann", at: due)))
        #expect(
            try await versions.checks(ofAddress: stored.key, owner: "ann", limit: 9)
                == [VersionCheck(page: page, checkedAt: due)])
        let ended = try #require(try await versions.schedules(ofOwner: "ann").first)
        #expect(ended.running == nil && ended.endedAt == due && ended.failure == nil && ended.nextAt == running.nextAt)
        #expect(try await versions.ownersWithDueSchedules(at: due) == [])
    }

    @Test(arguments: StoreKind.allCases)
    func changedCaptureBecomesAPage(_ kind: StoreKind) async throws {
        let (fixture, versions) = try await stores(kind)
        let stored = try schedule()
        try await versions.setSchedule(stored, owner: "ann")
        let running = try #require(
            try await versions.beginScheduled(ofAddress: stored.key, owner: "ann", at: stored.nextAt))
        let id = try #require(running.running)
        var capture = PageCapture.page("New")
        capture.text = "New words"
        #expect(try await versions.endScheduled(running, .changed(capture, as: id), owner: "ann", at: stored.nextAt))
        let page = try #require(try await fixture.store.page(id))
        #expect(page.request == stored.request && page.requestedAt == stored.nextAt)
        #expect(page.state.value == PageContent(capture, capturedAt: stored.nextAt))
        #expect(try await fixture.store.content(.text, of: id) == "New words")
    }

    @Test(arguments: StoreKind.allCases)
    func failureIsStoredAndReplacedScheduleForgetsIt(_ kind: StoreKind) async throws {
        let (_, versions) = try await stores(kind)
        let stored = try schedule()
        try await versions.setSchedule(stored, owner: "ann")
        let running = try #require(
            try await versions.beginScheduled(ofAddress: stored.key, owner: "ann", at: stored.nextAt))
        #expect(try await versions.endScheduled(running, .failed(.broken), owner: "ann", at: stored.nextAt))
        #expect(try await versions.schedules(ofOwner: "ann").map(\.failure) == ["It broke."])
        try await versions.setSchedule(stored, owner: "ann")
        #expect(try await versions.schedules(ofOwner: "ann") == [stored])
        try await versions.removeSchedule(ofAddress: stored.key, owner: "ann")
        #expect(try await versions.schedules(ofOwner: "ann") == [])
        #expect(!(try await versions.endScheduled(running, .failed(.broken), owner: "ann", at: stored.nextAt)))
    }
}
