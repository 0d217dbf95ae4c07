import Foundation
import Futures
import ServedPostgreSQL
import StoreTesting
import Testing

@testable import Persistence

/// Tests that a move whose process was killed continues.
@Suite(.timeLimit(.minutes(20)), .serialized) struct MoveKillTests {
    /// Moves the data of a folder, and kills this process after some batches.
    private static func move(_ path: String, _ isBack: Bool, batches: Int) async throws {
        let old = try await Place(isBack ? .postgreSQL : .sqlite, at: "\(path)/old")
        let new = try await Place(isBack ? .sqlite : .postgreSQL, at: "\(path)/new")
        let count = Lock(0)
        var move = DatabaseMove.test(old, new, 30)
        move.afterBatch = { () throws(StoreError) in
            let isLast = count.withLock { count in
                count += 1
                return count == batches
            }
            if isLast { _ = kill(getpid(), SIGKILL) }
        }
        _ = try await move.run()
    }

    @Test(arguments: [false, true])
    func killedMoveContinues(_ isBack: Bool) async throws {
        let temporary = try TemporaryFolder()
        let path = temporary.path
        let old = try await Place(isBack ? .postgreSQL : .sqlite, at: "\(path)/old")
        let new = try await Place(isBack ? .sqlite : .postgreSQL, at: "\(path)/new")
        let stores = try await Stores(old.database, old.folder)
        try await stores.fill()
        let contents = try await stores.contents()
        for batches in [1, 9, 5] {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, isBack = isBack as Bool, batches = batches as Int] in
                try await Self.move(path, isBack, batches: batches)
            }
            // It can be read, but not changed, until the move is continued or given up.
            #expect(try await stores.contents() == contents)
            let error = await #expect(throws: StoreError.self) {
                try await old.database.writeRows(locking: []) { _ = try $0.execute("DELETE FROM job") }
            }
            #expect(error?.code == .notWritable)
            await #expect(throws: StoreError.self) { try await new.another() }
        }
        try await Self.move(path, isBack, batches: 0)
        #expect(try await Stores(new.database, old.folder).contents() == contents)
    }
}
