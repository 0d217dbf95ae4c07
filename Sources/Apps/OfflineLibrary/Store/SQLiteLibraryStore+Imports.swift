import Capture
import Foundation
public import OfflineLibraryModel
public import Persistence

// Imports of addresses.

extension SQLiteLibraryStore: ImportStore {
    /// Adds an import with its entries.
    public func addImport(
        _ new: LibraryImport, entries: [ImportEntry], owner: OwnerID
    ) async throws(LibraryError) {
        let entries = entries.map(EntryValues.init)
        let (rows, formats) = try await Self.json(of: entries, formats: new.formats)
        try await write(of: owner) { [blobs] transaction in
            let count = try transaction.value(
                "SELECT count(*) FROM library_import WHERE owner = ?", [owner], as: Int.self)
            if let refusal = OwnerBudget.refusalOfImport(at: count ?? 0)
                // Indexes take about as much space as the entries.
                ?? blobs.refusal(adding: 2 * rows.utf8.count)
            {
                throw LibraryError.overBudget(refusal)
            }
            let number = try transaction.value(
                """
                INSERT INTO library_import (id, owner, name, format, formats, created_at) VALUES (?, ?, ?, ?, ?, ?)
                RETURNING number
                """,
                [
                    new.id.description, owner, new.name, new.format.rawValue, formats,
                    new.createdAt.timeIntervalSinceReferenceDate,
                ], as: Int64.self)
            guard let number else { return }
            switch transaction.dialect {
            case .sqlite: try Self.insert(rows, of: number, owner: owner, in: transaction)
            case .postgreSQL: try Self.insert(entries, of: number, owner: owner, in: transaction)
            }
        }
    }

    /// The columns of new entries.
    private static let columns = """
        import, place, address, title, added_at, tags, folders, note, is_note_due, state, reason, page
        """

    /// Inserts the entries in a JSON list.
    ///
    /// One statement for all entries takes a fifth of the time of one for each.
    private static func insert(
        _ rows: String, of number: Int64, owner: OwnerID, in transaction: any SQLConnection
    ) throws {
        try transaction.execute(
            """
            INSERT INTO library_import_entry (\(columns))
            SELECT ?1, value ->> 'place', value ->> 'address', value ->> 'title', value ->> 'addedAt',
                value -> 'tags', value -> 'folders', value ->> 'note',
                value ->> 'state' = 'known' AND (value ->> 'note' != '' OR json_array_length(value, '$.tags') > 0),
                value ->> 'state', value ->> 'reason',
                (SELECT number FROM library_page WHERE id = value ->> 'page' AND owner = ?3)
            FROM json_each(?2) ORDER BY key
            """, [number, rows, owner])
    }

