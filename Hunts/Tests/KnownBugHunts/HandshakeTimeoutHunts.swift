import Interleaving
import Synchronization
import Testing

/// klaviyo-swift-sdk: the wait for a handshake hangs, or succeeds without a handshake.
///
/// <https://github.com/klaviyo/klaviyo-swift-sdk/pull/675>, and <https://github.com/klaviyo/klaviyo-swift-sdk/pull/679>.
/// A task group races the wait for an event against a timeout. A group returns only after all its children, so a wait
/// that ignores cancellation makes it hang after the timeout.
///
/// The description blames an `AsyncStream`, whose consumer would not end when it is cancelled. With Swift 6.3 it does
/// end, under every schedule. What fails instead:
///
/// - A cancelled stream ends like one that has delivered its element. If the caller is cancelled, and the wait returns
///   before the timer, the handshake counts as established. #679 describes that.
/// - The proposed replacement, a stored continuation with a timer that isn't cancelled, loses the continuation of an
///   earlier wait, and ends a later wait with the earlier timer.
///
/// The explorer needs virtual time, and the order of resumed tasks.
@Suite struct HandshakeTimeoutHunts {
    private let hang = KnownBug(reference: "klaviyo-swift-sdk#675", property: "the wait ends at its timeout")
    private let success = KnownBug(
        reference: "klaviyo-swift-sdk#679", property: "only a handshake is a success")
    private let replacement = KnownBug(
        reference: "klaviyo-swift-sdk#675, replacement", property: "a second wait gets its own timeout")

    @Test func uncancellableWaitOutlivesItsTimeout() {
        hang.isFound("hung") {
            let page = Page()
            await expectTimeout { await page.waitUncancellably() }
        }
    }

    @Test func streamEndsWhenItsConsumerIsCancelled() {
        hang.isAbsent {
            let page = Page()
            await expectTimeout { await page.wait() }
        }
    }

    @Test func endedStreamCountsAsHandshake() {
        success.isFound("established without a handshake") { await cancelledCaller { await $0.wait() } }
    }

    @Test func endedStreamIsAnError() {
        success.isAbsent { await cancelledCaller { try await $0.waitForElement() } }
    }

    @Test func timerOfAnEarlierWaitEndsALaterOne() {
        replacement.isFound("timed out after 2.0 seconds") { await twoWaits(cancelsTimers: false) }
    }

    @Test func cancelledTimerEndsNoOtherWait() {
        replacement.isAbsent { await twoWaits(cancelsTimers: true) }
    }

    @Test func replacedContinuationIsLost() {
        replacement.isFound("hung") {
            let handshake = StoredHandshake(cancelsTimers: false)
            async let first: Void? = try? handshake.wait(.seconds(3))
            async let second: Void? = try? handshake.wait(.seconds(3))
            _ = await (first, second)
        }
    }
}

private struct TimeoutError: Error {}

private func expectTimeout(_ operation: @escaping @Sendable () async -> Void) async {
    do {
        try await withTimeout(.seconds(1), operation)
        check(false, "there was no handshake, and no timeout")
    } catch {
        check(error is TimeoutError, "failed with \(error)")
    }
}

private func cancelledCaller(_ wait: @escaping @Sendable (Page) async throws -> Void) async {
    let page = Page()
    let caller = Task { try await withTimeout(.seconds(1)) { try await wait(page) } }
    caller.cancel()
    let isEstablished: Bool
    do {
        try await caller.value
        isEstablished = true
    } catch {
        isEstablished = false
    }
    check(!isEstablished, "established without a handshake")
}

private func twoWaits(cancelsTimers: Bool) async {
    let handshake = StoredHandshake(cancelsTimers: cancelsTimers)
    let first = Task { try? await handshake.wait(.seconds(3)) }
    await waitForOtherTasks()
    handshake.establish()
    await first.value
    try? await Task.sleep(for: .seconds(1))
    let start = ContinuousClock.now
    do { try await handshake.wait(.seconds(3)) } catch {}
    let duration = ContinuousClock.now - start
    check(duration == .seconds(3), "timed out after \(duration)")
}

private func withTimeout(_ timeout: Duration, _ operation: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: timeout)
            throw TimeoutError()
        }
        defer { group.cancelAll() }
        try await group.next()
    }
}

/// A page that never sends the handshake.
private final class Page: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation
    private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)

    init() {
        (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    }

    func wait() async {
        _ = await stream.first { _ in true }
    }

    func waitForElement() async throws {
        guard await stream.first(where: { _ in true }) != nil else { throw CancellationError() }
    }

    func waitUncancellably() async {
        await withCheckedContinuation { continuation in waiter.withLock { $0 = continuation } }
    }
}

/// The replacement that the description proposes.
private final class StoredHandshake: Sendable {
    private typealias Waiter = CheckedContinuation<Void, any Error>

    private let cancelsTimers: Bool
    private let waiter = Mutex<Waiter?>(nil)

    init(cancelsTimers: Bool) {
        self.cancelsTimers = cancelsTimers
    }

    func wait(_ timeout: Duration) async throws {
        let timer = Task {
            try await Task.sleep(for: timeout)
            exchange(nil)?.resume(throwing: TimeoutError())
        }
        defer { if cancelsTimers { timer.cancel() } }
        try await withCheckedThrowingContinuation { _ = exchange($0) }
    }

    func establish() {
        exchange(nil)?.resume()
    }

    private func exchange(_ next: Waiter?) -> Waiter? {
        waiter.withLock { waiter in
            defer { waiter = next }
            return waiter
        }
    }
}
