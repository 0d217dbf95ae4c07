import EmojiArtModel
import Foundation
import Persistence
import StoreTesting
import Testing

@testable import EmojiArtStore

/// A board that is changed by processes until they are killed, with a second store that stays open.
final class KillFixture {
    private let folder: TemporaryFolder
    private let store: SQLiteBoardStore
    /// The board's revision at the last check, before the killed process began.
    private var revision = 0

    /// Frequent snapshots, and a log long enough for a whole run.
    static var policy: BoardPolicy {
        var policy = BoardPolicy()
        policy.snapshotEntries = 3
        policy.logEntries = 5_000
        return policy
    }

    init() async throws {
        folder = try TemporaryFolder()
        store = try await Self.store(at: folder.path)
        try await store.create("board", art: try .test(1))
    }

    var path: String { folder.path }

    /// Opens the store; `step` is called at each step of a write.
    static func store(
        at path: String, step: @escaping @Sendable (BoardStep) -> Void = { _ in }
    ) async throws -> SQLiteBoardStore {
        let database = try await SQLiteFixture.open(path)
        return SQLiteBoardStore(
            in: database, blobs: BlobStore(database: database), now: { Date() }, policy: policy, step: step)
    }

    /// The file of acknowledged batches.
    static func acknowledged(in path: String) -> String { path + "/acknowledged" }

    /// Applies numbered batches one after another, and writes each acknowledgement to the file.
    static func applyBatches(
        in store: SQLiteBoardStore, _ batches: Int, acknowledging path: String
    ) async throws {
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        let first = try await store.art().emoji("e0").map { Int($0.x) + 1 } ?? 1
        for number in first..<first + batches {
            var operations: [ArtOperation] = [.move("e0", x: Double(number), y: 0), .add(.numbered(number))]
            operations.append(.delete(Emoji.numbered(number - 3).id))
            if number % 3 == 0 {
                let picture = try await store.add(picture(number), for: "board", owner: "ann")
                operations.append(.setBackground(.picture(picture)))
            }
            let batch = OperationBatch(id: "b\(number)", name: "Step", operations: operations)
            let outcome = try await store.apply(batch, to: "board", owner: "ann", author: "")
            try file.write(contentsOf: Data("b\(number) \(outcome.revision)\n".utf8))
        }
    }

    /// The picture of a batch: one of 60, because a board has room for a hundred.
    private static func picture(_ number: Int) -> PictureContent { .test("picture \(number % 60)") }

    func clearAcknowledgedBatches() throws {
        try "".write(toFile: Self.acknowledged(in: path), atomically: false, encoding: .utf8)
    }

    /// The acknowledged batches, each with its revision.
    private var acknowledged: [(batch: String, revision: Int)] {
        get throws {
            try String(contentsOfFile: Self.acknowledged(in: path), encoding: .utf8).split(separator: "\n")
                .compactMap { line in
                    let words = line.split(separator: " ")
                    guard words.count == 2, let revision = Int(words[1]) else { return nil }
                    return (String(words[0]), revision)
                }
        }
    }

    func isDone(_ batches: Int) throws -> Bool { try acknowledged.count == batches }
}

extension KillFixture {
    /// Checks the batches of a single writer: all acknowledged ones are stored, and at most one more.
    ///
    /// - Parameter hasPictures: Whether every third batch has set a picture.
    /// - Throws: An error of the store.
    func checkSequentialBatches(hasPictures: Bool = true) async throws {
        let old = revision
        let board = try await check(maximumUnacknowledged: 1)
        let number = board.summary.revision
        let expected = (max(1, number - 2)..<number + 1).map { Emoji.numbered($0) }
        #expect(
            Set(board.art.emojis) == Set(expected + [Emoji.test("e0", x: Double(number)).at(y: number == 0 ? -2.5 : 0)])
        )
        let entries = try #require(try await store.changes(since: old).entries)
        #expect(entries.map(\.batch.id) == entries.map { "b\($0.revision)" })
        if case .picture(let picture) = board.art.background {
            #expect(try await store.picture(picture, of: "board", owner: "ann") == Self.picture(number / 3 * 3))
        } else {
            #expect(number < 3 || !hasPictures)
        }
    }

    /// Checks the batches of three concurrent writers: all acknowledged ones are stored, and at most three more.
    func checkConcurrentBatches() async throws {
        _ = try await check(maximumUnacknowledged: 3)
    }

    private func check(maximumUnacknowledged maximum: Int) async throws -> Board {
        let database = try await SQLiteFixture.open(path)
        defer { database.close() }
        let reopened = SQLiteBoardStore(database: database, blobs: BlobStore(database: database))
        let board = try #require(try await reopened.board())
        // The store that stayed open has the same board.
        #expect(try await store.board() == board)
        let entries = try #require(try await reopened.changes(since: revision).entries)
        let acknowledgedBatches = try acknowledged
        #expect(entries.map(\.revision) == Array(revision..<board.summary.revision).map { $0 + 1 })
        #expect(Set(entries.map(\.batch.id)).count == entries.count)
        #expect(
            (acknowledgedBatches.count...acknowledgedBatches.count + maximum).contains(entries.count),
            "\(entries.count) after \(acknowledgedBatches.count)")
        for (batch, number) in acknowledgedBatches {
            #expect(entries.first { $0.revision == number }?.batch.id == batch)
            // A client that has not received the response sends the batch again.
            #expect(try await store.apply(batch, .delete("e0")) == BatchOutcome(revision: number, refused: []))
        }
        for entry in entries.suffix(maximum) {
            #expect(try await store.apply(entry.batch.id, .delete("e0")).revision == entry.revision)
        }
        #expect(try await reopened.board() == board)
        revision = board.summary.revision
        return board
    }
}

extension Emoji {
    /// The emoji that a batch adds.
    fileprivate static func numbered(_ number: Int) -> Emoji {
        .test(EmojiID("k\(number)") ?? "none", x: Double(number))
    }

    fileprivate func at(y: Double) -> Emoji {
        var emoji = self
        emoji.y = y
        return emoji
    }
}
