extension Future {
    /// Returns a future that settles as this one does, or fails after a time limit.
    ///
    /// After the limit, the returned future no longer waits for this one. If nothing else waits for it, its work may be
    /// cancelled; see ``init(priority:cancelsWhenUnwanted:operation:)``. When this future settles, the timer is
    /// cancelled.
    public func timeout(
        after duration: Duration, clock: any Clock<Duration> = ContinuousClock(),
        error: @escaping @autoclosure @Sendable () -> Failure
    ) -> Future {
        timeout(at: duration, of: Stopwatch(clock), error: error())
    }

    /// Returns a future that settles as this one does, or fails when a stopwatch reaches a deadline.
    package func timeout(
        at deadline: Duration, of stopwatch: Stopwatch, error: @escaping @autoclosure @Sendable () -> Failure
    ) -> Future {
        if isComplete { return self }
        let target = Future()
        let inputs = Inputs()
        let timer = Task {
            // Cancelled, because this future has settled.
            guard (try? await stopwatch.sleep(until: deadline)) != nil else { return }
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

    /// Returns a future that delays this one's value, but not its error, by a duration.
    public func delay(by duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Future {
        let target = Future()
        whenSettled { result in
            guard case .success = result else {
                target.settle(result)
                return
            }
            let stopwatch = Stopwatch(clock)
            Task {
                // Never cancelled; a clock that throws must not withhold the value.
                try? await stopwatch.sleep(until: duration)
                target.settle(result)
            }
        }
        return target
    }
}
