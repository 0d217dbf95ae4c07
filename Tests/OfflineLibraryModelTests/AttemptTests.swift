import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct AttemptTests {
    @Test func failedPageCanBeRetried() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail(.hostNotFound, "No host of that name was found.")
        let failed = await fixture.library.item(id) { $0.state.failureReason != nil }
        let reason = CaptureFailure(code: "hostNotFound", message: "No host of that name was found.")
        #expect(failed?.state == .failed(reason, previous: nil))
        #expect(await fixture.storedPage(id)?.state == failed?.state)
        try await fixture.library.retry(id)
        #expect(fixture.library.item(id)?.state.isFetching == true)
        // Another tab retries the same page.
        try await fixture.library.retry(id)
        try await fixture.capturer.call().succeed()
        await fixture.library.item(id) { $0.state.isFound }
        #expect(fixture.capturer.callCount == 2)
        // There is nothing to retry.
        try await fixture.library.retry(id)
        #expect(fixture.capturer.callCount == 2)
    }

    @Test func concurrentRetriesStartOneCapture() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail()
        await fixture.library.item(id) { $0.state.failureReason != nil }
        let tabs = (0..<20).map { _ in Task { try await fixture.library.retry(id) } }
        for tab in tabs { try await tab.value }
        try await fixture.capturer.call().succeed()
        await fixture.library.item(id) { $0.state.isFound }
        #expect(fixture.capturer.callCount == 2)
        #expect(await fixture.storedPage(id)?.attempt == 2)
    }

    @Test func retryThatCannotBeStoredFails() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail()
        await fixture.library.item(id) { $0.state.failureReason != nil }
        fixture.store.breakDown([.beginAgain])
        #expect(await error { () throws(LibraryError) in try await fixture.library.retry(id) } == .diskFull)
        #expect(fixture.library.item(id)?.state.failureReason?.code == "storage")
        fixture.store.breakDown([])
        try await fixture.library.retry(id)
        try await fixture.capturer.call().succeed()
        await fixture.library.item(id) { $0.state.isFound }
    }

    @Test func resultOfAnOlderAttemptIsDropped() async throws {
        let fixture = LibraryFixture(ignoresCancellation: true)
        let (id, older) = try await fixture.startSaving()
        try await fixture.library.stop(id)
        try await fixture.library.retry(id)
        let newer = try await fixture.capturer.call()
        older.progress(.settling)
        older.succeed(title: "The older one")
        // The newer capture is still running when the older one has finished.
        newer.progress(.rendering(.png))
        await fixture.library.item(id) { $0.phase == .capturing(.rendering(.png)) }
        #expect(fixture.library.item(id)?.state.isFetching == true)
        #expect(await fixture.storedPage(id)?.state.isFetching == true)
        newer.succeed(title: "The newer one")
        await fixture.library.item(id) { $0.state.isFound }
        #expect(fixture.library.item(id)?.state.value?.title == "The newer one")
        await fixture.library.waitUntilIdle()
        #expect(await fixture.storedPage(id)?.state.value?.title == "The newer one")
    }

    @Test func lateFailureOfAnOlderAttemptIsDropped() async throws {
        let fixture = LibraryFixture(ignoresCancellation: true)
        let (id, older) = try await fixture.startSaving()
        try await fixture.library.stop(id)
        try await fixture.library.retry(id)
        let newer = try await fixture.capturer.call()
        newer.succeed(title: "The newer one")
        await fixture.library.item(id) { $0.state.isFound }
        older.fail()
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state.value?.title == "The newer one")
        #expect(await fixture.storedPage(id)?.state.value?.title == "The newer one")
    }

    @Test func fullDiskFailsTheCaptureWithAReason() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        fixture.store.breakDown([.keep])
        call.succeed()
        let item = await fixture.library.item(id) { $0.state.failureReason != nil }
        let reason = CaptureFailure(code: "storage", message: "The disk is full: make room, then try again.")
        #expect(item?.state.failureReason == reason)
        #expect(item?.state.failureReason?.canRetry == true)
        #expect(await fixture.storedPage(id)?.state.failureReason == reason)
        #expect(
            await error { () throws(LibraryError) in _ = try await fixture.library.file(.png, of: id) } == .notFound)
        fixture.store.breakDown([])
        try await fixture.library.retry(id)
        try await fixture.capturer.call().succeed()
        await fixture.library.item(id) { $0.state.isFound }
    }

    @Test func captureIsRepeatedAfterARestartIfItsFailureWasNotStored() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        fixture.store.breakDown([.keep, .fail])
        call.succeed()
        await fixture.library.item(id) { $0.state.failureReason?.code == "storage" }
        fixture.store.breakDown([])
        let other = fixture.another()
        try await other.open()
        try await fixture.capturer.call().succeed()
        await other.item(id) { $0.state.isFound }
    }
}

// MARK: - Stopping

extension AttemptTests {
    private static let stopped = CaptureFailure(code: "stopped", message: "You stopped this before it was done.")

    @Test func stopCancelsTheCapture() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.progress(.settling)
        try await fixture.library.stop(id)
        try await call.cancellation.future.value
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state == .failed(Self.stopped, previous: nil))
        #expect(fixture.library.item(id)?.phase == nil)
        #expect(await fixture.storedPage(id)?.state == .failed(Self.stopped, previous: nil))
        // Another tab may be late.
        try await fixture.library.stop(id)
    }

    @Test func pageStoppedBeforeItIsStoredIsNotCaptured() async throws {
        let fixture = LibraryFixture()
        let gate = fixture.store.hold(.add)
        async let saving = fixture.library.save("https://example.org", formats: [.png])
        await gate.arrived()
        let id = try #require(fixture.library.items.first?.id)
        let stopping = Task { try await fixture.library.stop(id) }
        await fixture.library.runPendingTasks()
        gate.open()
        _ = try await (saving, stopping.value)
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state.failureReason == Self.stopped)
        #expect(await fixture.storedPage(id)?.state.failureReason == Self.stopped)
    }

    @Test func pageStoppedDuringARetryStaysStopped() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail()
        await fixture.library.item(id) { $0.state.failureReason != nil }
        let gate = fixture.store.hold(.beginAgain)
        async let retrying: Void = fixture.library.retry(id)
        await gate.arrived()
        let stopping = Task { try await fixture.library.stop(id) }
        await fixture.library.runPendingTasks()
        gate.open()
        _ = try await (retrying, stopping.value)
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state.failureReason == Self.stopped)
        #expect(await fixture.storedPage(id)?.state.failureReason == Self.stopped)
    }

    @Test func pageCanBeStoppedWhileItsFilesAreWritten() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        let gate = fixture.store.hold(.keep)
        call.succeed()
        await gate.arrived()
        try await fixture.library.stop(id)
        gate.open()
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state.failureReason == Self.stopped)
        #expect(await fixture.storedPage(id)?.state.failureReason == Self.stopped)
    }
}
