/// Tracks the stored record that a ``Stored`` last read or wrote, and its changes that are not stored yet.
///
/// Pure: every event is a mutating function that returns the next action. The values themselves are stored elsewhere.
struct StoredStateMachine: Sendable {
    /// The record that was last read or written; both properties are `nil` if there was none.
    struct Base: Hashable, Sendable {
        var content: StoredContent?
        var revision: Revision?
    }

    /// A value that lost a conflict, to be stored under a key of its own.
    struct ConflictCopy: Sendable {
        enum Side: Hashable, Sendable {
            case local
            case foreign
        }

        var side: Side
        var encoding: @Sendable () throws(StoreError) -> StoredContent
    }

    /// A commit: the value, if it was changed, and the conflict copies.
    struct Write: Sendable {
        var content: StoredContent?
        var expectation: StoreWrite.Expectation
        var conflictCopies: [ConflictCopy]
    }

    enum Action: Sendable {
        /// Read the store, and report ``read(_:)``.
        case read
        /// Decode a record, and report ``decoded(_:)``.
        case decode(StoredRecord)
        /// Decode the value that both sides are based on, and report ``decodedBase()``.
        case decodeBase(StoredContent)
        /// Show the decoded value, and report ``shown()``.
        case take
        /// Show the default, because no value is stored any more, and report ``shown()``.
        case takeDefault
        /// Decide between the local value and the decoded one, without suspending first, and report ``resolved(_:losing:)``.
        case resolve(StoredRecord)
        /// Set aside a record that can't be decoded, and report ``setAside(_:)``.
        case setAside(StoredRecord, StoreError)
        /// Encode the current value, and report ``encoded(_:)``.
        case encode
        /// Commit, and report ``committed(_:of:)``.
        case commit(Write)
        /// Stop for now; `isReadWanted` means that the store must be read again at once.
        case finish(StoreError?, isReadWanted: Bool = false)
    }

    /// The operation in progress.
    private enum Step: Sendable {
        case idle
        case reading
        case decoding(StoredRecord, isBaseKnown: Bool)
        case resolving
        case settingAside
        case encoding(number: Int)
        /// A commit; `number` is that of the change if the value itself is written.
        case committing(number: Int?, Write)
    }

    /// How many times in a row the stored value must be unreadable for the synchronisation to fail.
    private static let maximumUnreadable = 8

    private var step = Step.idle
    /// `nil` until the store has been read.
    private(set) var base: Base?
    /// Why nothing may be written: the stored value is newer than this program.
    private var refusal: StoreError?
    private var failure: StoreError?
    private var isReadWanted = true
    private var unreadable = 0
    /// The last write whose outcome is unknown, and the number of its change.
    private var attempt: (number: Int, content: StoredContent)?
    /// The revisions that were noticed during a commit: those of other writers, and perhaps its own.
    private var noticedRevisions: Set<Revision?> = []
    /// The number of local changes, and that of the last one that is written.
    private var changeCount = 0
    private var lastWritten = 0
    private var conflictCopies: [ConflictCopy] = []
    private var observation = 0

    /// Whether the stored value is known, or known to be of a newer version.
    var isLoaded: Bool { base != nil || refusal != nil }

    /// Whether the value has changes that are not written.
    private var isChanged: Bool { lastWritten < changeCount }

    /// Whether there is anything to write.
    var isDirty: Bool { isChanged || !conflictCopies.isEmpty }

    var status: SaveStatus {
        if let error = refusal ?? failure { return .failed(error) }
        if base == nil { return .loading }
        return isDirty ? .saving : .saved
    }
}

// MARK: - Changes at any time

extension StoredStateMachine {
    /// Records that the value is about to be set.
    ///
    /// - Returns: Whether this is allowed.
    mutating func set() -> Bool {
        guard refusal == nil else { return false }
        changeCount += 1
        return true
    }

    /// Starts an observation of the value; earlier ones are ignored from now on.
    mutating func observe() -> Int {
        observation += 1
        return observation
    }

