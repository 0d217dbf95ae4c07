import EmojiArtModel
import Foundation
import Persistence

/// Changes boards within a write transaction.
struct BoardWriter {
    let connection: any SQLConnection
    let cache: ArtCache
    let blobs: BlobStore
    let policy: BoardPolicy
    let now: Moment
    /// Called with each step, so that a test can end the process there.
    let step: @Sendable (BoardStep) -> Void
    /// The changes so far, in order.
    private(set) var changes: [WrittenChange] = []
    /// The contents of the changed boards so far.
    private(set) var staged = StagedArt()

    init(
        _ connection: any SQLConnection, cache: ArtCache, blobs: BlobStore, policy: BoardPolicy, now: Moment,
        step: @escaping @Sendable (BoardStep) -> Void
    ) {
        (self.connection, self.cache, self.blobs, self.policy) = (connection, cache, blobs, policy)
        (self.now, self.step) = (now, step)
    }

    var reader: BoardReader { BoardReader(connection: connection, cache: cache) }
}

/// A step of a transaction.
enum BoardStep: CaseIterable {
    /// The log entry is written.
    case entry
    /// The snapshot is written, and the log is truncated.
    case snapshot
    /// The board's row is written.
    case board
    /// The batch's outcome is written, but nothing is committed.
    case answer
}

/// A change that is reported to the listeners after the commit.
struct WrittenChange: Sendable {
    let owner: OwnerID
    let change: BoardChange
    /// The log entry, if a batch was applied.
    let entry: LogEntry?
    let sequence: Int64
}

// MARK: - Rows

extension BoardWriter {
    /// The row of a board to change; throws if there is none, or a newer program wrote it.
    func activeRow(_ id: BoardID, owner: OwnerID) throws -> BoardRow {
        guard let row = try reader.activeRow(id, owner: owner) else { throw BoardStoreError.notFound(id) }
        try row.checkFormat()
        return row
    }

    /// Inserts a board with a snapshot of its contents.
    mutating func insert(
        _ id: BoardID, named name: String, art: EmojiArt, owner: OwnerID
    ) throws -> BoardRow {
        guard try reader.row(id, owner: owner) == nil else { throw BoardStoreError.exists(id) }
        try admitBoard(of: owner)
        let sequence = try note(.changed(id), owner: owner)
        let background = art.background.columns
        try connection.execute(
            """
            INSERT INTO art_board (
                owner, id, name, created, changed, format, revision, emojis, address, picture, position, sequence)
            VALUES (?1, ?2, ?3, ?4, ?4, ?5, 0, ?6, ?7, ?8, ?9, ?9)
            """,
            [
                owner, id.rawValue, name, now.milliseconds, ArtSnapshot.format, art.emojis.count, background.address,
                background.picture, sequence,
            ])
        guard let row = try reader.row(id, owner: owner) else { throw BoardStoreError.notFound(id) }
        try put(snapshot: art, of: row)
        return row
    }

    /// Records a change for the listeners, and returns its sequence number among the owner's changes.
    mutating func note(_ change: BoardChange, owner: OwnerID, entry: LogEntry? = nil) throws -> Int64 {
        let sequence = try connection.value(
            """
            INSERT INTO art_owner (owner, sequence) VALUES (?, 1)
            ON CONFLICT (owner) DO UPDATE SET sequence = art_owner.sequence + 1 RETURNING sequence
            """, [owner], as: Int64.self)
        changes.append(WrittenChange(owner: owner, change: change, entry: entry, sequence: sequence ?? 0))
        return sequence ?? 0
    }

    mutating func rename(_ row: BoardRow, to name: String) throws {
        let sequence = try note(.changed(row.id), owner: row.owner)
        try connection.execute(
            "UPDATE art_board SET name = ?2, changed = ?3, position = ?4, sequence = ?4 WHERE number = ?1",
            [row.number, name, now.milliseconds, sequence])
    }

