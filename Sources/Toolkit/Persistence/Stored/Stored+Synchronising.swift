import Futures

// Everything here is run by the autosave, one at a time, but for `noticed()`. Between two suspensions nobody sets the value:
// it is the main actor's.

extension Stored {
    /// How often in a row something unreadable is put out of the way, before that is an error.
    private static var patience: Int { 8 }

    /// Makes the value and what is kept alike.
    func synchronise() async throws(PersistenceError) {
        do throws(PersistenceError) {
            try await takeSteps()
        } catch {
            machine.withLock { $0.ended(error) }
            showStatus()
            throw error
        }
        machine.withLock { $0.ended(nil) }
        showStatus()
    }

    private func takeSteps() async throws(PersistenceError) {
        var patience = Self.patience
        while true {
            switch machine.withLock({ $0.next() }) {
            case .done:
                return
            case .refuse(let error):
                throw error
            case .read:
                try await read(&patience)
                showStatus()
            case .write(let write):
                // What was set meanwhile has its own time.
                if try await perform(write, &patience) { return }
            }
        }
    }

    /// Somebody has written, perhaps this one.
    func noticed() async {
        do throws(PersistenceError) {
            let revision = try await readRecord()?.revision
            guard machine.withLock({ $0.noticed(revision) }) else { return }
        } catch {
            // To be read again there, where it is tried until it succeeds.
            if error.code == .corrupt {
                await reportDamage()
                machine.withLock { $0.unreadable() }
            } else {
                machine.withLock { $0.readFailed() }
            }
        }
        autosave.saveAtOnce(self)
    }
}

// MARK: - Reading

extension Stored {
    private func readRecord() async throws(PersistenceError) -> StoredRecord? {
        try await offMainActor { [store, key, formerly] () async throws(PersistenceError) in
            try await store.read(key, formerly: formerly)
        }
    }

    private func read(_ patience: inout Int) async throws(PersistenceError) {
        let record: StoredRecord?
        do throws(PersistenceError) {
            record = try await readRecord()
        } catch {
            patience -= 1
            guard error.code == .corrupt, patience > 0 else {
                machine.withLock { $0.readFailed() }
                throw error
            }
            await reportDamage()
            machine.withLock { $0.unreadable() }
            return
        }
        try await take(record, &patience)
    }

    /// Finds out where the store has put what it could not read.
    private func reportDamage() async {
        let records = try? await offMainActor { [store] () async throws(PersistenceError) in
            try await store.setAsideRecords()
        }
        if let record = records?.last(where: { $0.key == key || formerly.contains($0.key) }) { show(.setAside(record)) }
    }

    /// Takes over what the store has.
    private func take(_ record: StoredRecord?, _ patience: inout Int) async throws(PersistenceError) {
        if let recovery = record?.recovery { show(.recovered(recovery)) }
        switch machine.withLock({ $0.found(record) }) {
        case .nothingNew:
            break
        case .removed:
            show(makeDefault())
        case .decode:
            if let record { try await decode(record, &patience) }
        }
        if !machine.withLock({ $0.isDirty }) { observe() }
    }

    private func decode(_ record: StoredRecord, _ patience: inout Int) async throws(PersistenceError) {
        let value: Value
        do throws(PersistenceError) {
            contentCount = record.content.payload.count
            value = try await coding.make(record.content)
        } catch {
            if error.code == .newerVersion {
                machine.withLock { $0.refused(error) }
            } else {
                try await setAside(record, because: error, &patience)
            }
            return
        }
        var base: Value?
        var isBaseKnown = false
        while !isBaseKnown, let content = machine.withLock({ $0.wantedBase }) {
            isBaseKnown = true
            base = try? await coding.make(content)
        }
        // Nothing is awaited from here on: whether something was changed here is decided, and acted upon, at one instant.
        switch machine.withLock({ $0.decoded(record) }) {
        case .take:
            let value = rule(value) ?? makeDefault()
            if !coding.isEqual(current, value) { show(value) }
        case .resolve:
            resolve(value, record, base: base)
        }
    }

    private func setAside(
        _ record: StoredRecord, because error: PersistenceError, _ patience: inout Int
    ) async throws(PersistenceError) {
        patience -= 1
        let place: SetAsideRecord?
        do throws(PersistenceError) {
            guard patience > 0 else { throw error }
            place = try await offMainActor { [store, key] () async throws(PersistenceError) in
                try await store.setAside(key, revision: record.revision, reason: error.message)
            }
        } catch {
            machine.withLock { $0.readFailed() }
            throw error
        }
        if let place {
            show(.setAside(place))
            machine.withLock { $0.unreadable() }
        } else {
            // Somebody has written meanwhile.
            machine.withLock { $0.readFailed() }
        }
    }

