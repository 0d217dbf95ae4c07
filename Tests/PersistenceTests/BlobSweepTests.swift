import Foundation
import StoreTesting
import Testing

@testable import Persistence

@Suite(.timeLimit(.minutes(20)), .eachBlobStore) struct BlobSweepTests {
    let folder: TemporaryFolder
    let database: any SQLDatabase
    let blobs: BlobStore
    let time = ManualDate(Date())

    init() async throws {
        self.folder = try TemporaryFolder()
        self.database = try await folder.anyDatabase()
        self.blobs = try await folder.blobs(
            in: database, undoWindow: .seconds(60), now: { [time] in time.now })
    }

    private let content = Data("a picture".utf8)

    private func add(_ data: Data) async throws -> BlobStore.ID {
        let staged = try await blobs.stage(data)
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        return staged.id
    }

    @Test func referencedBlobIsNeverSwept() async throws {
        let id = try await add(content)
        time.advance(by: 10_000_000)
        #expect(try await blobs.sweep() == 0)
        #expect(try await blobs.read(id) == content)
    }

    @Test func releasedBlobIsSweptAfterTheUndoWindow() async throws {
        let id = try await add(content)
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        time.advance(by: 59)
        #expect(try await blobs.sweep() == 0)
        #expect(try await blobs.read(id) == content)
        time.advance(by: 2)
        #expect(try await blobs.sweep() == 1)
        #expect(await code { _ = try await blobs.read(id) } == .missing)
        #expect(try await database.blobs == [])
        #expect(folder.blobFiles == [])
        #expect(try await blobs.sweep() == 0)
    }

    @Test func blobRetainedWithinTheWindowIsNotSwept() async throws {
        let id = try await add(content)
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        time.advance(by: 30)
        try await database.writeRows(locking: []) { try blobs.retain(id, in: $0) }
        time.advance(by: 1_000)
        #expect(try await blobs.sweep() == 0)
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        time.advance(by: 59)
        #expect(try await blobs.sweep() == 0)
        #expect(try await blobs.read(id) == content)
    }

    @Test func unusedStagedBlobIsSweptAfterADay() async throws {
        let staged = try await blobs.stage(content)
        time.advance(by: 86_000)
        #expect(try await blobs.sweep() == 0)
        time.advance(by: 1_000)
        #expect(try await blobs.sweep() == 1)
        #expect(folder.blobFiles == [])
        let error = await error { try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) } }
        #expect(error?.code == .missing)
        #expect(error?.message.contains("Stage its content again") == true)
    }

    @Test func fileWithoutARowIsSweptAfterADay() async throws {
        let id = try await add(content)
        let other = try await add(Data("another".utf8))
        _ = try await database.writeRows(locking: []) { try $0.execute("DELETE FROM blob WHERE id = ?", [id]) }
        time.advance(by: 86_000)
        #expect(try await blobs.sweep() == 0)
        time.advance(by: 1_000)
        #expect(try await blobs.sweep() == 1)
        #expect(folder.blobFiles == [other.description])
    }

    @Test func foreignFilesAreNotSwept() async throws {
        let id = try await add(content)
        let path = blobs.path(of: id)
        let names = ["README", "\(id.description.dropLast(2))", ".hidden"]
        for name in names {
            let file = URL(filePath: path).deletingLastPathComponent().appending(path: name)
            try Data("mine".utf8).write(to: file)
        }
        // A file with the name of a blob, in a folder that doesn't match its prefix.
        let mismatched = try folder.data.blobsPath + "/zz"
        try FileManager.default.createDirectory(atPath: mismatched, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(filePath: "\(mismatched)/\(BlobIDTests.abc)"))
        time.advance(by: 1_000_000)
        #expect(try await blobs.sweep() == 0)
        #expect(folder.blobFiles.count == 5)
    }

    @Test func rowWithoutItsFileIsSwept() async throws {
        let id = try await add(content)
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        try FileManager.default.removeItem(atPath: blobs.path(of: id))
        time.advance(by: 61)
        // An object remains, and is removed.
        #expect(try await blobs.sweep() == (EachDatabase.hasObjects ? 1 : 0))
        #expect(try await database.blobs == [])
    }

    @Test func manyBlobsAreSweptInSeveralTransactions() async throws {
        let referenced = BlobStore.ID(of: Data("7".utf8))
        var staged: [StagedBlob] = []
        for number in 0..<250 { staged.append(try await blobs.stage(Data("\(number)".utf8))) }
        try await database.writeRows(locking: []) { [staged] connection in
            for blob in staged {
                try blobs.add(blob, in: connection)
                if blob.id != referenced { try blobs.release(blob.id, in: connection) }
            }
        }
        time.advance(by: 61)
        #expect(try await blobs.sweep() == 249)
        #expect(folder.blobFiles == [referenced.description])
    }

    @Test func sweepOfAnEmptyStoreRemovesNothing() async throws {
        #expect(try await blobs.sweep() == 0)
    }

    @Test func blobStoredAgainDuringASweepSurvives() async throws {
        let other = try await folder.blobs(
            in: try await folder.anyDatabase(), undoWindow: .seconds(60),
            now: { [time] in time.now })
        for round in 0..<40 {
            let id = try await add(content)
            try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
            time.advance(by: 61)
            let staged = try await other.stage(content)
            async let first = blobs.sweep()
            async let second = other.sweep()
            try await other.database.writeRows(locking: []) { try other.add(staged, in: $0) }
            _ = try await (first, second)
            #expect(try await blobs.read(id) == content, "round \(round)")
            #expect(try await database.blobs == ["\(id) 9 1 -"])
            if EachDatabase.hasObjects { #expect(try await folder.objectIDs == [id.description]) }
            // Until the next round, the blob has no references.
            try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
            time.advance(by: 61)
            #expect(try await blobs.sweep() == 1)
        }
    }
}
