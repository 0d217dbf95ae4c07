import DequeModule
import HuntSupport
import Interleaving
import NIOCore
import Testing

/// NIOAsyncWriter: tasks yield elements, and a delegate receives them while its sink is writable.
@Suite struct AsyncWriterHunts {
    @Test func everyElementIsDeliveredOnceInTheOrderOfItsTask() {
        hunt("NIOAsyncWriter", "every element is delivered once, in the order of its task") {
            let (writer, sink, delegate) = makeWriter(isWritable: false)
            async let first: Void = yield([1, 2, 3], to: writer)
            async let second: Void = yield([11, 12], to: writer)
            for writability in [true, false, true, false, true] {
                sink.setWritability(to: writability)
                await Task.yield()
            }
            _ = try await (first, second)
            check(delegate.delivered.elements.filter { $0 < 10 } == [1, 2, 3], "\(delegate.delivered.elements)")
            check(delegate.delivered.elements.filter { $0 > 10 } == [11, 12], "\(delegate.delivered.elements)")
            writer.finish()
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }

    @Test func nothingIsDeliveredWhileTheSinkIsNotWritable() {
        // A delivery that has begun can end later, so without interruptions at locks.
        hunt("NIOAsyncWriter", "nothing is delivered while the sink isn't writable", preemptsAtLocks: false) {
            let (writer, sink, delegate) = makeWriter(isWritable: true)
            async let first: Void = yield([1, 2], to: writer)
            async let second: Void = yield([3, 4], to: writer)
            for _ in 0..<3 {
                sink.setWritability(to: false)
                let before = delegate.delivered.count
                await Task.yield()
                check(delegate.delivered.count == before, "delivered while not writable")
                sink.setWritability(to: true)
                await Task.yield()
            }
            _ = try await (first, second)
            writer.finish()
        }
    }

    @Test func cancelledYieldEndsAndIsDeliveredOnlyIfItSucceeds() {
        hunt("NIOAsyncWriter", "a cancelled yield ends, and is delivered only if it returns") {
            let (writer, sink, delegate) = makeWriter(isWritable: false)
            let cancelled = Task { try await writer.yield(1) }
            async let other: Void = writer.yield(2)
            async let writable: Void = setWritable(sink)
            cancelled.cancel()
            let result = await cancelled.result
            _ = try await (other, writable)
            let isDelivered = delegate.delivered.elements.contains(1)
            switch result {
            case .success: check(isDelivered, "returned, but not delivered")
            case .failure(let error):
                check(error is CancellationError, "threw \(error)")
                check(!isDelivered, "threw, but delivered")
            }
            writer.finish()
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }

    @Test func finishedSinkEndsEveryYield() {
        hunt("NIOAsyncWriter", "sink.finish() ends every yield") {
            let (writer, sink, delegate) = makeWriter(isWritable: false)
            async let first = Result(catching: { try await yield([1, 2], to: writer) })
            async let second = Result(catching: { try await yield([3], to: writer) })
            async let finished: Void = finish(sink)
            async let writable: Void = setWritable(sink)
            let results = await [first, second]
            _ = await (finished, writable)
            let failures = results.filter { if case .failure = $0 { true } else { false } }.count
            check(failures > 0 || delegate.delivered.count == 3, "lost an element without an error")
            writer.finish()
        }
    }

    @Test func finishDeliversYieldsThatWereSuspended() {
        hunt(
            "NIOAsyncWriter", "finish() delivers the yields that were suspended before it",
            expecting: .bug("threw NIOAsyncWriterError.alreadyFinished", report: "nio-async-writer-finish-loses-yield")
        ) {
            let (writer, sink, delegate) = makeWriter(isWritable: false)
            async let first = Result(catching: { try await writer.yield(1) })
            async let second = Result(catching: { try await writer.yield(2) })
            // Both yields are suspended.
            await waitForOtherTasks()
            writer.finish()
            sink.setWritability(to: true)
            for result in await [first, second] {
                if case .failure(let error) = result { check(false, "a suspended yield threw \(error)") }
            }
            check(delegate.delivered.count == 2, "delivered \(delegate.delivered.elements)")
        }
    }

    @Test func finishDeliversTheOnlySuspendedYield() {
        hunt(
            "NIOAsyncWriter", "finish() delivers the only suspended yield, while the sink becomes writable",
            expecting: .bug("threw NIOAsyncWriterError.alreadyFinished", report: "nio-async-writer-finish-loses-yield")
        ) {
            let (writer, sink, delegate) = makeWriter(isWritable: false)
            async let only: Void = writer.yield(1)
            await waitForOtherTasks()
            async let finished: Void = finish(writer)
            async let writable: Void = setWritable(sink)
            _ = try await (only, finished, writable)
            check(delegate.delivered.elements == [1], "delivered \(delegate.delivered.elements)")
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }

    @Test func finishTerminatesAlthoughTheLastSuspendedYieldIsCancelled() {
        hunt(
            "NIOAsyncWriter", "finish() terminates, also if the last suspended yield is cancelled",
            expecting: .bug("terminated 0 times", report: "nio-async-writer-never-terminates")
        ) {
            let (writer, sink, delegate) = makeWriter(isWritable: false)
            let only = Task { try await writer.yield(1) }
            await waitForOtherTasks()
            async let finished: Void = finish(writer)
            async let cancelled: Void = cancel(only)
            _ = await (only.result, finished, cancelled)
            sink.setWritability(to: true)
            check(delegate.terminations.count == 1, "terminated \(delegate.terminations.count) times")
        }
    }

    @Test func finishedWriterObeysTheWritability() {
        hunt(
            "NIOAsyncWriter", "nothing is delivered while the sink isn't writable, also after finish()",
            expecting: .bug("delivered while not writable", report: "nio-async-writer-ignores-unwritable")
        ) {
            let (writer, sink, delegate) = makeWriter(isWritable: false)
            async let only = Result(catching: { try await writer.yield(1) })
            await waitForOtherTasks()
            writer.finish()
            sink.setWritability(to: true)
            await Task.yield()
            sink.setWritability(to: false)
            let before = delegate.delivered.count
            await waitForOtherTasks()
            check(delegate.delivered.count == before, "delivered while not writable")
            sink.setWritability(to: true)
            _ = await only
        }
    }
}

// MARK: - Parts

private typealias Writer = NIOAsyncWriter<Int, RecordingDelegate>

/// Records what it receives.
private final class RecordingDelegate: NIOAsyncWriterSinkDelegate {
    let delivered = Log<Int>()
    let terminations = Log<String>()

    func didYield(contentsOf sequence: Deque<Int>) {
        for element in sequence { delivered.append(element) }
    }

    func didTerminate(error: (any Error)?) {
        terminations.append(error.map { "\($0)" } ?? "")
    }
}

private func makeWriter(isWritable: Bool) -> (Writer, Writer.Sink, RecordingDelegate) {
    let delegate = RecordingDelegate()
    let made = Writer.makeWriter(isWritable: isWritable, finishOnDeinit: true, delegate: delegate)
    return (made.writer, made.sink, delegate)
}

private func yield(_ elements: [Int], to writer: Writer) async throws {
    for element in elements { try await writer.yield(element) }
}

private func setWritable(_ sink: Writer.Sink) async { sink.setWritability(to: true) }
private func finish(_ sink: Writer.Sink) async { sink.finish() }
private func finish(_ writer: Writer) async { writer.finish() }
private func cancel(_ task: Task<Void, any Error>) async { task.cancel() }

extension Result where Failure == any Error {
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