    /// Inserts entries without JSON, which can't contain U+0000 in PostgreSQL.
    private static func insert(
        _ entries: [EntryValues], of number: Int64, owner: OwnerID, in transaction: any SQLConnection
    ) throws {
        let row = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, (SELECT number FROM library_page WHERE id = ? AND owner = ?))"
        // A statement may have 65,535 arguments.
        for start in stride(from: 0, to: entries.count, by: 500) {
            let part = entries[start..<min(start + 500, entries.count)]
            var arguments: SQLArguments = []
            for entry in part {
                arguments += [
                    number, entry.place, entry.address, entry.title, entry.addedAt?.timeIntervalSinceReferenceDate,
                    try json(entry.tags), try json(entry.folders), entry.note,
                    entry.state == "known" && (!entry.note.isEmpty || !entry.tags.isEmpty), entry.state, entry.reason,
                    entry.page, owner,
                ]
            }
            try transaction.execute(
                """
                INSERT INTO library_import_entry (\(columns))
                VALUES \(Array(repeating: row, count: part.count).joined(separator: ", "))
                """, arguments)
        }
    }

    private static func json(_ texts: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }

    /// The imports of an owner, the newest first; invalid rows are skipped.
    public func imports(ofOwner owner: OwnerID) async throws(LibraryError) -> [LibraryImport] {
        try await read { connection in
            let counts = try connection.rows(
                """
                SELECT import, entry.state AS state, page.state AS page, deleted_at IS NOT NULL AS is_deleted,
                    count(*) AS count
                FROM library_import_entry AS entry LEFT JOIN library_page AS page ON page.number = entry.page
                WHERE import IN (SELECT number FROM library_import WHERE owner = ?)
                GROUP BY 1, 2, 3, 4
                """, [owner])
            let countsOfImports = Dictionary(
                grouping: try counts.map { (import: try $0.decode(Int64.self, forColumn: "import"), row: $0) },
                by: \.import)
            let notes = try connection.rows(
                """
                SELECT import, count(*) AS count FROM library_import_entry
                WHERE import IN (SELECT number FROM library_import WHERE owner = ?)
                    AND \(Self.hasOtherNote(connection.dialect))
                GROUP BY 1
                """, [owner])
            let countsOfNotes = Dictionary(
                uniqueKeysWithValues: try notes.map {
                    (try $0.decode(Int64.self, forColumn: "import"), try $0.decode(Int.self, forColumn: "count"))
                })
            return try connection.rows("SELECT * FROM library_import WHERE owner = ? ORDER BY number DESC", [owner])
                .compactMap { row in
                    let number: Int64 = try row.decode(forColumn: "number")
                    var stored = try LibraryImport(row, countsOfImports[number]?.map(\.row) ?? [])
                    stored?.counts.otherNotes = countsOfNotes[number] ?? 0
                    return stored
                }
        }
    }

    /// The condition for entries whose note wasn't added, as in the index `library_import_entry_noted`.
    ///
    /// The plus sign keeps SQLite from using the index of states.
    private static func hasOtherNote(_ dialect: SQLDialect) -> String {
        let state = dialect == .sqlite ? "+state" : "state"
        return "note != '' AND is_note_due = 0 AND \(state) IN ('known', 'repeated')"
    }

    /// Joins an import with its entries; SQLite reads the imports first, as `CROSS JOIN` tells its planner.
    private static func join(_ dialect: SQLDialect) -> String { dialect == .sqlite ? "CROSS JOIN" : "JOIN" }

    /// The entries of a part of an import's report, in the order of the file.
    public func entries(
        _ part: ReportedEntry.Part, of id: LibraryImport.ID, owner: OwnerID, limit: Int
    ) async throws(LibraryError) -> [ReportedEntry] {
        let reason = part == .otherNotes ? "entry.note" : "coalesce(reason, failure_message)"
        return try await read { connection in
            let condition =
                switch part {
                case .failed: "entry.state = 'started' AND page.state = 'failed' AND deleted_at IS NULL"
                case .unusable: "entry.state = 'unusable'"
                case .otherNotes:
                    "entry.note != '' AND is_note_due = 0 AND "
                        + (connection.dialect == .sqlite ? "+entry.state" : "entry.state")
                        + " IN ('known', 'repeated')"
                }
            return try connection.rows(
                """
                SELECT place, entry.address AS address, entry.title AS title, \(reason) AS reason
                FROM library_import_entry AS entry JOIN library_import ON library_import.number = import
                LEFT JOIN library_page AS page ON page.number = entry.page
                WHERE library_import.id = ? AND library_import.owner = ? AND \(condition)
                ORDER BY entry.number LIMIT ?
                """, [id.description, owner, limit]
            ).map { row in
                ReportedEntry(
                    place: try row.decode(atIndex: 0), address: try row.decode(atIndex: 1),
                    title: try row.decode(atIndex: 2), reason: try row.decode(String?.self, atIndex: 3) ?? "")
            }
        }
    }

    /// The owners of imports with waiting entries.
    public func ownersWithWaitingEntries() async throws(LibraryError) -> [OwnerID] {
        try await read { connection in
            try connection.values(
                """
                SELECT DISTINCT owner FROM library_import WHERE EXISTS (
                    SELECT 1 FROM library_import_entry WHERE import = library_import.number AND state = 'waiting')
                OR EXISTS (
                    SELECT 1 FROM library_import_entry
                    WHERE import = library_import.number AND is_note_due = 1 AND page IS NOT NULL)
                ORDER BY owner
                """, as: OwnerID.self)
        }
    }

    /// The next entries of an owner whose tags and notes must still be added, those of the oldest import first.
    public func notedEntries(ofOwner owner: OwnerID, limit: Int) async throws(LibraryError) -> [NotedEntry] {
        try await read { connection in
            try connection.rows(
                """
                SELECT entry.number AS number, entry.note AS note, entry.tags AS tags, library_page.id AS page
                FROM library_import \(Self.join(connection.dialect)) library_import_entry AS entry
                    ON import = library_import.number
                JOIN library_page ON library_page.number = entry.page
                WHERE library_import.owner = ? AND is_note_due = 1
                ORDER BY import, entry.number LIMIT ?
                """, [owner, limit]
            ).compactMap { row in
                guard let page = SavedPage.ID(try row.decode(String.self, forColumn: "page")) else { return nil }
                return NotedEntry(
                    number: try row.decode(forColumn: "number"), page: page, note: try row.decode(forColumn: "note"),
                    tags: texts(in: try row.decode(forColumn: "tags")))
            }
        }
    }

    /// Records what became of notes.
    public func settle(
        _ notes: [(entry: NotedEntry, isAdded: Bool)], owner: OwnerID
    ) async throws(LibraryError) {
        try await write(of: owner) { transaction in
            for (entry, isAdded) in notes {
                try transaction.execute(
                    """
                    UPDATE library_import_entry
                    SET is_note_due = 0, note = CASE WHEN CAST(? AS BIGINT) = 1 THEN '' ELSE note END
                    WHERE number = ? AND import IN (SELECT number FROM library_import WHERE owner = ?)
                    """, [isAdded, entry.number, owner])
            }
        }
    }

    /// The next waiting entries of an owner, those of the oldest import first.
    public func waitingEntries(
        ofOwner owner: OwnerID, limit: Int
    ) async throws(LibraryError) -> [WaitingEntry] {
        try await read { connection in
            try connection.rows(
                """
                SELECT entry.number AS number, address, title, added_at, tags, note, formats
                FROM library_import \(Self.join(connection.dialect)) library_import_entry AS entry
                    ON import = library_import.number
                WHERE owner = ? AND state = 'waiting' ORDER BY import, entry.number LIMIT ?
                """, [owner, limit]
            ).compactMap(WaitingEntry.init)
        }
    }

    /// Adds the pages of waiting entries, and begins their captures.
    public func start(
        _ pages: [(entry: WaitingEntry, page: SavedPage)], known: [(entry: WaitingEntry, page: SavedPage.ID)],
        owner: OwnerID
    ) async throws(LibraryError) -> [SavedPage] {
        let rows = pages.map { page in
            let row = PageRow(page.page, owner: owner)
            return (
                entry: page.entry.number, page: page.page, row: row, texts: row.searchedTexts(body: nil),
                marks: Self.searchedText(of: page.page.marks)
            )
        }
        return try await write(of: owner) { [captures] transaction in
            for (entry, page) in known {
                try transaction.execute(
                    """
                    UPDATE library_import_entry
                    SET state = 'known', is_note_due = CASE WHEN note != '' OR tags != '[]' THEN 1 ELSE 0 END,
                        page = (SELECT number FROM library_page WHERE id = ? AND owner = ?)
                    WHERE number = ? AND state = 'waiting'
                    """, [page.description, owner, entry.number])
            }
            var started: [SavedPage] = []
            for page in rows {
                guard try Self.isWaiting(page.entry, in: transaction) else { continue }
                do {
                    try admitPage(of: owner, in: transaction)
                    try admitCapture(of: owner, in: transaction)
                } catch let refusal as LibraryError {
                    if started.isEmpty, known.isEmpty { throw refusal }
                    break
                }
                var row = page.row
                try row.insert(in: transaction)
                if let number = row.number {
                    try page.texts.store(of: number, in: transaction)
                    try Self.storeTags(of: page.page.marks, text: page.marks, page: number, in: transaction)
                }
                try captures?.enqueue(row, priority: CaptureJobs.importPriority, in: transaction)
                try transaction.execute(
                    "UPDATE library_import_entry SET state = 'started', note = '', page = ? WHERE number = ?",
                    [row.number, page.entry])
                started.append(page.page)
            }
            return started
        }
    }

    /// Removes an import with its entries.
    public func removeImport(_ id: LibraryImport.ID, owner: OwnerID) async throws(LibraryError) {
        let isRemoved = try await write(of: owner) { transaction in
            try transaction.execute(
                "DELETE FROM library_import WHERE id = ? AND owner = ?", [id.description, owner]) > 0
        }
        if !isRemoved { throw .noSuchImport }
    }

    private static func isWaiting(_ entry: Int64, in connection: any SQLConnection) throws -> Bool {
        try connection.row("SELECT 1 FROM library_import_entry WHERE number = ? AND state = 'waiting'", [entry]) != nil
    }

    /// Encodes entries for the statement that inserts them.
    @concurrent
    private static func json(
        of entries: [EntryValues], formats: Set<PageFormat>
    ) async throws(LibraryError) -> (entries: String, formats: String) {
        do {
            let encoder = JSONEncoder()
            // Numbers, as the tables store times.
            encoder.dateEncodingStrategy = .deferredToDate
            return (
                String(decoding: try encoder.encode(entries), as: UTF8.self),
                String(decoding: try encoder.encode(formats.map(\.rawValue).sorted()), as: UTF8.self)
            )
        } catch {
            throw .storage("\(error)")
        }
    }
}

