import Capture
public import Foundation
import Loading
public import OfflineLibraryModel
public import Persistence

// Comparisons, checks and schedules of addresses.

extension SQLiteLibraryStore: VersionStore {
    /// The condition for rows of `library_page` that ``PageFilter/isChanged`` admits.
    static func changedCondition(_ dialect: SQLDialect) -> String {
        func isVersion(_ table: String) -> String {
            dialect.isEqual("\(table).version_key", "library_page.version_key")
        }
        return """
            (state = 'found' AND deleted_at IS NULL AND opened_at IS NULL
            AND EXISTS (
                SELECT * FROM library_page AS older WHERE older.owner = library_page.owner
                    AND \(isVersion("older")) AND older.captured_at < library_page.captured_at
                    AND older.deleted_at IS NULL)
            AND NOT EXISTS (
                SELECT * FROM library_page AS newer WHERE newer.owner = library_page.owner
                    AND \(isVersion("newer")) AND newer.captured_at > library_page.captured_at
                    AND newer.deleted_at IS NULL)
            AND NOT EXISTS (
                SELECT * FROM library_comparison WHERE new = library_page.number AND is_unchanged = 1))
            """
    }

    /// The stored comparisons of versions with any older ones.
    public func comparisons(
        of new: Set<SavedPage.ID>, owner: OwnerID
    ) async throws(LibraryError) -> [VersionPair: VersionComparison] {
        let ids = Self.json(new.map(\.description))
        let rows = try await read { connection in
            try connection.rows(
                """
                SELECT old_page.id, new_page.id, details FROM library_comparison
                JOIN library_page AS new_page ON new_page.number = new
                JOIN library_page AS old_page ON old_page.number = old
                WHERE new_page.owner = ?1 AND old_page.owner = ?1
                    AND new_page.id IN (\(connection.dialect.selectingTexts("?2")))
                """, [owner, ids]
            ).map { row in
                (
                    old: try row.decode(String.self, atIndex: 0), new: try row.decode(String.self, atIndex: 1),
                    details: try row.decode(String.self, atIndex: 2)
                )
            }
        }
        var comparisons: [VersionPair: VersionComparison] = [:]
        for row in rows {
            guard let old = SavedPage.ID(row.old), let new = SavedPage.ID(row.new),
                let comparison = try? JSONDecoder().decode(VersionComparison.self, from: Data(row.details.utf8))
            else { continue }
            comparisons[VersionPair(old: old, new: new)] = comparison
        }
        return comparisons
    }

    /// Stores a comparison, unless a page doesn't exist.
    public func saveComparison(
        _ comparison: VersionComparison, of pair: VersionPair, owner: OwnerID
    ) async throws(LibraryError) {
        let details = Self.json(comparison)
        try await write(of: owner) { [blobs] transaction in
            if let refusal = blobs.refusal(adding: details.utf8.count) { throw LibraryError.overBudget(refusal) }
            try transaction.execute(
                """
                INSERT INTO library_comparison (old, new, is_unchanged, details)
                SELECT old.number, new.number, CAST(?4 AS BIGINT), ?5
                FROM library_page AS old, library_page AS new
                WHERE old.id = ?1 AND new.id = ?2 AND old.owner = ?3 AND new.owner = ?3
                    AND old.deleted_at IS NULL AND new.deleted_at IS NULL
                ON CONFLICT (new, old) DO UPDATE SET is_unchanged = excluded.is_unchanged, details = excluded.details
                """, [pair.old.description, pair.new.description, owner, comparison.isUnchanged, details])
        }
    }

    /// Removes the comparisons of a page whose capture is replaced.
    static func removeComparisons(of page: Int64, in transaction: any SQLConnection) throws {
        try transaction.execute("DELETE FROM library_comparison WHERE new = ?1 OR old = ?1", [page])
    }

