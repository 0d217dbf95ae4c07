import Futures

// The autosave runs all of this, one call at a time, except for `handleStoreChange()`. The value can't change between
// two suspension points, because it is isolated to the main actor.

extension Stored {
    /// Synchronises the value with the store.
    func synchronise() async throws(StoreError) {
        var found: Value?
        var base: Value?
        var action = machine.withLock { $0.begin() }
        while true {
            showStatus()
            switch action {
            case .read:
                let result = await readRecord()
                if case .success(let record?) = result { showRecovery(of: record) }
                action = machine.withLock { $0.read(result) }
            case .decode(let record):
                contentCount = record.content.payload.count
                (found, base) = (nil, nil)
                let result: Result<Void, StoreError>
                do throws(StoreError) {
                    found = try await coding.decode(record.content)
                    result = .success(())
                } catch {
                    result = .failure(error)
                }
                action = machine.withLock { $0.decoded(result) }
            case .decodeBase(let content):
                base = try? await coding.decode(content)
                action = machine.withLock { $0.decodedBase() }
            case .take:
                let value = found.flatMap { validate($0) } ?? makeDefault()
                if !coding.isEqual(current, value) { show(value) }
                action = shown()
            case .takeDefault:
                show(makeDefault())
                action = shown()
            case .resolve(let record):
                guard let found else { preconditionFailure("the state machine resolves a record that was not decoded") }
                action = resolve(found, record, base: base)
            case .setAside(let record, let error):
                let result = await setAside(record, because: error)
                action = machine.withLock { $0.setAside(result) }
            case .encode:
                let result = await encode()
                action = machine.withLock { $0.encoded(result) }
            case .commit(let write):
                let result = await commit(write)
                action = machine.withLock { [key] in $0.committed(result, of: key) }
            case .finish(let error, let isReadWanted):
                if let error { throw error }
                return isReadWanted ? autosave.saveImmediately(self) : ()
            }
        }
    }

    /// Handles a change that the store reports, which may be this object's own write.
    func handleStoreChange() async {
        let result = await readRecord()
        // If this read failed, the autosave reads again, and retries until it succeeds.
        if machine.withLock({ $0.storeChanged(result.map { $0?.revision }) }) { autosave.saveImmediately(self) }
    }

    private func shown() -> StoredStateMachine.Action {
        observeIfWritten()
        return machine.withLock { $0.shown() }
    }

    private func observeIfWritten() {
        if !machine.withLock({ $0.isDirty }) { observe() }
    }

    /// Calls the store off the main actor.
    private func callStore<Output: Sendable>(
        _ operation: @Sendable (any Store) async throws(StoreError) -> Output
    ) async -> Result<Output, StoreError> {
        do throws(StoreError) {
            return .success(
                try await offMainActor { [store] () async throws(StoreError) in try await operation(store) })
        } catch {
            return .failure(error)
        }
    }
}

// MARK: - Reading

extension Stored {
    private func readRecord() async -> Result<StoredRecord?, StoreError> {
        let result = await callStore { [key, formerly] (store) async throws(StoreError) in
            try await store.read(key, formerly: formerly)
        }
        if case .failure(let error) = result, error.code == .corrupt { await report(error) }
        return result
    }

    /// Reports where the store has put the copies that it could not read.
    private func report(_ damage: StoreError) async {
        if let damaged = damage.cause as? DamagedCopies {
            for record in damaged.records { show(.setAside(record)) }
            return
        }
        let records = try? await callStore { (store) async throws(StoreError) in try await store.setAsideRecords() }
            .get()
        if let record = records?.last(where: { $0.key == key || formerly.contains($0.key) }) { show(.setAside(record)) }
    }

    private func showRecovery(of record: StoredRecord) {
        if let recovery = record.recovery { show(.recovered(recovery)) }
    }

    private func setAside(_ record: StoredRecord, because error: StoreError) async -> Result<
        Bool, StoreError
    > {
        let result = await callStore { [key] (store) async throws(StoreError) in
            try await store.setAside(key, revision: record.revision, reason: error.message)
        }
        if case .success(let place?) = result { show(.setAside(place)) }
        return result.map { $0 != nil }
    }

