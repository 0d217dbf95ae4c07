import Accounts
import CoffeeTrackerModel
import CoffeeTrackerStore
import EmojiArtModel
import EmojiArtStore
import Foundation
import HealthSamples
import Jobs
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import PostgreSQL
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Capture
@testable import Persistence

/// The schema of all stores, as the program has it.
enum Schema {
    static let sqlite =
        LibraryMigrations.all + SQLiteSampleStore.migrations + CoffeeMigrations.all + BoardMigrations.all
        + SQLiteJobQueue.migrations + SQLiteAccountStore.migrations + AuditLog.migrations
        + SQLiteShareStore.migrations
    static let postgreSQL =
        SQLiteStore.postgreSQLMigrations + BlobStore.postgreSQLMigrations + LibraryMigrations.postgreSQL
        + SQLiteSampleStore.postgreSQLMigrations + CoffeeMigrations.postgreSQL + BoardMigrations.postgreSQL
        + SQLiteJobQueue.postgreSQLMigrations + SQLiteAccountStore.postgreSQLMigrations + ClusterMember.migrations
}

/// A database of a test that moves data, in a folder that is deleted with this object.
final class Place: Sendable {
    let kind: DatabaseKind
    /// `nil` if another process deletes the folder.
    private let temporary: TemporaryFolder?
    let folder: DataFolder
    let database: any SQLDatabase

    convenience init(_ kind: DatabaseKind) async throws {
        let temporary = try TemporaryFolder()
        try await self.init(kind, at: "\(temporary.path)/data", temporary)
    }

    /// Opens the database of a folder, also in another process.
    init(_ kind: DatabaseKind, at path: String, _ temporary: TemporaryFolder? = nil) async throws {
        self.kind = kind
        self.temporary = temporary
        folder = try DataFolder.open(at: path)
        database = try await Self.open(kind, folder, true)
    }

    private static func open(
        _ kind: DatabaseKind, _ folder: DataFolder, _ opensUnfinishedMove: Bool
    ) async throws -> any SQLDatabase {
        switch kind {
        case .sqlite:
            try await AppDatabase.open(
                in: folder, migrations: Schema.sqlite, opensUnfinishedMove: opensUnfinishedMove)
        case .postgreSQL:
            try await PostgresDatabase.open(
                ServedPostgreSQL.schema(for: folder.path, isShared: true), limits: ServedPostgreSQL.limits,
                migrations: Schema.postgreSQL, opensUnfinishedMove: opensUnfinishedMove)
        }
    }

    /// Opens the database as another process would.
    func another(opensUnfinishedMove: Bool = false) async throws -> any SQLDatabase {
        try await Self.open(kind, folder, opensUnfinishedMove)
    }

    deinit { database.close() }
}

extension DatabaseMove {
    /// A move with what the stores of the program need.
    static func test(_ source: Place, _ target: Place, _ batchRows: Int = 7) -> DatabaseMove {
        test(source.database, target.database, batchRows)
    }

    static func test(_ source: any SQLDatabase, _ target: any SQLDatabase, _ batchRows: Int = 7) -> DatabaseMove {
        var move = DatabaseMove(
            from: source, to: target, indexes: [LibraryMigrations.searchIndex],
            seededTables: SQLiteJobQueue.seededTables, keys: LibraryMigrations.keys)
        move.batchRows = batchRows
        return move
    }
}

extension Date {
    static let start = Date(timeIntervalSince1970: 1_795_000_000)
}

extension String {
    /// A text with characters that databases treat in special ways.
    static let hostile = "a\u{1}b \u{10FFFF}\u{202E} \(printable)"
    static let printable = "\\x00 $1 ? '\"; DROP TABLE blob; -- 👩‍👩‍👧‍👦 e\u{301} \u{FFFD} 漢字"
}

/// All stores of a database.
struct Stores: Sendable {
    let database: any SQLDatabase
    let values: SQLiteStore
    let boards: SQLiteBoardStore
    let drinks: CoffeeDataStore
    let samples: SQLiteSampleStore
    let library: SQLiteLibraryStore
    let jobs: SQLiteJobQueue
    let accounts: SQLiteAccountStore
    let shares: SQLiteShareStore
    let log: AuditLog

    /// Opens the stores, whose blobs are in a folder.
    init(_ database: any SQLDatabase, _ folder: DataFolder) async throws {
        self.database = database
        let blobs = BlobStore(in: database, folder: folder, now: { .start })
        values = SQLiteStore(in: database, owner: "ann", now: { .start })
        boards = SQLiteBoardStore(in: database, blobs: blobs, now: { .start })
        drinks = CoffeeDataStore(in: database, folder: folder, owner: "ann")
        samples = try await SQLiteSampleStore.open(owner: "ann", inAny: database, now: { .start })
        library = SQLiteLibraryStore(in: database, blobs: blobs)
        jobs = SQLiteJobQueue(in: database, signal: database.changeSignal(of: "jobs"), now: { .start })
        accounts = SQLiteAccountStore(in: database)
        shares = SQLiteShareStore(in: database)
        log = AuditLog(in: database, now: { .start })
    }
}

