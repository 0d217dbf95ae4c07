import AsyncAlgorithms
import HuntSupport
import Interleaving
import Synchronization
import Testing

/// swift-async-algorithms: `flatMapLatest` delivers an element of a sequence that it has already replaced.
///
/// <https://github.com/apple/swift-async-algorithms/pull/382>. The operator cancels the task that iterates the old inner
/// sequence, and starts one for the new sequence. If the old task has already received an element, and is about to run,
/// cancellation comes too late: it delivers the element after the replacement. The fix numbers the inner sequences, and
/// drops elements of old ones.
///
/// The explorer needs nothing but the order of resumed tasks.
@Suite struct FlatMapLatestHunts {
    private let bug = KnownBug(
        reference: "swift-async-algorithms#382", property: "a replaced sequence delivers nothing")

    @Test func cancelledTaskDeliversLate() {
        bug.isFound("delivered", preemptsAtLocks: true) { await replaceDuringDelivery(checksNumber: false) }
    }

    @Test func numberedSequencesDeliverOnlyTheLatest() {
        bug.isAbsent { await replaceDuringDelivery(checksNumber: true) }
    }
}

private func replaceDuringDelivery(checksNumber: Bool) async {
    let latest = LatestSequence(checksNumber: checksNumber)
    let (first, firstElements) = AsyncStream.makeStream(of: String.self)
    let (second, secondElements) = AsyncStream.makeStream(of: String.self)
    let old = latest.iterate(first)
    firstElements.yield("old")
    let new = latest.iterate(second)
    secondElements.yield("new")
    secondElements.finish()
    await new.value
    await old.value
}

/// The part of the operator that replaces the inner sequence.
private final class LatestSequence: Sendable {
    private struct State {
        var number = 0
        var task: Task<Void, Never>?
    }

    private let checksNumber: Bool
    private let state = Mutex(State())

    init(checksNumber: Bool) {
        self.checksNumber = checksNumber
    }

    func iterate(_ sequence: AsyncStream<String>) -> Task<Void, Never> {
        let (number, replaced) = state.withLock { state in
            state.number += 1
            return (state.number, state.task)
        }
        replaced?.cancel()
        let task = Task {
            for await element in sequence { deliver(element, of: number) }
        }
        state.withLock { $0.task = task }
        return task
    }

    private func deliver(_ element: String, of number: Int) {
        let current = state.withLock { $0.number }
        if checksNumber, number != current { return }
        check(number == current, "delivered \"\(element)\" of sequence \(number) after sequence \(current) began")
    }
}

/// The operator in the package's version 1.1.4, which has the fix of #382.
@Suite struct FlatMapLatestVersionHunts {
    @Test func onlyTheLatestSequenceDelivers() {
        // With interruptions at locks, it hangs first: see the next test.
        hunt("flatMapLatest 1.1.4", "a replaced sequence delivers nothing", preemptsAtLocks: false) {
            let (base, elements) = AsyncStream.makeStream(of: Int.self)
            let received = Log<Int>()
            let consumer = Task {
                let sequence = base.flatMapLatest { number in
                    AsyncStream { continuation in
                        continuation.yield(number * 10)
                        continuation.yield(number * 10 + 1)
                        continuation.finish()
                    }
                }
                for await element in sequence { received.append(element / 10) }
            }
            for number in 1...2 {
                elements.yield(number)
                await Task.yield()
            }
            elements.finish()
            await consumer.value
            let numbers = received.elements
            check(numbers == numbers.sorted(), "received \(numbers)")
        }
    }

    /// <https://github.com/apple/swift-async-algorithms/issues/437>: the operator creates the inner task, and tells the state
    /// machine afterwards.
    ///
    /// If the inner sequence ends in between, the state machine keeps the ended task, and waits for its end for ever. The
    /// other half of the issue, a failed precondition, is out of reach: there, two processors change the state at once.
    @Test func endedInnerTaskIsRegisteredLate() {
        let bug = KnownBug(
            reference: "swift-async-algorithms#437", property: "a single consumer ends",
            component: "flatMapLatest 1.1.4")
        bug.isFound("hung", preemptsAtLocks: true) {
            let (base, elements) = AsyncStream.makeStream(of: Int.self)
            elements.yield(1)
            elements.finish()
            let sequence = base.flatMapLatest { number in
                AsyncStream(unfolding: { nil as Int? })
            }
            for await _ in sequence {}
        }
    }
}
