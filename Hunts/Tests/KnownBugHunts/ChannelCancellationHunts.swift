import AsyncAlgorithms
import HuntSupport
import Interleaving
import Synchronization
import Testing

/// swift-async-algorithms: the consumer of a channel hangs if it is cancelled before it waits.
///
/// <https://github.com/apple/swift-async-algorithms/pull/80>. The cancellation handler looks for the consumer among
/// those that wait, and resumes it. If the task is cancelled first, the handler finds nothing, and the consumer then
/// waits forever. The fix leaves a mark for the consumer, but only if no other consumer waits: the third test shows that
/// the bug stays for two consumers. A mark in every state is correct, and so is the package's version 1.1.4.
///
/// The explorer needs a choice between the consumer's start and its cancellation, so it interrupts the canceller after it
/// has created the consumer.
@Suite struct ChannelCancellationHunts {
    private let bug = KnownBug(
        reference: "swift-async-algorithms#80", property: "a cancelled consumer ends")
    private let bugOfTwo = KnownBug(
        reference: "swift-async-algorithms#80", property: "a cancelled consumer ends while another one waits")

    @Test func cancellationBeforeTheWaitIsLost() {
        bug.isFound("hung", preemptsAtLocks: true) { await cancelledConsumer(Channel(.never)) }
    }

    @Test func markIsSeenByTheConsumer() {
        bug.isAbsent { await cancelledConsumer(Channel(.ifNoneWaits)) }
    }

    @Test func markOnlyIfNoneWaitsIsNotEnough() {
        bugOfTwo.isFound("hung", preemptsAtLocks: true) { await cancelledSecondConsumer(Channel(.ifNoneWaits)) }
    }

    @Test func markInEveryStateIsEnough() {
        bugOfTwo.isAbsent { await cancelledSecondConsumer(Channel(.always)) }
    }

    @Test func currentVersionEndsCancelledConsumers() {
        hunt("AsyncChannel 1.1.4", bugOfTwo.property) {
            let channel = AsyncChannel<Int>()
            let first = Task { await channel.first { _ in true } }
            let second = Task { await channel.first { _ in true } }
            second.cancel()
            _ = await second.value
            channel.finish()
            _ = await first.value
        }
    }
}

private func cancelledConsumer(_ channel: Channel) async {
    let consumer = Task { await channel.next() }
    consumer.cancel()
    let element = await consumer.value
    check(element == nil, "received \(element ?? 0)")
}

private func cancelledSecondConsumer(_ channel: Channel) async {
    let first = Task { await channel.next() }
    let second = Task { await channel.next() }
    second.cancel()
    _ = await second.value
    first.cancel()
    _ = await first.value
}

/// The consumers' side of a channel.
private final class Channel: Sendable {
    /// When a cancellation that comes before the wait leaves a mark.
    enum Marking: Sendable {
        case never
        case ifNoneWaits
        case always
    }

    private struct State {
        var tickets = 0
        var waiting: [Int: CheckedContinuation<Int?, Never>] = [:]
        var cancelled: [Int] = []
    }

    private let marking: Marking
    private let state = Mutex(State())

    init(_ marking: Marking) {
        self.marking = marking
    }

    func next() async -> Int? {
        let ticket = state.withLock { state in
            state.tickets += 1
            return state.tickets
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { wait(ticket, $0) }
        } onCancel: {
            cancel(ticket)
        }
    }

    private func wait(_ ticket: Int, _ continuation: CheckedContinuation<Int?, Never>) {
        let isCancelled = state.withLock { state in
            if state.cancelled.contains(ticket) { return true }
            state.waiting[ticket] = continuation
            return false
        }
        if isCancelled { continuation.resume(returning: nil) }
    }

    private func cancel(_ ticket: Int) {
        let continuation = state.withLock { state -> CheckedContinuation<Int?, Never>? in
            if let continuation = state.waiting.removeValue(forKey: ticket) { return continuation }
            switch marking {
            case .never: break
            case .ifNoneWaits: if state.waiting.isEmpty { state.cancelled.append(ticket) }
            case .always: state.cancelled.append(ticket)
            }
            return nil
        }
        continuation?.resume(returning: nil)
    }
}
