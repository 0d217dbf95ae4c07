public import CoffeeTrackerModel
public import Foundation
import GRDB
public import HealthSamples
public import Persistence

/// One owner's drinks in the database: named as in the talk, and an actor as there.
///
/// It saves only what has changed, a row for each drink. Any number of processes may share the database.
public actor CoffeeDataStore {
    private nonisolated let database: Persistence.Database
    private nonisolated let table: Table

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - database: Opened with ``CoffeeMigrations``.
    ///   - owner: Whose drinks these are.
    ///   - makeID: Makes numbers for drinks whose own are taken.
    public init(
        database: Persistence.Database, owner: String, makeID: @escaping @Sendable () -> UUID = { UUID() }
    ) {
        self.init(database: database, owner: owner, makeID: makeID, step: { _ in })
    }

    /// - Parameters:
    ///   - database: Opened with ``CoffeeMigrations``.
    ///   - owner: Whose drinks these are.
    ///   - makeID: Makes numbers for drinks whose own are taken.
    ///   - step: Is told how far a transaction is: for tests that end the process there.
    init(
        database: Persistence.Database, owner: String, makeID: @escaping @Sendable () -> UUID = { UUID() },
        step: @escaping @Sendable (Step) -> Void
    ) {
        self.database = database
        self.table = Table(
            owner: owner, notices: SQLiteStore(database: database, owner: owner), makeID: makeID, step: step)
    }

    /// How far a transaction is.
    enum Step: String, CaseIterable {
        /// The drinks are written.
        case drinks
        /// The anchor is written, too, and nothing is committed.
        case anchor
    }
}

extension CoffeeDataStore: CoffeeStoring {
    /// What is kept.
    public func snapshot(since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try await read { table, connection in try table.snapshot(since: start, in: connection) }
    }

    /// The drinks that begin within a time, the newest first.
    public func drinks(from start: Date, to end: Date) async throws(CoffeeError) -> [Drink] {
        try await read { table, connection in try table.rows(connection).drinks(from: start, to: end) }
    }

    /// The drinks whose numbers begin so, the newest first.
    public func drinks(numbered prefix: String) async throws(CoffeeError) -> [Drink] {
        try await read { table, connection in try table.rows(connection).drinks(numbered: prefix) }
    }

    /// Changes drinks, all or none.
    public func apply(_ changes: [DrinkChange], since start: Date) async throws(CoffeeError) -> CoffeeSnapshot {
        try await write { [folder = database.folder] table, transaction in
            // Deleting makes room.
            if changes.contains(where: { $0.drink != nil }), let refusal = folder.refusal(adding: Table.rowBytes) {
                throw CoffeeError.overBudget(refusal)
            }
            try table.change(in: transaction) { rows in try rows.apply(changes, within: folder.budget) }
            return try table.snapshot(since: start, in: transaction)
        }
    }

    /// What the health store is still to be told, the oldest first.
    public func outbox() async throws(CoffeeError) -> [DrinkRecord] {
        try await read { table, connection in try table.rows(connection).untold() }
    }

    /// Notes what the health store has answered.
    public func note(_ answers: [ToldDrink]) async throws(CoffeeError) {
        if answers.isEmpty { return }
        try await write { table, transaction in
            try table.change(in: transaction) { rows in try rows.note(answers) }
        }
    }

    /// Up to where the health store has been heard.
    public func anchor() async throws(CoffeeError) -> Anchor? {
        // A text that is none any more is as good as none: it is read anew, and compared.
        try await read { table, connection in try table.rows(connection).state().anchor.flatMap { Anchor($0) } }
    }

    /// All that is known of what the health store has.
    public func known(own: SampleSource) async throws(CoffeeError) -> [KnownSample] {
        try await read { table, connection in try table.rows(connection).known(own: own) }
    }

    /// Takes over what was heard, together with the anchor.
    public func take(
        _ news: HealthNews, after anchor: Anchor?, own: SampleSource
    ) async throws(CoffeeError) -> Bool {
        try await write { table, transaction in
            guard try table.rows(transaction).state().anchor.flatMap({ Anchor($0) }) == anchor else { return false }
            try table.change(in: transaction, hearing: news.anchor) { rows in try rows.take(news, own: own) }
            return true
        }
    }

    /// Tells that something may have changed, also by other processes.
    public nonisolated func updates() -> Updates<Void> {
        table.notices.updates().converted { keys in keys.contains(Table.notice) ? () : nil }
    }
}

extension CoffeeDataStore {
    private func read<Value: Sendable>(
        _ body: @escaping @Sendable (Table, GRDB.Database) throws -> Value
    ) async throws(CoffeeError) -> Value {
        do throws(Persistence.PersistenceError) {
            return try await database.read { [table] in try body(table, $0) }
        } catch {
            throw CoffeeError(error)
        }
    }

    private func write<Value: Sendable>(
        _ body: @escaping @Sendable (Table, GRDB.Database) throws -> Value
    ) async throws(CoffeeError) -> Value {
        do throws(Persistence.PersistenceError) {
            return try await database.write { [table] in try body(table, $0) }
        } catch {
            throw CoffeeError(error)
        }
    }
}

/// What is done within transactions, which are not run on the actor.
private struct Table: Sendable {
    /// What is written with each change, so that those who listen to the owner's values notice it, in all processes.
    static let notice: StoreKey = "coffee/revision"
    static let format = StoredFormat<Int>("coffee.revision")
    /// What a change of drinks takes at most, for the floor of free disk space.
    static let rowBytes = 64 << 10

    let owner: String
    let notices: SQLiteStore
    let makeID: @Sendable () -> UUID
    let step: @Sendable (CoffeeDataStore.Step) -> Void

    func rows(_ connection: GRDB.Database) -> CoffeeRows {
        CoffeeRows(connection: connection, owner: owner, makeID: makeID)
    }

    func snapshot(since start: Date, in connection: GRDB.Database) throws -> CoffeeSnapshot {
        let rows = rows(connection)
        return try CoffeeSnapshot(
            revision: rows.state().revision, drinks: rows.drinks(from: start, to: nil), untold: rows.untoldCount())
    }

    /// Changes rows, and with them the revision; the anchor goes with them.
    func change(
        in transaction: GRDB.Database, hearing anchor: Anchor? = nil, _ body: (inout CoffeeRows) throws -> Bool
    ) throws {
        var rows = rows(transaction)
        let before = try rows.state()
        let isChanged = try body(&rows)
        step(.drinks)
        guard isChanged || anchor != nil else { return }
        let (revision, isUncountable) = before.revision.addingReportingOverflow(isChanged ? 1 : 0)
        if isUncountable {
            throw CoffeeError.storage("The drinks have been changed too often to be counted. Restore a backup.")
        }
        try rows.put(revision: revision, anchor: anchor?.description ?? before.anchor)
        step(.anchor)
        guard isChanged else { return }
        _ = try notices.commit([StoreWrite(Self.notice, try Self.format.content(of: revision))], in: transaction)
    }
}
