#if DEBUG
    import DurableFiles
    import EmojiArtModel
    import Foundation
    import GRDB

    @testable import EmojiArtStore
    @testable import Persistence

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #else
        import Darwin
    #endif

    /// Edits a board on one thread, so that its system calls can be counted, and records the acknowledged batches.
    struct BoardWriting {
        private let database: AppDatabase
        private let queue: DatabaseQueue
        private let cache = ArtCache()

        init(path: String) async throws {
            self.database = try await AppDatabase.open(
                in: DataFolder.open(at: path), migrations: BoardMigrations.all)
            self.queue = try DatabaseQueue(path: database.folder.databasePath)
        }

        /// Applies numbered batches, each of which moves one emoji, adds one and deletes one.
        func write(_ batches: Int, acknowledging path: String) throws {
            let acknowledged = try OpenFile(path, .appending)
            for _ in 0..<batches {
                let outcome = try write { writer in
                    guard let board = BoardID("board") else {
                        throw BoardStoreError.failed("“board” is an invalid ID.")
                    }
                    let number = try writer.activeRow(board, owner: "ann").revision + 1
                    return try writer.apply(
                        BatchRequest(batch: Self.batch(number), board: board, owner: "ann", author: ""))
                }
                try acknowledged.append(Data("b\(outcome.revision) \(outcome.revision)\n".utf8))
            }
        }

        private static func batch(_ number: Int) -> OperationBatch {
            var operations: [ArtOperation] = []
            if let id = EmojiID("e0") { operations.append(.move(id, x: Double(number), y: 0)) }
            if let id = EmojiID("k\(number)") {
                operations.append(.add(Emoji(id: id, text: "🐶", x: Double(number), y: -2.5, size: 40, z: 0)))
            }
            if let id = EmojiID("k\(number - 3)") { operations.append(.delete(id)) }
            return OperationBatch(id: "b\(number)", name: "Step", operations: operations)
        }

        private func write(_ body: (inout BoardWriter) throws -> BatchOutcome) throws -> BatchOutcome {
            var policy = BoardPolicy()
            (policy.snapshotEntries, policy.logEntries) = (3, 5_000)
            var outcomes: [BatchOutcome] = []
            var staged = StagedArt()
            try queue.inTransaction(.immediate) { connection in
                var writer = BoardWriter(
                    SQLiteConnection(connection), cache: cache, blobs: BlobStore(database: database), policy: policy,
                    now: Moment(Date()),
                    step: { _ in })
                outcomes = [try body(&writer)]
                staged = writer.staged
                return .commit
            }
            cache.commit(staged)
            return outcomes[0]
        }
    }
#endif