    /// Calls the merge to decide between the local value and the one that was read.
    private func resolve(_ found: Value, _ record: StoredRecord, base: Value?) -> StoredStateMachine.Action {
        defer { observeIfWritten() }
        if coding.isEqual(current, found) { return machine.withLock { $0.resolved(.foreign, losing: nil) } }
        let foreign = StoredStateMachine.ConflictCopy(side: .foreign) { () throws(StoreError) in record.content }
        let valid = validate(found)
        let resolution = valid.map { merge(StoredConflict(local: current, foreign: $0, base: base)) } ?? .local
        switch resolution {
        case .foreign:
            // A value that can't be encoded gets no copy: it could not have been written either.
            let local = (try? coding.capture(current)).map {
                StoredStateMachine.ConflictCopy(side: .local, encoding: $0)
            }
            show(valid ?? found)
            return machine.withLock { $0.resolved(.foreign, losing: local) }
        case .merged(let merged):
            guard let value = validate(merged) else { break }
            if !coding.isEqual(current, value) { show(value) }
            return machine.withLock { $0.resolved(.merged, losing: nil) }
        case .local:
            break
        }
        return machine.withLock { $0.resolved(.local, losing: foreign) }
    }
}

// MARK: - Writing

extension Stored {
    private func encode() async -> Result<StoredContent, StoreError> {
        do throws(StoreError) {
            // This must not suspend before it captures the value: the machine has just recorded which change is
            // encoded.
            let encoding = try captureEncoding()
            let content = try await runCoding(of: contentCount) { () throws(StoreError) in try encoding() }
            contentCount = content.payload.count
            return .success(content)
        } catch {
            return .failure(error)
        }
    }

    /// Writes the value and the conflict copies.
    private func commit(_ write: StoredStateMachine.Write) async -> Result<CommitResult, StoreError> {
        let result = await callStore { [key] (store) async throws(StoreError) in
            let copies = try await key.conflictCopies(of: write, in: store)
            let value = write.content.map { StoreWrite(key, $0, expecting: write.expectation) }
            let writes = [value].compactMap(\.self) + copies.map(\.write)
            let result: CommitResult = writes.isEmpty ? .committed([:]) : try await store.commit(writes)
            return (result, copies.map(\.report))
        }
        switch result {
        case .success((.committed, let reports)): for report in reports { show(report) }
        case .success((.conflict(let records), _)): if let record = records[key] ?? nil { showRecovery(of: record) }
        case .failure: break
        }
        return result.map { $0.0 }
    }
}

extension StoreKey {
    /// The writes of the conflict copies, under keys that are not in use.
    fileprivate func conflictCopies(
        of write: StoredStateMachine.Write, in store: any Store
    ) async throws(StoreError) -> [(write: StoreWrite, report: StoredReport)] {
        guard !write.conflictCopies.isEmpty else { return [] }
        let taken = Set(try await store.keys(beginningWith: prefixOfConflictCopies))
        var number = 0
        var copies: [(write: StoreWrite, report: StoredReport)] = []
        for copy in write.conflictCopies {
            // A value that can't be encoded gets no copy: it could not have been written either.
            guard let content = try? copy.encoding() else { continue }
            var name: StoreKey
            repeat {
                number += 1
                name = try StoreKey("\(prefixOfConflictCopies)\(number)")
            } while taken.contains(name)
            let report = copy.side == .local ? StoredReport.localLost(name) : .foreignLost(name)
            copies.append((StoreWrite(name, content, expecting: .nothing), report))
        }
        return copies
    }

    /// The prefix of the keys of conflict copies; a number follows it.
    private var prefixOfConflictCopies: String {
        let ending = ".conflict-"
        var beginning = name
        while beginning.utf8.count + ending.utf8.count + 6 > Self.maximumBytes { beginning.removeLast() }
        return beginning + ending
    }
}
