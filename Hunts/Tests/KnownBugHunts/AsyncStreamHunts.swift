import HuntSupport
import Interleaving
import Synchronization
import Testing

/// The standard library: the rewrite of `AsyncStream` was reverted, with crashes in `finish()` that have no known cause.
///
/// <https://github.com/swiftlang/swift/pull/92088>, <https://github.com/swiftlang/swift/pull/92164>. No description has a
/// mechanism: the maintainers suspect the compiler, whose checks of moved values had a bug. That is out of reach here: an
/// explorer runs the code that the compiler made, under every order, but doesn't know what the code should have been.
/// Swift 6.3 has the implementation from before the rewrite.
///
/// In reach is what the rewrite changed. <https://github.com/swiftlang/swift/pull/91529>: a termination handler that
/// finishes the stream with an error, after a cancellation, decides what the consumer receives; the rewrite ended the
/// stream before it called the handler. The first two tests are that mechanism, and the others are the contract that an
/// implementation has to keep, explored with the toolchain's own. <https://github.com/swiftlang/swift/issues/71412>: a
/// stream with several consumers left all but one of them waiting.
///
/// The explorer needs cancellation at any point of choice.
@Suite struct AsyncStreamHunts {
    private let bug = KnownBug(
        reference: "swift#91529", property: "the termination handler's error reaches the consumer")

    @Test func endBeforeTheHandlerLosesItsError() {
        bug.isFound("ended without an error") { await cancelConsumer(of: MiniStream(endsBeforeHandler: true)) }
    }

    @Test func endAfterTheHandlerKeepsItsError() {
        bug.isAbsent { await cancelConsumer(of: MiniStream(endsBeforeHandler: false)) }
    }

    @Test func toolchainKeepsTheHandlersError() {
        hunt("AsyncThrowingStream", bug.property) {
            let (stream, continuation) = AsyncThrowingStream.makeStream(of: Int.self)
            continuation.onTermination = { _ in continuation.finish(throwing: HandlerError()) }
            let consumer = Task {
                for try await _ in stream {}
            }
            await Task.yield()
            consumer.cancel()
            check(await consumer.result.isHandlerError, "ended without an error")
        }
    }

    /// <https://github.com/swiftlang/swift/pull/87084>: the handler runs before the stream counts as ended.
    @Test func streamAcceptsElementsInTheHandler() {
        let bug = KnownBug(
            reference: "swift#87084", property: "a stream whose termination was announced accepts no element",
            component: "AsyncStream")
        bug.isFound("accepted") {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            continuation.onTermination = { _ in
                if case .enqueued = continuation.yield(1) { check(false, "accepted an element") }
            }
            let consumer = Task {
                for await _ in stream {}
            }
            await Task.yield()
            consumer.cancel()
            await consumer.value
        }
    }

    @Test func everyConsumerEnds() {
        hunt("AsyncStream", "finish() ends every consumer") {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            let received = Log<Int>()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        for await element in stream { received.append(element) }
                    }
                }
                group.addTask {
                    continuation.yield(1)
                    await Task.yield()
                    continuation.yield(2)
                    continuation.finish()
                }
            }
            check(received.elements.sorted() == [1, 2], "received \(received.elements)")
        }
    }

    @Test func finishRacesCancellation() {
        hunt("AsyncStream", "one termination, whether finish() or a cancellation is first") {
            let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
            let terminations = Log<String>()
            continuation.onTermination = { terminations.append("\($0)") }
            let consumer = Task {
                var received: [Int] = []
                for await element in stream { received.append(element) }
                return received
            }
            async let producing: Void = {
                for number in 1...2 {
                    continuation.yield(number)
                    await Task.yield()
                }
                continuation.finish()
            }()
            await Task.yield()
            consumer.cancel()
            let received = await consumer.value
            await producing
            check(received == Array([1, 2].prefix(received.count)), "received \(received)")
            check(terminations.count == 1, "terminated \(terminations.elements)")
        }
    }
}

private struct HandlerError: Error {}

extension Result where Success == Void, Failure == any Error {
    fileprivate var isHandlerError: Bool {
        if case .failure(let error) = self { error is HandlerError } else { false }
    }
}

private func cancelConsumer(of stream: MiniStream) async {
    stream.setHandler { [weak stream] in stream?.finish(throwing: HandlerError()) }
    let consumer = Task { try await stream.next() }
    await Task.yield()
    consumer.cancel()
    let result = await consumer.result
    check(result.isHandlerError, "ended without an error")
}

/// A stream without elements: its consumer waits for the end.
private final class MiniStream: Sendable {
    private enum End {
        case normal
        case failure(any Error)
    }

    private struct State {
        var end: End?
        var handler: (@Sendable () -> Void)?
        var consumer: CheckedContinuation<Void, any Error>?
    }

    private let endsBeforeHandler: Bool
    private let state = Mutex(State())

    init(endsBeforeHandler: Bool) {
        self.endsBeforeHandler = endsBeforeHandler
    }

    func setHandler(_ handler: @escaping @Sendable () -> Void) {
        state.withLock { $0.handler = handler }
    }

    func next() async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end = state.withLock { state in
                    if state.end == nil { state.consumer = continuation }
                    return state.end
                }
                if let end { Self.resume(continuation, end) }
            }
        } onCancel: {
            cancel()
        }
    }

    func finish(throwing error: any Error) {
        end(.failure(error))
    }

    private func cancel() {
        let handler = state.withLock { state in
            defer { state.handler = nil }
            return state.handler
        }
        if endsBeforeHandler {
            end(.normal)
            handler?()
        } else {
            handler?()
            end(.normal)
        }
    }

    private func end(_ end: End) {
        let consumer = state.withLock { state in
            if state.end == nil { state.end = end }
            defer { state.consumer = nil }
            return state.consumer
        }
        if let consumer { Self.resume(consumer, end) }
    }

    private static func resume(_ consumer: CheckedContinuation<Void, any Error>, _ end: End) {
        switch end {
        case .normal: consumer.resume()
        case .failure(let error): consumer.resume(throwing: error)
        }
    }
}
