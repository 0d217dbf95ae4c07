import Futures
import StoreTesting

@testable import Loading

/// The error of a fetch in these tests.
struct Problem: RetryAdvising, Equatable {
    var name: String
    var retryAdvice: RetryAdvice

    static let broken = Problem(name: "broken", retryAdvice: .never)
    static let busy = Problem(name: "busy", retryAdvice: .retry(after: nil))
    static let offline = Problem(name: "offline", retryAdvice: .whenConnected)

    static func busy(for time: Duration) -> Problem { Problem(name: "busy", retryAdvice: .retry(after: time)) }
}

/// Fetches that the test answers in any order, even long after they were cancelled.
final class Fetches: Sendable {
    struct Call: Sendable {
        let source: String
        let report: @Sendable (FetchProgress) -> Void
        let answer = Promise<String, Problem>(onAbandon: { .broken })
        let cancellation = Flag()

        var isCancelled: Bool { cancellation.isRaised }
    }

    private let state = Lock([Call]())

    var calls: [Call] { state.withLock { $0 } }
    var sources: [String] { calls.map(\.source) }

    func fetch(
        _ source: String, _ report: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(Problem) -> String {
        let call = Call(source: source, report: report)
        // The operation returns a result, because `withTaskCancellationHandler` doesn't rethrow typed errors.
        let result = await withTaskCancellationHandler {
            // Inside the handler: a test that sees the call may cancel it, and expects `isCancelled` at once.
            state.withLock { $0.append(call) }
            return await call.answer.future.result
        } onCancel: {
            call.cancellation.raise()
        }
        return try result.get()
    }

    /// Waits for the call with this number, counted from 0, and returns it.
    func call(_ number: Int) async -> Call {
        await eventually { calls.count > number }
        let all = calls
        return all.count > number ? all[number] : Call(source: "no such call", report: { _ in })
    }
}

/// A probe that the test answers.
final class Probes: ConnectionProbe {
    private let state = Lock([Promise<Bool, Never>]())
    let cancellations = Lock(0)

    var count: Int { state.withLock { $0.count } }

    func connect(to source: String) async -> Bool {
        let answer = Promise<Bool, Never>(valueOnAbandon: { false })
        return await withTaskCancellationHandler {
            state.withLock { $0.append(answer) }
            return await answer.future.value
        } onCancel: {
            cancellations.withLock { $0 += 1 }
        }
    }

    /// Waits for the probe with this number, counted from 0, and answers it.
    func answer(_ number: Int, _ isConnected: Bool) async {
        await eventually { count > number }
        state.withLock { $0.count > number ? $0[number] : nil }?.resolve(isConnected)
    }
}

extension LoaderSettings {
    /// Pauses of exactly 1, 2 and 4 seconds, on a given clock.
    static func exact(_ clock: any Clock<Duration>, retry: RetryPolicy? = nil) -> LoaderSettings {
        LoaderSettings(retry: retry ?? .exact(), clock: clock)
    }
}

extension RetryPolicy {
    /// The default pauses, without random parts.
    static func exact(
        budget: RetryBudget? = nil,
        rule: @escaping @Sendable (any Error) -> RetryAdvice = { _ in .never }
    ) -> RetryPolicy {
        var policy = RetryPolicy(budget: budget, rule: rule)
        policy.retry.backoff.random = { 0 }
        policy.probing.random = { 0 }
        return policy
    }
}
