extension Future {
    /// A future that settles as this one does, or fails when a time is over.
    ///
    /// This future goes on in any case, but nothing waits for it here any more: work that nothing else waits for may be cancelled; see
    /// ``init(priority:cancelsWhenUnwanted:operation:)``. As soon as this one settles, the timer ends.
    public func timeout(
        after duration: Duration, clock: any Clock<Duration> = ContinuousClock(),
        error: @escaping @autoclosure @Sendable () -> Failure
    ) -> Future {
        timeout(at: duration, of: Stopwatch(clock), error: error())
    }

    /// A future that settles as this one does, or fails when a stopwatch shows a time.
    package func timeout(
        at deadline: Duration, of stopwatch: Stopwatch, error: @escaping @autoclosure @Sendable () -> Failure
    ) -> Future {
        if isComplete { return self }
        let target = Future()
        let inputs = Inputs()
        let timer = Task {
            // Cancelled: this future has settled.
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

    /// A future that has this one's value so much later, and this one's error at once.
    public func delay(by duration: Duration, clock: any Clock<Duration> = ContinuousClock()) -> Future {
        let target = Future()
        whenSettled { result in
            guard case .success = result else {
                target.settle(result)
                return
            }
            let stopwatch = Stopwatch(clock)
            Task {
                // Never cancelled; a clock that refuses to wait must not hold the value back.
                try? await stopwatch.sleep(until: duration)
                target.settle(result)
            }
        }
        return target
    }
}