// MARK: - Filling

extension Stores {
    private static let app = SampleSource(identifier: "app", name: "App “漢字” 👩‍👩‍👧‍👦 '; --")

    /// Writes to all stores.
    func fill() async throws {
        try await fillValues()
        try await fillBoards()
        try await fillDrinks()
        try await fillLibrary()
        try await fillJobs()
        try await fillAccounts()
        try await database.writeRows(locking: []) { connection in
            _ = try connection.execute("INSERT INTO blob_claim (id, name) VALUES (1, 'a database')")
        }
    }

    func fillValues() async throws {
        for number in 0..<20 {
            let key = try StoreKey("key \(number) 👻")
            for version in 1...(1 + number % 3) {
                let content = StoredContent(
                    format: "test", version: version, payload: Data("\(number)".utf8) + Data([0, 255]))
                _ = try await values.commit([StoreWrite(key, content, expecting: .anything)])
            }
        }
        _ = try await values.commit([StoreWrite("key 3 👻", nil, expecting: .anything)])
    }

    func fillBoards() async throws {
        let id = try #require(BoardID("board"))
        _ = try await boards.create(id, named: .printable, art: EmojiArt(), owner: "ann")
        for number in 0..<30 {
            let emoji = Emoji(
                id: try #require(EmojiID("e\(number)")), text: "🐶", x: number == 0 ? -0.0 : Double(number) / 3, y: -2.5,
                size: 40, z: 0)
            _ = try await boards.apply(
                OperationBatch(id: "b\(number)", name: "Step", operations: [.add(emoji)]), to: id, owner: "ann",
                author: "one")
        }
        let picture = try await boards.add(
            PictureContent(data: Data("picture".utf8), type: "image/png"), for: id, owner: "ann")
        _ = try await boards.apply(
            OperationBatch(id: "p", name: "Picture", operations: [.setBackground(.picture(picture))]), to: id,
            owner: "ann", author: "two")
        // The highest number belongs to a row that was deleted.
        let gone = try #require(BoardID("gone"))
        _ = try await boards.create(gone, named: "Gone", art: EmojiArt(), owner: "ann")
        try await boards.discard(gone, owner: "ann")
    }

    func fillDrinks() async throws {
        for number in 0..<25 {
            let drink = Drink(
                id: UUID(), name: "Coffee \(number)", emoji: "☕️", milligrams: 96.1,
                millilitres: number.isMultiple(of: 2) ? 200 : nil,
                start: .start + Double(number) * 60, sipping: 90, timeZone: "Europe/Vienna")
            _ = try await drinks.apply([.add(drink)])
        }
        try await samples.grant(.share, to: [.dietaryCaffeine], source: Self.app)
        try await samples.grant(.read, to: [.dietaryCaffeine], source: Self.app)
        for number in 0..<15 {
            let sample = Sample(
                id: UUID(), type: .dietaryCaffeine, quantity: Quantity(95.5 + Double(number), .milligram),
                start: .start - Double(number), source: Self.app)
            _ = try await samples.save([sample], by: Self.app)
        }
    }

    func fillLibrary() async throws {
        for number in 0..<12 {
            let url = try #require(URL(string: "https://page\(number).example/a?b=\(number)"))
            let request = CaptureRequest(url: url, formats: [.png, .webArchive])
            var page = SavedPage(
                request: request, requestedAt: .start + Double(number), state: .fetching(request, previous: nil))
            page.marks = try PageMarks(
                isFavourite: number == 2, tags: PageTag.tags(in: "tag\(number), Café"), note: "Note 漢字 of \(number)")
            try await library.add(page, owner: "ann")
            guard number < 9 else { continue }
            _ = try await library.save(capture(url, number), as: page.id, owner: "ann", attempt: 1, at: .start)
            if number == 4 { try await library.delete(page.id, owner: "ann", at: .start) }
        }
        let url = try #require(URL(string: "https://import.example/"))
        let address = ImportedAddress(
            place: 1, address: url.absoluteString, title: .hostile, addedAt: .start, tags: ["a"], folders: ["Outer"])
        let new = LibraryImport(
            id: LibraryImport.ID(), name: "bookmarks.html", format: .bookmarks, formats: [.png], createdAt: .start)
        try await library.addImport(new, entries: [ImportEntry(address, .waiting(url))], owner: "ann")
    }

