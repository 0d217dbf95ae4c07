import DurableFiles
import Foundation
import GRDB
import SeededChance
import StoreTesting
import Testing

@testable import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Blobs that are stored in pieces, and share them.
@Suite(.timeLimit(.minutes(20)), .eachBlobStore) struct BlobPieceTests {
    private let folder: TemporaryFolder
    private let database: any SQLDatabase
    private let blobs: BlobStore
    private let time = ManualDate(Date())

    init() async throws {
        self.folder = try TemporaryFolder()
        self.database = try await folder.anyDatabase([.notes, .owned], [.owned])
        self.blobs = try await folder.blobs(
            in: database, undoWindow: .seconds(60), now: { [time] in time.now })
    }

    private static let picture = Data(repeating: 7, count: 5_000)

    /// Two versions of a page with the same picture.
    private static let versions = ["first", "second"].map { Data("<p>\($0)</p>".utf8) + picture + Data("end".utf8) }

    private static func picture(in version: Data) -> Range<Int> {
        let start = version.count - picture.count - 3
        return start..<start + picture.count
    }

    private func stage(_ version: Data) async throws -> StagedBlob {
        try await blobs.stage(version, sharing: [Self.picture(in: version)])
    }

    private func add(_ staged: StagedBlob) async throws {
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
    }

    private func addVersions() async throws -> [BlobStore.ID] {
        var ids: [BlobStore.ID] = []
        for version in Self.versions {
            let staged = try await stage(version)
            #expect(staged.id == BlobStore.ID(of: version) && staged.bytes == version.count)
            try await add(staged)
            ids.append(staged.id)
        }
        return ids
    }

    private func release(_ id: BlobStore.ID) async throws {
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
    }

    /// Removes everything that was released so far.
    private func sweepLater() async throws -> Int {
        time.advance(by: 61)
        return try await blobs.sweep()
    }

    private func expectConsistency() async throws {
        try await database.expectConsistentBlobs(in: folder)
    }

    /// The database, in a test that runs only in SQLite.
    private var sqlite: AppDatabase {
        get throws { try #require(database as? AppDatabase) }
    }

    /// The problems that verifying the database finds, which is possible only in SQLite.
    private var problems: [String] {
        get async throws { try await (database as? AppDatabase)?.verify().problems ?? [] }
    }

    // MARK: Contents

    @Test(arguments: 0..<40)
    func concatenationOfAnyPiecesIsTheContent(seed: Int) async throws {
        // Requests take time, and the pieces don't depend on where they are stored.
        if EachDatabase.hasObjects, seed >= 8 { return }
        var chance = SeededChance(seed: seed)
        let data = Data((0..<Int.random(in: 0...30_000, using: &chance)).map { UInt8(truncatingIfNeeded: $0 / 997) })
        var ranges = (0..<Int.random(in: 0...20, using: &chance)).map { _ in
            let start = Int.random(in: 0...data.count, using: &chance)
            return start..<start + Int.random(in: 0...2_000, using: &chance)
        }
        // Others overlap, or end after the content.
        if seed % 2 == 0 { ranges.sort { $0.lowerBound < $1.lowerBound } }
        let staged = try await blobs.stage(data, sharing: ranges)
        try await add(staged)
        #expect(staged.id == BlobStore.ID(of: data) && staged.bytes == data.count)
        #expect(try await blobs.read(staged.id) == data)
        let pieces = try await database.readRows { try blobs.pieces(of: staged.id, in: $0) }
        if !pieces.isEmpty {
            let reader = BlobReader(pieces)
            #expect(reader.byteCount == data.count)
            #expect(await reader.isComplete())
            for _ in 0..<20 {
                let start = Int.random(in: 0...data.count, using: &chance)
                let count = Int.random(in: 0...4_000, using: &chance)
                #expect(try reader.part(at: start, count: count) == data.dropFirst(start).prefix(count))
            }
            #expect(try reader.part(at: data.count + 1, count: 1).isEmpty)
        }
        try await expectConsistency()
        #expect(try await problems == [])
        try await release(staged.id)
        _ = try await sweepLater()
        #expect(folder.blobFiles == [])
        #expect(try await database.blobs == [])
    }

    @Test func versionsShareTheirPicture() async throws {
        let ids = try await addVersions()
        // Each version has a file with the rest, and both have the picture.
        #expect(folder.blobFiles.count == 3)
        let picture = BlobStore.ID(of: Self.picture)
        #expect(try await database.blobs.contains("\(picture) 5000 2 -"))
        for (id, version) in zip(ids, Self.versions) { #expect(try await blobs.read(id) == version) }
        try await expectConsistency()
    }

    @Test func contentAddedTwiceHasTwoReferencesAndTheSameFiles() async throws {
        for _ in 0..<2 { try await add(try await stage(Self.versions[0])) }
        #expect(folder.blobFiles.count == 2)
        let id = BlobStore.ID(of: Self.versions[0])
        #expect(try await database.blobs.contains("\(id) 0 2 -"))
        try await release(id)
        _ = try await sweepLater()
        #expect(try await blobs.read(id) == Self.versions[0])
    }

    @Test func damagedPieceIsReplacedWhenItsBlobIsAddedAgain() async throws {
        let id = try await addVersions()[0]
        try await folder.damage(BlobStore.ID(of: Self.picture), Data(count: 10))
        #expect(await code { _ = try await blobs.read(id) } == .corrupt)
        let pieces = try await database.readRows { try blobs.pieces(of: id, in: $0) }
        #expect(await BlobReader(pieces).isComplete() == false)
        try await add(try await stage(Self.versions[0]))
        #expect(try await blobs.read(id) == Self.versions[0])
    }

    @Test(.onlySQLite) func missingPieceIsReported() async throws {
        let id = try await addVersions()[0]
        try FileManager.default.removeItem(atPath: blobs.path(of: BlobStore.ID(of: Self.picture)))
        #expect(await code { _ = try await blobs.read(id) } == .missing)
        let problems = try await sqlite.verify().problems
        #expect(problems.count == 3 && problems.contains { $0.contains("is missing") })
        #expect(problems.contains { $0.contains("\(id) can't be put together") })
    }

    @Test(.onlySQLite) func wrongOrderOfPiecesIsReported() async throws {
        let id = try await addVersions()[0]
        _ = try await database.writeRows(locking: []) { connection in
            try connection.execute("UPDATE blob_piece SET position = 9 - position WHERE blob = ?", [id])
        }
        #expect(await code { _ = try await blobs.read(id) } == .corrupt)
        let problems = try await sqlite.verify().problems
        #expect(problems.count == 1 && problems[0].contains("\(id) can't be put together"))
    }

    // MARK: Deleting

    @Test(arguments: [0, 1])
    func removingEitherVersionLeavesTheOtherWhole(removed: Int) async throws {
        let ids = try await addVersions()
        try await release(ids[removed])
        #expect(try await blobs.sweep() == 0)
        // Until the sweep, it can be restored.
        #expect(try await blobs.read(ids[removed]) == Self.versions[removed])
        #expect(try await sweepLater() == 1)
        #expect(await code { _ = try await blobs.read(ids[removed]) } == .missing)
        #expect(try await blobs.read(ids[1 - removed]) == Self.versions[1 - removed])
        try await expectConsistency()
        try await release(ids[1 - removed])
        // The pieces are removed together with their last blob.
        #expect(try await sweepLater() == 2)
        #expect(folder.blobFiles == [])
        #expect(try await database.blobs == [])
    }

    @Test func restoredBlobKeepsItsPieces() async throws {
        let ids = try await addVersions()
        for id in ids { try await release(id) }
        try await database.writeRows(locking: []) { try blobs.retain(ids[0], in: $0) }
        _ = try await sweepLater()
        #expect(try await blobs.read(ids[0]) == Self.versions[0])
        #expect(
            await code { try await database.writeRows(locking: []) { try blobs.retain(ids[1], in: $0) } } == .missing)
        try await expectConsistency()
    }

    @Test func pieceThatIsAlsoABlobOfItsOwnRemains() async throws {
        let ids = try await addVersions()
        let picture = try await blobs.stage(Self.picture)
        try await add(picture)
        for id in ids { try await release(id) }
        _ = try await sweepLater()
        #expect(try await database.blobs == ["\(picture.id) 5000 1 -"])
        #expect(try await blobs.read(picture.id) == Self.picture)
    }

    // MARK: In one file and in pieces

    @Test func contentInOneFileStaysInOneFile() async throws {
        let whole = try await blobs.stage(Self.versions[0])
        try await add(whole)
        try await add(try await stage(Self.versions[0]))
        #expect(try await database.blobs == ["\(whole.id) \(Self.versions[0].count) 2 -"])
        time.advance(by: 100_000)
        _ = try await blobs.sweep()
        #expect(folder.blobFiles == [whole.id.description])
    }

    @Test func contentInPiecesThatIsAddedWholeIsStoredInOneFile() async throws {
        let ids = try await addVersions()
        try await use(ids[0], "ann")
        try await use(ids[1], "ann")
        try await add(try await blobs.stage(Self.versions[0]))
        #expect(FileManager.default.fileExists(atPath: blobs.path(of: ids[0])))
        #expect(try await database.readRows { try blobs.pieces(of: ids[0], in: $0) } == [])
        try await expectConsistency()
        _ = try await sweepLater()
        for (id, version) in zip(ids, Self.versions) { #expect(try await blobs.read(id) == version) }
        try await expectConsistency()
    }

    @Test func contentInPiecesCanBeAPieceOfAnother() async throws {
        let inner = try await addVersions()[0]
        let outer = Data("around ".utf8) + Self.versions[0] + Data(" it".utf8)
        let staged = try await blobs.stage(outer, sharing: [7..<7 + Self.versions[0].count])
        try await add(staged)
        #expect(try await blobs.read(staged.id) == outer)
        #expect(try await blobs.read(inner) == Self.versions[0])
        try await expectConsistency()
        try await release(inner)
        _ = try await sweepLater()
        #expect(try await blobs.read(staged.id) == outer)
        try await expectConsistency()
    }

    // MARK: Interruptions

    @Test func stagedPiecesThatAreNotAddedAreSwept() async throws {
        let discarded = try await stage(Self.versions[0])
        await blobs.discard(discarded)
        #expect(folder.blobFiles == [])
        _ = try await stage(Self.versions[0])
        #expect(folder.blobFiles.count == 2)
        time.advance(by: 100_000)
        #expect(try await blobs.sweep() == 2)
        #expect(folder.blobFiles == [])
    }

    @Test func abandonedTransactionLeavesNothingAndCanBeRetried() async throws {
        struct Refusal: Error {}
        let staged = try await stage(Self.versions[0])
        let error = await error {
            try await database.writeRows(locking: []) { connection in
                try blobs.add(staged, in: connection)
                throw Refusal()
            }
        }
        #expect(error?.code == .abandoned)
        #expect(try await database.blobs == [])
        try await add(staged)
        #expect(try await blobs.read(staged.id) == Self.versions[0])
        try await expectConsistency()
    }

    @Test(.onlySQLite) func noFileRemainsIfTheDiskIsTooFullForAllPieces() async throws {
        var limited = try folder.data
        limited.budget.freeDisk = .bytes(.max)
        let database = try await AppDatabase.open(in: limited, migrations: [.notes, .owned])
        let code = await code {
            _ = try await BlobStore(database: database).stage(Self.versions[0], sharing: [10..<20])
        }
        #expect(code == .diskFull)
        #expect(folder.blobFiles == [])
    }

    /// The moment at which a process kills itself.
    enum Moment: Int, CaseIterable {
        case staged, added, written, released
    }

    @Test(.onlySQLite, arguments: Moment.allCases)
    func killedProcessLosesNothing(moment: Moment) async throws {
        let ids = try await addVersions()
        try await release(ids[1])
        let path = try folder.data.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, moment = moment.rawValue as Int] in
            @Sendable func die(_ now: Moment) { if now.rawValue == moment { _ = kill(getpid(), SIGKILL) } }
            let database = try await AppDatabase.open(
                in: DataFolder.open(at: path), migrations: [.notes, .owned])
            let blobs = BlobStore(database: database)
            let third = Data("third".utf8) + Data(repeating: 7, count: 5_000)
            let staged = try await blobs.stage(third, sharing: [5..<third.count])
            die(.staged)
            try await database.write { connection in
                try blobs.add(staged, in: connection)
                die(.added)
            }
            die(.written)
            try await database.write { connection in
                try blobs.release(staged.id, in: connection)
                try blobs.forgetPieces(ofBlobsReleasedBefore: .distantFuture, in: SQLiteConnection(connection))
                die(.released)
            }
        }
        let third = BlobStore.ID(of: Data("third".utf8) + Self.picture)
        let read = try? await blobs.read(third)
        #expect((read != nil) == [.written, .released].contains(moment))
        time.advance(by: 200_000)
        _ = try await blobs.sweep()
        #expect(try await blobs.read(ids[0]) == Self.versions[0])
        try await expectConsistency()
        #expect(try await problems == [])
    }

    // MARK: Owners

    private func use(_ blob: BlobStore.ID, _ owner: OwnerID) async throws {
        _ = try await database.writeRows(locking: []) { connection in
            try connection.execute("INSERT INTO owned (owner, blob) VALUES (?, ?)", [owner, blob])
        }
    }

    private func bytes(of owner: OwnerID) async throws -> Int64 {
        try await database.readRows { try OwnerUsage.bytes(of: owner, in: $0) }
    }

    @Test func ownerUsesASharedPieceOnce() async throws {
        let ids = try await addVersions()
        try await use(ids[0], "ann")
        #expect(try await bytes(of: "ann") == Int64(Self.versions[0].count))
        try await use(ids[1], "ann")
        let rest = Self.versions[1].count - Self.picture.count
        #expect(try await bytes(of: "ann") == Int64(Self.versions[0].count + rest))
        try await use(ids[1], "bob")
        #expect(try await bytes(of: "bob") == Int64(Self.versions[1].count))
        _ = try await database.writeRows(locking: []) { try $0.execute("DELETE FROM owned WHERE blob = ?", [ids[0]]) }
        #expect(try await bytes(of: "ann") == Int64(Self.versions[1].count))
        _ = try await database.writeRows(locking: []) { try $0.execute("DELETE FROM owned") }
        let counts = try await [bytes(of: "ann"), bytes(of: "bob")]
        #expect(counts == [0, 0])
        #expect(try await database.readRows { try $0.value("SELECT count(*) FROM owner_blob", as: Int.self) } == 0)
    }

    @Test func onlyNewPiecesMustFitIntoTheBudget() async throws {
        let ids = try await addVersions()
        try await use(ids[0], "ann")
        var budget = OwnerBudget()
        let second = try await stage(Self.versions[1])
        let rest = Self.versions[1].count - Self.picture.count
        for (spare, isAdmitted) in [(rest, true), (rest - 1, false)] {
            budget.bytes = Int64(Self.versions[0].count + spare)
            let refusal = await Self.refusal {
                try await database.writeRows(locking: []) { [budget] in
                    try OwnerUsage.admit([second], owner: "ann", budget: budget, in: $0)
                }
            }
            #expect((refusal == nil) == isAdmitted)
        }
        // One file needs as much as its pieces.
        let whole = try await blobs.stage(Self.versions[0])
        budget.bytes = Int64(2 * Self.versions[0].count) - 1
        let refusal = await Self.refusal {
            try await database.writeRows(locking: []) { [budget] in
                try OwnerUsage.admit([whole], owner: "ann", budget: budget, in: $0)
            }
        }
        #expect(refusal != nil)
    }

    private static func refusal(_ body: () async throws -> Void) async -> (any Error)? {
        do {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    /// Owners and blobs come and go in any order, also when a sweep removes a blob before its owner's row.
    @Test(arguments: 0..<12)
    func usageMatchesTheFilesAfterAnyChanges(seed: Int) async throws {
        // Requests take time, and the usage doesn't depend on where the pieces are stored.
        if EachDatabase.hasObjects, seed >= 2 { return }
        var chance = SeededChance(seed: seed)
        let parts = (0..<4).map { Data(repeating: UInt8($0), count: 100 + $0) }
        // Each content consists of some parts, and so is a part of others.
        let contents = (0..<6).map { (number: Int) -> Data in
            var content = Data("\(number % 3)".utf8)
            for part in 0..<4 where ((number + 5) >> part) & 1 == 1 { content += parts[part] }
            return content
        }
        for _ in 0..<(isSoak ? 400 : 60) {
            let content = contents.randomElement(using: &chance) ?? Data()
            let id = BlobStore.ID(of: content)
            let owner: OwnerID = Bool.random(using: &chance) ? "ann" : "bob"
            switch Int.random(in: 0..<6, using: &chance) {
            case 0, 1, 2:
                var (ranges, start) = ([Range<Int>](), 1)
                while start < content.count {
                    let count = 100 + Int(content[start])
                    ranges.append(start..<start + count)
                    start += count
                }
                let isWhole = Int.random(in: 0..<4, using: &chance) == 0
                let staged = try await blobs.stage(content, sharing: isWhole ? [] : ranges)
                try await database.writeRows(locking: []) { connection in
                    try blobs.add(staged, in: connection)
                    try connection.execute("INSERT INTO owned (owner, blob) VALUES (?, ?)", [owner, id])
                }
            case 3:
                // The row of a released blob stays, as that of a deleted page.
                _ = await code { try await release(id) }
            case 4:
                _ = try await database.writeRows(locking: []) { connection in
                    try connection.execute(
                        "DELETE FROM owned WHERE number IN (SELECT number FROM owned WHERE blob = ? LIMIT 1)", [id])
                }
            default:
                // Only blobs in pieces are removed before the rows of their owners.
                _ = try await database.writeRows(locking: []) { connection in
                    try connection.execute(
                        """
                        DELETE FROM owned
                        WHERE blob IN (SELECT id FROM blob WHERE "references" = 0 AND bytes > 0)
                        """)
                }
                _ = try await sweepLater()
            }
        }
        // Files whose content is known already were not moved.
        time.advance(by: 200_000)
        _ = try await blobs.sweep()
        try await expectConsistency()
        #expect(try await problems == [])
    }

    // MARK: Backups

    @Test(.onlySQLite) func backupRestoresBlobsInPieces() async throws {
        let other = try TemporaryFolder()
        let ids = try await addVersions()
        try await release(ids[1])
        let summary = try await sqlite.backUp(to: "\(folder.path)/backup.tar")
        #expect(summary.fileCount == 3 && summary.missing == [])
        #expect(
            try await Backup.restore(
                "\(folder.path)/backup.tar", into: other.data, migrations: [.notes, .owned]) == summary)
        let restored = try await other.database([.notes, .owned])
        let blobs = BlobStore(database: restored, undoWindow: .seconds(60), now: { [time] in time.now })
        for (id, version) in zip(ids, Self.versions) { #expect(try await blobs.read(id) == version) }
        #expect(try await restored.verify().problems == [])
        time.advance(by: 61)
        _ = try await blobs.sweep()
        #expect(try await blobs.read(ids[0]) == Self.versions[0])
        restored.close()
    }

    @Test(.onlySQLite) func backupReportsAMissingPiece() async throws {
        let other = try TemporaryFolder()
        _ = try await addVersions()
        try FileManager.default.removeItem(atPath: blobs.path(of: BlobStore.ID(of: Self.picture)))
        // A backup says what is missing.
        let summary = try await sqlite.backUp(to: "\(folder.path)/backup.tar")
        #expect(summary.missing == [BlobStore.ID(of: Self.picture)])
        _ = try await Backup.restore(
            "\(folder.path)/backup.tar", into: other.data, migrations: [.notes, .owned])
        let restored = try await other.database([.notes, .owned])
        #expect(try await restored.verify().problems.count == 3)
        restored.close()
    }
}
