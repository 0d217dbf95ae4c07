import DurableFiles
import Foundation
import Futures
import S3
import ServedS3
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

/// Blobs whose contents are objects of S3, and whose files are copies.
@Suite(.timeLimit(.minutes(20))) struct BlobObjectTests {
    private let folder: TemporaryFolder
    private let database: AppDatabase
    private let time = ManualDate(Date())
    private let content = Data("a picture".utf8)
    private let requests = RequestCounts()

    init() async throws {
        folder = try TemporaryFolder()
        database = try await folder.database()
    }

    /// Blobs whose requests are counted, and fail as the test demands.
    private func blobs(
        limit: Int64 = .max, useWindow: Duration = .seconds(60),
        _ before: @escaping @Sendable (ScriptedObjects.Request) async throws(StoreError) -> Void = { _ in }
    ) async throws -> BlobStore {
        let objects = ScriptedObjects(objects: S3Blobs(try await folder.s3)) { [requests] request throws(StoreError) in
            requests.add(request)
            try await before(request)
        }
        return BlobStore(
            in: database, folder: try folder.data, objects: objects,
            limits: BlobCacheLimits(byteCount: limit, useWindow: useWindow, listingInterval: .zero),
            undoWindow: .seconds(60), now: { [time] in time.now })
    }

    private func add(_ data: Data, to blobs: BlobStore) async throws -> BlobStore.ID {
        let staged = try await blobs.stage(data)
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        return staged.id
    }

    private func removeCopies() throws {
        for name in folder.blobFiles {
            try FileManager.default.removeItem(atPath: "\(try folder.data.blobsPath)/\(name.prefix(2))/\(name)")
        }
    }

    private static let failure = StoreError(.inputOutput, "The store fails.")

    // MARK: Reading

    @Test func contentIsCopiedWhenItIsNeeded() async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        #expect(try await folder.objectIDs == [id.description])
        #expect(try await blobs.read(id) == content)
        #expect(requests[.get] == 0)
        try removeCopies()
        #expect(try await blobs.read(id) == content)
        #expect(try await blobs.read(id) == content)
        #expect(requests[.get] == 1)
        try removeCopies()
        #expect(try Data(contentsOf: URL(filePath: try await blobs.localPath(of: id))) == content)
        #expect(folder.blobFiles == [id.description])
    }

    @Test func piecesAreCopiedWhenTheyAreNeeded() async throws {
        let blobs = try await blobs()
        let data = Data("before ".utf8) + content + Data(" after".utf8)
        let staged = try await blobs.stage(data, sharing: [7..<7 + content.count])
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        try removeCopies()
        #expect(try await blobs.read(staged.id) == data)
        try removeCopies()
        let pieces = try await database.readRows { try blobs.pieces(of: staged.id, in: $0) }
        #expect(pieces.count == 3)
        try await blobs.makeLocal(pieces)
        #expect(await BlobReader(pieces).isComplete())
        #expect(requests[.get] == 4)
        #expect(await code { _ = try await blobs.localPath(of: staged.id) } == .missing)
    }

    @Test(arguments: ["a picturE", "a pic", "a picture of something else", ""])
    func changedObjectIsNotHandedOut(changed: String) async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        try removeCopies()
        let path = "\(folder.path)/changed"
        try Data(changed.utf8).write(to: URL(filePath: path))
        try await S3Blobs(try await folder.s3).put(id, file: path, byteCount: changed.utf8.count)
        for _ in 0..<2 {
            #expect(await code { _ = try await blobs.read(id) } == .corrupt)
            #expect(await code { _ = try await blobs.localPath(of: id) } == .corrupt)
            #expect(folder.blobFiles == [])
        }
        // Its content is stored again.
        _ = try await add(content, to: blobs)
        try removeCopies()
        #expect(try await blobs.read(id) == content)
    }

    @Test(arguments: ["a picturE", "a pic"])
    func damagedCopyIsReplaced(damaged: String) async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        try Data(damaged.utf8).write(to: URL(filePath: blobs.path(of: id)))
        #expect(try await blobs.read(id) == content)
        #expect(try Data(contentsOf: URL(filePath: blobs.path(of: id))) == content)
    }

    @Test func lostObjectIsReportedWithWhatToDo() async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        try removeCopies()
        try await S3Blobs(try await folder.s3).delete([id])
        let error = await error { _ = try await blobs.localPath(of: id) }
        #expect(error?.code == .missing)
        #expect(error?.message.contains("Restore it from a backup") == true)
        #expect(await code { _ = try await blobs.localPath(of: BlobStore.ID(of: Data())) } == .missing)
    }

    @Test func concurrentReadersShareOneCopy() async throws {
        let gate = Promise<Void, Never>(valueOnAbandon: {})
        let blobs = try await blobs { request in if request == .get { await gate.future.value } }
        let id = try await add(content, to: blobs)
        try removeCopies()
        try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<10 { group.addTask { try await blobs.localPath(of: id) } }
            #expect(await eventually { blobs.cache?.waiterCount(id) == 10 })
            gate.resolve(())
            for try await path in group { #expect(Disk.exists(path)) }
        }
        #expect(requests[.get] == 1)
    }

    @Test func failedCopyLeavesNoFile() async throws {
        let blobs = try await blobs { request throws(StoreError) in if request == .get { throw Self.failure } }
        let id = try await add(content, to: blobs)
        try removeCopies()
        #expect(await code { _ = try await blobs.read(id) } == .inputOutput)
        #expect(folder.blobFiles == [])
    }

    @Test func blobHasATemporaryURLOnlyIfItIsOneObject() async throws {
        let address = try await ServedS3.seaweedFS.address()
        let direct = try S3Address(
            "s3://\(address.bucket)/\(address.prefix)?endpoint=\(address.endpoint.absoluteString)&downloads=direct")
        let blobs = BlobStore(
            in: database, folder: try folder.data,
            objects: S3Blobs(S3Client(direct, credentials: ServedS3.credentials, settings: ServedS3.settings)))
        let id = try await add(content, to: blobs)
        let url = try await blobs.temporaryURL(of: id, lifetime: .seconds(60), type: "image/png")
        #expect(url?.query()?.contains("response-content-type=image%2Fpng") == true)
        let staged = try await blobs.stage(Data("before ".utf8) + content, sharing: [7..<16])
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        #expect(try await blobs.temporaryURL(of: staged.id, lifetime: .seconds(60)) == nil)
        let other = BlobStore.ID(of: Data())
        #expect(await code { _ = try await blobs.temporaryURL(of: other, lifetime: .seconds(60)) } == .missing)
        #expect(try await BlobStore(database: database).temporaryURL(of: id, lifetime: .seconds(60)) == nil)
        // Only an address that says so lets browsers use the bucket.
        #expect(try await self.blobs().temporaryURL(of: id, lifetime: .seconds(60)) == nil)
    }

    // MARK: Adding

    @Test func failedUploadLeavesNoFileAndNoRow() async throws {
        let blobs = try await blobs { request throws(StoreError) in if request == .put { throw Self.failure } }
        #expect(await code { _ = try await blobs.stage(content) } == .inputOutput)
        #expect(await code { _ = try await blobs.stage(content + content, sharing: [0..<9]) } == .inputOutput)
        #expect(folder.blobFiles == [])
    }

    @Test func objectThatWasSweptAfterItsUploadIsStoredAgain() async throws {
        let blobs = try await blobs()
        let staged = try await blobs.stage(content)
        try await S3Blobs(try await folder.s3).delete([staged.id])
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        #expect(try await folder.objectIDs == [staged.id.description])
        // The object of a row is never looked for.
        let checks = requests[.contains]
        _ = try await add(content, to: blobs)
        #expect(requests[.contains] == checks)
    }

    @Test func addFailsIfTheStoreDoes() async throws {
        let blobs = try await blobs { request throws(StoreError) in if request == .contains { throw Self.failure } }
        let staged = try await blobs.stage(content)
        #expect(
            await code { try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) } } == .inputOutput)
        #expect(try await database.blobs == [])
    }

    @Test func aTaskDoesNotWaitForTheStore() async throws {
        #expect(await code { try BlockingWait.run(within: .seconds(60)) { () throws(StoreError) in } } == .queryFailed)
    }

    @Test func killBetweenUploadAndCommitLeavesOnlyAStray() async throws {
        let (path, address) = (try folder.data.path, try await folder.s3.address)
        let text = "s3://\(address.bucket)/\(address.prefix)?endpoint=\(address.endpoint)"
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, text = text as String] in
            let folder = try DataFolder.open(at: path)
            let database = try await AppDatabase.open(in: folder, migrations: [.notes])
            let client = S3Client(try S3Address(text), credentials: ServedS3.credentials, settings: ServedS3.settings)
            let blobs = BlobStore(in: database, folder: folder, objects: S3Blobs(client))
            let staged = try await blobs.stage(Data("a picture".utf8))
            try await database.write { connection in
                try blobs.add(staged, in: connection)
                _ = kill(getpid(), SIGKILL)
            }
        }
        let id = BlobStore.ID(of: content)
        #expect(try await folder.objectIDs == [id.description])
        #expect(try await database.blobs == [])
        let blobs = try await blobs()
        #expect(await code { _ = try await blobs.read(BlobStore.ID(of: Data("other".utf8))) } == .missing)
        #expect(try await blobs.sweep() == 0)
        time.advance(by: 86_000)
        #expect(try await blobs.sweep() == 0)
        #expect(try await folder.objectIDs == [id.description])
        time.advance(by: 1_000)
        #expect(try await blobs.sweep() == 1)
        #expect(try await folder.objectIDs == [])
        #expect(folder.blobFiles == [])
    }

    // MARK: Sweeping

    @Test func objectIsRemovedAfterTheUndoWindow() async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        time.advance(by: 59)
        #expect(try await blobs.sweep() == 0)
        #expect(try await folder.objectIDs == [id.description])
        time.advance(by: 2)
        #expect(try await blobs.sweep() == 1)
        #expect(try await folder.objectIDs == [])
        #expect(await code { _ = try await blobs.read(id) } == .missing)
    }

    @Test func objectsThatCouldNotBeRemovedAreRemovedLater() async throws {
        // Only the first deletion fails.
        let blobs = try await blobs { [requests] request throws(StoreError) in
            if request == .delete, requests[.delete] == 1 { throw Self.failure }
        }
        let id = try await add(content, to: blobs)
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        time.advance(by: 61)
        #expect(await code { _ = try await blobs.sweep() } == .inputOutput)
        time.advance(by: 90_000)
        #expect(try await blobs.sweep() == 1)
        #expect(try await folder.objectIDs == [])
        #expect(folder.blobFiles == [])
    }

    @Test func sweepNeverRemovesTheObjectOfARow() async throws {
        let blobs = try await blobs()
        var ids: [BlobStore.ID] = []
        for number in 0..<5 { ids.append(try await add(Data("\(number)".utf8), to: blobs)) }
        let stray = try await blobs.stage(content)
        time.advance(by: 90_000)
        #expect(try await blobs.sweep() == 1)
        #expect(try await folder.objectIDs == ids.map(\.description).sorted())
        #expect(await code { try await database.writeRows(locking: []) { try blobs.add(stray, in: $0) } } == .missing)
    }

    @Test func objectWhoseRowWasAddedDuringTheSweepIsNotRemoved() async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        let stray = try await blobs.stage(Data("other".utf8)).id
        // The sweep has found both without a row.
        #expect(try await blobs.removeObjects([id, stray]) == 1)
        #expect(try await folder.objectIDs == [id.description])
    }

    @Test func otherObjectsAreNotRemoved() async throws {
        let path = "\(folder.path)/file"
        try content.write(to: URL(filePath: path))
        let id = BlobStore.ID(of: content)
        let keys = ["README", "\(id)", "zz/\(id)", "\(id.description.prefix(2))/\(id).old"]
        for key in keys { try await folder.s3.put(file: path, byteCount: content.count, as: key) }
        time.advance(by: 90_000)
        #expect(try await blobs().sweep() == 0)
        let rest = try await folder.s3.list().objects.map(\.key)
        #expect(rest.filter { !$0.hasPrefix("database-") }.sorted() == keys.sorted())
    }

    // MARK: Backups

    @Test func backupAndVerificationCopyWhatIsOnlyInTheStore() async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        let staged = try await blobs.stage(Data("before ".utf8) + content, sharing: [7..<16])
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        database.objects = blobs.cache?.objects
        try removeCopies()
        #expect(try await database.verify().problems == [])
        try removeCopies()
        let summary = try await database.backUp(to: "\(folder.path)/backup.tar")
        #expect(summary.missing == [] && summary.fileCount == folder.blobFiles.count)
        try removeCopies()
        try await folder.s3.delete(["\(id.description.prefix(2))/\(id)"])
        #expect(try await database.verify().problems.count == 2)
        #expect(try await database.backUp(to: "\(folder.path)/another.tar").missing == [id])
    }

    @Test func backupFailsIfTheStoreDoes() async throws {
        let blobs = try await blobs { request throws(StoreError) in if request == .get { throw Self.failure } }
        _ = try await add(content, to: blobs)
        database.objects = blobs.cache?.objects
        try removeCopies()
        #expect(await code { _ = try await self.database.backUp(to: "\(folder.path)/backup.tar") } == .inputOutput)
    }

    /// The backup's database may still use the store.
    @Test func restoredBackupIsAnotherDatabase() async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        try await blobs.claimObjects()
        _ = try await database.backUp(to: "\(folder.path)/backup.tar")
        let other = try TemporaryFolder()
        _ = try await Backup.restore("\(folder.path)/backup.tar", into: other.data, migrations: [.notes])
        let restored = BlobStore(
            in: try await other.database(), folder: try other.data, objects: S3Blobs(try await folder.s3))
        #expect(await code { try await restored.claimObjects() } == .inUse)
        #expect(await code { _ = try await restored.stage(Data("new".utf8)) } == .inUse)
        #expect(await code { _ = try await restored.uploadFiles() } == .inUse)
        #expect(try await folder.objectIDs == [id.description])
    }

    // MARK: One database for each bucket

    @Test func objectsOfAnotherDatabaseAreNeverDeleted() async throws {
        let blobs = try await blobs()
        let id = try await add(content, to: blobs)
        try await blobs.claimObjects()
        let other = try TemporaryFolder()
        let intruder = BlobStore(
            in: try await other.database(), folder: try other.data, objects: S3Blobs(try await folder.s3),
            limits: BlobCacheLimits(listingInterval: .zero), now: { [time] in time.now.addingTimeInterval(90_000) })
        for attempt in [intruder.claimObjects, { _ = try await intruder.sweep() }] {
            let error = await #expect(throws: StoreError.self) { try await attempt() }
            #expect(error?.code == .inUse)
            #expect(error?.message.contains("the blobs of another database") == true)
        }
        #expect(try await folder.objectIDs == [id.description])
        _ = try await blobs.sweep()
    }

    @Test func databaseThatClaimsObjectsAtTheSameTimeAsAnotherStops() async throws {
        let other = try TemporaryFolder()
        let first = BlobStore(
            in: try await other.database(), folder: try other.data, objects: S3Blobs(try await folder.s3))
        let blobs = try await blobs { request throws(StoreError) in
            // It has found no claim, and is about to claim the objects.
            if request == .claim, self.requests[.claim] == 2 { try await first.claimObjects() }
        }
        let error = await #expect(throws: StoreError.self) { try await blobs.claimObjects() }
        #expect(error?.code == .inUse)
        try await first.claimObjects()
    }

    @Test func objectsAreListedOncePerInterval() async throws {
        var blobs = try await blobs()
        let objects = try #require(blobs.cache?.objects)
        blobs = BlobStore(
            in: database, folder: try folder.data, objects: objects,
            limits: BlobCacheLimits(listingInterval: .seconds(3_600)), now: { [time] in time.now })
        for _ in 0..<3 { _ = try await blobs.sweep() }
        #expect(requests[.list] == 1)
        time.advance(by: 3_600)
        _ = try await blobs.sweep()
        #expect(requests[.list] == 2)
    }

    // MARK: The size of the copies

    /// Blobs of a hundred bytes each, used one minute after the other.
    private func addMany(_ count: Int, to blobs: BlobStore) async throws -> [BlobStore.ID] {
        var ids: [BlobStore.ID] = []
        for number in 0..<count {
            ids.append(try await add(Data(repeating: UInt8(number), count: 100), to: blobs))
            await blobs.cache?.use([blobs.path(of: ids[number])])
            time.advance(by: 60)
        }
        return ids
    }

    @Test func leastRecentlyUsedCopiesAreRemoved() async throws {
        let blobs = try await blobs(limit: 450)
        let ids = try await addMany(4, to: blobs)
        #expect(folder.blobFiles.count == 4)
        // The first one is used again.
        #expect(try await blobs.read(ids[0]).count == 100)
        time.advance(by: 61)
        let fifth = try await add(Data(repeating: 9, count: 100), to: blobs)
        _ = try await add(Data(repeating: 10, count: 100), to: blobs)
        #expect(!folder.blobFiles.contains(ids[1].description))
        #expect(folder.blobFiles.contains(ids[0].description) && folder.blobFiles.contains(fifth.description))
        #expect(folder.blobFiles.count <= 5)
        for id in ids { #expect(try await blobs.read(id).count == 100) }
        #expect(try await folder.objectIDs.count == 6)
    }

    @Test func copyInUseIsNotRemoved() async throws {
        let blobs = try await blobs(limit: 150, useWindow: .seconds(3_600))
        let ids = try await addMany(5, to: blobs)
        #expect(folder.blobFiles == ids.map(\.description).sorted())
        time.advance(by: 3_600)
        _ = try await add(content, to: blobs)
        #expect(folder.blobFiles.count < 3)
    }

    @Test func openFileIsReadToItsEndAfterItsRemoval() async throws {
        let blobs = try await blobs(limit: 150)
        let id = try await addMany(1, to: blobs)[0]
        let file = try OpenFile(try await blobs.localPath(of: id), .reading)
        time.advance(by: 120)
        _ = try await addMany(3, to: blobs)
        #expect(!folder.blobFiles.contains(id.description))
        #expect(try file.read(1_000).count == 100)
    }

    @Test func fileWithoutAnObjectIsNotRemoved() async throws {
        // The blobs were in the folder before objects were used.
        let old = BlobStore(in: database, folder: try folder.data, now: { [time] in time.now })
        let id = try await add(content, to: old)
        time.advance(by: 3_600)
        let blobs = try await blobs(limit: 150)
        _ = try await addMany(5, to: blobs)
        #expect(folder.blobFiles.contains(id.description))
        #expect(try await blobs.read(id) == content)
    }

    @Test func filesFromBeforeAreStoredAsObjects() async throws {
        let old = BlobStore(in: database, folder: try folder.data, now: { [time] in time.now })
        let ids = [try await add(content, to: old), try await add(Data("other".utf8), to: old)]
        let lost = try await add(Data("lost".utf8), to: old)
        try FileManager.default.removeItem(atPath: old.path(of: lost))
        let staged = try await old.stage(Data("before ".utf8) + content, sharing: [7..<16])
        try await database.writeRows(locking: []) { try old.add(staged, in: $0) }
        let blobs = try await blobs()
        let first = try await blobs.uploadFiles()
        #expect(first.stored == 3 && first.missing == [lost])
        #expect(try await blobs.uploadFiles().stored == 0)
        try removeCopies()
        for id in ids + [staged.id] { #expect(try await BlobStore.ID(of: blobs.read(id)) == id) }
        #expect(try await folder.objectIDs.count == 3)
    }

    @Test func unreachableStoreKeepsTheCopies() async throws {
        let blobs = try await blobs(limit: 150)
        let ids = try await addMany(2, to: blobs)
        let failing = try await self.blobs(limit: 1) { request throws(StoreError) in
            if request == .contains { throw Self.failure }
        }
        time.advance(by: 3_600)
        await failing.cache?.makeRoom(adding: 1)
        #expect(folder.blobFiles == ids.map(\.description).sorted())
    }
}
