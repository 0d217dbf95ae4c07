import Dispatch
import Futures
import NIOCore
import NIOPosix
import OpenCombine
import Synchronization

/// The failure type of the benchmarks' futures, which never fail.
struct BenchmarkFailure: Error {}

/// Receives results, so that the compiler doesn't remove their computation.
let sink = Atomic<Int>(0)

@inline(never)
func consume(_ value: Int) {
    if value < 0 { sink.store(value, ordering: .relaxed) }
}

/// NIO's futures belong to an event loop, so their operations run there.
private let loop = MultiThreadedEventLoopGroup.singleton.next()

private func onLoop(_ body: @escaping @Sendable (any EventLoop) -> Void) async throws {
    try await loop.submit { body(loop) }.get()
}

private typealias OurPromise = Futures.Promise<Int, BenchmarkFailure>
private typealias OpenCombineFuture = OpenCombine.Future<Int, BenchmarkFailure>

/// An OpenCombine promise with its future; the library passes the promise only to the future's closure.
private func makeOpenCombinePromise() -> (OpenCombineFuture.Promise, OpenCombineFuture) {
    var promise: OpenCombineFuture.Promise?
    let future = OpenCombineFuture { promise = $0 }
    return (promise ?? { _ in }, future)
}

extension Row {
    static var all: [Row] {
        [settling, callback, eightCallbacks] + [10, 1_000, 100_000].map(chain) + [2, 1_000].map(zip)
            + [pendingAwait, otherThread, eightThreads]
    }

    private static let settling = Row(
        name: "create + resolve + read",
        contestants: [
            Contestant(.meanwhile) { times in
                for number in 0..<times {
                    let promise = OurPromise(onAbandon: { BenchmarkFailure() })
                    promise.resolve(number)
                    consume(promise.future.resolvedValue ?? 0)
                }
            },
            Contestant(.nio) { times in
                try await onLoop { loop in
                    for number in 0..<times {
                        let promise = loop.makePromise(of: Int.self)
                        promise.succeed(number)
                        // NIO's only way to read is a callback, which runs immediately.
                        promise.futureResult.whenSuccess { consume($0) }
                    }
                }
            },
            Contestant(.openCombine) { times in
                for number in 0..<times {
                    let (promise, future) = makeOpenCombinePromise()
                    promise(.success(number))
                    _ = future.sink(receiveCompletion: { _ in }, receiveValue: { consume($0) })
                }
            },
            Contestant(.plain) { times in
                for number in 0..<times {
                    consume(await withCheckedContinuation { $0.resume(returning: number) })
                }
            },
        ])

    private static let callback = Row(
        name: "create + 1 callback + resolve",
        contestants: [
            Contestant(.meanwhile) { times in
                for number in 0..<times {
                    let promise = OurPromise(onAbandon: { BenchmarkFailure() })
                    promise.future.onSuccess { consume($0) }
                    promise.resolve(number)
                }
            },
            Contestant(.nio) { times in
                try await onLoop { loop in
                    for number in 0..<times {
                        let promise = loop.makePromise(of: Int.self)
                        promise.futureResult.whenSuccess { consume($0) }
                        promise.succeed(number)
                    }
                }
            },
            Contestant(.openCombine) { times in
                for number in 0..<times {
                    let (promise, future) = makeOpenCombinePromise()
                    let subscription = future.sink(receiveCompletion: { _ in }, receiveValue: { consume($0) })
                    promise(.success(number))
                    withExtendedLifetime(subscription) {}
                }
            },
        ])

    private static let eightCallbacks = Row(
        name: "8 callbacks",
        contestants: [
            Contestant(.meanwhile) { times in
                for number in 0..<times {
                    let promise = OurPromise(onAbandon: { BenchmarkFailure() })
                    for _ in 0..<8 { promise.future.onSuccess { consume($0) } }
                    promise.resolve(number)
                }
            },
            Contestant(.nio) { times in
                try await onLoop { loop in
                    for number in 0..<times {
                        let promise = loop.makePromise(of: Int.self)
                        for _ in 0..<8 { promise.futureResult.whenSuccess { consume($0) } }
                        promise.succeed(number)
                    }
                }
            },
            Contestant(.openCombine) { times in
                for number in 0..<times {
                    let (promise, future) = makeOpenCombinePromise()
                    let subscriptions = (0..<8).map { _ in
                        future.sink(receiveCompletion: { _ in }, receiveValue: { consume($0) })
                    }
                    promise(.success(number))
                    withExtendedLifetime(subscriptions) {}
                }
            },
        ])

