import Foundation
import HuntSupport
import Interleaving
import Testing

/// Several packages: a lock that is held while a task is resumed, and wanted by the task's cancellation handler.
///
/// <https://github.com/supabase/supabase-swift/issues/1154>, <https://github.com/unsignedapps/Vexil/issues/153>,
/// <https://github.com/kylebrowning/BLESwift/issues/25>, and before them all operators of
/// <https://github.com/apple/swift-async-algorithms/pull/303>. A cancellation holds the task's status lock, in the
/// runtime, while it calls the handlers, and a handler removes the subscriber under the broadcaster's lock. A broadcaster
/// that delivers under its lock resumes the subscriber, which waits for the status lock. Each waits for the other. The fix
/// delivers after it has released the lock.
///
/// <https://github.com/apple/containerization/pull/908> is simpler: `finish()` under the lock calls the termination
/// handler, which takes the same lock.
///
/// The explorer needs to interrupt jobs at locks, and locks of POSIX, such as `NSLock`: a `Mutex` that is free is acquired
/// without a call.
@Suite struct LockOrderHunts {
    private let order = KnownBug(
        reference: "supabase-swift#1154, Vexil#153, BLESwift#25", property: "a broadcast and a cancellation both end")
    private let recursion = KnownBug(
        reference: "apple/containerization#908", property: "finishing all subscribers ends")

    @Test func deliveryUnderTheLockWaitsForTheCancellation() {
        order.isFound("hung", preemptsAtLocks: true) { await cancelDuringBroadcast(Broadcaster(isLockedInCalls: true)) }
    }

    @Test func deliveryAfterTheLockEnds() {
        order.isAbsent { await cancelDuringBroadcast(Broadcaster(isLockedInCalls: false)) }
    }

    @Test func finishUnderTheLockWaitsForItself() {
        recursion.isFound("hung", preemptsAtLocks: true) { await finishAll(Broadcaster(isLockedInCalls: true)) }
    }

    @Test func finishAfterTheLockEnds() {
        recursion.isAbsent { await finishAll(Broadcaster(isLockedInCalls: false)) }
    }
}

private func cancelDuringBroadcast(_ broadcaster: Broadcaster) async {
    let stream = broadcaster.subscribe()
    let subscriber = Task {
        for await _ in stream {}
    }
    async let broadcast: Void = broadcaster.send(1)
    async let cancellation: Void = subscriber.cancel()
    _ = await (broadcast, cancellation)
    await subscriber.value
}

private func finishAll(_ broadcaster: Broadcaster) async {
    let stream = broadcaster.subscribe()
    async let subscriber: Void = { for await _ in stream {} }()
    broadcaster.finish()
    await subscriber
}

/// Sends elements to all subscribers.
///
/// `@unchecked Sendable`: the subscribers are only used under the lock.
private final class Broadcaster: @unchecked Sendable {
    private let lock = NSLock()
    private let isLockedInCalls: Bool
    private var subscribers: [Int: AsyncStream<Int>.Continuation] = [:]

    init(isLockedInCalls: Bool) {
        self.isLockedInCalls = isLockedInCalls
    }

    func subscribe() -> AsyncStream<Int> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        let number = lock.withLock {
            let number = subscribers.count
            subscribers[number] = continuation
            return number
        }
        continuation.onTermination = { [weak self] _ in self?.remove(number) }
        return stream
    }

    func send(_ element: Int) {
        forEachSubscriber { $0.yield(element) }
    }

    func finish() {
        forEachSubscriber { $0.finish() }
    }

    private func forEachSubscriber(_ call: (AsyncStream<Int>.Continuation) -> Void) {
        if isLockedInCalls {
            lock.withLock { for subscriber in subscribers.values { call(subscriber) } }
        } else {
            let current = lock.withLock { Array(subscribers.values) }
            for subscriber in current { call(subscriber) }
        }
    }

    private func remove(_ number: Int) {
        _ = lock.withLock { subscribers.removeValue(forKey: number) }
    }
}
