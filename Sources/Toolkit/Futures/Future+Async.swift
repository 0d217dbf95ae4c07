// Every continuation of this library is in this file.

extension Future {
    /// The outcome, as soon as there is one.
    ///
    /// Waiting does not end by cancellation: it ends when the future settles. Callbacks may still be running then, on the
    /// thread that has settled it.
    public var result: Result<Value, Failure> {
        get async {
            if let outcome = settledResult { return outcome }
            // Resumed with the result instead of throwing: that keeps the error's type.
            return await withCheckedContinuation { continuation in
                whenSettled { continuation.resume(returning: $0) }
            }
        }
    }

    /// The value, as soon as it has arrived.
    ///
    /// Waiting does not end by cancellation, because no error of the future's type says so: it ends when the future
    /// settles. See ``value(onCancel:)``.
    ///
    /// - Throws: The error that the promise was rejected with.
    public var value: Value {
        get async throws(Failure) {
            try await result.get()
        }
    }

    /// The value, as soon as it has arrived, for as long as this task is not cancelled.
    ///
    /// Cancellation ends this waiting only: the future, and whoever else waits for it, go on. Where this was the last to
    /// wait, what makes the value may be told; see ``init(priority:cancelsWhenUnwanted:operation:)``.
    ///
    /// - Parameter cancellation: What is thrown when this task is cancelled before the future settles.
    /// - Returns: The value.
    /// - Throws: The error that the promise was rejected with, or that of the cancellation.
    public func value(onCancel cancellation: @autoclosure @Sendable () -> Failure) async throws(Failure) -> Value {
        switch await cancellableResult() {
        case .some(let result): try result.get()
        case .none: throw cancellation()
        }
    }

    /// The outcome, or `nil` if this task was cancelled before there was one.
    func cancellableResult() async -> Result<Value, Failure>? {
        if let outcome = settledResult { return outcome }
        let waiter = Waiter<Result<Value, Failure>>()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard waiter.begin(continuation) else { return continuation.resume(returning: nil) }
                if let ticket = join({ waiter.resume($0) }), !waiter.hold(ticket) { leave(ticket) }
            }
        } onCancel: {
            if let ticket = waiter.cancel() { leave(ticket) }
        }
    }

    /// How many wait who may leave, for the tests.
    package var waiterCount: Int { transition { $0.waiting.more.first?.leavers.count ?? 0 } }
}

extension Future where Failure == Never {
    /// The value, as soon as it has arrived.
    ///
    /// Waiting does not end by cancellation: it ends when the future settles.
    public var value: Value {
        // The general one would do, but Swift 6.3 crashes where it is called with `Never` for the error.
        get async {
            switch await result {
            case .success(let value): value
            }
        }
    }
}

extension Future where Failure == any Error {
    /// The value, as soon as it has arrived, for as long as this task is not cancelled.
    ///
    /// Cancellation ends this waiting only: the future, and whoever else waits for it, go on.
    ///
    /// - Throws: The error that the promise was rejected with, or `CancellationError` if this task is cancelled first.
    public var value: Value {
        get async throws {
            try await value(onCancel: CancellationError())
        }
    }
}

/// A task that waits for an outcome, and may be cancelled before, meanwhile and after.
private final class Waiter<Outcome: Sendable>: Sendable {
    private enum State: Sendable {
        case new
        case waiting(CheckedContinuation<Outcome?, Never>, ticket: Int?)
        /// Cancelled before it had begun.
        case cancelled
        case resumed
    }

    private let state = Lock(State.new)

    /// Whether it may wait; if not, it has been cancelled already.
    func begin(_ continuation: CheckedContinuation<Outcome?, Never>) -> Bool {
        state.withLock { state in
            switch state {
            case .new:
                state = .waiting(continuation, ticket: nil)
                return true
            case .cancelled:
                return false
            case .waiting, .resumed:
                preconditionFailure("A waiter waits once.")
            }
        }
    }

    /// Notes how it leaves; whether it still waits.
    func hold(_ ticket: Int) -> Bool {
        state.withLock { state in
            switch state {
            case .waiting(let continuation, ticket: _):
                state = .waiting(continuation, ticket: ticket)
                return true
            case .new, .cancelled, .resumed:
                return false
            }
        }
    }

    func resume(_ outcome: Outcome) {
        take()?.continuation.resume(returning: outcome)
    }

    /// Ends the waiting, if it lasts; returns the ticket to leave with.
    func cancel() -> Int? {
        guard let (continuation, ticket) = take() else { return nil }
        continuation.resume(returning: nil)
        return ticket
    }

    private func take() -> (continuation: CheckedContinuation<Outcome?, Never>, ticket: Int?)? {
        state.withLock { state in
            switch state {
            case .waiting(let continuation, let ticket):
                state = .resumed
                return (continuation, ticket)
            case .new:
                state = .cancelled
                return nil
            case .cancelled, .resumed:
                return nil
            }
        }
    }
}
