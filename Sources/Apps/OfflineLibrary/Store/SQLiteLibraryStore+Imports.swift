import Capture
import Foundation
import GRDB
public import OfflineLibraryModel
public import Persistence

// Imports of addresses.

extension SQLiteLibraryStore: ImportStore {
    /// Adds an import with its entries.
    public func addImport(
        _ new: LibraryImport, entries: [ImportEntry], owner: OwnerID
    ) async throws(LibraryError) {
        let (rows, formats) = try await Self.json(of: entries, formats: new.formats)
        try await run(database.write) { [blobs] transaction in
            let count = try Int.fetchOne(
                transaction, sql: "SELECT count(*) FROM library_import WHERE owner = ?", arguments: [owner])
            if let refusal = OwnerBudget.refusalOfImport(at: count ?? 0)
                // Indexes take about as much space as the entries.
                ?? blobs.refusal(adding: 2 * rows.utf8.count)
            {
                throw LibraryError.overBudget(refusal)
            }
            try transaction.execute(
                sql: """
                    INSERT INTO library_import (id, owner, name, format, formats, created_at) VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    new.id.description, owner, new.name, new.format.rawValue, formats,
                    new.createdAt.timeIntervalSinceReferenceDate,
                ])
            // One statement for all entries takes a fifth of the time of one for each.
            try transaction.execute(
                sql: """
                    INSERT INTO library_import_entry (
                        import, place, address, title, added_at, tags, folders, note, is_note_due, state, reason, page)
                    SELECT ?1, value ->> 'place', value ->> 'address', value ->> 'title', value ->> 'addedAt',
                        value -> 'tags', value -> 'folders', value ->> 'note',
                        value ->> 'state' = 'known' AND (value ->> 'note' != '' OR json_array_length(value, '$.tags') > 0),
                        value ->> 'state', value ->> 'reason',
                        (SELECT number FROM library_page WHERE id = value ->> 'page' AND owner = ?3)
                    FROM json_each(?2) ORDER BY key
                    """, arguments: [transaction.lastInsertedRowID, rows, owner])
        }
    }

    /// The imports of an owner, the newest first; invalid rows are skipped.
    public func imports(ofOwner owner: OwnerID) async throws(LibraryError) -> [LibraryImport] {
        try await run(database.read) { connection in
            let counts = try Row.fetchAll(
                connection,
                sql: """
                    SELECT import, entry.state AS state, page.state AS page, deleted_at IS NOT NULL AS is_deleted,
                        count(*) AS count
                    FROM library_import_entry AS entry LEFT JOIN library_page AS page ON page.number = entry.page
                    WHERE import IN (SELECT number FROM library_import WHERE owner = ?)
                    GROUP BY 1, 2, 3, 4
                    """, arguments: [owner])
            let countsOfImports = Dictionary(grouping: counts) { $0["import"] as Int64 }
            let notes = try Row.fetchAll(
                connection,
                sql: """
                    SELECT import, count(*) AS count FROM library_import_entry
                    WHERE import IN (SELECT number FROM library_import WHERE owner = ?) AND \(Self.hasOtherNote)
                    GROUP BY 1
                    """, arguments: [owner])
            let countsOfNotes = Dictionary(
                uniqueKeysWithValues: notes.map { ($0["import"] as Int64, $0["count"] as Int) })
            return try Row.fetchAll(
                connection, sql: "SELECT * FROM library_import WHERE owner = ? ORDER BY number DESC",
                arguments: [owner]
            ).compactMap { row in
                var stored = LibraryImport(row, countsOfImports[row["number"]] ?? [])
                stored?.counts.otherNotes = countsOfNotes[row["number"]] ?? 0
                return stored
            }
        }
    }

    /// The condition for entries whose note wasn't added, as in the index `library_import_entry_noted`.
    private static let hasOtherNote = "note != '' AND is_note_due = 0 AND +state IN ('known', 'repeated')"

    /// The entries of a part of an import's report, in the order of the file.
    public func entries(
        _ part: ReportedEntry.Part, of id: LibraryImport.ID, owner: OwnerID, limit: Int
    ) async throws(LibraryError) -> [ReportedEntry] {
        let condition =
            switch part {
            case .failed: "entry.state = 'started' AND page.state = 'failed' AND deleted_at IS NULL"
            case .unusable: "entry.state = 'unusable'"
            case .otherNotes: "entry.note != '' AND is_note_due = 0 AND +entry.state IN ('known', 'repeated')"
            }
        let reason = part == .otherNotes ? "entry.note" : "coalesce(reason, failure_message)"
        return try await run(database.read) { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT place, entry.address AS address, entry.title AS title, \(reason) AS reason
                    FROM library_import_entry AS entry JOIN library_import ON library_import.number = import
                    LEFT JOIN library_page AS page ON page.number = entry.page
                    WHERE library_import.id = ? AND library_import.owner = ? AND \(condition)
                    ORDER BY entry.number LIMIT ?
                    """, arguments: [id.description, owner, limit]
            ).map { row in
                ReportedEntry(
                    place: row["place"], address: row["address"], title: row["title"], reason: row["reason"] ?? "")
            }
        }
    }

    /// The owners of imports with waiting entries.
    public func ownersWithWaitingEntries() async throws(LibraryError) -> [OwnerID] {
        try await run(database.read) { connection in
            try OwnerID.fetchAll(
                connection,
                sql: """
                    SELECT DISTINCT owner FROM library_import WHERE EXISTS (
                        SELECT 1 FROM library_import_entry WHERE import = library_import.number AND state = 'waiting')
                    OR EXISTS (
                        SELECT 1 FROM library_import_entry
                        WHERE import = library_import.number AND is_note_due = 1 AND page IS NOT NULL)
                    ORDER BY owner
                    """)
        }
    }

