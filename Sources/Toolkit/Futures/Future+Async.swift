// Every continuation of this library is in this file.

extension Future {
    /// The outcome, as soon as there is one.
    ///
    /// Waiting does not end by cancellation: it ends when the future settles.
    public var result: Result<Value, Failure> {
        get async {
            if let outcome = settledResult { return outcome }
            // Resumed with the result instead of throwing: that keeps the error's type.
            return await withCheckedContinuation { continuation in
                register(turn: .inOrder) { continuation.resume(returning: $0) }
            }
        }
    }

    /// The value, as soon as it has arrived.
    ///
    /// Waiting does not end by cancellation: it ends when the future settles.
    ///
    /// - Throws: The error that the promise was rejected with.
    public var value: Value {
        get async throws(Failure) {
            try await result.get()
        }
    }
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
