import HuntSupport
import Interleaving
import NIOCore
import NIOEmbedded
import Testing

/// NIOAsyncChannel over an embedded channel, whose event loop the body runs.
///
/// The loop insists on one thread, but an exploration that interrupts jobs at locks has several.
@Suite struct AsyncChannelHunts {
    @Test func echoAnswersEveryMessageInOrder() {
        hunt(
            "NIOAsyncChannel", "an echo answers every message once, in order, and the channel closes",
            preemptsAtLocks: false
        ) {
            let wire = try Wire()
            async let served: Void = wire.echo()
            for message in 1...4 {
                try wire.receive(message)
                await Task.yield()
            }
            wire.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            await wire.runWhenIdle()
            _ = try await served
            let written = try wire.written()
            check(written == [1, 2, 3, 4], "wrote \(written)")
            check(!wire.channel.isActive, "the channel is open")
        }
    }

    @Test func unwritableChannelSuspendsWrites() {
        hunt("NIOAsyncChannel", "an echo loses nothing while the channel's writability changes", preemptsAtLocks: false)
        {
            let wire = try Wire()
            async let served: Void = wire.echo()
            for message in 1...3 {
                wire.setWritable(message.isMultiple(of: 2))
                try wire.receive(message)
                await Task.yield()
            }
            wire.setWritable(true)
            wire.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            await wire.runWhenIdle()
            _ = try await served
            let written = try wire.written()
            check(written == [1, 2, 3], "wrote \(written)")
        }
    }

    @Test func cancellationEndsTheEchoAndClosesTheChannel() {
        hunt(
            "NIOAsyncChannel", "cancellation ends reads and suspended writes, and closes the channel",
            preemptsAtLocks: false
        ) {
            let wire = try Wire()
            let server = Task { try await wire.echo() }
            async let cancelled: Void = { server.cancel() }()
            wire.setWritable(false)
            try wire.receive(1)
            await Task.yield()
            // An error only if the channel is already closed.
            try? wire.receive(2)
            _ = await (server.result, cancelled)
            check(!wire.channel.isActive, "the channel is open")
        }
    }

    @Test func closedChannelEndsTheEcho() {
        hunt("NIOAsyncChannel", "a closed channel ends reads and suspended writes", preemptsAtLocks: false) {
            let wire = try Wire()
            let server = Task { try await wire.echo() }
            wire.setWritable(false)
            try wire.receive(1)
            await Task.yield()
            wire.channel.close(promise: nil)
            await wire.runWhenIdle()
            _ = await server.result
        }
    }

    @Test func halfClosureFollowsTheLastWrite() {
        hunt(
            "NIOAsyncChannel", "finish() closes the output after the writes that were suspended before it",
            expecting: .bug("a suspended write threw", report: "nio-async-writer-finish-loses-yield"),
            preemptsAtLocks: false
        ) {
            let wire = try Wire(isOutboundHalfClosureEnabled: true)
            wire.setWritable(false)
            let server = Task {
                try await wire.asyncChannel.executeThenClose { _, outbound in
                    async let first = wire.result(of: { try await outbound.write(1) })
                    async let second = wire.result(of: { try await outbound.write(2) })
                    await waitForOtherTasks()
                    outbound.finish()
                    wire.setWritable(true)
                    for failure in await [first, second] {
                        check(failure == nil, "a suspended write threw \(failure ?? "")")
                    }
                }
            }
            // The server itself waits until it is idle, and closes the channel afterwards.
            await wire.runWhenIdle()
            await wire.runWhenIdle()
            _ = await server.result
            let written = try wire.written()
            check(written.count == 2, "wrote \(written)")
        }
    }
}

/// NIO's futures, completed by tasks.
@Suite struct FutureHunts {
    @Test func everyWaiterGetsTheValueOnce() {
        hunt(
            "EventLoopFuture", "every get() returns the value, also if the promise is completed twice",
            preemptsAtLocks: false
        ) {
            let loop = EmbeddedEventLoop()
            let promise = loop.makePromise(of: Int.self)
            async let first = promise.futureResult.get()
            async let second = promise.futureResult.map { $0 + 1 }.get()
            async let completed: Void = { promise.succeed(1) }()
            async let again: Void = {
                // A promise that has a value ignores another one.
                promise.succeed(1)
            }()
            let values = try await [first, second]
            _ = await (completed, again)
            check(values == [1, 2], "got \(values)")
        }
    }

    @Test func futuresOfTasksAreCollectedInOrder() {
        hunt("EventLoopFuture", "whenAllSucceed keeps the order of futures that tasks complete", preemptsAtLocks: false)
        {
            let loop = EmbeddedEventLoop()
            let futures = (1...3).map { number in
                loop.makeFutureWithTask {
                    await Task.yield()
                    return number
                }
            }
            let all = EventLoopFuture.whenAllSucceed(futures, on: loop)
            async let values = all.get()
            let result = try await values
            check(result == [1, 2, 3], "got \(result)")
        }
    }

    @Test func cancelledScheduledTaskEitherRunsOrFails() {
        hunt("EventLoopFuture", "a scheduled task either runs or fails as cancelled", preemptsAtLocks: false) {
            let loop = EmbeddedEventLoop()
            let runs = Log<Int>()
            let scheduled = loop.scheduleTask(in: .seconds(1)) { runs.append(1) }
            async let cancelled: Void = { scheduled.cancel() }()
            async let advanced: Void = { loop.advanceTime(by: .seconds(1)) }()
            let failure = await { () async -> String? in
                do { try await scheduled.futureResult.get() } catch { return "\(error)" }
                return nil
            }()
            _ = await (cancelled, advanced)
            check((failure == nil) == (runs.count == 1), "ran \(runs.count) times, \(failure ?? "no failure")")
        }
    }
}

// MARK: - Parts

/// An embedded channel, and its asynchronous wrapper.
///
/// Sendable, because all tasks of a body run on one thread.
private final class Wire: @unchecked Sendable {
    let loop = EmbeddedEventLoop()
    let channel: EmbeddedChannel
    let asyncChannel: NIOAsyncChannel<Int, Int>

    init(isOutboundHalfClosureEnabled: Bool = false) throws {
        channel = EmbeddedChannel(loop: loop)
        asyncChannel = try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: .init(
                backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
                isOutboundHalfClosureEnabled: isOutboundHalfClosureEnabled))
        channel.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 80), promise: nil)
    }

    func echo() async throws {
        try await asyncChannel.executeThenClose { inbound, outbound in
            for try await message in inbound { try await outbound.write(message) }
        }
    }

    func receive(_ message: Int) throws {
        _ = try channel.writeInbound(message)
        loop.run()
    }

    /// Runs what closing the channel leaves to the event loop.
    func runWhenIdle() async {
        await waitForOtherTasks()
        loop.run()
    }

    func setWritable(_ isWritable: Bool) {
        channel.isWritable = isWritable
        channel.pipeline.fireChannelWritabilityChanged()
    }

    func written() throws -> [Int] {
        var messages: [Int] = []
        while let message = try channel.readOutbound(as: Int.self) { messages.append(message) }
        return messages
    }

    func result(of body: () async throws -> Void) async -> String? {
        do { try await body() } catch { return "\(error)" }
        return nil
    }
}