    /// Deletes or restores a board, which keeps its place in the list.
    mutating func set(deleted: Moment?, of row: BoardRow) throws {
        let sequence = try note(.changed(row.id), owner: row.owner)
        try connection.execute(
            "UPDATE art_board SET deleted = ?2, sequence = ?3 WHERE number = ?1",
            [row.number, deleted?.milliseconds, sequence])
    }

    /// Removes a board with everything that belongs to it.
    func remove(_ number: Int64) throws {
        let storedBlobs = try connection.values(
            "SELECT blob FROM art_picture WHERE board = ?", [number], as: String.self)
        for blob in storedBlobs.compactMap({ BlobStore.ID($0) }) { try blobs.release(blob, in: connection) }
        try connection.execute("DELETE FROM art_picture WHERE board = ?", [number])
        try connection.execute("DELETE FROM art_board WHERE number = ?", [number])
    }
}

// MARK: - Batches

extension BoardWriter {
    /// Applies a batch; if it was applied before, returns the stored outcome.
    mutating func apply(_ request: BatchRequest) throws -> BatchOutcome {
        var row = try activeRow(request.board, owner: request.owner)
        if let answer = try answer(to: request.batch.id, of: row) { return answer }
        try admitChange()
        let storedPictures = try request.batch.pictures.filter { try has($0, row) }
        var art = try takeArt(of: row)
        let (applied, refused) = art.apply(request.batch) { storedPictures.contains($0) }
        var entry: LogEntry?
        if !applied.isEmpty {
            let old = row.background
            row.revision += 1
            let batch = OperationBatch(id: request.batch.id, name: request.batch.name, operations: applied)
            entry = LogEntry(revision: row.revision, batch: batch, author: request.author)
            row.changed = now
            row.emojiCount = art.emojis.count
            row.background = art.background
            try log(request, applied, in: &row)
            step(.entry)
            try writeSnapshotIfDue(art, into: &row)
            if old != row.background { try recordLastUse(of: old, row) }
            try put(row, entry)
            step(.board)
        }
        staged.stage(
            ArtCache.CachedBoard(revision: row.revision, art: art, instanceID: connection.instanceID), of: row.number)
        let outcome = BatchOutcome(revision: row.revision, refused: refused, entry: entry)
        try put(outcome, to: request.batch.id, of: row)
        step(.answer)
        return outcome
    }

    /// The contents of a board, removed from the cache so that they are uniquely referenced and changed in place.
    ///
    /// If the transaction fails, the next one reads them from the database.
    private mutating func takeArt(of row: BoardRow) throws -> EmojiArt {
        try row.checkCounters()
        let copy = cache.remove(row.number, from: &staged, in: connection.instanceID)
        if let copy, copy.revision == row.revision { return copy.art }
        return try reader.art(of: row, from: copy)
    }

    private func answer(to batch: String, of row: BoardRow) throws -> BatchOutcome? {
        let found = try connection.row(
            "SELECT revision, refused FROM art_answer WHERE board = ? AND batch = ?", [row.number, batch])
        guard let found else { return nil }
        let revision: Int = try found.decode(atIndex: 0)
        let refused: Data? = try found.decode(atIndex: 1)
        guard let refused else { return BatchOutcome(revision: revision, refused: []) }
        guard let refusals = try? JSONDecoder().decode(StoredRefusals.self, from: refused).operations else {
            throw row.damage(ArtWords.stepResult)
        }
        return BatchOutcome(revision: revision, refused: refusals)
    }

    private func put(_ outcome: BatchOutcome, to batch: String, of row: BoardRow) throws {
        let refused = outcome.refused.isEmpty ? nil : try JSONEncoder().encode(StoredRefusals(outcome.refused))
        try connection.execute(
            "INSERT INTO art_answer (board, batch, time, revision, refused) VALUES (?, ?, ?, ?, ?)",
            [row.number, batch, now.milliseconds, outcome.revision, refused])
    }

