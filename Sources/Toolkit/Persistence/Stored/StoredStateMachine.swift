/// What a ``Stored`` knows of its store, and what of its own the store does not have yet.
///
/// Pure: every event is a mutating function that says what is to be done. The values themselves are elsewhere.
struct StoredStateMachine: Sendable {
    /// What the store had when it was last read or written.
    struct Base: Hashable, Sendable {
        /// Both are `nil` if nothing was kept.
        var content: StoredContent?
        var revision: Revision?

        static let nothing = Base(content: nil, revision: nil)
    }

    /// A value that lost to another, and is to be kept under a name of its own.
    struct Loser: Sendable {
        enum Side: Hashable, Sendable {
            case local
            case foreign
        }

        var side: Side
        var encoding: @Sendable () throws(PersistenceError) -> StoredContent
    }

    /// `nil` until the store was read.
    private(set) var base: Base?
    /// Why nothing is written: what is kept is newer than this program.
    private(set) var refusal: PersistenceError?
    private var failure: PersistenceError?
    private var isReadWanted = true
    /// Whether something was read that the value is not made of yet.
    private var isReading = false
    private var isCommitting = false
    /// What was to be written last, and is perhaps, and which change it is of.
    private var attempt: (number: Int, content: StoredContent)?
    /// What somebody wrote, perhaps this one, while it was committing.
    private var seen: Set<Revision?> = []
    /// How often the value was changed here, and which of these changes is written.
    private var given = 0
    private var written = 0
    private var losers: [Loser] = []
    private var observation = 0

    /// Whether it is known what is kept, or that it cannot be known.
    var isLoaded: Bool { base != nil || refusal != nil }

    /// Whether the value was changed here, and that is not written.
    private var isChanged: Bool { written < given }

    /// Whether anything is to be written.
    var isDirty: Bool { isChanged || !losers.isEmpty }

    var status: SaveStatus {
        if let error = refusal ?? failure { return .failed(error) }
        if base == nil { return .loading }
        return isDirty ? .saving : .saved
    }

    // MARK: - What happens here

    /// The value is to be set.
    ///
    /// - Returns: Whether it may be.
    mutating func set() -> Bool {
        guard refusal == nil else { return false }
        given += 1
        return true
    }

    /// The value is observed from now on; what was observed before is not of interest any more.
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

    // MARK: - What happens in the store

    /// Somebody has written, perhaps this one.
    ///
    /// - Returns: Whether there is something to be read now.
    mutating func noticed(_ revision: Revision?) -> Bool {
        guard !isCommitting else {
            seen.insert(revision)
            return false
        }
        // What was read before may be older than this.
        if let base, base.revision == revision, !isReading { return false }
        isReadWanted = true
        return true
    }

    /// The store has or had something that cannot be read, and which is out of the way now.
    mutating func unreadable() {
        isReadWanted = true
        // What is in memory is good, and takes its place.
        if base != nil { given += 1 }
    }

    // MARK: - Keeping both alike

    enum Step: Sendable {
        /// Read, and say what was ``found(_:)``.
        case read
        /// Write, and say what came of it.
        case write(Write)
        /// There is something to write, and it must not be.
        case refuse(PersistenceError)
        /// Nothing is to be done.
        case done
    }

    struct Write: Sendable {
        /// Which change it is of; `nil` if the value itself is written.
        var number: Int?
        var expectation: StoreWrite.Expectation
        var losers: [Loser]
    }

    /// What is to be done next, when nothing is under way.
    mutating func next() -> Step {
        isReading = isReadWanted
        if isReadWanted {
            isReadWanted = false
            return .read
        }
        guard isDirty else { return .done }
        if let refusal { return .refuse(refusal) }
        return .write(
            Write(
                number: isChanged ? given : nil,
                expectation: base?.revision.map { .revision($0) } ?? .nothing, losers: losers))
    }

    /// It was tried, and has failed; `nil` if it has not.
    mutating func ended(_ error: PersistenceError?) {
        failure = error
    }

    /// The store could not be read.
    mutating func readFailed() {
        isReadWanted = true
    }

    enum Found: Sendable {
        /// Nothing that the value has to change for.
        case nothingNew
        /// Nothing is kept any more: the value is the default.
        case removed
        /// Make a value of it, and say ``decoded(_:)``, or ``refused(_:)``.
        case decode
    }

    /// The store has this.
    mutating func found(_ record: StoredRecord?) -> Found {
        let before = base
        guard let record else {
            base = .nothing
            refusal = nil
            return before?.revision == nil || isChanged ? .nothingNew : .removed
        }
        if let attempt, attempt.content == record.content {
            // It failed, or somebody else had been first, and all the same it is what is kept.
            written = max(written, attempt.number)
        } else if before?.content != record.content {
            return .decode
        }
        base = Base(content: record.content, revision: record.revision)
        refusal = nil
        return .nothingNew
    }

    enum Decoded: Sendable {
        /// The value is what was found.
        case take
        /// The value was changed here as well: say ``resolved(_:losing:)``.
        case resolve
    }

    /// What both began with, if the value was changed here as well.
    var wantedBase: StoredContent? { isChanged ? base?.content : nil }

    /// A value was made of what was found.
    mutating func decoded(_ record: StoredRecord) -> Decoded {
        base = Base(content: record.content, revision: record.revision)
        refusal = nil
        return isChanged ? .resolve : .take
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
    mutating func resolved(_ winner: Winner, losing loser: Loser?) {
        switch winner {
        case .local: break
        case .foreign: written = given
        case .merged: given += 1
        }
        if let loser { losers.append(loser) }
    }

    /// What was found is of a newer version.
    mutating func refused(_ error: PersistenceError) {
        refusal = error
    }

    /// Whether this is what the store has, so that it need not be written.
    mutating func isKept(_ content: StoredContent, as number: Int) -> Bool {
        guard let base, base.content == content else { return false }
        written = max(written, number)
        return true
    }

    /// A write begins, of this content if it is one of the value itself.
    mutating func commits(_ write: Write, _ content: StoredContent?) {
        isCommitting = true
        seen = []
        if let number = write.number, let content { attempt = (number, content) }
    }

    /// It failed: whether it is written all the same, only the store knows.
    mutating func commitFailed() {
        isCommitting = false
        isReadWanted = true
    }

    /// It was not written, because others have.
    mutating func conflicted() {
        isCommitting = false
        isReading = true
        attempt = nil
    }

    /// It was written.
    ///
    /// - Parameters:
    ///   - write: What it was.
    ///   - base: What the store has now, if the value itself was written.
    /// - Returns: Whether somebody else has written meanwhile.
    mutating func committed(_ write: Write, _ base: Base?) -> Bool {
        isCommitting = false
        attempt = nil
        if let base { self.base = base }
        if let number = write.number { written = max(written, number) }
        losers.removeFirst(min(write.losers.count, losers.count))
        if !seen.subtracting([self.base?.revision]).isEmpty { isReadWanted = true }
        return isReadWanted
    }
}