    /// Records that something in the value is about to change.
    ///
    /// - Returns: Whether the observation is the current one.
    mutating func changed(_ observation: Int) -> Bool {
        guard observation == self.observation else { return false }
        changeCount += 1
        return true
    }

    /// Handles a change that the store reports, which may be this object's own write.
    ///
    /// - Returns: Whether the store must be read at once.
    mutating func storeChanged(_ found: Result<Revision?, StoreError>) -> Bool {
        switch (found, step) {
        case (.failure(let error), _):
            readAgain(insteadOfDamaged: error.code == .corrupt)
        case (.success(let revision), .committing):
            noticedRevisions.insert(revision)
            return false
        case (.success(let revision), .idle), (.success(let revision), .encoding):
            if let base, base.revision == revision, !isReadWanted { return false }
            isReadWanted = true
        case (.success, .reading), (.success, .decoding), (.success, .resolving), (.success, .settingAside):
            // The record that is being processed may be older than this change.
            isReadWanted = true
        }
        return true
    }
}

// MARK: - Synchronisation

extension StoredStateMachine {
    /// Begins a synchronisation, when none is in progress.
    mutating func begin() -> Action {
        unreadable = 0
        return next()
    }

    /// Handles the result of ``Action/read``.
    mutating func read(_ result: Result<StoredRecord?, StoreError>) -> Action {
        guard case .reading = step else { return impossible() }
        switch result {
        case .success(let record): return found(record)
        case .failure(let error):
            guard error.code == .corrupt, mayContinue() else { return readFailed(error) }
            readAgain(insteadOfDamaged: true)
            return next()
        }
    }

    /// Handles the result of ``Action/decode(_:)``.
    mutating func decoded(_ result: Result<Void, StoreError>) -> Action {
        guard case .decoding(let record, let isBaseKnown) = step else { return impossible() }
        switch result {
        case .success:
            if isChanged, !isBaseKnown, let content = base?.content { return .decodeBase(content) }
            base = Base(content: record.content, revision: record.revision)
            refusal = nil
            step = isChanged ? .resolving : .idle
            return isChanged ? .resolve(record) : .take
        case .failure(let error) where error.code == .newerVersion:
            refusal = error
            return next()
        case .failure(let error):
            guard mayContinue() else { return readFailed(error) }
            step = .settingAside
            return .setAside(record, error)
        }
    }

    /// Continues after ``Action/decodeBase(_:)``, even if decoding failed.
    mutating func decodedBase() -> Action {
        guard case .decoding(let record, _) = step else { return impossible() }
        step = .decoding(record, isBaseKnown: true)
        return decoded(.success(()))
    }

    /// Continues after ``Action/take`` or ``Action/takeDefault``.
    mutating func shown() -> Action {
        guard case .idle = step else { return impossible() }
        return next()
    }

    enum Winner: Sendable {
        /// The local value, which must still be written.
        case local
        /// The stored value; there is nothing left to write.
        case foreign
        /// A combined value, which must be written.
        case merged
    }

    /// Handles the result of ``Action/resolve(_:)``.
    mutating func resolved(_ winner: Winner, losing copy: ConflictCopy?) -> Action {
        guard case .resolving = step else { return impossible() }
        switch winner {
        case .local: break
        case .foreign: lastWritten = changeCount
        case .merged: changeCount += 1
        }
        if let copy { conflictCopies.append(copy) }
        return next()
    }

    /// Handles the result of ``Action/setAside(_:_:)``; `false` if another writer has replaced the record.
    mutating func setAside(_ result: Result<Bool, StoreError>) -> Action {
        guard case .settingAside = step else { return impossible() }
        switch result {
        case .failure(let error): return readFailed(error)
        case .success(let isSetAside): readAgain(insteadOfDamaged: isSetAside)
        }
        return next()
    }

