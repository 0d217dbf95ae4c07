import Interleaving
import Testing

/// Afluent: the receiver of a channel for a single value never resumes.
///
/// <https://github.com/Tyler-Keith-Thompson/Afluent/pull/87>. The receiver asks the actor for the value, finds none, and
/// stores its continuation in a second call. A value that is sent between the two calls is overwritten by the
/// continuation, which is never resumed. The fix looks for the value again in the call that stores the continuation.
///
/// The explorer needs nothing but calls of actors.
@Suite struct SingleValueChannelHunts {
    private let bug = KnownBug(reference: "Afluent#87", property: "the receiver gets the value")

    @Test func continuationOverwritesTheValue() {
        bug.isFound("hung") { await sendAndReceive(checksAgain: false) }
    }

    @Test func storingAgainChecksForTheValue() {
        bug.isAbsent { await sendAndReceive(checksAgain: true) }
    }
}

private func sendAndReceive(checksAgain: Bool) async {
    let channel = SingleValueChannel(checksAgain: checksAgain)
    async let received = channel.receive()
    await channel.send(42)
    let value = await received
    check(value == 42, "received \(value)")
}

private actor SingleValueChannel {
    private enum State {
        case empty
        case sent(Int)
        case waiting(CheckedContinuation<Int, Never>)
    }

    private let checksAgain: Bool
    private var state = State.empty

    init(checksAgain: Bool) {
        self.checksAgain = checksAgain
    }

    nonisolated func receive() async -> Int {
        if let value = await value { return value }
        return await withCheckedContinuation { continuation in
            Task { await store(continuation) }
        }
    }

    func send(_ value: Int) {
        if case .waiting(let continuation) = state { continuation.resume(returning: value) }
        state = .sent(value)
    }

    private var value: Int? {
        if case .sent(let value) = state { value } else { nil }
    }

    private func store(_ continuation: CheckedContinuation<Int, Never>) {
        if checksAgain, let value { return continuation.resume(returning: value) }
        state = .waiting(continuation)
    }
}
