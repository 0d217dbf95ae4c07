import Foundation

/// Moves all rows from one database to another of any kind.
///
/// The source refuses changes from the beginning on, and can be read all the time. Rows are copied in the order of their keys, in
/// batches; a batch and its position are written in one transaction, so that an interrupted move continues where it was. At
/// the end, the rows of both databases are counted and hashed. If they are equal, the source is marked as moved, and refuses
/// changes from then on.
///
/// Any number of processes may start the same move: the latest one continues, and the others fail.
package struct DatabaseMove: Sendable {
    let source: any SQLDatabase
    let target: any SQLDatabase
    let indexes: [DerivedIndex]
    let seededTables: Set<String>
    let keys: [String: [String]]
    private let files: BlobFileMove?
    private let onProgress: @Sendable (Progress) -> Void
    /// Called after each batch, for tests.
    var afterBatch: @Sendable () async throws(StoreError) -> Void = {}
    /// The number of rows in a batch.
    var batchRows = MovedTable.maximumRows

    /// Creates a move.
    ///
    /// - Parameters:
    ///   - source: The database whose data is moved.
    ///   - target: A database with the same tables and without data, or the target of the same move when it was
    ///     interrupted: opened with `opensUnfinishedMove`.
    ///   - indexes: The indexes that stores make from tables.
    ///   - seededTables: The tables in which migrations insert rows.
    ///   - keys: The columns that identify rows, of tables that have no such constraint in one of the databases.
    ///   - files: What happens to the files of blobs before the source is marked as moved; `nil` for nothing.
    ///   - onProgress: Called on any thread; it must not block.
    package init(
        from source: any SQLDatabase, to target: any SQLDatabase, indexes: [DerivedIndex], seededTables: Set<String>,
        keys: [String: [String]], files: BlobFileMove? = nil,
        onProgress: @escaping @Sendable (Progress) -> Void = { _ in }
    ) {
        self.source = source
        self.target = target
        self.indexes = indexes
        self.seededTables = seededTables
        self.keys = keys
        self.files = files
        self.onProgress = onProgress
    }
}

extension DatabaseMove {
    /// What a move does at the moment.
    package struct Progress: Hashable, Sendable {
        package enum Phase: Sendable {
            case copying, verifying, files
        }

        package var phase: Phase
        /// The table; empty for files.
        package var table = ""
        /// The number of tables that are done, and of all tables.
        package var doneTables = 0
        package var tables = 0
        /// The number of rows of the table, or of files, that are done.
        package var done = 0
    }

    /// What a move has moved.
    package struct Summary: Sendable {
        package struct Table: Hashable, Sendable {
            package var name: String
            package var rows: Int
            /// About the size of the values in bytes.
            package var bytes: Int64
            /// The SHA-256 of the rows, in both databases.
            package var digest: String
        }

        package var tables: [Table]
        package var files = BlobFileMove.Summary()
        /// Whether an earlier attempt had begun.
        package var isResumed: Bool
    }

    /// Moves the rows, or continues an interrupted move.
    ///
    /// If it fails or is cancelled, the source can be changed again, and another attempt continues.
    ///
    /// - Returns: What was moved.
    /// - Throws: ``StoreError``: `conflict` if the target has data, if the source was moved to another database, or if the rows
    ///   differ at the end; `inUse` if another process has started the same move; `cancelled` if the task was cancelled; or
    ///   another error of a database or of a file.
    package func run() async throws(StoreError) -> Summary {
        let tables = try await plan()
        let (mark, wasMoved) = try await freezeSource(tables)
        do {
            return try await run(tables, mark, wasMoved: wasMoved)
        } catch {
            // In a task of its own, because a cancelled one can't write.
            if !wasMoved { await Task { try? await release(mark) }.value }
            throw error
        }
    }

    /// Allows changes of a database whose data was moved, or whose move was interrupted and won't be continued.
    ///
    /// - Parameter database: The source of the move.
    /// - Returns: Whether changes were refused.
    /// - Throws: ``StoreError``: an error of the database.
    package static func allowChanges(in database: any SQLDatabase) async throws(StoreError) -> Bool {
        try await database.writeRows(locking: []) { connection in
            guard let mark = try DatabaseMoveMark(in: connection), mark.role == .source else { return false }
            // Without the mark, no attempt of the move continues.
            try DatabaseMoveMark.allowChanges(in: connection)
            try connection.execute("DROP TABLE \(DatabaseMoveMark.table)")
            return mark.state != .interrupted
        }
    }

