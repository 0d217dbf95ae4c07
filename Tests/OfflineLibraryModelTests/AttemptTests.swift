import Capture
import Foundation
import Futures
import Loading
import OfflineLibraryModel
import Testing

@MainActor @Suite(.timeLimit(.minutes(10))) struct AttemptTests {
    @Test func whatFailedIsTriedAgainAndFound() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        call.fail(.hostNotFound, "No host of that name was found.")
        let failed = await bench.library.item(id) { $0.state.failureReason != nil }
        let reason = CaptureFailure(code: "hostNotFound", message: "No host of that name was found.")
        #expect(failed?.state == .failed(reason, previous: nil))
        #expect(await bench.kept(id)?.state == failed?.state)
        try await bench.library.retry(id)
        #expect(bench.library.item(id)?.state.isFetching == true)
        // Another tab retries the same page.
        try await bench.library.retry(id)
        try await bench.capturer.call().succeed()
        await bench.library.item(id) { $0.state.isFound }
        #expect(bench.capturer.callCount == 2)
        // There is nothing to retry.
        try await bench.library.retry(id)
        #expect(bench.capturer.callCount == 2)
    }

    @Test func manyTabsThatTryAgainAtATimeBeginOneCapture() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        call.fail()
        await bench.library.item(id) { $0.state.failureReason != nil }
        let tabs = (0..<20).map { _ in Task { try await bench.library.retry(id) } }
        for tab in tabs { try await tab.value }
        try await bench.capturer.call().succeed()
        await bench.library.item(id) { $0.state.isFound }
        #expect(bench.capturer.callCount == 2)
        #expect(await bench.kept(id)?.attempt == 2)
    }

    @Test func aRetryThatCannotBeWrittenDownFailsAgain() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        call.fail()
        await bench.library.item(id) { $0.state.failureReason != nil }
        bench.store.breakDown([.beginAgain])
        #expect(await error { () throws(LibraryError) in try await bench.library.retry(id) } == .diskFull)
        #expect(bench.library.item(id)?.state.failureReason?.code == "storage")
        bench.store.breakDown([])
        try await bench.library.retry(id)
        try await bench.capturer.call().succeed()
        await bench.library.item(id) { $0.state.isFound }
    }

    @Test func whatComesOfAnOlderAttemptChangesNothing() async throws {
        let bench = Bench(isStubborn: true)
        let (id, older) = try await bench.saving()
        try await bench.library.stop(id)
        try await bench.library.retry(id)
        let newer = try await bench.capturer.call()
        older.progress(.settling)
        older.succeed(title: "The older one")
        // The newer capture is still running when the older one has finished.
        newer.progress(.rendering(.png))
        await bench.library.item(id) { $0.phase == .capturing(.rendering(.png)) }
        #expect(bench.library.item(id)?.state.isFetching == true)
        #expect(await bench.kept(id)?.state.isFetching == true)
        newer.succeed(title: "The newer one")
        await bench.library.item(id) { $0.state.isFound }
        #expect(bench.library.item(id)?.state.value?.title == "The newer one")
        await bench.library.idle()
        #expect(await bench.kept(id)?.state.value?.title == "The newer one")
    }

    @Test func theLateFailureOfAnOlderAttemptChangesNothing() async throws {
        let bench = Bench(isStubborn: true)
        let (id, older) = try await bench.saving()
        try await bench.library.stop(id)
        try await bench.library.retry(id)
        let newer = try await bench.capturer.call()
        newer.succeed(title: "The newer one")
        await bench.library.item(id) { $0.state.isFound }
        older.fail()
        await bench.library.idle()
        #expect(bench.library.item(id)?.state.value?.title == "The newer one")
        #expect(await bench.kept(id)?.state.value?.title == "The newer one")
    }

    @Test func aFullDiskIsTheReasonOfAFailure() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        bench.store.breakDown([.keep])
        call.succeed()
        let item = await bench.library.item(id) { $0.state.failureReason != nil }
        let reason = CaptureFailure(code: "storage", message: "The disk is full: make room, then try again.")
        #expect(item?.state.failureReason == reason)
        #expect(item?.state.failureReason?.canRetry == true)
        #expect(await bench.kept(id)?.state.failureReason == reason)
        #expect(await error { () throws(LibraryError) in _ = try await bench.library.file(.png, of: id) } == .notFound)
        bench.store.breakDown([])
        try await bench.library.retry(id)
        try await bench.capturer.call().succeed()
        await bench.library.item(id) { $0.state.isFound }
    }

    @Test func whenNotEvenTheFailureCanBeWrittenItIsTriedAgainAfterARestart() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        bench.store.breakDown([.keep, .fail])
        call.succeed()
        await bench.library.item(id) { $0.state.failureReason?.code == "storage" }
        bench.store.breakDown([])
        let other = bench.another()
        try await other.open()
        try await bench.capturer.call().succeed()
        await other.item(id) { $0.state.isFound }
    }
}

// MARK: - Stopping

extension AttemptTests {
    private static let stopped = CaptureFailure(code: "stopped", message: "You stopped this before it was done.")

    @Test func stoppingEndsTheCapture() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        call.progress(.settling)
        try await bench.library.stop(id)
        try await call.cancellation.future.value
        await bench.library.idle()
        #expect(bench.library.item(id)?.state == .failed(Self.stopped, previous: nil))
        #expect(bench.library.item(id)?.phase == nil)
        #expect(await bench.kept(id)?.state == .failed(Self.stopped, previous: nil))
        // Another tab may be late.
        try await bench.library.stop(id)
    }

    @Test func whatIsStoppedBeforeItIsWrittenDownIsNotCaptured() async throws {
        let bench = Bench()
        let gate = bench.store.hold(.add)
        async let saving = bench.library.save("https://example.org", formats: [.png])
        await gate.arrived()
        let id = try #require(bench.library.items.first?.id)
        let stopping = Task { try await bench.library.stop(id) }
        await bench.library.turn()
        gate.open()
        _ = try await (saving, stopping.value)
        await bench.library.idle()
        #expect(bench.library.item(id)?.state.failureReason == Self.stopped)
        #expect(await bench.kept(id)?.state.failureReason == Self.stopped)
    }

    @Test func whatIsStoppedWhileItIsBegunAgainStaysStopped() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        call.fail()
        await bench.library.item(id) { $0.state.failureReason != nil }
        let gate = bench.store.hold(.beginAgain)
        async let retrying: Void = bench.library.retry(id)
        await gate.arrived()
        let stopping = Task { try await bench.library.stop(id) }
        await bench.library.turn()
        gate.open()
        _ = try await (retrying, stopping.value)
        await bench.library.idle()
        #expect(bench.library.item(id)?.state.failureReason == Self.stopped)
        #expect(await bench.kept(id)?.state.failureReason == Self.stopped)
    }

    @Test func stoppingWhileTheFilesAreWrittenStopsToo() async throws {
        let bench = Bench()
        let (id, call) = try await bench.saving()
        let gate = bench.store.hold(.keep)
        call.succeed()
        await gate.arrived()
        try await bench.library.stop(id)
        gate.open()
        await bench.library.idle()
        #expect(bench.library.item(id)?.state.failureReason == Self.stopped)
        #expect(await bench.kept(id)?.state.failureReason == Self.stopped)
    }
}
