import AsyncAlgorithms
import HuntSupport
import Interleaving
import Testing

/// swift-async-algorithms: `buffer` iterates its base sequence for ever after the consumer has left the loop.
///
/// <https://github.com/apple/swift-async-algorithms/pull/352>; the package's version 1.1.4 has the bug. Other operators
/// cancel their task when the iterator is released. `buffer` does so only if the consumer is cancelled in `next()`.
///
/// The explorer needs its report of tasks that outlive the body.
@Suite struct BufferLeakHunts {
    private let bug = KnownBug(
        reference: "swift-async-algorithms#352", property: "a consumer that leaves the loop leaves no task",
        component: "buffer 1.1.4")

    @Test func leftLoopLeavesTheTask() {
        bug.isFound("leaked") {
            let channel = AsyncChannel<Int>()
            async let sending: Void = channel.send(1)
            for await _ in channel.buffer(policy: .bounded(1)) { break }
            await sending
        }
    }

    @Test func mergeEndsItsTask() {
        hunt("merge 1.1.4", bug.property, hangTimeout: .milliseconds(100)) {
            let channel = AsyncChannel<Int>()
            let other = AsyncChannel<Int>()
            async let sending: Void = channel.send(1)
            for await _ in merge(channel, other) { break }
            await sending
        }
    }
}
