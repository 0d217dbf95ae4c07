import Capture
import Foundation
import Loading
import MemoryStores
import OfflineLibraryModel
import Persistence
import StoreTesting
import Testing

/// Captures by a schedule, in virtual time.
@MainActor @Suite(.timeLimit(.minutes(5))) struct SchedulingTests {
    private static let day: TimeInterval = 86_400

    /// A library with a page that is saved every day, and whose next time has come.
    private func dueLibrary() async throws -> (LibraryFixture, SavedPage.ID) {
        let fixture = LibraryFixture(hasVersions: true)
        try await fixture.library.open()
        let (id, call) = try await fixture.startSaving()
        call.succeed(text: "Some words", picture: .png(rows: Data.stripes(9, width: 4), width: 4))
        await fixture.library.waitForItem(id) { $0.state.isFound }
        try await fixture.library.schedule(id, .daily, zone: "UTC")
        fixture.time.advance(by: Self.day + 1)
        return (fixture, id)
    }

    private func schedule(_ library: Library) -> RecaptureSchedule? { library.schedules.first }

    @Test func nothingIsCapturedBeforeItsTime() async throws {
        let fixture = LibraryFixture(hasVersions: true)
        let id = try await fixture.savePage()
        try await fixture.library.schedule(id, .daily, zone: "UTC")
        fixture.library.runSchedules()
        await fixture.library.waitUntilIdle()
        #expect(fixture.capturer.callCount == 1)
        let next = try #require(schedule(fixture.library)?.nextAt)
        #expect(next == fixture.time.now + Self.day)
    }

    @Test func changedPageBecomesAVersion() async throws {
        let (fixture, id) = try await dueLibrary()
        fixture.library.runSchedules()
        let call = try await fixture.capturer.call()
        // Until it has succeeded, the list has no other page.
        #expect(fixture.library.newest.map(\.id) == [id])
        call.succeed(text: "Other words", picture: .png(rows: Data.stripes(9, width: 4), width: 4))
        await fixture.library.waitUntilIdle()
        let versions = try await fixture.library.versions(of: id)
        #expect(versions.count == 2)
        #expect(versions[0].previous == id)
        #expect(versions[0].comparison?.words == TextChanges.Count(added: 1, removed: 1))
        #expect(versions[0].comparison?.picture?.isUnchanged == true)
        #expect(schedule(fixture.library)?.running == nil)
        #expect(schedule(fixture.library)?.nextAt == fixture.time.now + Self.day - 1)
    }

    @Test func unchangedPageIsOnlyNoted() async throws {
        let (fixture, id) = try await dueLibrary()
        fixture.library.runSchedules()
        let picture = Data.png(rows: Data.stripes(9, width: 4), width: 4)
        try await fixture.capturer.call().succeed(title: "Another title", text: "Some words", picture: picture)
        await fixture.library.waitUntilIdle()
        let versions = try await fixture.library.versions(of: id)
        #expect(versions.map(\.item.id) == [id])
        #expect(versions[0].checks == [fixture.time.now])
    }

    @Test func failureIsShownAtTheSchedule() async throws {
        let (fixture, id) = try await dueLibrary()
        fixture.library.runSchedules()
        try await fixture.capturer.call().fail(.connectionFailed, "It broke.")
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.newest.map(\.id) == [id])
        #expect(schedule(fixture.library)?.failure == "It broke.")
        #expect(schedule(fixture.library)?.nextAt == fixture.time.now + Self.day - 1)
        // It is tried again at its next time, and the success removes the failure.
        fixture.time.advance(by: Self.day)
        fixture.library.runSchedules()
        let picture = Data.png(rows: Data.stripes(9, width: 4), width: 4)
        try await fixture.capturer.call().succeed(text: "Some words", picture: picture)
        await fixture.library.waitUntilIdle()
        #expect(schedule(fixture.library)?.failure == nil)
    }

    @Test func errorPageIsAFailure() async throws {
        let (fixture, id) = try await dueLibrary()
        fixture.library.runSchedules()
        try await fixture.capturer.call().succeed(status: 503, text: "Sorry")
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.newest.map(\.id) == [id])
        #expect(schedule(fixture.library)?.failure == LibraryWords.scheduledError(503))
    }

    /// The machine slept for a week.
    @Test func missedTimesAreCaughtUpOnce() async throws {
        let (fixture, _) = try await dueLibrary()
        fixture.time.advance(by: 7 * Self.day)
        fixture.library.runSchedules()
        let picture = Data.png(rows: Data.stripes(9, width: 4), width: 4)
        try await fixture.capturer.call().succeed(text: "Some words", picture: picture)
        await fixture.library.waitUntilIdle()
        fixture.library.runSchedules()
        await fixture.library.waitUntilIdle()
        #expect(fixture.capturer.callCount == 2)
        #expect(try #require(schedule(fixture.library)?.nextAt) > fixture.time.now)
    }

    /// The capture has the same identifier after a restart, so that a job that still runs isn't started twice.
    @Test func interruptedCaptureContinuesAfterARestart() async throws {
        let (fixture, _) = try await dueLibrary()
        fixture.library.runSchedules()
        let first = try await fixture.capturer.call()
        await fixture.library.shutDown()
        let another = fixture.another()
        try await another.open()
        another.runSchedules()
        let second = try await fixture.capturer.call()
        #expect(second.attempt == first.attempt)
        second.succeed(text: "Other words")
        await another.waitUntilIdle()
        #expect(another.newest.count == 2)
    }

    @Test func removedScheduleStoresNothing() async throws {
        let (fixture, id) = try await dueLibrary()
        fixture.library.runSchedules()
        let call = try await fixture.capturer.call()
        try await fixture.library.schedule(id, nil, zone: "UTC")
        call.succeed(text: "Other words")
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.newest.map(\.id) == [id])
        #expect(fixture.library.schedules == [])
    }

    @Test func thereIsALimit() async throws {
        let fixture = LibraryFixture(hasVersions: true)
        let id = try await fixture.savePage()
        for index in 0..<RecaptureSchedule.maximumCount {
            let url = try #require(URL(string: "https://\(index).example/"))
            try await fixture.store.wrapped.setSchedule(
                RecaptureSchedule(CaptureRequest(url: url, formats: [.png]), .daily, from: .now, zone: "UTC"),
                owner: "ann")
        }
        let error = await error { () async throws(LibraryError) in
            try await fixture.library.schedule(id, .daily, zone: "UTC")
        }
        #expect("\(String(describing: error))".contains("addresses are already saved by a schedule"))
    }
}