    private static func chain(of length: Int) -> Row {
        var contestants = [
            Contestant(.meanwhile) { times in
                for number in 0..<times {
                    let promise = OurPromise(onAbandon: { BenchmarkFailure() })
                    var end = promise.future
                    for _ in 0..<length { end = end.mapValue { $0 + 1 } }
                    promise.resolve(number)
                    consume(end.resolvedValue ?? 0)
                }
            },
            Contestant(.nio) { times in
                try await onLoop { loop in
                    for number in 0..<times {
                        let promise = loop.makePromise(of: Int.self)
                        var end = promise.futureResult
                        for _ in 0..<length { end = end.map { $0 + 1 } }
                        promise.succeed(number)
                        end.whenSuccess { consume($0) }
                    }
                }
            },
        ]
        // A chain of 1,000 overflows the stack: seen with OpenCombine 0.14.
        if length < 1_000 {
            contestants.append(
                Contestant(.openCombine) { times in
                    for number in 0..<times {
                        let (promise, future) = makeOpenCombinePromise()
                        var end = future.eraseToAnyPublisher()
                        for _ in 0..<length { end = end.map { $0 + 1 }.eraseToAnyPublisher() }
                        let subscription = end.sink(receiveCompletion: { _ in }, receiveValue: { consume($0) })
                        promise(.success(number))
                        withExtendedLifetime(subscription) {}
                    }
                })
        }
        return Row(name: "a chain of \(length) maps", contestants: contestants)
    }

    private static func zip(of count: Int) -> Row {
        Row(
            name: "zip of \(count)",
            contestants: [
                Contestant(.meanwhile) { times in
                    for _ in 0..<times {
                        let promises = (0..<count).map { _ in OurPromise(onAbandon: { BenchmarkFailure() }) }
                        let all = Futures.Future.zip(promises.map(\.future))
                        for (number, promise) in promises.enumerated() { promise.resolve(number) }
                        consume(all.resolvedValue?.count ?? 0)
                    }
                },
                Contestant(.nio) { times in
                    try await onLoop { loop in
                        for _ in 0..<times {
                            let promises = (0..<count).map { _ in loop.makePromise(of: Int.self) }
                            let all = EventLoopFuture.whenAllSucceed(promises.map(\.futureResult), on: loop)
                            for (number, promise) in promises.enumerated() { promise.succeed(number) }
                            all.whenSuccess { consume($0.count) }
                        }
                    }
                },
                Contestant(.openCombine) { times in
                    for _ in 0..<times {
                        let pairs = (0..<count).map { _ in makeOpenCombinePromise() }
                        let all = Publishers.Sequence(sequence: pairs.map(\.1)).flatMap { $0 }.collect()
                        let subscription = all.sink(receiveCompletion: { _ in }, receiveValue: { consume($0.count) })
                        for (number, pair) in pairs.enumerated() { pair.0(.success(number)) }
                        withExtendedLifetime(subscription) {}
                    }
                },
                Contestant(.plain) { times in
                    for _ in 0..<times {
                        let values = await withTaskGroup(of: (Int, Int).self) { group in
                            for number in 0..<count { group.addTask { (number, number) } }
                            return await group.reduce(into: Array(repeating: 0, count: count)) { $0[$1.0] = $1.1 }
                        }
                        consume(values.count)
                    }
                },
            ])
    }
}

// MARK: - With tasks and threads

extension Row {
    /// Two tasks that respond to each other: each awaits a future that the other hasn't resolved yet.
    private static let pendingAwait = Row(
        name: "a pending await, answered by another task", operations: 2,
        contestants: [
            Contestant(.meanwhile) { times in
                let asks = (0..<times).map { _ in OurPromise(onAbandon: { BenchmarkFailure() }) }
                let answers = (0..<times).map { _ in OurPromise(onAbandon: { BenchmarkFailure() }) }
                let other = Task {
                    for (ask, answer) in Swift.zip(asks, answers) {
                        answer.resolve((try? await ask.future.value) ?? 0)
                    }
                }
                for (ask, answer) in Swift.zip(asks, answers) {
                    ask.resolve(1)
                    consume(try await answer.future.value)
                }
                await other.value
            },
            Contestant(.nio) { times in
                let asks = (0..<times).map { _ in loop.makePromise(of: Int.self) }
                let answers = (0..<times).map { _ in loop.makePromise(of: Int.self) }
                let other = Task {
                    for (ask, answer) in Swift.zip(asks, answers) {
                        answer.succeed((try? await ask.futureResult.get()) ?? 0)
                    }
                }
                for (ask, answer) in Swift.zip(asks, answers) {
                    ask.succeed(1)
                    consume(try await answer.futureResult.get())
                }
                await other.value
            },
            Contestant(.plain) { times in
                let (asks, ask) = AsyncStream.makeStream(of: Int.self)
                let (answers, answer) = AsyncStream.makeStream(of: Int.self)
                let other = Task { for await value in asks { answer.yield(value) } }
                var iterator = answers.makeAsyncIterator()
                for _ in 0..<times {
                    ask.yield(1)
                    consume(await iterator.next() ?? 0)
                }
                ask.finish()
                await other.value
            },
        ])

