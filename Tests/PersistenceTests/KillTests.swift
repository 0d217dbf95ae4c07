import DurableFiles
import Foundation
import GRDB
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

/// The stored data after a process has killed itself with `SIGKILL`.
@Suite(.timeLimit(.minutes(20))) struct KillTests {
    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// The moment in the third write at which the process kills itself.
    enum WriteStage: Int, CaseIterable {
        case staged, added, noted, written
    }

    @Test(arguments: WriteStage.allCases)
    func killDuringAWriteLosesNothingAndLeavesNoPartialWrite(moment: WriteStage) async throws {
        let path = try folder.data.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, moment = moment.rawValue as Int] in
            let writer = try await Writer(path: path)
            try await writer.write(1)
            try await writer.write(2)
            try await writer.write(3, dyingAt: WriteStage(rawValue: moment))
        }
        let count = try await checkStoredRows()
        #expect(count == (moment == .written ? 3 : 2))
    }

    @Test(arguments: [1, 7, 40, 200])
    func acknowledgedWritesSurviveAKillAtAnyMoment(last: Int) async throws {
        // Two tasks write concurrently, and a third thread kills the process during a write.
        let path = try folder.data.path
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, last = last as Int] in
            let writer = try await Writer(path: path)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<2 {
                    group.addTask {
                        for number in 0... {
                            try await writer.write(number * 2 + task)
                            if number * 2 + task == last {
                                Thread.detachNewThread { _ = kill(getpid(), SIGKILL) }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(try await checkStoredRows() > last / 2)
    }

    /// Checks that all acknowledged rows exist, each row has its blob, and each reference belongs to a row.
    private func checkStoredRows() async throws -> Int {
        let database = try await folder.database()
        #expect(database.setAside == nil)
        let blobs = BlobStore(database: database)
        let rows = try await database.read { connection in
            try Row.fetchAll(connection, sql: "SELECT number, text, blob FROM note").map { row in
                (number: row[0] as Int, text: row[1] as String, blob: row[2] as BlobStore.ID)
            }
        }
        for row in rows {
            #expect(row.text == "note \(row.number)")
            #expect(try await blobs.read(row.blob) == Writer.content(row.number))
        }
        let acknowledged = try String(contentsOfFile: folder.data.path(of: "acknowledged"), encoding: .utf8)
            .split(separator: "\n").compactMap { Int($0) }
        #expect(Set(acknowledged).isSubset(of: rows.map(\.number)))
        #expect(try await database.blobs.sorted() == rows.map { "\($0.blob) \(Writer.size) 1 -" }.sorted())
        // A sweep removes leftovers, and nothing else.
        let later = BlobStore(database: database, now: { Date(timeIntervalSinceNow: 200_000) })
        _ = try await later.sweep()
        #expect(folder.blobFiles == rows.map(\.blob.description).sorted())
        return rows.count
    }
}

/// Writes in the process that is killed.
///
/// Each write adds a blob and a row, and then records its acknowledgement in a file.
private struct Writer: Sendable {
    static let size = 20_000

    let database: AppDatabase
    let blobs: BlobStore
    let acknowledged: OpenFile

    init(path: String) async throws {
        let folder = try DataFolder.open(at: path)
        self.database = try await AppDatabase.open(in: folder, migrations: [.notes])
        self.blobs = BlobStore(database: database)
        self.acknowledged = try OpenFile(folder.path(of: "acknowledged"), .appending)
    }

    static func content(_ number: Int) -> Data {
        Data(repeating: UInt8(truncatingIfNeeded: number), count: size - 8)
            + withUnsafeBytes(of: number.littleEndian) { Data($0) }
    }

    func write(_ number: Int, dyingAt moment: KillTests.WriteStage? = nil) async throws {
        let staged = try await blobs.stage(Self.content(number))
        die(.staged, moment)
        try await database.write { connection in
            try blobs.add(staged, in: connection)
            die(.added, moment)
            try connection.execute(
                sql: "INSERT INTO note (number, text, blob) VALUES (?, ?, ?)",
                arguments: [number, "note \(number)", staged.id])
            die(.noted, moment)
        }
        try acknowledged.append(Data("\(number)\n".utf8))
        die(.written, moment)
    }

    private func die(_ now: KillTests.WriteStage, _ moment: KillTests.WriteStage?) {
        if now == moment { _ = kill(getpid(), SIGKILL) }
    }
}
