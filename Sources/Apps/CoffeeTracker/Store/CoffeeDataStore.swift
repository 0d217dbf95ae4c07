public import CoffeeTrackerModel
public import Foundation
import Futures
public import HealthSamples
public import Persistence

/// One owner's drinks in the database; the name and the actor follow the WWDC21 session.
///
/// Each drink is a row, and only changed rows are written. Any number of processes may share the database.
public actor CoffeeDataStore {
    /// The maximum size of a change, for the check of free disk space.
    private static let rowBytes = 64 << 10

    private nonisolated let database: any SQLDatabase
    private nonisolated let folder: DataFolder
    private nonisolated let owner: OwnerID
    private nonisolated let makeID: @Sendable () -> UUID
    private nonisolated let step: @Sendable (Step) -> Void
    private nonisolated let watch: DatabaseWatch<CoffeeCommit>

    /// Creates an owner's store in a database opened with ``CoffeeMigrations``.
    public init(database: AppDatabase, owner: OwnerID) {
        self.init(in: database, folder: database.folder, owner: owner)
    }

    /// Creates an owner's store in a database of any kind, which must have been opened with the migrations for it.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - folder: The data folder, whose budget applies.
    ///   - owner: The owner of the drinks.
    package init(in database: any SQLDatabase, folder: DataFolder, owner: OwnerID) {
        self.init(in: database, folder: folder, owner: owner, step: { _ in })
    }

    /// - Parameters:
    ///   - database: A database opened with ``CoffeeMigrations``.
    ///   - folder: The data folder, whose budget applies.
    ///   - owner: The owner of the drinks.
    ///   - makeID: Creates identifiers for drinks whose own identifier is taken.
    ///   - step: Called within a transaction, for tests that end the process there.
    init(
        in database: any SQLDatabase, folder: DataFolder, owner: OwnerID,
        makeID: @escaping @Sendable () -> UUID = { UUID() },
        step: @escaping @Sendable (Step) -> Void
    ) {
        self.database = database
        self.folder = folder
        self.owner = owner
        self.makeID = makeID
        self.step = step
        // The watch reports that another process has committed, without the details.
        watch = DatabaseWatch(database, part: "coffee", last: nil) { last, connection in
            let revision = try CoffeeRows(connection: connection, owner: owner, makeID: makeID).state().revision
            guard revision > last else { return nil }
            return ([CoffeeCommit(revision: revision, drinks: nil, unsyncedCount: 0)], Int64(revision))
        }
    }

    /// A point within a transaction.
    enum Step: String, CaseIterable {
        /// The drinks are written.
        case drinks
        /// The anchor is written too, but not committed.
        case anchor
    }
}

extension CoffeeDataStore: CoffeeStoring {
    /// A consistent snapshot, without drinks that start before a date.
    public func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try await read { rows in
            try CoffeeSnapshot(
                revision: rows.state().revision, drinks: rows.drinks(from: start, to: nil),
                unsyncedCount: rows.unsyncedCount())
        }
    }

    /// The drinks that start at or after one date and before another, the newest first.
    public func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await read { rows in try rows.drinks(from: start, to: end) }
    }

    /// The drinks whose identifiers begin with a prefix, the newest first.
    public func drinks(withIDPrefix prefix: String) async throws(CoffeeError) -> [Drink] {
        try await read { rows in try rows.drinks(withIDPrefix: prefix) }
    }

    /// Applies all changes or none, and returns what has changed.
    public func apply(_ changes: [DrinkChange]) async throws(CoffeeError) -> CoffeeCommit {
        try await edit { [folder] edit in
            // Deletions are always allowed, because they free space.
            if changes.contains(where: { $0.drink != nil }), let refusal = folder.refusal(adding: Self.rowBytes) {
                throw CoffeeError.overBudget(refusal)
            }
            try edit.apply(changes, within: folder.budget)
        }
    }

    /// The progress of syncing with the health store.
    public func progress() async throws(CoffeeError) -> HealthProgress {
        try await read { rows in
            let state = try rows.state()
            return HealthProgress(
                revision: state.revision, anchor: state.anchor, unsyncedCount: try rows.unsyncedCount())
        }
    }

    /// The drinks to send to the health store, the oldest first.
    public func outbox() async throws(CoffeeError) -> [DrinkRecord] {
        try await read { rows in try rows.unsynced() }
    }

    /// Records the health store's answers, and returns what has changed.
    public func recordAnswers(_ answers: [SentDrink]) async throws(CoffeeError) -> CoffeeCommit {
        try await edit { edit in try edit.recordAnswers(answers) }
    }

    /// The expected contents of the health store.
    public func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample] {
        try await read { rows in try rows.known(own: own) }
    }

    /// Applies changes together with their anchor; returns `nil` if another reader has applied later changes.
    public func apply(
        _ changes: HealthChanges, after anchor: Anchor?, own: SampleSource
    ) async throws(CoffeeError) -> CoffeeCommit? {
        let commit: CoffeeCommit? = try await write { rows in
            guard try rows.state().anchor == anchor else { return nil }
            return try self.change(in: rows, anchor: changes.anchor) { edit in try edit.apply(changes, own: own) }
        }
        return commit.map(notifySubscribers)
    }

    /// Reports every commit from now on, including those of other processes.
    public nonisolated func updates() -> Updates<Set<CoffeeCommit>> { watch.updates() }
}

extension CoffeeDataStore {
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (CoffeeRows) throws -> Value
    ) async throws(CoffeeError) -> Value {
        try await rethrowing(CoffeeError.init) { () async throws(StoreError) in
            try await database.readRows { [owner, makeID] in
                try body(CoffeeRows(connection: $0, owner: owner, makeID: makeID))
            }
        }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (CoffeeRows) throws -> Value
    ) async throws(CoffeeError) -> Value {
        try await rethrowing(CoffeeError.init) { () async throws(StoreError) in
            try await database.writeRows(locking: [SQLLock(part: "coffee", owner: owner)]) { [owner, makeID] in
                try body(CoffeeRows(connection: $0, owner: owner, makeID: makeID))
            }
        }
    }

    private func edit(
        _ body: @escaping @Sendable (inout DrinkEdit<CoffeeRows>) throws -> Void
    ) async throws(CoffeeError) -> CoffeeCommit {
        notifySubscribers(try await write { rows in try self.change(in: rows, body) })
    }

    /// Notifies the subscribers of a commit.
    private func notifySubscribers(_ commit: CoffeeCommit) -> CoffeeCommit {
        if commit.drinks != [:] {
            watch.committed([commit], after: Int64(commit.revision) &- 1, upTo: Int64(commit.revision))
        }
        return commit
    }

    /// Changes rows together with the revision and the anchor.
    private nonisolated func change(
        in rows: CoffeeRows, anchor: Anchor? = nil, _ body: (inout DrinkEdit<CoffeeRows>) throws -> Void
    ) throws -> CoffeeCommit {
        let before = try rows.state()
        var edit = DrinkEdit(rows)
        try body(&edit)
        step(.drinks)
        let (revision, hasOverflowed) = before.revision.addingReportingOverflow(edit.changed.isEmpty ? 0 : 1)
        if hasOverflowed { throw CoffeeError.storage(CoffeeWords.tooManyChanges) }
        if !edit.changed.isEmpty || anchor != nil {
            try rows.put(revision: revision, anchor: anchor ?? before.anchor)
            step(.anchor)
        }
        return CoffeeCommit(revision: revision, drinks: edit.changed, unsyncedCount: try rows.unsyncedCount())
    }
}
