import Foundation
import SeededChance
import StoreTesting
import Testing

@testable import Persistence

/// Transactions that add, share, release and sweep the same blobs at the same time.
@Suite(.timeLimit(.minutes(20)), .eachBlobStore) struct BlobConcurrencyTests {
    private let folder: TemporaryFolder
    private let database: any SQLDatabase
    private let blobs: BlobStore
    private let time = ManualDate(Date())

    init() async throws {
        self.folder = try TemporaryFolder()
        self.database = try await folder.anyDatabase([.notes, .owned], [.owned])
        self.blobs = try await folder.blobs(
            in: database, undoWindow: .zero, now: { [time] in time.now })
    }

    private static let owners: [OwnerID] = ["ann", "bob"]
    private static let part = Data(repeating: 7, count: 100)
    /// Each content has the part, and the first one is a part of the second.
    private static let contents = [part, Data("a".utf8) + part, Data("ba".utf8) + part, Data("c".utf8) + part + part]

    /// The ranges of the parts in a content.
    private static func ranges(in content: Data) -> [Range<Int>] {
        stride(from: content.count - 100, to: 0, by: -100).reversed().map { $0..<$0 + 100 }
    }

    @Test(arguments: 0..<4)
    func concurrentChangesLeaveCountsAndFilesConsistent(seed: Int) async throws {
        try await withThrowingTaskGroup { group in
            for writer in 0..<6 {
                group.addTask {
                    var chance = SeededChance(seed: seed * 10 + writer)
                    for _ in 0..<(isSoak ? 400 : 40) { try await change(using: &chance) }
                }
            }
            try await group.waitForAll()
        }
        try await expectReferences()
        // Files whose content was known already were not moved.
        time.advance(by: 200_000)
        _ = try await blobs.sweep()
        try await database.expectConsistentBlobs(in: folder)
        for owner in Self.owners {
            try await database.writeRows(locking: []) { try remove(.max, of: owner, in: $0) }
        }
        time.advance(by: 1)
        _ = try await blobs.sweep()
        #expect(try await database.blobs == [])
        #expect(folder.blobFiles == [])
        #expect(try await database.usage(of: [], owner: "ann").bytes == 0)
    }

    /// Adds a blob for an owner, or removes one, or sweeps.
    private func change(using chance: inout SeededChance) async throws {
        time.advance(by: 1)
        let owner = Self.owners[Int.random(in: 0...1, using: &chance)]
        switch Int.random(in: 0..<8, using: &chance) {
        case 0..<4:
            let content = Self.contents[Int.random(in: 0..<Self.contents.count, using: &chance)]
            let isWhole = Int.random(in: 0..<3, using: &chance) == 0
            let staged = try await blobs.stage(content, sharing: isWhole ? [] : Self.ranges(in: content))
            try await database.writeRows(locking: []) { connection in
                try blobs.add(staged, in: connection)
                try connection.execute("INSERT INTO owned (owner, blob) VALUES (?, ?)", [owner, staged.id])
            }
        case 4..<7:
            try await database.writeRows(locking: [SQLLock(part: "owned", owner: owner)]) { connection in
                try remove(1, of: owner, in: connection)
            }
        default: _ = try await blobs.sweep()
        }
    }

    /// Removes some rows of an owner, with their references.
    private func remove(_ count: Int, of owner: OwnerID, in connection: any SQLConnection) throws {
        let rows = try connection.rows("SELECT number, blob FROM owned WHERE owner = ? LIMIT ?", [owner, count])
        for row in rows {
            try connection.execute("DELETE FROM owned WHERE number = ?", [try row.decode(Int64.self, atIndex: 0)])
            try blobs.release(try row.decode(atIndex: 1), in: connection)
        }
    }

    /// Checks that the references are those of the owners' rows and of the pieces.
    private func expectReferences() async throws {
        let wrong = try await database.readRows { connection in
            try connection.values(
                """
                SELECT id FROM blob WHERE "references" != (SELECT count(*) FROM owned WHERE blob = id)
                    + (SELECT count(*) FROM blob_piece WHERE piece = id)
                """, as: String.self)
        }
        #expect(wrong == [])
    }
}