    /// The blobs of the files of versions, or their pieces, with their sizes.
    public func storedParts(
        of ids: Set<SavedPage.ID>, kinds: Set<FileKind>, owner: OwnerID
    ) async throws(LibraryError) -> [SavedPage.ID: [String: Int]] {
        let (pages, kinds) = (Self.json(ids.map(\.description)), Self.json(kinds.map(\.rawValue)))
        return try await read { connection in
            var parts: [SavedPage.ID: [String: Int]] = [:]
            try connection.forEachRow(
                """
                SELECT DISTINCT library_page.id, blob.id, blob.bytes FROM library_page
                JOIN library_file ON library_file.page = number
                    AND kind IN (\(connection.dialect.selectingTexts("?3")))
                LEFT JOIN blob_piece ON blob_piece.blob = library_file.blob
                JOIN blob ON blob.id = coalesce(blob_piece.piece, library_file.blob)
                WHERE owner = ?1 AND library_page.id IN (\(connection.dialect.selectingTexts("?2")))
                """, [owner, pages, kinds]
            ) { row in
                guard let page = SavedPage.ID(try row.decode(String.self, atIndex: 0)) else { return true }
                parts[page, default: [:]][try row.decode(atIndex: 1)] = try row.decode(Int.self, atIndex: 2)
                return true
            }
            return parts
        }
    }

    /// Records that the owner has opened a version, unless that is recorded already.
    public func recordOpening(of id: SavedPage.ID, owner: OwnerID, at time: Date) async throws(LibraryError) {
        try await write(of: owner) { transaction in
            try transaction.execute(
                "UPDATE library_page SET opened_at = ? WHERE id = ? AND owner = ? AND opened_at IS NULL",
                [time.timeIntervalSinceReferenceDate, id.description, owner])
        }
    }

    /// The checks of an address that found no change, the newest first.
    public func checks(
        ofAddress key: String, owner: OwnerID, limit: Int
    ) async throws(LibraryError) -> [VersionCheck] {
        try await read { connection in
            try connection.rows(
                """
                SELECT id, checked_at FROM library_check JOIN library_page ON library_page.number = page
                WHERE owner = ?1 AND \(connection.dialect.isEqual("version_key", "?2"))
                ORDER BY library_check.number DESC LIMIT ?3
                """, [owner, key, limit]
            ).compactMap { row in
                guard let page = SavedPage.ID(try row.decode(String.self, atIndex: 0)) else { return nil }
                return VersionCheck(
                    page: page, checkedAt: Date(timeIntervalSinceReferenceDate: try row.decode(atIndex: 1)))
            }
        }
    }

    private static func json(_ value: some Encodable) -> String {
        (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "[]"
    }
}

// MARK: - Schedules

extension SQLiteLibraryStore {
    /// The number of checks of a version that are kept.
    private static let keptChecks = 100

    /// The schedules of an owner, by address.
    public func schedules(ofOwner owner: OwnerID) async throws(LibraryError) -> [RecaptureSchedule] {
        try await read { connection in
            try connection.rows("SELECT * FROM library_schedule WHERE owner = ? ORDER BY key", [owner]).compactMap(
                RecaptureSchedule.init)
        }
    }

