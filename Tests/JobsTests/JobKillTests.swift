import Foundation
import Futures
import GRDB
import Persistence
import StoreTesting
import Synchronization
import Testing
import VirtualTime

@testable import Jobs

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Checks a database's queue after `kill -9` before each of its write statements.
@Suite(.timeLimit(.minutes(30)), .serialized) struct JobKillTests {
    @Test func reportedResultsSurviveAKillAndOtherJobsContinue() async throws {
        let whole = try JobQueueFixture()
        try await KilledWork(at: whole.path).run()
        let statements = try KilledWork(at: whole.path).statementCount
        #expect(statements > 40)
        for statement in stride(from: 1, through: statements, by: isSoak ? 1 : 4) {
            let fixture = try JobQueueFixture()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = fixture.path as String, statement = statement as Int] in
                try await KilledWork(at: path).run(killedAt: statement)
            }
            try await expectConsistentQueue(fixture, killedAt: statement)
        }
    }

    private func expectConsistentQueue(_ fixture: JobQueueFixture, killedAt statement: Int) async throws {
        let (queue, database) = try await fixture.openDatabase()
        defer { database.close() }
        let (done, begun) = try KilledWork(at: fixture.path).journal()
        let comment = Comment(rawValue: "killed before statement \(statement), after \(done.last ?? "nothing")")
        for name in ["a", "b", "c", "d"] as [Job.ID] where done.contains("enqueue \(name)") {
            let record = try await queue.record(name)
            if done.contains("discard \(name)") {
                #expect(record == nil, comment)
            } else if !begun.contains("discard \(name)") {
                #expect(record != nil, comment)
            }
        }
        if done.contains("end a"), let record = try await queue.record("a") {
            #expect(record.phase == .succeeded(Data("result".utf8)), comment)
        }
        if done.contains("lose b") { #expect(try await queue.record("b")?.attempts == 1, comment) }
        if done.contains("cancel c") { #expect(try await queue.record("c")?.phase == .failed(.cancelled), comment) }
        // The job and its note were committed in one transaction: both exist, or neither.
        let notes = try await database.read { try String.fetchAll($0, sql: "SELECT text FROM note") }
        #expect(try await queue.record("d") != nil ? notes == ["d"] : notes.isEmpty, comment)
        // The next worker runs all remaining jobs, under new tokens.
        let tokens = done.compactMap { line in line.split(separator: "token ").last.flatMap { Int64($0) } }
        try await queue.endLeases(ofWorker: "w")
        fixture.advance(by: 60)
        while let lease = try await queue.next() {
            #expect(tokens.allSatisfy { $0 < lease.token }, comment)
            #expect(try await queue.end(lease, .succeeded(Data())), comment)
        }
        #expect(try await queue.overview(limit: 9).unfinished.isEmpty, comment)
    }
}

/// A process's operations on a queue, with a journal of those begun and done.
private struct KilledWork {
    private let path: String
    private var journalPath: String { path + "/journal" }
    private var countPath: String { path + "/statements" }

    init(at path: String) {
        self.path = path
    }

    var statementCount: Int {
        get throws { try Int(String(contentsOfFile: countPath, encoding: .utf8)) ?? 0 }
    }

    /// - Parameter limit: The number of the statement before which this process is killed; `nil` to run to the end.
    /// - Throws: An error of the queue or the database.
    func run(killedAt limit: Int? = nil) async throws {
        let folder = try DataFolder.open(at: path + "/data")
        let database = try await AppDatabase.open(in: folder, migrations: SQLiteJobQueue.migrations)
        defer { database.close() }
        let queue = SQLiteJobQueue(
            database: database, clock: ManualClock(), now: { Date(timeIntervalSince1970: 1_800_000_000) })
        let count = Atomic(0)
        try await database.write { try $0.execute(sql: "CREATE TABLE note (text TEXT NOT NULL)") }
        try await database.write { connection in
            connection.trace { _ in
                if count.add(1, ordering: .relaxed).newValue == limit { kill(getpid(), SIGKILL) }
            }
        }
        for name in ["a", "b", "c"] as [Job.ID] {
            try await step("enqueue \(name)") { try await queue.enqueue(.test(name.description)) }
        }
        let first = try await lease(queue)
        try await step("renew a") { try await queue.renew(first, for: 30, progress: Data("half".utf8)) }
        try await step("end a") { try await queue.end(first, .succeeded(Data("result".utf8))) }
        let second = try await lease(queue)
        try await step("lose b") { try await queue.end(second, .lost(.test)) }
        try await step("cancel c") { try await queue.cancel("c") }
        try await step("discard a") { try await queue.discard("a") }
        try await step("enqueue d") {
            try await database.write { connection in
                try queue.enqueue(.test("d"), in: connection)
                try connection.execute(sql: "INSERT INTO note VALUES ('d')")
            }
        }
        _ = try await lease(queue)
        try await step("expire") { try await queue.expire() }
        try "\(count.load(ordering: .relaxed))".write(toFile: countPath, atomically: false, encoding: .utf8)
    }

    private func lease(_ queue: SQLiteJobQueue) async throws -> JobLease {
        let lease = try #require(try await queue.next())
        try note("done lease \(lease.job.id) token \(lease.token)")
        return lease
    }

    private func step<Value>(_ name: String, _ body: () async throws -> Value) async throws {
        try note("begun \(name)")
        _ = try await body()
        try note("done \(name)")
    }

    private func note(_ line: String) throws {
        let old = (try? String(contentsOfFile: journalPath, encoding: .utf8)) ?? ""
        try (old + line + "\n").write(toFile: journalPath, atomically: false, encoding: .utf8)
    }

    func journal() throws -> (done: [String], begun: [String]) {
        let all = ((try? String(contentsOfFile: journalPath, encoding: .utf8)) ?? "").split(separator: "\n")
        func lines(_ prefix: String) -> [String] {
            all.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
        return (lines("done "), lines("begun "))
    }
}