    /// A thread that only resolves, and a callback that wakes the waiting thread.
    private static let otherThread = Row(
        name: "resolve from another thread",
        contestants: [
            Contestant(.meanwhile) { times in
                let queue = DispatchQueue(label: "resolving")
                let woken = DispatchSemaphore(value: 0)
                for number in 0..<times {
                    let promise = OurPromise(onAbandon: { BenchmarkFailure() })
                    promise.future.onSuccess { _ in woken.signal() }
                    queue.async { promise.resolve(number) }
                    woken.blockUntilSignal()
                }
            },
            Contestant(.nio) { times in
                let queue = DispatchQueue(label: "resolving")
                let woken = DispatchSemaphore(value: 0)
                for number in 0..<times {
                    let promise = loop.makePromise(of: Int.self)
                    promise.futureResult.whenSuccess { _ in woken.signal() }
                    queue.async { promise.succeed(number) }
                    woken.blockUntilSignal()
                }
            },
            Contestant(.openCombine) { times in
                let queue = DispatchQueue(label: "resolving")
                let woken = DispatchSemaphore(value: 0)
                for number in 0..<times {
                    let (promise, future) = makeOpenCombinePromise()
                    let subscription = future.sink(receiveCompletion: { _ in }, receiveValue: { _ in woken.signal() })
                    let resolve = UncheckedTransfer(promise)
                    queue.async { resolve.value(.success(number)) }
                    woken.blockUntilSignal()
                    withExtendedLifetime(subscription) {}
                }
            },
            Contestant(.plain) { times in
                let queue = DispatchQueue(label: "resolving")
                for number in 0..<times {
                    consume(
                        await withCheckedContinuation { continuation in
                            queue.async { continuation.resume(returning: number) }
                        })
                }
            },
        ])

    private static let eightThreads = Row(
        name: "a callback, by 8 threads on one future", operations: 8 * 1_000,
        contestants: [
            Contestant(.meanwhile) { times in
                for number in 0..<times {
                    let promise = OurPromise(onAbandon: { BenchmarkFailure() })
                    DispatchQueue.concurrentPerform(iterations: 8) { _ in
                        for _ in 0..<1_000 { promise.future.onSuccess { consume($0) } }
                    }
                    promise.resolve(number)
                }
            },
            Contestant(.nio) { times in
                for number in 0..<times {
                    let promise = loop.makePromise(of: Int.self)
                    DispatchQueue.concurrentPerform(iterations: 8) { _ in
                        for _ in 0..<1_000 { promise.futureResult.whenSuccess { consume($0) } }
                    }
                    promise.succeed(number)
                    consume(try await promise.futureResult.get())
                }
            },
            Contestant(.openCombine) { times in
                for number in 0..<times {
                    let (promise, future) = makeOpenCombinePromise()
                    let shared = UncheckedTransfer(future)
                    let subscriptions = Mutex<[UncheckedTransfer<[AnyCancellable]>]>([])
                    DispatchQueue.concurrentPerform(iterations: 8) { _ in
                        let own = (0..<1_000).map { _ in
                            shared.value.sink(receiveCompletion: { _ in }, receiveValue: { consume($0) })
                        }
                        let mine = UncheckedTransfer(own)
                        subscriptions.withLock { $0.append(mine) }
                    }
                    promise(.success(number))
                }
            },
        ])
}

/// Transfers an OpenCombine value between threads: the library declares nothing `Sendable`, although it uses locks.
private struct UncheckedTransfer<Value>: @unchecked Sendable {
    // Unchecked: the values passed here either have their own lock or are only retained.
    let value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension DispatchSemaphore {
    /// Blocks this thread until another one signals: Apple's Dispatch forbids calls of `wait()` in async functions.
    fileprivate nonisolated func blockUntilSignal() { wait() }
}
