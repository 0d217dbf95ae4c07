import Foundation
import GRDB
import OfflineLibraryModel
import Persistence

/// What an owner's pages use of the budget, maintained and checked in the transactions that change pages.
struct LibraryUsage {
    /// What the rows of a page and its notices take at most, for the floor of free disk space.
    private static let rowBytes = 64 << 10

    let owner: String
    let blobs: BlobStore

    private var budget: OwnerBudget { blobs.budget }

    /// Refuses another page where the library is full, or too many captures wait, or the disk is.
    func admitPage(in transaction: GRDB.Database) throws {
        let pages = try OwnerUsage.amount(of: .pages, owner: owner, in: transaction)
        if let refusal = budget.refusalOfPage(at: pages) { throw LibraryError.overBudget(refusal) }
        if let refusal = blobs.refusal(adding: Self.rowBytes) { throw LibraryError.overBudget(refusal) }
    }

    /// Refuses files that don't fit, before any of them is moved to its place.
    func admit(_ staged: [StagedBlob], in transaction: GRDB.Database) throws {
        do {
            try OwnerUsage.admit(staged, owner: owner, budget: budget, in: transaction)
        } catch let refusal as OverBudget {
            throw LibraryError.overBudget(refusal)
        }
    }

    /// Notes what has become of a page.
    ///
    /// - Parameters:
    ///   - id: The page.
    ///   - old: What it was; `nil` if there was none.
    ///   - new: What it is; `nil` if there is none any more.
    ///   - transaction: That which changes the page.
    /// - Throws: ``LibraryError/overBudget(_:)``, if another capture would wait and too many do.
    func note(
        _ id: KeptPage.ID, from old: PageRecord?, to new: PageRecord?, in transaction: GRDB.Database
    ) throws {
        // What is brought back was admitted before.
        if let new, new.isWaiting, old.map({ !$0.isWaiting && $0.deletedAt == nil }) ?? true {
            let waiting = try OwnerUsage.amount(of: .waitingCaptures, owner: owner, in: transaction)
            if let refusal = budget.refusalOfCapture(at: waiting) { throw LibraryError.overBudget(refusal) }
        }
        try Self.set(isWaiting: new?.isWaiting, of: id.description, owner: owner, in: transaction)
        guard old?.files != new?.files else { return }
        try Self.use(new?.files, owner: owner, in: transaction)
        for file in old.map({ Array($0.files.values) }) ?? [] {
            guard let blob = BlobStore.ID(file.blob) else { continue }
            try OwnerUsage.endUse(of: blob, owner: owner, in: transaction)
        }
    }

    /// Sets whether a page waits; `nil` if it is gone.
    private static func set(
        isWaiting: Bool?, of page: String, owner: String, in transaction: GRDB.Database
    ) throws {
        guard let isWaiting else {
            try transaction.cachedStatement(sql: "DELETE FROM library_usage WHERE owner = ? AND page = ?")
                .execute(arguments: [owner, page])
            return
        }
        try transaction.cachedStatement(
            sql: """
                INSERT INTO library_usage (owner, page, waiting) VALUES (?, ?, ?)
                ON CONFLICT (owner, page) DO UPDATE SET waiting = excluded.waiting
                """
        ).execute(arguments: [owner, page, isWaiting])
    }

    private static func use(
        _ files: [String: PageRecord.File]?, owner: String, in transaction: GRDB.Database
    ) throws {
        for file in files.map({ Array($0.values) }) ?? [] {
            guard let blob = BlobStore.ID(file.blob) else { continue }
            try OwnerUsage.use(blob, bytes: file.bytes, owner: owner, in: transaction)
        }
    }

    /// Notes that a page is no longer one, because it can't be read; its files stay, and count.
    static func forget(_ key: StoreKey, owner: String, in transaction: GRDB.Database) throws {
        try set(
            isWaiting: nil, of: String("\(key)".dropFirst(PageRecord.prefix.count)), owner: owner, in: transaction)
    }
}

extension PageRecord {
    /// Whether its capture is under way or waits.
    fileprivate var isWaiting: Bool { state == .fetching && deletedAt == nil }
}

// MARK: - Introducing it

extension LibraryUsage {
    /// Begins to count, with the pages that are there.
    static func introduce(in connection: GRDB.Database) throws {
        try connection.execute(
            sql: """
                CREATE TABLE library_usage (
                    owner TEXT NOT NULL,
                    page TEXT NOT NULL,
                    waiting INTEGER NOT NULL CHECK (waiting IN (0, 1)),
                    PRIMARY KEY (owner, page)
                ) STRICT, WITHOUT ROWID;
                """)
        let (pages, waiting) = (OwnerBudget.Item.pages.name, OwnerBudget.Item.waitingCaptures.name)
        let table = "library_usage"
        try OwnerUsage.count(pages, adding: "1", for: "NEW.owner", after: "INSERT", on: table, in: connection)
        try OwnerUsage.count(pages, adding: "-1", for: "OLD.owner", after: "DELETE", on: table, in: connection)
        try OwnerUsage.count(
            waiting, adding: "NEW.waiting", for: "NEW.owner", after: "INSERT", on: table, in: connection)
        try OwnerUsage.count(
            waiting, adding: "-OLD.waiting", for: "OLD.owner", after: "DELETE", on: table, in: connection)
        try OwnerUsage.count(
            waiting, adding: "NEW.waiting - OLD.waiting", for: "NEW.owner", after: "UPDATE", on: table, in: connection)
        let rows = try Row.fetchCursor(
            connection,
            sql: """
                SELECT owner, format, version, payload FROM stored_value AS value
                WHERE substr(key, 1, length(?1)) = ?1 AND payload IS NOT NULL AND sequence = (
                    SELECT max(sequence) FROM stored_value WHERE owner = value.owner AND key = value.key)
                """, arguments: [PageRecord.prefix])
        while let row = try rows.next() {
            let content = StoredContent(format: row["format"], version: row["version"], payload: row["payload"])
            // What can't be read is set aside when the library opens.
            guard let record = try? PageRecord.format.value(of: content) else { continue }
            let owner: String = row["owner"]
            try set(isWaiting: record.isWaiting, of: record.id, owner: owner, in: connection)
            try use(record.files, owner: owner, in: connection)
        }
    }
}
