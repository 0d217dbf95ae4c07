import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

/// swift-async-algorithms: `debounce` loses an error that is thrown while the consumer isn't waiting.
///
/// <https://github.com/apple/swift-async-algorithms/issues/450>; the package's version 1.1.4 has the bug. If the base
/// sequence throws between two calls of `next()`, the state machine ends without storing the error, and the next call
/// returns `nil`, as after a normal end.
///
/// The explorer needs virtual time, with the order of timers of one instant as a choice: the consumer is busy until the
/// instant at which the base sequence throws.
@Suite struct DebounceErrorHunts {
    private let bug = KnownBug(
        reference: "swift-async-algorithms#450", property: "an error of the base sequence reaches the consumer",
        component: "debounce 1.1.4")

    @Test func errorDuringTheConsumersWorkIsLost() {
        bug.isFound("ended without the error") { await check(work: .milliseconds(20)) }
    }

    @Test func errorDuringTheWaitIsThrown() {
        hunt("debounce 1.1.4", "\(bug.property) that waits") {
            await check(work: .milliseconds(5))
        }
    }
}

/// Checks that the consumer receives an error that the base sequence throws 30 milliseconds after its only element.
private func check(work: Duration) async {
    let (base, elements) = AsyncThrowingStream.makeStream(of: Int.self)
    let consumer = Task {
        for try await _ in base.debounce(for: .milliseconds(10)) { try await Task.sleep(for: work) }
    }
    elements.yield(1)
    try? await Task.sleep(for: .milliseconds(30))
    elements.finish(throwing: BaseError())
    switch await consumer.result {
    case .success: check(false, "ended without the error")
    case .failure(let error): check(error is BaseError, "threw \(error)")
    }
}

private struct BaseError: Error {}
