import Foundation
import GRDB
import StoreTesting
import Testing

@testable import Persistence

@Suite struct BlobIDTests {
    /// The SHA-256 of `abc`: https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values.
    static let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    @Test func idIsTheSHA256OfTheContent() {
        #expect(BlobStore.ID(of: Data("abc".utf8)).description == Self.abc)
    }

    @Test(arguments: [
        "", "abc", abc.uppercased(), abc + "0", String(abc.dropLast()), String(abc.dropLast()) + "g",
        "../../../../../../../../../../../../../../../../../../etc/passwd..", String(abc.dropLast()) + "\0",
        String(repeating: "\u{0660}", count: 64), String(repeating: "\u{0660}", count: 32),
    ])
    func invalidIDIsRefused(text: String) throws {
        #expect(BlobStore.ID(text) == nil)
        let json = try JSONEncoder().encode([text])
        #expect(throws: DecodingError.self) { try JSONDecoder().decode([BlobStore.ID].self, from: json) }
    }

    @Test func idIsEncodedAsItsHexDigits() throws {
        let id = try #require(BlobStore.ID(Self.abc))
        let json = try JSONEncoder().encode([id])
        #expect(String(decoding: json, as: UTF8.self) == "[\"\(Self.abc)\"]")
        #expect(try JSONDecoder().decode([BlobStore.ID].self, from: json) == [id])
        #expect(BlobStore.ID.fromDatabaseValue(id.databaseValue) == id)
        #expect(BlobStore.ID.fromDatabaseValue("no name".databaseValue) == nil)
    }
}