    private func run(
        _ tables: [MovedTable], _ mark: DatabaseMoveMark, wasMoved: Bool
    ) async throws(StoreError) -> Summary {
        let copy = DatabaseCopy(move: self, mark: mark, tables: tables)
        let positions = try await copy.prepareTarget(wasMoved: wasMoved)
        let isResumed = positions != nil
        if let positions { try await copy.removeOutdatedRows(positions) }
        for (number, table) in tables.enumerated() {
            try await copy.copy(table) { rows in
                onProgress(
                    Progress(
                        phase: .copying, table: table.name, doneTables: number, tables: tables.count, done: rows))
            }
        }
        var summary = Summary(tables: [], isResumed: isResumed)
        for (number, table) in tables.enumerated() {
            summary.tables.append(
                try await copy.verify(table) { rows in
                    onProgress(
                        Progress(
                            phase: .verifying, table: table.name, doneTables: number, tables: tables.count, done: rows))
                })
        }
        if let files {
            summary.files = try await files.run(in: target) { onProgress(Progress(phase: .files, done: $0)) }
        }
        try await copy.completeTarget()
        try await markAsMoved(mark, tables)
        try await copy.removeMark()
        return summary
    }

    private func plan() async throws(StoreError) -> [MovedTable] {
        let from = try await source.readRows { try DatabaseLayout($0) }
        let to = try await target.readRows { try DatabaseLayout($0) }
        return try MovedTable.all(from: from, to: to, indexes: indexes, keys: keys)
    }
}

// MARK: - The source

extension DatabaseMove {
    /// Makes the source refuse changes.
    ///
    /// - Returns: The mark of the target, and whether an attempt has already marked the source as moved.
    private func freezeSource(
        _ tables: [MovedTable]
    ) async throws(StoreError) -> (mark: DatabaseMoveMark, wasMoved: Bool) {
        let (sourceName, targetName, names) = (source.name, target.name, tables.map(\.name))
        let unfinished = try await target.readRows { try DatabaseMoveMark(in: $0) }
        let run = UUID().uuidString
        return try await source.writeRows(locking: []) { connection in
            let old = try DatabaseMoveMark(in: connection)
            if let old, old.role == .target {
                throw DatabaseMoveMark.unfinished(sourceName, from: old.place)
            }
            // Only the last step of that move is missing.
            let wasMoved = old?.state == .moved
            if let old, wasMoved, old.id != unfinished?.id {
                throw StoreError(.conflict, old.refusal)
            }
            // A new ID for a new target, so that an unfinished one is never continued after that.
            let id = old.flatMap { $0.id == unfinished?.id ? $0.id : nil } ?? UUID().uuidString
            var mark = DatabaseMoveMark(
                id: id, run: run, role: .source, state: wasMoved ? .moved : .moving, place: targetName)
            if !wasMoved { try mark.refuseChanges(of: names, in: connection) }
            try mark.write(in: connection)
            (mark.role, mark.state, mark.place) = (.target, .moving, sourceName)
            return (mark, wasMoved)
        }
    }

    /// The source's mark during this attempt.
    private func sourceMark(_ mark: DatabaseMoveMark) -> DatabaseMoveMark {
        var source = mark
        (source.role, source.state, source.place) = (.source, .moving, target.name)
        return source
    }

    private func markAsMoved(_ mark: DatabaseMoveMark, _ tables: [MovedTable]) async throws(StoreError) {
        let (mark, names) = (sourceMark(mark), tables.map(\.name))
        try await source.writeRows(locking: []) { connection in
            var moved = mark
            moved.state = .moved
            if try DatabaseMoveMark(in: connection) == moved { return }
            // Another attempt may have failed, and allowed changes.
            try mark.check(in: connection)
            try moved.refuseChanges(of: names, in: connection)
            try moved.write(in: connection)
        }
    }

    /// Allows changes of the source, unless another attempt has begun.
    private func release(_ mark: DatabaseMoveMark) async throws(StoreError) {
        let mark = sourceMark(mark)
        try await source.writeRows(locking: []) { connection in
            guard try DatabaseMoveMark(in: connection) == mark else { return }
            try DatabaseMoveMark.allowChanges(in: connection)
            var interrupted = mark
            interrupted.state = .interrupted
            try interrupted.write(in: connection)
        }
    }
}
