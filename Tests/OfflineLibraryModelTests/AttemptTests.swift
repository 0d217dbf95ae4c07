import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Persistence
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct AttemptTests {
    @Test func failedPageCanBeRetried() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail(.hostNotFound, "The server wasn't found.")
        let failed = await fixture.library.waitForItem(id) { $0.state.failureReason != nil }
        let reason = CaptureFailure(code: "hostNotFound", message: "The server wasn't found.")
        #expect(failed?.state == .failed(reason, previous: nil))
        #expect(await fixture.storedPage(id)?.state == failed?.state)
        try await fixture.library.retry(id)
        #expect(fixture.library.item(id)?.state.isFetching == true)
        // Another tab retries the same page.
        try await fixture.library.retry(id)
        try await fixture.capturer.call().succeed()
        await fixture.library.waitForItem(id) { $0.state.isFound }
        #expect(fixture.capturer.callCount == 2)
        // There is nothing to retry.
        try await fixture.library.retry(id)
        #expect(fixture.capturer.callCount == 2)
    }

    @Test func savedErrorPageCanBeRetried() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.succeed(title: "Not found", status: 404)
        let saved = await fixture.library.waitForItem(id) { $0.state.isFound }
        #expect(saved?.canRetry == true)
        #expect(saved?.state.value?.errorStatus == 404)
        try await fixture.library.retry(id)
        // The error page stays until the page itself is saved.
        let retried = try await fixture.capturer.call()
        #expect(fixture.library.item(id)?.state.value?.title == "Not found")
        #expect(fixture.library.item(id)?.canRetry == false)
        retried.succeed(title: "The page")
        let page = await fixture.library.waitForItem(id) { $0.state.isFound }
        #expect(page?.state.value?.title == "The page")
        #expect(page?.canRetry == false)
        #expect(await fixture.storedPage(id)?.state == page?.state)
        #expect(try await fixture.library.file(.png, of: id).read() == Data("png of The page".utf8))
    }

    @Test func failedRetryKeepsTheErrorPage() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.succeed(title: "Not found", status: 404)
        await fixture.library.waitForItem(id) { $0.state.isFound }
        try await fixture.library.retry(id)
        try await fixture.capturer.call().fail()
        let failed = await fixture.library.waitForItem(id) { $0.state.failureReason != nil }
        #expect(failed?.state.value?.title == "Not found")
        #expect(failed?.canRetry == true)
        #expect(try await fixture.library.file(.png, of: id).read() == Data("png of Not found".utf8))
    }

    @Test func concurrentRetriesStartOneCapture() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail()
        await fixture.library.waitForItem(id) { $0.state.failureReason != nil }
        let tabs = (0..<20).map { _ in Task { try await fixture.library.retry(id) } }
        for tab in tabs { try await tab.value }
        try await fixture.capturer.call().succeed()
        await fixture.library.waitForItem(id) { $0.state.isFound }
        #expect(fixture.capturer.callCount == 2)
        #expect(await fixture.storedPage(id)?.attempt == 2)
    }

    @Test func retryThatCannotBeStoredFails() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail()
        await fixture.library.waitForItem(id) { $0.state.failureReason != nil }
        fixture.store.failOperations([.beginAgain])
        #expect(await error { () throws(LibraryError) in try await fixture.library.retry(id) } == .diskFull)
        #expect(fixture.library.item(id)?.state.failureReason?.code == "storage")
        fixture.store.failOperations([])
        try await fixture.library.retry(id)
        try await fixture.capturer.call().succeed()
        await fixture.library.waitForItem(id) { $0.state.isFound }
    }

    @Test func retryBeyondTheBudgetFailsWithItsCode() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        call.fail()
        await fixture.library.waitForItem(id) { $0.state.failureReason != nil }
        let refusal = OverBudget(.rate, "500 pages are waiting to be captured.")
        let gate = fixture.store.hold(.beginAgain)
        let retrying = Task {
            await error { () throws(LibraryError) in try await fixture.library.retry(id) }
        }
        await gate.arrived()
        gate.fail(.overBudget(refusal))
        #expect(await retrying.value == .overBudget(refusal))
        let reason = CaptureFailure(code: OverBudget.code, message: refusal.message)
        #expect(fixture.library.item(id)?.state.failureReason == reason)
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
        await fixture.library.waitForItem(id) { $0.phase == .capturing(.rendering(.png)) }
        #expect(fixture.library.item(id)?.state.isFetching == true)
        #expect(await fixture.storedPage(id)?.state.isFetching == true)
        newer.succeed(title: "The newer one")
        await fixture.library.waitForItem(id) { $0.state.isFound }
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
        await fixture.library.waitForItem(id) { $0.state.isFound }
        older.fail()
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state.value?.title == "The newer one")
        #expect(await fixture.storedPage(id)?.state.value?.title == "The newer one")
    }

    @Test func fullDiskFailsTheCaptureWithAReason() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        fixture.store.failOperations([.save])
        call.succeed()
        let item = await fixture.library.waitForItem(id) { $0.state.failureReason != nil }
        let reason = CaptureFailure(code: "storage", message: "The disk is full: make room, then try again.")
        #expect(item?.state.failureReason == reason)
        #expect(item?.state.failureReason?.canRetry == true)
        #expect(await fixture.storedPage(id)?.state.failureReason == reason)
        #expect(
            await error { () throws(LibraryError) in _ = try await fixture.library.file(.png, of: id) } == .notFound)
        fixture.store.failOperations([])
        try await fixture.library.retry(id)
        try await fixture.capturer.call().succeed()
        await fixture.library.waitForItem(id) { $0.state.isFound }
    }

    @Test func captureIsRepeatedAfterARestartIfItsFailureWasNotStored() async throws {
        let fixture = LibraryFixture()
        let (id, call) = try await fixture.startSaving()
        fixture.store.failOperations([.save, .fail])
        call.succeed()
        await fixture.library.waitForItem(id) { $0.state.failureReason?.code == "storage" }
        fixture.store.failOperations([])
        let other = fixture.another()
        try await other.open()
        try await fixture.capturer.call().succeed()
        await other.waitForItem(id) { $0.state.isFound }
    }
}

// MARK: - Stopping

extension AttemptTests {
    private static let stopped = CaptureFailure(code: "stopped", message: "You stopped saving this page.")

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
        // Another tab may stop the page again.
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
        await fixture.library.waitForItem(id) { $0.state.failureReason != nil }
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
        let gate = fixture.store.hold(.save)
        call.succeed()
        await gate.arrived()
        try await fixture.library.stop(id)
        gate.open()
        await fixture.library.waitUntilIdle()
        #expect(fixture.library.item(id)?.state.failureReason == Self.stopped)
        #expect(await fixture.storedPage(id)?.state.failureReason == Self.stopped)
    }
}
