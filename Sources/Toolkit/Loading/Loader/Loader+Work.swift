import Futures

// The main actor is this machine's storage: a transition, and then what it says, without a suspension between them. Tasks
// hold the loader only while they report, so that releasing it ends them.

extension Loader {
    func perform(_ action: Machine.Action) {
        // Who is told that work is cancelled, or that something has changed, may ask for something at once: the machine is
        // ahead of all of them.
        for work in action.started { start(work) }
        for id in action.cancelled { tasks.removeValue(forKey: id)?.cancel() }
        show()
        settleWaiters()
    }

    private func start(_ work: Machine.Work) {
        switch work {
        case .transfer(let id, let source, let isRetry):
            if !isRetry { settings.retry.budget?.deposit() }
            tasks[id] = transfer(id, source)
        case .pause(let id, let duration):
            tasks[id] = pause(id, duration)
        case .probe(let id, let source):
            tasks[id] = connect(id, source)
        }
    }
}

// MARK: - What runs elsewhere

extension Loader {
    private nonisolated func transfer(_ id: Machine.WorkID, _ source: Source) -> Task<Void, Never> {
        Task { [weak self, fetch, settings, time] in
            let relay = ProgressRelay(interval: settings.progressInterval, time: time) { [weak self] progress in
                await self?.progressed(id, progress)
            }
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try await fetch(source) { relay.report($0) })
            } catch {
                result = .failure(error)
            }
            // Apart: an argument of `self?` is not evaluated without a self.
            let last = await relay.finish()
            let shown = await self?.finishing(id, last)
            // Compared here, because values may be large, and the main actor has better things to do.
            let isEqual =
                switch (result, shown) {
                case (.success(let value), .some(let shown)): areEqual(value, shown)
                case (.success, _), (.failure, _): false
                }
            await self?.finished(id, result, isEqual: isEqual)
        }
    }

    private nonisolated func pause(_ id: Machine.WorkID, _ duration: Duration) -> Task<Void, Never> {
        let end = time.elapsed + duration
        return Task { [weak self, time] in
            do {
                try await time.sleep(until: end)
            } catch {
                if !Task.isCancelled { await self?.pauseRefused(id) }
                return
            }
            await self?.pauseEnded(id)
        }
    }

    private nonisolated func connect(_ id: Machine.WorkID, _ source: Source) -> Task<Void, Never> {
        Task { [weak self, probe] in
            let isConnected = await probe?.connect(to: source) ?? true
            await self?.probeEnded(id, isConnected)
        }
    }
}

// MARK: - What is reported from there

extension Loader {
    private func progressed(_ id: Machine.WorkID, _ progress: FetchProgress) {
        machine.progressed(id, progress)
        show()
    }

    /// Shows the last progress.
    ///
    /// - Returns: The value that is shown, if this is the transfer that is waited for.
    private func finishing(_ id: Machine.WorkID, _ progress: FetchProgress?) -> Value? {
        if let progress { progressed(id, progress) }
        return machine.isAttempt(id) ? machine.loading.state.value : nil
    }

    private func finished(_ id: Machine.WorkID, _ result: Result<Value, Failure>, isEqual: Bool) {
        tasks[id] = nil
        switch result {
        case .success(let value):
            machine.succeeded(id, value, isEqual: isEqual, now: time.elapsed)
            perform(Machine.Action())
        case .failure(let failure):
            let plan = machine.isAttempt(id) ? plan(after: failure) : .giveUp
            perform(machine.failed(id, failure, plan, now: time.elapsed))
        }
    }

    private func plan(after failure: Failure) -> RetryPlan {
        settings.retry.plan(
            after: failure, attempt: machine.attempt, spent: machine.spent,
            rounds: probe == nil ? nil : machine.rounds)
    }

    private func pauseEnded(_ id: Machine.WorkID) {
        tasks[id] = nil
        perform(machine.pauseEnded(id))
    }

    private func pauseRefused(_ id: Machine.WorkID) {
        tasks[id] = nil
        machine.pauseRefused(id)
        perform(Machine.Action())
    }

    private func probeEnded(_ id: Machine.WorkID, _ isConnected: Bool) {
        tasks[id] = nil
        let pause = settings.retry.probing.pause(after: machine.rounds + 1)
        perform(machine.probeEnded(id, isConnected: isConnected, pause: pause))
    }
}

/// Whether two values are equal, as far as values of their type can be.
func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
    (first as? any Equatable)?.isEqual(to: second) ?? false
}

extension Equatable {
    fileprivate func isEqual(to other: Any) -> Bool {
        self == other as? Self
    }
}
