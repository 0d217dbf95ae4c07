extension Future {
    /// A future that settles as this one does, or fails when a time is over.
    ///
    /// This future goes on in any case, but nobody waits for it here any more: work that nobody else waits for may be
    /// cancelled; see ``init(priority:cancelsWhenUnwanted:operation:)``. As soon as this one settles, the clock is let go
    /// of.
    ///
    /// - Parameters:
    ///   - duration: How long to wait, from now on.
    ///   - clock: What measures the time.
    ///   - error: What the new future fails with.
    /// - Returns: The new future.
    public func timeout<C: Clock>(
        after duration: C.Duration, clock: C = ContinuousClock(),
        error: @escaping @autoclosure @Sendable () -> Failure
    ) -> Future where C.Duration: Sendable {
        let deadline = clock.now.advanced(by: duration)
        return timeout(error: error) { try await clock.sleep(until: deadline, tolerance: nil) }
    }

    /// A future that settles as this one does, or fails when a stopwatch shows a time.
    ///
    /// - Parameters:
    ///   - deadline: A time since the stopwatch was created.
    ///   - stopwatch: What measures the time.
    ///   - error: What the new future fails with.
    /// - Returns: The new future.
    package func timeout(
        at deadline: Duration, of stopwatch: Stopwatch, error: @escaping @autoclosure @Sendable () -> Failure
    ) -> Future {
        timeout(error: error) { try await stopwatch.sleep(until: deadline) }
    }

    private func timeout(
        error: @escaping @Sendable () -> Failure, sleep: @escaping @Sendable () async throws -> Void
    ) -> Future {
        if isComplete { return self }
        let target = Future()
        let inputs = Inputs()
        let timer = Task {
            // Cancelled: this future has settled.
            guard (try? await sleep()) != nil else { return }
            inputs.leave()
            target.settle(.failure(error()))
        }
        inputs.add(self) { result in
            timer.cancel()
            inputs.leave()
            target.settle(result)
        }
        return target
    }

    /// A future with this one's value, which it has only after a time; this one's error it has at once.
    ///
    /// - Parameters:
    ///   - duration: How long after this future's value.
    ///   - clock: What measures the time.
    /// - Returns: The new future.
    public func delay<C: Clock>(by duration: C.Duration, clock: C = ContinuousClock()) -> Future
    where C.Duration: Sendable {
        let target = Future()
        whenSettled { result in
            guard case .success = result else {
                target.settle(result)
                return
            }
            let deadline = clock.now.advanced(by: duration)
            Task {
                // Never cancelled; a clock that refuses to wait must not hold the value back.
                try? await clock.sleep(until: deadline, tolerance: nil)
                target.settle(result)
            }
        }
        return target
    }
}
