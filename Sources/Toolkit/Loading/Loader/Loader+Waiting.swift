import Futures

extension Loader {
    /// Somebody who waits for the end of a fetch.
    struct Waiter {
        let generation: Machine.Loading.Generation
        let outcome: Promise<Result<Value, Failure>, CancellationError>
    }

    /// Loads a source, and waits for its value.
    ///
    /// It returns at once if the value is here. It waits through pauses and further attempts.
    ///
    /// - Parameter source: Where the value is to come from.
    /// - Returns: The value.
    /// - Throws: Why it could not be had: a `Failure`; or `CancellationError`, if this task was cancelled, or the fetch was,
    ///   or something else was loaded meanwhile. Cancelling this task cancels no fetch: others may want the value.
    public func value(of source: Source) async throws -> Value {
        try Task.checkCancellation()
        load(source)
        // Who was told of that may have asked for something else already.
        guard machine.loading.source == source else { throw CancellationError() }
        if case .found(let value) = machine.loading.state { return value }
        return try await end(of: machine.loading.generation).get()
    }

    /// Waits until nothing is being fetched any more.
    ///
    /// - Returns: The state then.
    /// - Throws: `CancellationError`, if this task is cancelled.
    public func settled() async throws(CancellationError) -> LoadingState<Source, Value, Failure> {
        while machine.loading.state.isFetching {
            if Task.isCancelled { throw CancellationError() }
            do throws(CancellationError) {
                _ = try await end(of: machine.loading.generation)
            } catch {
                // That fetch was given up, perhaps for another one; or this task was.
            }
        }
        return machine.loading.state
    }

    /// Waits for the outcome of a fetch that is under way.
    private func end(
        of generation: Machine.Loading.Generation
    ) async throws(CancellationError) -> Result<Value, Failure> {
        let outcome = Promise<Result<Value, Failure>, CancellationError>(onAbandon: { CancellationError() })
        lastWaiter += 1
        let id = lastWaiter
        waiters[id] = Waiter(generation: generation, outcome: outcome)
        defer { waiters[id] = nil }
        return try await outcome.future.value(onCancel: CancellationError())
    }

    /// Tells those whose fetch has ended.
    func settleWaiters() {
        guard !waiters.isEmpty else { return }
        let current = machine.loading.generation
        var ended: [(Waiter, Result<Result<Value, Failure>, CancellationError>)] = []
        for (id, waiter) in waiters.sorted(by: { $0.key < $1.key }) {
            let outcome: Result<Result<Value, Failure>, CancellationError>
            switch machine.loading.state {
            case .fetching where waiter.generation == current: continue
            case .found(let value) where waiter.generation == current: outcome = .success(.success(value))
            case .failed(let failure, _) where waiter.generation == current: outcome = .success(.failure(failure))
            case .none, .fetching, .found, .failed: outcome = .failure(CancellationError())
            }
            waiters[id] = nil
            ended.append((waiter, outcome))
        }
        for (waiter, outcome) in ended { waiter.outcome.settle(outcome) }
    }
}