    /// A capture whose web archive is stored in pieces, which other archives share.
    private func capture(_ url: URL, _ number: Int) throws -> PageCapture {
        let archive = WebArchive(
            mainResource: WebArchive.Resource(
                data: Data("page \(number)".utf8), url: url.absoluteString, mediaType: "text/html",
                textEncodingName: "UTF-8"),
            subresources: [
                WebArchive.Resource(
                    data: Data((0..<30_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 3) }), url: "\(url)/1",
                    mediaType: "image/png")
            ])
        return PageCapture(
            requestedURL: url, url: url, title: "Title number\(number) \(String.hostile)", httpStatus: 200,
            contentSize: (800, 600), readiness: .almostIdle,
            data: [.png: Data("picture of \(number)".utf8), .webArchive: try archive.propertyList()],
            thumbnail: Data("small \(number)".utf8), resources: [],
            warnings: [PageCapture.Warning(kind: .blank, message: "“Nothing” is visible.")], duration: .seconds(1))
    }

    func fillJobs() async throws {
        for number in 0..<10 {
            _ = try await jobs.enqueue(
                Job(
                    id: Job.ID("job\(number)"), owner: "ann", kind: "test", lane: "default", priority: -number,
                    payload: Data([UInt8(number), 0])))
        }
        let lease = try #require(try await jobs.lease(lanes: ["default"], worker: "w", for: 30))
        _ = try await jobs.end(lease, .succeeded(Data("result".utf8)))
        _ = try await jobs.lease(lanes: ["default"], worker: "w", for: 30)
    }

    func fillAccounts() async throws {
        let signIn = SignIn(
            store: accounts, hasher: PasswordHasher(cost: ScryptCost(logRounds: 4, blockSize: 1, parallelism: 1)),
            now: { .start })
        let password = try #require(Password("correct horse"))
        let anna = try await signIn.add(try #require(AccountName("anna")), password, isAdministrator: true)
        let bert = try await signIn.add(try #require(AccountName("bert")), password, isAdministrator: false)
        _ = try await signIn.addToken(
            of: anna.owner, named: "Test", scopes: [try #require(APIScope("coffee:read"))], days: 1)
        let share = Share(
            owner: anna.owner, item: SharedItem(kind: "board", id: "beach"), allowsEditing: true, createdAt: .start,
            expiresAt: .start + 100)
        try await shares.add(share, tokenHash: RandomToken().hash)
        for number in 0..<5 {
            log.record(AuditEvent(.deleted, of: bert.owner, subject: "Page \(number) \(String.hostile)", session: "s"))
        }
        try await log.write()
    }
}

// MARK: - Reading

/// What all stores return.
struct Contents: Equatable, Sendable {
    var values: [StoredRecord?] = []
    var board: Board?
    var changes: BoardChanges?
    var drinks: [Drink] = []
    var samples: [Sample] = []
    var pages: [SavedPage] = []
    var files: [String] = []
    var found: [Set<SavedPage.ID>] = []
    var imports: [LibraryImport] = []
    var jobs: [JobRecord?] = []
    var accounts: [Account] = []
    var tokens: [APIToken] = []
    var log: [AuditEntry] = []
    var amounts: [Int] = []
    var bytes: Int64 = 0
}

extension Stores {
    func contents() async throws -> Contents {
        var contents = Contents()
        for key in try await values.keys(beginningWith: "").sorted() {
            contents.values.append(try await values.read(key))
        }
        let id = try #require(BoardID("board"))
        contents.board = try await boards.board(id, owner: "ann")
        contents.changes = try await boards.changes(of: id, since: 0, owner: "ann")
        contents.drinks = try await drinks.snapshot(since: .distantPast).drinks
        contents.samples = try await samples.samples(SampleQuery(types: [.dietaryCaffeine]), by: Self.app)
        contents.pages = try await library.pages(ofOwner: "ann")
        for page in contents.pages {
            for kind in [FileKind.png, .webArchive] {
                guard let file = try await library.file(kind, of: page.id, owner: "ann") else { continue }
                contents.files.append("\(kind) \(file.digest) \(BlobStore.ID(of: try await file.read()))")
            }
        }
        for words in ["title", "number3", "漢", "cafe", "example", "note", "nothing-such"] {
            let query = LibraryQuery(words: SearchWords(words), filter: PageFilter())
            let found = try await library.find(query, owner: "ann", range: 0..<50)
            contents.found.append(Set(found.pages.map(\.id)))
        }
        contents.imports = try await library.imports(ofOwner: "ann")
        for number in 0..<10 { contents.jobs.append(try await jobs.record(Job.ID("job\(number)"))) }
        contents.accounts = try await accounts.accounts()
        for account in contents.accounts {
            contents.tokens += try await accounts.tokens(of: account.owner, at: .start)
        }
        contents.log = try await log.entries(AuditLog.Filter(of: nil), limit: 100)
        let usage = try await database.usage(of: [.pages, .boards, .drinks, .waitingCaptures], owner: "ann")
        (contents.amounts, contents.bytes) = usage
        return contents
    }
}