    /// The next entries of an owner whose tags and notes must still be added, those of the oldest import first.
    public func notedEntries(ofOwner owner: OwnerID, limit: Int) async throws(LibraryError) -> [NotedEntry] {
        try await run(database.read) { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT entry.number AS number, entry.note AS note, entry.tags AS tags, library_page.id AS page
                    FROM library_import CROSS JOIN library_import_entry AS entry ON import = library_import.number
                    JOIN library_page ON library_page.number = entry.page
                    WHERE library_import.owner = ? AND is_note_due = 1
                    ORDER BY import, entry.number LIMIT ?
                    """, arguments: [owner, limit]
            ).compactMap { row in
                SavedPage.ID(row["page"]).map {
                    NotedEntry(
                        number: row["number"], page: $0, note: row["note"], tags: texts(in: row["tags"]))
                }
            }
        }
    }

    /// Records what became of notes.
    public func settle(
        _ notes: [(entry: NotedEntry, isAdded: Bool)], owner: OwnerID
    ) async throws(LibraryError) {
        try await run(database.write) { transaction in
            for (entry, isAdded) in notes {
                try transaction.execute(
                    sql: """
                        UPDATE library_import_entry SET is_note_due = 0, note = iif(?, '', note)
                        WHERE number = ? AND import IN (SELECT number FROM library_import WHERE owner = ?)
                        """, arguments: [isAdded, entry.number, owner])
            }
        }
    }

    /// The next waiting entries of an owner, those of the oldest import first.
    public func waitingEntries(
        ofOwner owner: OwnerID, limit: Int
    ) async throws(LibraryError) -> [WaitingEntry] {
        try await run(database.read) { connection in
            try Row.fetchAll(
                connection,
                sql: """
                    SELECT entry.number AS number, address, title, added_at, tags, note, formats
                    FROM library_import CROSS JOIN library_import_entry AS entry ON import = library_import.number
                    WHERE owner = ? AND state = 'waiting' ORDER BY import, entry.number LIMIT ?
                    """, arguments: [owner, limit]
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
        return try await run(database.write) { [captures] transaction in
            for (entry, page) in known {
                try transaction.execute(
                    sql: """
                        UPDATE library_import_entry
                        SET state = 'known', is_note_due = note != '' OR json_array_length(tags) > 0,
                            page = (SELECT number FROM library_page WHERE id = ? AND owner = ?)
                        WHERE number = ? AND state = 'waiting'
                        """, arguments: [page.description, owner, entry.number])
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
                try row.insert(transaction)
                if let number = row.number {
                    try page.texts.store(of: number, in: transaction)
                    try Self.storeTags(of: page.page.marks, text: page.marks, page: number, in: transaction)
                }
                try captures?.enqueue(row, priority: CaptureJobs.importPriority, in: transaction)
                try transaction.execute(
                    sql: "UPDATE library_import_entry SET state = 'started', note = '', page = ? WHERE number = ?",
                    arguments: [row.number, page.entry])
                started.append(page.page)
            }
            return started
        }
    }

    /// Removes an import with its entries.
    public func removeImport(_ id: LibraryImport.ID, owner: OwnerID) async throws(LibraryError) {
        let isRemoved = try await run(database.write) { transaction in
            try transaction.execute(
                sql: "DELETE FROM library_import WHERE id = ? AND owner = ?", arguments: [id.description, owner])
            return transaction.changesCount > 0
        }
        if !isRemoved { throw .noSuchImport }
    }

    private static func isWaiting(_ entry: Int64, in connection: Database) throws -> Bool {
        try Bool.fetchOne(
            connection.cachedStatement(
                sql: "SELECT 1 FROM library_import_entry WHERE number = ? AND state = 'waiting'"),
            arguments: [entry]) ?? false
    }

    /// Encodes entries for the statement that inserts them.
    @concurrent
    private static func json(
        of entries: [ImportEntry], formats: Set<PageFormat>
    ) async throws(LibraryError) -> (entries: String, formats: String) {
        do {
            let encoder = JSONEncoder()
            // Numbers, as the tables store times.
            encoder.dateEncodingStrategy = .deferredToDate
            return (
                String(decoding: try encoder.encode(entries.map(EntryValues.init)), as: UTF8.self),
                String(decoding: try encoder.encode(formats.map(\.rawValue).sorted()), as: UTF8.self)
            )
        } catch {
            throw .storage("\(error)")
        }
    }
}

/// The values of a new row of the table `library_import_entry`.
private struct EntryValues: Encodable {
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
    fileprivate init?(_ row: Row, _ counts: [Row]) {
        guard let id = ID(row["id"]), let format = AddressFormat(rawValue: row["format"]) else { return nil }
        self.init(
            id: id, name: row["name"], format: format, formats: Set(formatsIn: row["formats"]),
            createdAt: Date(timeIntervalSinceReferenceDate: row["created_at"]))
        for row in counts {
            let count: Int = row["count"]
            switch (row["state"] as String, row["page"] as String?, row["is_deleted"] as Bool) {
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
    fileprivate init?(_ row: Row) {
        guard let url = URL(string: row["address"]) else { return nil }
        let time: Double? = row["added_at"]
        self.init(
            number: row["number"], request: CaptureRequest(url: url, formats: Set(formatsIn: row["formats"])),
            addedAt: time.map { Date(timeIntervalSinceReferenceDate: $0) }, tags: texts(in: row["tags"]),
            note: row["note"], title: row["title"])
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
