import Futures

// The main actor protects the state machine: no suspension separates a transition from its actions. Tasks retain the
// loader only while they report, so that releasing it ends them.

// MARK: - Waiting

extension Loader {
    /// Loads a source and waits for its value, through pauses and retries.
    ///
    /// Cancelling the waiting task cancels no fetch: other callers may need the value.
    ///
    /// - Returns: The value.
    /// - Throws: The fetch's `Failure`; or `CancellationError`, if this task or the fetch is cancelled, or another
    ///   source is loaded.
    public func value(of source: Source) async throws -> Value {
        try Task.checkCancellation()
        load(source)
        switch machine.state {
        case .found(let content, requested: _) where content.source == source: return content.value
        case .fetching(let fetch, previous: _) where fetch.source == source: return try await awaitEnd().get()
        // An observer of this load has cancelled it, or loaded another source.
        case .idle, .fetching, .found, .failed: throw CancellationError()
        }
    }

    /// Waits until no fetch is running.
    ///
    /// - Returns: The state then.
    /// - Throws: `CancellationError`, if this task is cancelled.
    public func settled() async throws(CancellationError) -> LoadingState<Source, Value, Failure> {
        while machine.fetch != nil {
            if Task.isCancelled { throw CancellationError() }
            // An error means that the fetch was abandoned, perhaps for another one, or that this task was cancelled.
            _ = try? await awaitEnd()
        }
        return machine.loadingState
    }

    private func awaitEnd() async throws(CancellationError) -> Result<Value, Failure> {
        try await awaitedOutcome().value(onCancel: CancellationError())
    }

    /// The outcome of the running fetch.
    ///
    /// A function of its own, so that no waiting caller retains the promise.
    private func awaitedOutcome() -> Future<Result<Value, Failure>, CancellationError> {
        let promise = outcome ?? Promise(onAbandon: { CancellationError() })
        outcome = promise
        return promise.future
    }
}

// MARK: - Actions

extension Loader {
    func perform(_ action: Machine.Action) {
        let ended = action.ended.map { ($0, outcome) }
        if ended != nil { outcome = nil }
        // Cancellation handlers and observers may call the loader at once: the machine's state is already up to date.
        for work in action.started { start(work) }
        let running = machine.running
        for id in tasks.keys where !running.contains(id) { tasks.removeValue(forKey: id)?.cancel() }
        notify()
        if case (.outcome(let result), let outcome?)? = ended { outcome.resolve(result) }
    }

    private func start(_ work: Machine.Work) {
        switch work {
        case .transfer(let id, let source, let isRetry):
            if !isRetry { settings.retry.budget?.deposit() }
            tasks[id] = transfer(id, source)
        case .pause(let id, let duration):
            tasks[id] = pause(id, until: time.elapsed + duration)
        case .probe(let id, let source):
            tasks[id] = connect(id, source)
        }
    }

    private nonisolated func transfer(_ id: Machine.WorkID, _ source: Source) -> Task<Void, Never> {
        Task { [weak self, fetch, settings, time] in
            // At most one report per interval is shown: of those that arrive meanwhile, only the newest is buffered.
            let (reports, reporter) = AsyncStream.makeStream(
                of: FetchProgress.self, bufferingPolicy: .bufferingNewest(1))
            let showing = Task { [weak self] in
                for await progress in reports {
                    await self?.progressed(id, progress)
                    // A clock that throws only makes progress updates more frequent.
                    try? await time.sleep(until: time.elapsed + settings.progressInterval)
                }
            }
            let result: Result<Value, Failure>
            do throws(Failure) {
                result = .success(try await fetch(source) { reporter.yield($0) })
            } catch {
                result = .failure(error)
            }
            // The last report is shown before the end, without waiting for the interval.
            reporter.finish()
            showing.cancel()
            await showing.value
            let shown = await self?.machine.shownValue(during: id)
            // Compared here and not on the main actor, because values may be large.
            let isEqual =
                switch (result, shown) {
                case (.success(let value), let shown?): areEqual(value, shown)
                case (.success, nil), (.failure, _): false
                }
            await self?.transferred(id, result, isEqual: isEqual)
        }
    }

    private nonisolated func pause(_ id: Machine.WorkID, until end: Duration) -> Task<Void, Never> {
        Task { [weak self, time] in
            do {
                try await time.sleep(until: end)
                await self?.ended(id) { $0.pauseEnded(id) }
            } catch {
                if !Task.isCancelled { await self?.ended(id) { $0.pauseRefused(id) } }
            }
        }
    }

    private nonisolated func connect(_ id: Machine.WorkID, _ source: Source) -> Task<Void, Never> {
        Task { [weak self, probe, settings] in
            let isConnected = await probe?.connect(to: source) ?? true
            await self?.ended(id) {
                $0.probeEnded(id, isConnected: isConnected, pause: settings.retry.probing.pause(after:))
            }
        }
    }
}

// MARK: - Reports

extension Loader {
    private func progressed(_ id: Machine.WorkID, _ progress: FetchProgress) {
        machine.progressed(id, progress)
        notify()
    }

    private func transferred(_ id: Machine.WorkID, _ result: Result<Value, Failure>, isEqual: Bool) {
        let (now, settings, canProbe) = (time.elapsed, settings, probe != nil)
        ended(id) { machine in
            switch result {
            case .success(let value):
                machine.succeeded(id, value, isEqual: isEqual, now: now)
            case .failure(let failure):
                machine.failed(id, failure, now: now) { fetch in
                    settings.retry.plan(
                        after: failure, attempt: fetch.attempt, spent: fetch.pauses,
                        offlineTries: canProbe ? fetch.offlineTries : nil)
                }
            }
        }
    }

    private func ended(_ id: Machine.WorkID, _ event: (inout Machine) -> Machine.Action) {
        tasks[id] = nil
        perform(event(&machine))
    }
}

/// Whether two values are equal; `false` for types that aren't `Equatable`.
private func areEqual<Value>(_ first: Value, _ second: Value) -> Bool {
    func isEqual<Comparable: Equatable>(_ first: Comparable) -> Bool { first == second as? Comparable }
    return (first as? any Equatable).map { isEqual($0) } ?? false
}