    /// Lets the merge decide between what was set here and what was found.
    private func resolve(_ found: Value, _ record: StoredRecord, base: Value?) {
        if coding.isEqual(current, found) { return machine.withLock { $0.resolved(.foreign, losing: nil) } }
        let foreignLoser = StoredStateMachine.Loser(side: .foreign) { () throws(PersistenceError) in record.content }
        let resolution = rule(found).map { merge(StoredConflict(local: current, foreign: $0, base: base)) } ?? .local
        switch resolution {
        case .local:
            machine.withLock { $0.resolved(.local, losing: foreignLoser) }
        case .foreign:
            // What cannot be encoded could not have been written either.
            let local = (try? coding.take(current)).map { StoredStateMachine.Loser(side: .local, encoding: $0) }
            machine.withLock { $0.resolved(.foreign, losing: local) }
            show(rule(found) ?? found)
        case .merged(let merged):
            guard let value = rule(merged) else {
                return machine.withLock { $0.resolved(.local, losing: foreignLoser) }
            }
            machine.withLock { $0.resolved(.merged, losing: nil) }
            if !coding.isEqual(current, value) { show(value) }
        }
    }
}

// MARK: - Writing

extension Stored {
    /// Writes the value, and those that have lost.
    ///
    /// - Returns: Whether all of it is written; else the next step is to be asked for.
    private func perform(
        _ write: StoredStateMachine.Write, _ patience: inout Int
    ) async throws(PersistenceError) -> Bool {
        var writes: [StoreWrite] = []
        var content: StoredContent?
        if let number = write.number {
            // At the instant at which the machine has said which change it is of.
            let encoding = try take()
            let encoded = try await runCoding(of: contentCount) { () throws(PersistenceError) in try encoding() }
            contentCount = encoded.payload.count
            if machine.withLock({ $0.isKept(encoded, as: number) }) { return false }
            writes.append(StoreWrite(key, encoded, expecting: write.expectation))
            content = encoded
        }
        let losers = try await losers(of: write)
        writes += losers.map(\.write)
        machine.withLock { [content] in $0.commits(write, content) }
        let result: CommitResult
        do throws(PersistenceError) {
            result = try await offMainActor { [store, writes] () async throws(PersistenceError) in
                writes.isEmpty ? .committed([:]) : try await store.commit(writes)
            }
        } catch {
            machine.withLock { machine in
                machine.commitFailed()
                if error.code == .newerVersion { machine.refused(error) }
            }
            throw error
        }
        switch result {
        case .committed(let revisions):
            for loser in losers { show(loser.report) }
            let base = content.map { StoredStateMachine.Base(content: $0, revision: revisions[key]) }
            if machine.withLock({ $0.committed(write, base) }) { autosave.saveAtOnce(self) }
            return true
        case .conflict(let records):
            machine.withLock { $0.conflicted() }
            // Without it, only a name for a loser was taken meanwhile.
            if let record = records[key] { try await take(record, &patience) }
            return false
        }
    }

    /// What is to be written of those that have lost.
    private func losers(
        of write: StoredStateMachine.Write
    ) async throws(PersistenceError) -> [(write: StoreWrite, report: StoredReport)] {
        guard !write.losers.isEmpty else { return [] }
        let prefix = key.prefixOfLosers
        return try await offMainActor { [store] () async throws(PersistenceError) in
            let taken = Set(try await store.keys(beginningWith: prefix))
            var number = 0
            var losers: [(write: StoreWrite, report: StoredReport)] = []
            for loser in write.losers {
                // What cannot be encoded could not have been written either.
                guard let content = try? loser.encoding() else { continue }
                var name: StoreKey
                repeat {
                    number += 1
                    name = try StoreKey("\(prefix)\(number)")
                } while taken.contains(name)
                let report: StoredReport =
                    switch loser.side {
                    case .local: .localLost(name)
                    case .foreign: .foreignLost(name)
                    }
                losers.append((StoreWrite(name, content, expecting: .nothing), report))
            }
            return losers
        }
    }
}

extension StoreKey {
    /// What the names begin with that losers are kept under; a number follows.
    fileprivate var prefixOfLosers: String {
        let ending = ".conflict-"
        var beginning = name
        while beginning.utf8.count + ending.utf8.count + 6 > Self.longest { beginning.removeLast() }
        return beginning + ending
    }
}
