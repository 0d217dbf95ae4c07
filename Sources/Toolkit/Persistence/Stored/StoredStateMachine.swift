/// What a ``Stored`` knows of its store, and what of its own the store does not have yet.
///
/// Pure: every event is a mutating function, and returns what is to be done next. The values themselves are elsewhere.
struct StoredStateMachine: Sendable {
    /// What the store had when it was last read or written; both are `nil` if nothing was kept.
    struct Base: Hashable, Sendable {
        var content: StoredContent?
        var revision: Revision?
    }

    /// A value that lost to another, and is to be kept under a name of its own.
    struct ConflictCopy: Sendable {
        enum Side: Hashable, Sendable {
            case local
            case foreign
        }

        var side: Side
        var encoding: @Sendable () throws(StoreError) -> StoredContent
    }

    /// A commit: the value, if it was changed, and the values that have lost.
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
        /// Decode what both sides began with, and report ``decodedBase()``.
        case decodeBase(StoredContent)
        /// Show the value that was decoded, and report ``shown()``.
        case take
        /// Show the default, because nothing is kept any more, and report ``shown()``.
        case takeDefault
        /// Decide between the value here and the one that was decoded, before anything else happens, and report
        /// ``resolved(_:losing:)``.
        case resolve(StoredRecord)
        /// Set a record aside, which can't be decoded, and report ``setAside(_:)``.
        case setAside(StoredRecord, StoreError)
        /// Encode the value as it is now, and report ``encoded(_:)``.
        case encode
        /// Commit, and report ``committed(_:)``.
        case commit(Write)
        /// All is done for now; `isReadWanted` says that the store is to be read again at once.
        case finish(StoreError?, isReadWanted: Bool = false)
    }

    /// What is being done.
    private enum Step: Sendable {
        case idle
        case reading
        case decoding(StoredRecord, isBaseKnown: Bool)
        case resolving
        case settingAside
        case encoding(number: Int)
        /// A commit, of that change of the value if it is one of the value itself.
        case committing(number: Int?, Write)
    }

    /// How often in a row something unreadable is set aside, before that is an error.
    private static let mostUnreadable = 8

    private var step = Step.idle
    /// `nil` until the store was read.
    private(set) var base: Base?
    /// Why nothing is written: what is kept is newer than this program.
    private var refusal: StoreError?
    private var failure: StoreError?
    private var isReadWanted = true
    private var unreadable = 0
    /// The last write whose outcome is unknown, and which change of the value it is of.
    private var attempt: (number: Int, content: StoredContent)?
    /// The revisions that were noticed during a commit: those of others, and perhaps its own.
    private var noticed: Set<Revision?> = []
    /// How often the value was changed here, and which of these changes is written.
    private var given = 0
    private var written = 0
    private var conflictCopies: [ConflictCopy] = []
    private var observation = 0

    /// Whether it is known what is kept, or that it cannot be known.
    var isLoaded: Bool { base != nil || refusal != nil }

    /// Whether the value was changed here, and that is not written.
    private var isChanged: Bool { written < given }

    /// Whether anything is to be written.
    var isDirty: Bool { isChanged || !conflictCopies.isEmpty }

    var status: SaveStatus {
        if let error = refusal ?? failure { return .failed(error) }
        if base == nil { return .loading }
        return isDirty ? .saving : .saved
    }
}

// MARK: - What happens here, at any time

extension StoredStateMachine {
    /// The value is to be set.
    ///
    /// - Returns: Whether it may be.
    mutating func set() -> Bool {
        guard refusal == nil else { return false }
        given += 1
        return true
    }

    /// The value is observed from now on; an earlier observation counts no more.
    mutating func observe() -> Int {
        observation += 1
        return observation
    }

    /// Something in the value is about to change.
    ///
    /// - Returns: Whether it is the value that is observed.
    mutating func changed(_ observation: Int) -> Bool {
        guard observation == self.observation else { return false }
        given += 1
        return true
    }

    /// The store tells of a write, perhaps this one's own.
    ///
    /// - Returns: Whether the store is to be read at once.
    mutating func noticed(_ found: Result<Revision?, StoreError>) -> Bool {
        switch (found, step) {
        case (.failure(let error), _):
            readAgain(insteadOfDamaged: error.code == .corrupt)
        case (.success(let revision), .committing):
            noticed.insert(revision)
            return false
        case (.success(let revision), .idle), (.success(let revision), .encoding):
            if let base, base.revision == revision, !isReadWanted { return false }
            isReadWanted = true
        case (.success, .reading), (.success, .decoding), (.success, .resolving), (.success, .settingAside):
            // What was read before may be older than this.
            isReadWanted = true
        }
        return true
    }
}

// MARK: - Making the value and the store alike

extension StoredStateMachine {
    /// Begins, when nothing is being done.
    mutating func begin() -> Action {
        unreadable = 0
        return next()
    }