    private func log(_ request: BatchRequest, _ applied: [ArtOperation], in row: inout BoardRow) throws {
        let content = LoggedBatch.bytes(name: request.batch.name, operations: applied)
        row.logged += content.count
        let checksum = BoardReader.checksum(
            ofEntry: content, id: request.batch.id, author: request.author, revision: row.revision, board: row.number)
        try connection.execute(
            """
            INSERT INTO art_entry (board, revision, logged, batch, author, checksum, content)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                row.number, row.revision, row.logged, request.batch.id, request.author, checksum, content,
            ])
    }

    private mutating func put(_ row: BoardRow, _ entry: LogEntry?) throws {
        let sequence = try note(.drawn(row.id), owner: row.owner, entry: entry)
        let background = row.background.columns
        try connection.execute(
            """
            UPDATE art_board SET changed = ?2, revision = ?3, emojis = ?4, address = ?5, picture = ?6, logged = ?7,
                position = ?8, sequence = ?8, format = ?9
            WHERE number = ?1
            """,
            [
                row.number, row.changed.milliseconds, row.revision, row.emojiCount, background.address,
                background.picture, row.logged, sequence, ArtSnapshot.format,
            ])
    }
}

// MARK: - Snapshots

extension BoardWriter {
    /// Writes a snapshot if one is due, and truncates the log.
    private func writeSnapshotIfDue(_ art: EmojiArt, into row: inout BoardRow) throws {
        let last = row.snapshot ?? (0, 0)
        guard
            row.revision - last.revision >= policy.snapshotEntries
                || row.logged - last.logged >= policy.snapshotBytes
        else { return }
        try put(snapshot: art, of: row)
        row.snapshot = (row.revision, row.logged)
        let lastOverByteLimit = try connection.value(
            "SELECT revision FROM art_entry WHERE board = ? AND logged <= ? ORDER BY revision DESC LIMIT 1",
            [row.number, row.logged - policy.logBytes], as: Int.self)
        try connection.execute(
            "DELETE FROM art_entry WHERE board = ? AND revision <= ?",
            [row.number, max(lastOverByteLimit ?? 0, row.revision - policy.logEntries)])
        step(.snapshot)
    }

    private func put(snapshot art: EmojiArt, of row: BoardRow) throws {
        let content = ArtSnapshot.bytes(of: art)
        let checksum = BoardReader.checksum(ofSnapshot: content, revision: row.revision, board: row.number)
        try connection.execute(
            """
            INSERT INTO art_snapshot (board, revision, logged, checksum, content) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (board) DO UPDATE SET revision = ?2, logged = ?3, checksum = ?4, content = ?5
            """, [row.number, row.revision, row.logged, checksum, content])
    }
}

/// The stored form of refused operations, with each message once: a batch can have twenty thousand refusals.
private struct StoredRefusals: Codable {
    struct Words: Codable, Hashable {
        let reason: OperationRefusal
        let message: String
    }

    private let words: [Words]
    /// Alternating: an operation's index, and the index of its message.
    private let refused: [Int]

    init(_ operations: [RefusedOperation]) {
        var (words, numbers, refused): ([Words], [Words: Int], [Int]) = ([], [:], [])
        for operation in operations {
            let entry = Words(reason: operation.reason, message: operation.message)
            let number = numbers[entry, default: words.count]
            if number == words.count {
                words.append(entry)
                numbers[entry] = number
            }
            refused += [operation.index, number]
        }
        (self.words, self.refused) = (words, refused)
    }

    /// The refused operations; `nil` if an index is invalid.
    var operations: [RefusedOperation]? {
        guard refused.count.isMultiple(of: 2) else { return nil }
        var operations: [RefusedOperation] = []
        for place in stride(from: 0, to: refused.count, by: 2) {
            guard words.indices.contains(refused[place + 1]) else { return nil }
            let entry = words[refused[place + 1]]
            operations.append(
                RefusedOperation(index: refused[place], reason: entry.reason, text: .plain(entry.message)))
        }
        return operations
    }
}
