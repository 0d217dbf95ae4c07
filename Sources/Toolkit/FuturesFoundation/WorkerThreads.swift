import Foundation
import Futures

/// A bounded pool of threads for work that computes for long or blocks.
///
/// Swift's concurrency pool has few threads, and the main actor has one: work that occupies them for long delays every
/// request. Work that finds no free thread waits in first-in, first-out order.
///
/// The pool creates its threads itself, because those of concurrent `DispatchQueue`s don't suffice for work that blocks:
/// on Linux, all these queues share as many threads as there are processors, and while all of them are blocked, dispatch
/// adds one each second.
package final class WorkerThreads: Sendable {
    /// For computations: as many threads as processors.
    ///
    /// There are at least two, so that one long computation doesn't delay all others.
    package static let computing = WorkerThreads(limit: max(2, ProcessInfo.processInfo.activeProcessorCount))
    /// For disk access, which is short and uses little processor time.
    package static let disk = WorkerThreads(limit: 64)

    private struct State {
        var running = 0
        var waiting: [Work] = []
        /// The index in ``waiting`` of the next work; the entries before it were taken.
        var next = 0
    }

    private typealias Work = @Sendable () -> Void

    private let limit: Int
    private let clock: any Clock<Duration>
    private let state = Lock(State())

    /// Creates a pool that starts threads when there is work.
    ///
    /// - Parameters:
    ///   - limit: The largest number of threads, at least 1.
    ///   - clock: The clock that the time limits of work are measured by.
    package init(limit: Int, clock: any Clock<Duration> = ContinuousClock()) {
        (self.limit, self.clock) = (max(limit, 1), clock)
    }
}

extension WorkerThreads {
    /// The number of jobs that wait for a thread, for tests.
    package var waitingCount: Int { state.withLock { $0.waiting.count - $0.next } }

    /// Runs work to its end, even if the task is cancelled in the meantime.
    ///
    /// The work can check its ``CancellationToken`` and end early.
    package func runUncancellable<Value: Sendable>(_ work: @escaping @Sendable (CancellationToken) -> Value) async
        -> Value
    {
        let token = CancellationToken()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                add { continuation.resume(returning: work(token)) }
            }
        } onCancel: {
            token.end(.cancelled)
        }
    }

    /// Runs work until it ends, the task is cancelled, or the time limit is reached.
    ///
    /// In the last two cases this throws at once. Work that hasn't started is then never started; work that has started
    /// occupies its thread until it calls ``CancellationToken/check()`` or ends, and its result is dropped.
    ///
    /// The name is for the error's message, as in “Exporting the board”. The limit includes the wait for a thread.
    package func run<Value: Sendable>(
        _ name: String, within limit: Duration,
        _ work: @escaping @Sendable (CancellationToken) throws(WorkError) -> Value
    ) async throws(WorkError) -> Value {
        let token = CancellationToken(name: name)
        let promise = Promise<Value, WorkError>(onAbandon: { WorkError(.cancelled, name) })
        let stopwatch = Stopwatch(clock)
        add {
            do throws(WorkError) {
                try token.check()
                promise.resolve(try work(token))
            } catch {
                promise.reject(error)
            }
        }
        do throws(WorkError) {
            return try await promise.future.timeout(at: limit, of: stopwatch, error: WorkError(.timedOut, name))
                .value(onCancel: WorkError(.cancelled, name))
        } catch {
            token.end(error.code)
            throw error
        }
    }

    /// Adds work without waiting for it.
    ///
    /// - Parameter work: The work. If the limit is one thread, work that is added later begins after it.
    package func add(_ work: @escaping @Sendable () -> Void) {
        let isStarted = state.withLock { state -> Bool in
            guard state.running < limit else {
                state.waiting.append(work)
                return false
            }
            state.running += 1
            return true
        }
        guard isStarted else { return }
        Thread.detachNewThread { [self] in
            var work = work
            while true {
                work()
                guard let next = takeNext() else { return }
                work = next
            }
        }
    }

    /// Returns the next work; if there is none, the thread ends.
    private func takeNext() -> Work? {
        state.withLock { state in
            guard state.next < state.waiting.count else {
                state.running -= 1
                (state.waiting, state.next) = ([], 0)
                return nil
            }
            let work = state.waiting[state.next]
            state.waiting[state.next] = {}
            state.next += 1
            if state.next > 1_000, state.next > state.waiting.count / 2 {
                state.waiting.removeFirst(state.next)
                state.next = 0
            }
            return work
        }
    }
}

extension WorkerThreads {
    /// Tells work whether its result is still needed.
    package final class CancellationToken: Sendable {
        private let name: String
        private let reason = Lock<WorkError.Code?>(nil)

        fileprivate init(name: String = "") {
            self.name = name
        }

        /// Whether the task was cancelled or the time limit reached: the result would be dropped.
        package var isEnded: Bool { reason.withLock { $0 != nil } }

        /// Throws if the result is no longer needed.
        package func check() throws(WorkError) {
            if let code = reason.withLock({ $0 }) { throw WorkError(code, name) }
        }

        fileprivate func end(_ code: WorkError.Code) {
            reason.withLock { reason in
                if reason == nil { reason = code }
            }
        }
    }
}

/// The error of work on ``WorkerThreads`` that was cancelled or took too long.
package struct WorkError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reasons for failure.
    package enum Code: Hashable, Sendable {
        case cancelled, timedOut
    }

    /// The reason.
    package let code: Code
    /// What happened and what to do, for people.
    package let message: String

    /// Creates an error; the name says what the work does, as in “Exporting the board”.
    package init(_ code: Code, _ name: String) {
        self.code = code
        message =
            switch code {
            case .cancelled: "\(name) was cancelled."
            case .timedOut: "\(name) took too long, and was ended. Try again when the server is less busy."
            }
    }

    package var description: String { message }
}