    /// The store was read.
    mutating func read(_ result: Result<StoredRecord?, StoreError>) -> Action {
        guard case .reading = step else { return impossible() }
        switch result {
        case .success(let record): return found(record)
        case .failure(let error):
            guard error.code == .corrupt, mayGoOn() else { return readFailed(error) }
            readAgain(insteadOfDamaged: true)
            return next()
        }
    }

    /// The record was decoded, or why it can't be.
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
            guard mayGoOn() else { return readFailed(error) }
            step = .settingAside
            return .setAside(record, error)
        }
    }

    /// What both sides began with was decoded, or can't be.
    mutating func decodedBase() -> Action {
        guard case .decoding(let record, _) = step else { return impossible() }
        step = .decoding(record, isBaseKnown: true)
        return decoded(.success(()))
    }

    /// The value was shown.
    mutating func shown() -> Action {
        guard case .idle = step else { return impossible() }
        return next()
    }

    enum Winner: Sendable {
        /// What was set here: it is still to be written.
        case local
        /// What was found: there is nothing to write any more.
        case foreign
        /// Another value, which is to be written.
        case merged
    }

    /// It was decided whose value it is.
    mutating func resolved(_ winner: Winner, losing copy: ConflictCopy?) -> Action {
        guard case .resolving = step else { return impossible() }
        switch winner {
        case .local: break
        case .foreign: written = given
        case .merged: given += 1
        }
        if let copy { conflictCopies.append(copy) }
        return next()
    }

    /// What can't be decoded was set aside; `false` if others have written meanwhile.
    mutating func setAside(_ result: Result<Bool, StoreError>) -> Action {
        guard case .settingAside = step else { return impossible() }
        switch result {
        case .failure(let error): return readFailed(error)
        case .success(let isSetAside): readAgain(insteadOfDamaged: isSetAside)
        }
        return next()
    }

    /// The value was encoded as it was when ``Action/encode`` was returned.
    mutating func encoded(_ result: Result<StoredContent, StoreError>) -> Action {
        guard case .encoding(let number) = step else { return impossible() }
        switch result {
        case .failure(let error):
            return finish(error)
        case .success(let content):
            guard base?.content != content else {
                written = max(written, number)
                return next()
            }
            attempt = (number, content)
            return commit(content, number)
        }
    }

    /// The commit has ended.
    mutating func committed(_ result: Result<CommitResult, StoreError>, of key: StoreKey) -> Action {
        guard case .committing(let number, let write) = step else { return impossible() }
        switch result {
        case .failure(let error):
            // Whether it is written all the same, only the store knows.
            isReadWanted = true
            if error.code == .newerVersion { refusal = error }
            return finish(error)
        case .success(.conflict(let records)):
            attempt = nil
            // Without it, only a name for a copy was taken meanwhile.
            guard let record = records[key] else { return next() }
            // What was noticed may be later than this conflict.
            if !noticed.subtracting([record?.revision]).isEmpty { isReadWanted = true }
            return found(record)
        case .success(.committed(let revisions)):
            attempt = nil
            if let content = write.content { base = Base(content: content, revision: revisions[key]) }
            if let number { written = max(written, number) }
            conflictCopies.removeFirst(write.conflictCopies.count)
            if !noticed.subtracting([base?.revision]).isEmpty { isReadWanted = true }
            // What was set meanwhile has its own time.
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
        step = .encoding(number: given)
        return .encode
    }

    private mutating func commit(_ content: StoredContent?, _ number: Int?) -> Action {
        noticed = []
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

    /// The store has this.
    private mutating func found(_ record: StoredRecord?) -> Action {
        let before = base
        guard let record else {
            (base, refusal) = (Base(), nil)
            guard before?.revision != nil, !isChanged else { return next() }
            step = .idle
            return .takeDefault
        }
        if let attempt, attempt.content == record.content {
            // It failed, or somebody else had been first, and all the same it is what is kept.
            written = max(written, attempt.number)
        } else if before?.content != record.content {
            step = .decoding(record, isBaseKnown: false)
            return .decode(record)
        }
        base = Base(content: record.content, revision: record.revision)
        refusal = nil
        return next()
    }

    /// Whether something unreadable is skipped once more.
    private mutating func mayGoOn() -> Bool {
        unreadable += 1
        return unreadable < Self.mostUnreadable
    }

    private mutating func readFailed(_ error: StoreError) -> Action {
        isReadWanted = true
        return finish(error)
    }

    /// What is in memory takes the place of what is damaged: it is good.
    private mutating func readAgain(insteadOfDamaged isDamaged: Bool) {
        isReadWanted = true
        if isDamaged, base != nil { given += 1 }
    }

    private func impossible(_ event: StaticString = #function) -> Action {
        assertionFailure("\(event) in the step \(step)")
        return .finish(nil)
    }
}
