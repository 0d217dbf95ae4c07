import HuntSupport
import Interleaving
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

/// The functions for code that wants to know about a graceful shutdown.
@Suite struct GracefulShutdownHunts {
    @Test func handlerRunsOnceOrNever() {
        hunt("withGracefulShutdownHandler", "the handler runs once if the shutdown begins before the operation ends") {
            await testGracefulShutdown { trigger in
                let events = Log<String>()
                async let operation: Void = withGracefulShutdownHandler {
                    for _ in 0..<3 { await Task.yield() }
                    events.append("end")
                } onGracefulShutdown: {
                    events.append("shutdown")
                }
                async let triggered: Void = {
                    trigger.triggerGracefulShutdown()
                    trigger.triggerGracefulShutdown()
                }()
                _ = await (operation, triggered)
                let order = events.elements
                check([["end"], ["shutdown", "end"]].contains(order), "\(order)")
            }
        }
    }

    @Test func waitingForTheShutdownEnds() {
        hunt("gracefulShutdown()", "it returns after a shutdown, and throws only if cancelled") {
            await testGracefulShutdown { trigger in
                let isCancelled = Log<Int>()
                let waiting = Task { try await gracefulShutdown() }
                async let triggered: Void = { trigger.triggerGracefulShutdown() }()
                async let cancelled: Void = {
                    isCancelled.append(1)
                    waiting.cancel()
                }()
                let result = await waiting.result
                if case .failure(let error) = result {
                    check(error is CancellationError && isCancelled.count == 1, "threw \(error)")
                }
                _ = await (triggered, cancelled)
            }
        }
    }

    @Test func operationIsCancelledByTheShutdown() {
        hunt("cancelWhenGracefulShutdown", "the operation is cancelled, and its value is returned") {
            await testGracefulShutdown { trigger in
                let operation = Task {
                    await cancelWhenGracefulShutdown {
                        let (stream, _) = AsyncStream.makeStream(of: Void.self)
                        for await _ in stream {}
                        await Task.yield()
                        return 7
                    }
                }
                async let triggered: Void = { trigger.triggerGracefulShutdown() }()
                async let cancelled: Void = { operation.cancel() }()
                let result = await operation.result
                _ = await (triggered, cancelled)
                check(result == .success(7), "returned \(result)")
            }
        }
    }

    @Test func operationThatEndsItselfReturnsItsValue() {
        hunt("cancelWhenGracefulShutdown", "an operation that ends by itself returns its value") {
            await testGracefulShutdown { trigger in
                async let value = cancelWhenGracefulShutdown {
                    await Task.yield()
                    return 7
                }
                async let triggered: Void = { trigger.triggerGracefulShutdown() }()
                let result = await value
                await triggered
                check(result == 7, "returned \(result)")
            }
        }
    }

    @Test func iterationEndsWithTheShutdown() {
        hunt("cancelOnGracefulShutdown()", "elements arrive in order, and the iteration ends with the shutdown") {
            await testGracefulShutdown { trigger in
                let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                async let received = elements(of: stream)
                async let produced: Void = {
                    for element in 1...3 {
                        continuation.yield(element)
                        await Task.yield()
                    }
                }()
                async let triggered: Void = { trigger.triggerGracefulShutdown() }()
                let elements = await received
                _ = await (produced, triggered)
                check(elements == Array([1, 2, 3].prefix(elements.count)), "received \(elements)")
            }
        }
    }

    @Test func iterationThatHasEndedStaysEnded() {
        hunt(
            "cancelOnGracefulShutdown()", "next() returns nil for ever once it has returned nil",
            expecting: .bug("after the end", report: "cancel-on-graceful-shutdown-continues-after-nil")
        ) {
            await testGracefulShutdown { trigger in
                let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
                async let produced: Void = {
                    for element in 1...3 {
                        continuation.yield(element)
                        await Task.yield()
                    }
                    continuation.finish()
                }()
                async let triggered: Void = { trigger.triggerGracefulShutdown() }()
                var iterator = stream.cancelOnGracefulShutdown().makeAsyncIterator()
                while await iterator.next() != nil {}
                let next = await iterator.next()
                check(next == nil, "received \(next ?? 0) after the end")
                _ = await (produced, triggered)
            }
        }
    }
}

private func elements(of stream: AsyncStream<Int>) async -> [Int] {
    var elements: [Int] = []
    for await element in stream.cancelOnGracefulShutdown() { elements.append(element) }
    return elements
}