/// The values of a new row of the table `library_import_entry`.
private struct EntryValues: Encodable, Sendable {
    let place: Int
    let address, title, note: String
    let addedAt: Date?
    let tags, folders: [String]
    var state: String
    var reason, page: String?

    init(_ entry: ImportEntry) {
        var address = entry.address.address
        switch entry.state {
        case .waiting(let url): (state, address) = ("waiting", url.absoluteString)
        case .alreadySaved(let id): (state, page) = ("known", id.description)
        case .repeated: state = "repeated"
        case .unusable(let text): (state, reason) = ("unusable", text)
        }
        place = entry.address.place
        (self.address, title, note) = (address, entry.address.title, entry.address.note)
        addedAt = entry.address.addedAt
        (tags, folders) = (entry.address.tags, entry.address.folders)
    }
}

extension LibraryImport {
    /// Creates an import from its row and the numbers of its entries; `nil` if the row isn't valid.
    fileprivate init?(_ row: SQLRow, _ counts: [SQLRow]) throws {
        guard let id = ID(try row.decode(forColumn: "id")),
            let format = AddressFormat(rawValue: try row.decode(forColumn: "format"))
        else { return nil }
        self.init(
            id: id, name: try row.decode(forColumn: "name"), format: format,
            formats: Set(formatsIn: try row.decode(forColumn: "formats")),
            createdAt: Date(timeIntervalSinceReferenceDate: try row.decode(forColumn: "created_at")))
        for row in counts {
            let count: Int = try row.decode(forColumn: "count")
            let state: String = try row.decode(forColumn: "state")
            let page: String? = try row.decode(forColumn: "page")
            switch (state, page, try row.decode(Bool.self, forColumn: "is_deleted")) {
            case ("waiting", _, _): self.counts.waiting += count
            case ("started", "fetching", false): self.counts.saving += count
            case ("started", "found", false): self.counts.saved += count
            case ("started", "failed", false): self.counts.failed += count
            case ("started", _, _): self.counts.deleted += count
            case ("known", _, _): self.counts.alreadySaved += count
            case ("repeated", _, _): self.counts.repeated += count
            default: self.counts.unusable += count
            }
        }
    }
}

extension WaitingEntry {
    fileprivate init?(_ row: SQLRow) throws {
        guard let url = URL(string: try row.decode(forColumn: "address")) else { return nil }
        let formats: String = try row.decode(forColumn: "formats")
        self.init(
            number: try row.decode(forColumn: "number"),
            request: CaptureRequest(url: url, formats: Set(formatsIn: formats)),
            addedAt: try row.decode(Double?.self, forColumn: "added_at").map(
                Date.init(timeIntervalSinceReferenceDate:)),
            tags: texts(in: try row.decode(forColumn: "tags")), note: try row.decode(forColumn: "note"),
            title: try row.decode(forColumn: "title"))
    }
}

extension Set<PageFormat> {
    /// The formats in a JSON list of their names.
    fileprivate init(formatsIn json: String) {
        self.init(texts(in: json).compactMap(PageFormat.init(rawValue:)))
    }
}

/// The texts in a JSON list; none if it isn't one.
private func texts(in json: String) -> [String] {
    (try? JSONDecoder().decode([String].self, from: Data(json.utf8))) ?? []
}
