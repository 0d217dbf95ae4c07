import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence
import ServedPostgreSQL
import StoreTesting
import Testing

/// Versions of a page whose web archives have equal resources.
@Suite(.timeLimit(.minutes(10))) struct SharedPartsTests {
    private static let pictures = (0..<3).map { ArchivePiecesTests.content($0, count: 30_000) }

    /// An archive with a text of its own, and the same pictures as others.
    private static func archive(_ text: String) throws -> Data {
        try ArchivePiecesTests.archive(text, resources: pictures).propertyList()
    }

    private static func capture(_ text: String) throws -> PageCapture {
        var capture = PageCapture.page(text)
        capture.data = [.webArchive: try archive(text)]
        capture.thumbnail = nil
        return capture
    }

    private func add(_ text: String, to store: any LibraryStore, owner: OwnerID = "ann") async throws -> SavedPage.ID {
        let id = try await store.add(owner: owner).id
        let capture = try Self.capture(text)
        _ = try #require(try await store.save(capture, as: id, owner: owner, attempt: 1, at: .start))
        return id
    }

    private func archive(_ id: SavedPage.ID, in store: any LibraryStore, owner: OwnerID = "ann") async throws -> Data? {
        guard let file = try await store.file(.webArchive, of: id, owner: owner) else { return nil }
        let data = try await file.read()
        #expect(data.count == file.byteCount)
        if store is SQLiteLibraryStore { #expect(file.digest == BlobStore.ID(of: data).description) }
        return data
    }

    /// The size of all files in the folder of blobs.
    private func storedBytes(_ fixture: SQLiteFixture) throws -> Int {
        let names = FileManager.default.enumerator(atPath: fixture.path + "/blobs")?.compactMap { $0 as? String } ?? []
        return try names.reduce(0) { sum, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(fixture.path)/blobs/\(name)")
            return sum + (attributes[.type] as? FileAttributeType == .typeRegular ? attributes[.size] as? Int ?? 0 : 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func eachVersionIsWholeWhenTheOtherIsRemoved(kind: StoreKind) async throws {
        for removed in [0, 1] {
            let fixture = try await kind.fixture()
            let store = fixture.store
            let ids = [try await add("first", to: store), try await add("second", to: store)]
            #expect(try await archive(ids[0], in: store) == Self.archive("first"))
            #expect(try await archive(ids[1], in: store) == Self.archive("second"))
            try await store.delete(ids[removed], at: .start)
            #expect(try await archive(ids[removed], in: store) == nil)
            try await store.restore(ids[removed])
            #expect(try await archive(ids[removed], in: store) == Self.archive(["first", "second"][removed]))
            try await store.delete(ids[removed], at: .start)
            fixture.folder?.time.set(.start + 10_000)
            try await store.purge(deletedBefore: .distantFuture)
            #expect(try await archive(ids[1 - removed], in: store) == Self.archive(["second", "first"][removed]))
            try await store.delete(ids[1 - removed], at: .start)
            fixture.folder?.time.set(.start + 20_000)
            try await store.purge(deletedBefore: .distantFuture)
            if let folder = fixture.folder {
                #expect(folder.fileCount == 0)
                let used = try await folder.database.usage(of: [], owner: "ann").bytes
                #expect(try await folder.values("SELECT count(*) FROM blob") == [0])
                #expect(used == 0)
            }
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func secondVersionTakesLittleSpace(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        _ = try await add("first", to: fixture.store)
        let first = try storedBytes(fixture)
        #expect(try await fixture.database.usage(of: [], owner: "ann").bytes == Int64(first))
        _ = try await add("second", to: fixture.store)
        let second = try storedBytes(fixture) - first
        #expect(first > 90_000 && second < 3_000)
        #expect(try await fixture.database.usage(of: [], owner: "ann").bytes == Int64(first + second))
        // Another owner's use counts in full, but takes no space.
        _ = try await add("second", to: fixture.store, owner: "bob")
        #expect(try await fixture.database.usage(of: [], owner: "bob").bytes > 90_000)
        #expect(try storedBytes(fixture) == first + second)
        if let file = fixture.database as? AppDatabase { #expect(try await file.verify().problems == []) }
    }

    @Test(arguments: DatabaseKind.allCases)
    func versionThatOnlySharesFitsIntoAFullBudget(_ kind: DatabaseKind) async throws {
        var budget = OwnerBudget()
        budget.bytes = 110_000
        let fixture = try await SQLiteFixture(kind, budget: budget)
        let store = fixture.store
        for number in 0..<5 { _ = try await add("version \(number)", to: store) }
        let other = try await store.add(owner: "ann").id
        var capture = PageCapture.page("other")
        capture.data = [.webArchive: ArchivePiecesTests.content(9, count: 90_000)]
        await #expect(throws: LibraryError.self) {
            _ = try await store.save(capture, as: other, attempt: 1, at: .start)
        }
    }

    @Test(arguments: DatabaseKind.allCases)
    func newCaptureReplacesAnArchiveInPieces(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let store = fixture.store
        let id = try await add("first", to: store)
        let old = try #require(try await store.file(.webArchive, of: id, owner: "ann"))
        let attempt = try await store.beginAgain(id)
        _ = try await store.save(try Self.capture("again"), as: id, attempt: attempt, at: .start)
        #expect(try await archive(id, in: store) == Self.archive("again"))
        // A reader that has begun can finish.
        #expect(try await old.read() == Self.archive("first"))
        fixture.time.set(.start + 10_000)
        try await store.purge(deletedBefore: .distantFuture)
        #expect(try await archive(id, in: store) == Self.archive("again"))
        await #expect(throws: LibraryError.self) { try await old.read() }
    }

    @Test(arguments: DatabaseKind.allCases)
    func failedSaveLeavesNoPieces(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let id = try await fixture.store.add(owner: "ann").id
        try await fixture.refuse(.webArchive)
        await #expect(throws: LibraryError.self) {
            _ = try await fixture.store.save(try Self.capture("first"), as: id, attempt: 1, at: .start)
        }
        try await fixture.refuseNothing()
        #expect(try await fixture.store.save(try Self.capture("first"), as: id, attempt: 1, at: .start) != nil)
        #expect(try await archive(id, in: fixture.store) == Self.archive("first"))
        fixture.time.set(Date(timeIntervalSinceNow: 200_000))
        _ = try await fixture.blobs.sweep()
        // One file for the rest, and one for each picture.
        #expect(fixture.fileCount == 4)
    }

    @Test(arguments: DatabaseKind.allCases)
    func archiveOfAnEarlierVersionStaysInOneFile(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        let content = try Self.archive("first")
        let staged = try await fixture.blobs.stage(content)
        let page = try await fixture.store.add(owner: "ann")
        try await fixture.database.writeRows(locking: []) { [blobs = fixture.blobs] transaction in
            try blobs.add(staged, in: transaction)
            try transaction.execute(
                """
                INSERT INTO library_file (page, kind, blob, bytes)
                SELECT number, 'webarchive', ?, CAST(? AS BIGINT) FROM library_page WHERE id = ?
                """, [staged.id, staged.bytes, page.id.description])
        }
        #expect(
            try await fixture.store.file(.webArchive, of: page.id)?.content == .path(fixture.blobs.path(of: staged.id)))
        let same = try await add("first", to: fixture.store)
        #expect(
            try await fixture.store.file(.webArchive, of: same)?.content == .path(fixture.blobs.path(of: staged.id)))
        let second = try await add("second", to: fixture.store)
        #expect(try await archive(same, in: fixture.store) == content)
        #expect(try await archive(second, in: fixture.store) == Self.archive("second"))
    }

    /// A job reads an uploaded page by its path.
    @Test(arguments: DatabaseKind.allCases)
    func uploadedArchiveIsOneFile(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        // The same archive exists in pieces already.
        let captured = try await add("first", to: fixture.store)
        let content = try Self.archive("first")
        let url = try #require(URL(string: "https://page.example/"))
        let request = CaptureRequest(url: url, formats: [.webArchive])
        let page = SavedPage(request: request, requestedAt: .start, state: .fetching(request, previous: nil))
        try await fixture.store.addUpload(page, source: .webArchive, content: content, owner: "ann")
        let file = try #require(try await fixture.store.file(.webArchive, of: page.id))
        #expect(file.content == .path(fixture.blobs.path(of: BlobStore.ID(of: content))))
        #expect(try await file.read() == content)
        #expect(try await archive(captured, in: fixture.store) == content)
    }

    @Test(arguments: DatabaseKind.allCases)
    func exportContainsEachArchiveWhole(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        for text in ["first", "second"] { _ = try await add(text, to: fixture.store) }
        var zip = Data()
        let summary = try await fixture.store.export(.all, owner: "ann", at: .start).write { zip.append($0) }
        #expect(summary.files == 2 && summary.problems == [])
        for text in ["first", "second"] {
            // Web archives aren't compressed in an export.
            let archive = try Self.archive(text)
            #expect(zip.range(of: archive) != nil)
        }
        // The digests of all files are in the list of pages, which is compressed.
        #expect(zip.count > 2 * 90_000)
    }

    @Test(arguments: DatabaseKind.allCases)
    func exportReportsAMissingPiece(_ kind: DatabaseKind) async throws {
        let fixture = try await SQLiteFixture(kind)
        _ = try await add("first", to: fixture.store)
        try FileManager.default.removeItem(atPath: fixture.blobs.path(of: BlobStore.ID(of: Self.pictures[1])))
        var zip = Data()
        let summary = try await fixture.store.export(.all, owner: "ann", at: .start).write { zip.append($0) }
        #expect(summary.problems.count == 1)
    }

    @Test(arguments: StoreKind.allCases)
    func partsTellWhatVersionsShare(kind: StoreKind) async throws {
        let fixture = try await kind.fixture()
        let versions = try #require(fixture.store as? any VersionStore)
        let ids = [try await add("first", to: fixture.store), try await add("second", to: fixture.store)]
        let parts = try await versions.storedParts(of: Set(ids), kinds: [.webArchive], owner: "ann")
        for id in ids {
            let size = try #require(try await fixture.store.file(.webArchive, of: id)).byteCount
            #expect(parts[id]?.values.reduce(0, +) == size)
        }
        let shared = Set(try #require(parts[ids[0]]).keys).intersection(try #require(parts[ids[1]]).keys)
        #expect(shared.count == (kind == .memory ? 0 : 3))
        #expect(try await versions.storedParts(of: Set(ids), kinds: [.webArchive], owner: "bob") == [:])
        #expect(try await versions.storedParts(of: Set(ids), kinds: [.pdf], owner: "ann") == [:])
        #expect(try await versions.storedParts(of: [], kinds: [.webArchive], owner: "ann") == [:])
    }

    @Test func backupRestoresBothVersions() async throws {
        let (fixture, other) = (try await SQLiteFixture(), try TemporaryFolder())
        let ids = [try await add("first", to: fixture.store), try await add("second", to: fixture.store)]
        let path = "\(other.path)/backup.tar"
        _ = try await fixture.file.backUp(to: path)
        let folder = try DataFolder.open(at: "\(other.path)/data")
        _ = try await Backup.restore(path, into: folder, migrations: LibraryMigrations.all)
        let database = try await AppDatabase.open(in: folder, migrations: LibraryMigrations.all)
        defer { database.close() }
        let store = SQLiteLibraryStore(database: database, blobs: BlobStore(database: database))
        #expect(try await archive(ids[0], in: store) == Self.archive("first"))
        #expect(try await archive(ids[1], in: store) == Self.archive("second"))
        #expect(try await database.verify().problems == [])
    }
}