    /// Adds a schedule, or replaces that of the same address.
    public func setSchedule(_ schedule: RecaptureSchedule, owner: OwnerID) async throws(LibraryError) {
        let formats = Self.json(schedule.request.formats.map(\.rawValue).sorted())
        try await write(of: owner) { [captures] transaction in
            if let known = try Self.schedule(schedule.key, owner: owner, in: transaction) {
                if let running = known.running { try captures?.remove(running, in: transaction) }
            } else {
                let count = try transaction.value(
                    "SELECT count(*) FROM library_schedule WHERE owner = ?", [owner], as: Int.self)
                if let refusal = OwnerBudget.refusalOfSchedule(at: count ?? 0) {
                    throw LibraryError.overBudget(refusal)
                }
            }
            try transaction.execute(
                "DELETE FROM library_schedule WHERE owner = ? AND key = ?", [owner, schedule.key])
            try transaction.execute(
                """
                INSERT INTO library_schedule (
                    owner, key, address, formats, interval, started_at, zone, next_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    owner, schedule.key, schedule.request.url.absoluteString, formats, schedule.interval.rawValue,
                    schedule.startedAt.timeIntervalSinceReferenceDate, schedule.zone,
                    schedule.nextAt.timeIntervalSinceReferenceDate,
                ])
        }
    }

    /// Removes a schedule, and cancels its capture.
    public func removeSchedule(ofAddress key: String, owner: OwnerID) async throws(LibraryError) {
        try await write(of: owner) { [captures] transaction in
            if let running = try Self.schedule(key, owner: owner, in: transaction)?.running {
                try captures?.remove(running, in: transaction)
            }
            try transaction.execute("DELETE FROM library_schedule WHERE owner = ? AND key = ?", [owner, key])
        }
    }

    /// The owners of schedules whose time has come.
    public func ownersWithDueSchedules(at time: Date) async throws(LibraryError) -> [OwnerID] {
        try await read { connection in
            try connection.values(
                "SELECT DISTINCT owner FROM library_schedule WHERE next_at <= ? ORDER BY owner",
                [time.timeIntervalSinceReferenceDate], as: OwnerID.self)
        }
    }

    /// Begins the capture of a schedule, or continues it.
    public func beginScheduled(
        ofAddress key: String, owner: OwnerID, at time: Date
    ) async throws(LibraryError) -> RecaptureSchedule? {
        try await write(of: owner) { [captures] transaction in
            guard var schedule = try Self.schedule(key, owner: owner, in: transaction), schedule.nextAt <= time else {
                return nil
            }
            let id = schedule.running ?? SavedPage.ID()
            schedule.running = id
            try captures?.enqueue(schedule.request, as: id, owner: owner, in: transaction)
            try transaction.execute(
                "UPDATE library_schedule SET running = ? WHERE owner = ? AND key = ?", [id.description, owner, key])
            return schedule
        }
    }

    /// Ends the capture of a schedule.
    public func endScheduled(
        _ schedule: RecaptureSchedule, _ outcome: ScheduledOutcome, owner: OwnerID, at time: Date
    ) async throws(LibraryError) -> Bool {
        switch outcome {
        case .changed(let capture, let id):
            let content = PageContent(capture, capturedAt: time)
            let page = SavedPage(id: id, request: schedule.request, requestedAt: time, state: .found(content))
            var row = PageRow(page, owner: owner)
            row.setContent(content)
            let texts = row.searchedTexts(body: capture.text)
            return try await withStaged(Self.files(of: capture)) {
                [row] (staged: [StagedFile]) async throws(LibraryError) -> Bool in
                try await end(schedule, failure: nil, owner: owner, at: time) { transaction in
                    try insert(row, texts, staged, in: transaction)
                    try Self.copyMarks(to: id, fromVersionAt: schedule.key, owner: owner, in: transaction)
                }
            }
        case .unchanged(let page):
            return try await end(schedule, failure: nil, owner: owner, at: time) { transaction in
                try Self.addCheck(of: page, owner: owner, at: time, in: transaction)
            }
        case .failed(let failure):
            return try await end(schedule, failure: failure.message, owner: owner, at: time) { _ in }
        }
    }

    private func end(
        _ schedule: RecaptureSchedule, failure: String?, owner: OwnerID, at time: Date,
        _ store: @escaping @Sendable (any SQLConnection) throws -> Void
    ) async throws(LibraryError) -> Bool {
        guard let running = schedule.running else { return false }
        return try await write(of: owner) { [captures] transaction in
            let changed = try transaction.execute(
                """
                UPDATE library_schedule SET next_at = ?, running = NULL, ended_at = ?, failure = ?
                WHERE owner = ? AND key = ? AND running = ?
                """,
                [
                    schedule.nextAt.timeIntervalSinceReferenceDate, time.timeIntervalSinceReferenceDate, failure, owner,
                    schedule.key, running.description,
                ])
            guard changed > 0 else { return false }
            try captures?.remove(running, in: transaction)
            try store(transaction)
            return true
        }
    }

    /// Gives a new version the star, tags and note of the version before it.
    private static func copyMarks(
        to id: SavedPage.ID, fromVersionAt key: String, owner: OwnerID, in transaction: any SQLConnection
    ) throws {
        let new = try number(of: id, owner: owner, in: transaction)
        guard let new else { return }
        let old = try transaction.value(
            """
            SELECT number FROM library_page
            WHERE owner = ?1 AND \(transaction.dialect.isEqual("version_key", "?2")) AND number != ?3
                AND captured_at IS NOT NULL AND deleted_at IS NULL ORDER BY captured_at DESC, number DESC LIMIT 1
            """, [owner, key, new], as: Int64.self)
        guard let old else { return }
        let copies = [
            """
            UPDATE library_page SET (is_favourite, note) = (
                SELECT is_favourite, note FROM library_page WHERE number = ?1) WHERE number = ?2
            """,
            """
            INSERT INTO library_tag (page, key, name, position)
            SELECT CAST(?2 AS BIGINT), key, name, position FROM library_tag WHERE page = ?1
            """,
            "UPDATE library_text SET note = (SELECT note FROM library_text WHERE page = ?1) WHERE page = ?2",
        ]
        for copy in copies { try transaction.execute(copy, [old, new]) }
        try SearchedTexts.updateIndex(of: new, in: transaction)
    }

    private static func number(
        of page: SavedPage.ID, owner: OwnerID, in connection: any SQLConnection
    ) throws -> Int64? {
        try connection.value(
            "SELECT number FROM library_page WHERE id = ? AND owner = ?", [page.description, owner], as: Int64.self)
    }

    private static func addCheck(
        of page: SavedPage.ID, owner: OwnerID, at time: Date, in transaction: any SQLConnection
    ) throws {
        let number = try number(of: page, owner: owner, in: transaction)
        guard let number else { return }
        try transaction.execute(
            "INSERT INTO library_check (page, checked_at) VALUES (?, ?)", [number, time.timeIntervalSinceReferenceDate])
        try transaction.execute(
            """
            DELETE FROM library_check WHERE page = ?1 AND number <= (
                SELECT number FROM library_check WHERE page = ?1 ORDER BY number DESC LIMIT 1 OFFSET \(keptChecks))
            """, [number])
    }

    private static func schedule(
        _ key: String, owner: OwnerID, in connection: any SQLConnection
    ) throws -> RecaptureSchedule? {
        try connection.row("SELECT * FROM library_schedule WHERE owner = ? AND key = ?", [owner, key]).flatMap(
            RecaptureSchedule.init)
    }
}

extension RecaptureSchedule {
    /// Creates a schedule from its row; `nil` if the row isn't valid.
    fileprivate init?(_ row: SQLRow) throws {
        let formats: String = try row.decode(forColumn: "formats")
        let names = (try? JSONDecoder().decode([String].self, from: Data(formats.utf8))) ?? []
        guard let url = URL(string: try row.decode(forColumn: "address")),
            let interval = Interval(rawValue: try row.decode(forColumn: "interval"))
        else { return nil }
        self.init(
            CaptureRequest(url: url, formats: Set(names.compactMap(PageFormat.init(rawValue:)))), interval,
            from: Date(timeIntervalSinceReferenceDate: try row.decode(forColumn: "started_at")),
            zone: try row.decode(forColumn: "zone"))
        key = try row.decode(forColumn: "key")
        nextAt = Date(timeIntervalSinceReferenceDate: try row.decode(forColumn: "next_at"))
        running = try row.decode(String?.self, forColumn: "running").flatMap { SavedPage.ID($0) }
        endedAt = try row.decode(Double?.self, forColumn: "ended_at").map(Date.init(timeIntervalSinceReferenceDate:))
        failure = try row.decode(forColumn: "failure")
    }
}