@Suite(.timeLimit(.minutes(20)), .eachBlobStore) struct BlobStoreTests {
    let folder: TemporaryFolder
    let database: any SQLDatabase
    let blobs: BlobStore

    init() async throws {
        self.folder = try TemporaryFolder()
        self.database = try await folder.anyDatabase()
        self.blobs = try await folder.blobs(
            in: database, now: { Date(timeIntervalSince1970: 1_800_000_000) })
    }

    struct Refusal: Error {}

    private let content = Data("a picture".utf8)

    private func add(_ data: Data) async throws -> BlobStore.ID {
        let staged = try await blobs.stage(data)
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        return staged.id
    }

    @Test(arguments: [0, 1, 4_096, 3_000_000])
    func storedBlobIsReadBack(bytes: Int) async throws {
        let data = Data((0..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let id = try await add(data)
        #expect(id == BlobStore.ID(of: data))
        #expect(try await blobs.read(id) == data)
        #expect(try Data(contentsOf: URL(filePath: blobs.path(of: id))) == data)
        #expect(blobs.path(of: id).hasSuffix("/data/blobs/\(id.description.prefix(2))/\(id)"))
        #expect(try await database.blobs == ["\(id) \(bytes) 1 -"])
    }

    @Test func equalContentIsStoredOnce() async throws {
        let id = try await add(content)
        #expect(try await add(content) == id)
        #expect(folder.blobFiles == [id.description])
        #expect(try await database.blobs == ["\(id) 9 2 -"])
    }

    @Test func stagedBlobIsNotReadable() async throws {
        let staged = try await blobs.stage(content)
        #expect(await code { _ = try await blobs.read(staged.id) } == .missing)
        #expect(try await database.blobs == [])
        await blobs.discard(staged)
        #expect(folder.blobFiles == [])
        await blobs.discard(staged)
        #expect(await code { try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) } } == .missing)
        #expect(try await database.blobs == [])
    }

    @Test func failedTransactionLeavesNoReferenceAndCanBeRetried() async throws {
        let staged = try await blobs.stage(content)
        let error = await error {
            try await database.writeRows(locking: []) { connection in
                try blobs.add(staged, in: connection)
                throw Refusal()
            }
        }
        #expect(error?.code == .abandoned)
        #expect(try await database.blobs == [])
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
        #expect(try await blobs.read(staged.id) == content)
        #expect(try await database.blobs == ["\(staged.id) 9 1 -"])
    }

    @Test func contentStagedTwiceIsStoredAsOneFile() async throws {
        let first = try await blobs.stage(content)
        let second = try await blobs.stage(content)
        #expect(first != second)
        try await database.writeRows(locking: []) { connection in
            try blobs.add(first, in: connection)
            try blobs.add(second, in: connection)
        }
        #expect(folder.blobFiles == [first.id.description])
        #expect(try await database.blobs == ["\(first.id) 9 2 -"])
    }

    @Test(arguments: ["a pic", "a picturE"])
    func damagedBlobIsReplacedWhenItIsAddedAgain(damaged: String) async throws {
        let id = try await add(content)
        try await folder.damage(id, Data(damaged.utf8))
        #expect(await code { _ = try await blobs.read(id) } == .corrupt)
        _ = try await add(content)
        #expect(try await blobs.read(id) == content)
    }

    @Test func changedFileIsReportedAsCorrupt() async throws {
        let id = try await add(content)
        try await folder.damage(id, Data("a picturE".utf8))
        let error = await error { _ = try await blobs.read(id) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains(EachDatabase.hasObjects ? "Blob \(id)" : blobs.path(of: id)) == true)
    }

    @Test func lastReleaseStoresItsTimeAndRetainClearsIt() async throws {
        let id = try await add(content)
        try await database.writeRows(locking: []) { try blobs.retain(id, in: $0) }
        #expect(try await database.blobs == ["\(id) 9 2 -"])
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        #expect(try await database.blobs == ["\(id) 9 1 -"])
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        #expect(try await database.blobs == ["\(id) 9 0 1800000000"])
        #expect(try await blobs.read(id) == content)
        try await database.writeRows(locking: []) { try blobs.retain(id, in: $0) }
        #expect(try await database.blobs == ["\(id) 9 1 -"])
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        #expect(try await add(content) == id)
        #expect(try await database.blobs == ["\(id) 9 1 -"])
    }

    @Test func releaseBeyondTheLastReferenceFails() async throws {
        let id = try await add(content)
        try await database.writeRows(locking: []) { try blobs.release(id, in: $0) }
        #expect(await code { try await database.writeRows(locking: []) { try blobs.release(id, in: $0) } } == .missing)
        #expect(try await database.blobs == ["\(id) 9 0 1800000000"])
    }

    @Test func missingBlobCannotBeRetainedReleasedOrRead() async throws {
        let id = BlobStore.ID(of: content)
        #expect(await code { try await database.writeRows(locking: []) { try blobs.retain(id, in: $0) } } == .missing)
        #expect(await code { try await database.writeRows(locking: []) { try blobs.release(id, in: $0) } } == .missing)
        #expect(await code { _ = try await blobs.read(id) } == .missing)
    }

    @Test func addInAReadTransactionFails() async throws {
        let staged = try await blobs.stage(content)
        #expect(await code { try await database.readRows { try blobs.add(staged, in: $0) } } == .queryFailed)
        #expect(await code { _ = try await blobs.read(staged.id) } == .missing)
        try await database.writeRows(locking: []) { try blobs.add(staged, in: $0) }
    }

    @Test func blobFilesArePrivateToTheirOwner() async throws {
        let path = blobs.path(of: try await add(content))
        let file = try FileManager.default.attributesOfItem(atPath: path)
        #expect(file[.posixPermissions] as? Int == 0o600)
        let parent = URL(filePath: path).deletingLastPathComponent().path
        let folder = try FileManager.default.attributesOfItem(atPath: parent)
        #expect(folder[.posixPermissions] as? Int == 0o700)
    }

    @Test func concurrentlyStagedBlobsAreDeduplicated() async throws {
        let ids = try await withThrowingTaskGroup(of: BlobStore.ID.self) { group in
            for number in 0..<40 {
                group.addTask { try await add(Data("content \(number % 10)".utf8)) }
            }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 10)
        #expect(folder.blobFiles == ids.map(\.description).sorted())
        #expect(try await database.blobs.allSatisfy { $0.hasSuffix(" 9 4 -") })
    }
}