    /// Handles the result of ``Action/encode``: the value as it was when the action was returned.
    mutating func encoded(_ result: Result<StoredContent, StoreError>) -> Action {
        guard case .encoding(let number) = step else { return impossible() }
        switch result {
        case .failure(let error):
            return finish(error)
        case .success(let content):
            guard base?.content != content else {
                lastWritten = max(lastWritten, number)
                return next()
            }
            attempt = (number, content)
            return commit(content, number)
        }
    }

    /// Handles the result of ``Action/commit(_:)``.
    mutating func committed(_ result: Result<CommitResult, StoreError>, of key: StoreKey) -> Action {
        guard case .committing(let number, let write) = step else { return impossible() }
        switch result {
        case .failure(let error):
            // Only the store knows whether the value was written all the same.
            isReadWanted = true
            if error.code == .newerVersion { refusal = error }
            return finish(error)
        case .success(.conflict(let records)):
            attempt = nil
            // If the value's key is not in conflict, only the key of a conflict copy was taken meanwhile.
            guard let record = records[key] else { return next() }
            // A noticed revision may be later than this conflict.
            if !noticedRevisions.subtracting([record?.revision]).isEmpty { isReadWanted = true }
            return found(record)
        case .success(.committed(let revisions)):
            attempt = nil
            if let content = write.content { base = Base(content: content, revision: revisions[key]) }
            if let number { lastWritten = max(lastWritten, number) }
            conflictCopies.removeFirst(write.conflictCopies.count)
            if !noticedRevisions.subtracting([base?.revision]).isEmpty { isReadWanted = true }
            // Changes made during the commit have a timer of their own.
            return finish(nil)
        }
    }
}

extension StoredStateMachine {
    private mutating func next() -> Action {
        step = .idle
        if isReadWanted {
            isReadWanted = false
            step = .reading
            return .read
        }
        guard isDirty else { return finish(nil) }
        if let refusal { return finish(refusal) }
        guard isChanged else { return commit(nil, nil) }
        step = .encoding(number: changeCount)
        return .encode
    }

    private mutating func commit(_ content: StoredContent?, _ number: Int?) -> Action {
        noticedRevisions = []
        let write = Write(
            content: content, expectation: base?.revision.map { .revision($0) } ?? .nothing,
            conflictCopies: conflictCopies)
        step = .committing(number: number, write)
        return .commit(write)
    }

    private mutating func finish(_ error: StoreError?) -> Action {
        step = .idle
        failure = error
        return .finish(error, isReadWanted: error == nil && isReadWanted)
    }

    /// Handles the record that the store contains.
    private mutating func found(_ record: StoredRecord?) -> Action {
        let before = base
        // This read has settled the outcome: a later record with the same content is another writer's.
        defer { attempt = nil }
        guard let record else {
            (base, refusal) = (Base(), nil)
            guard before?.revision != nil, !isChanged else { return next() }
            step = .idle
            return .takeDefault
        }
        if let attempt, attempt.content == record.content {
            // The attempt failed, but its content is stored all the same.
            lastWritten = max(lastWritten, attempt.number)
        } else if before?.content != record.content {
            step = .decoding(record, isBaseKnown: false)
            return .decode(record)
        }
        base = Base(content: record.content, revision: record.revision)
        refusal = nil
        return next()
    }

    /// Whether to continue after another unreadable value.
    private mutating func mayContinue() -> Bool {
        unreadable += 1
        return unreadable < Self.maximumUnreadable
    }

    private mutating func readFailed(_ error: StoreError) -> Action {
        isReadWanted = true
        return finish(error)
    }

    /// Reads again; if the stored value was damaged, the intact one in memory is written in its place.
    private mutating func readAgain(insteadOfDamaged isDamaged: Bool) {
        isReadWanted = true
        if isDamaged, base != nil { changeCount += 1 }
    }

    private func impossible(_ event: StaticString = #function) -> Action {
        assertionFailure("\(event) in the step \(step)")
        return .finish(nil)
    }
}
