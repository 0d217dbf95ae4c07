import Foundation
import Futures
import Jobs
import Persistence
import PostgreSQL

// Writes to a PostgreSQL database while its servers fail, and checks what it has written; see script/cluster-test.
//
//   ClusterWriter write ADDRESS NAME JOURNAL    until SIGTERM, or the end of the input
//   ClusterWriter verify ADDRESS JOURNAL…       after all writers have ended
//
// A line of a journal is a time in seconds since 1970, a word, and what it is about. A line is written before its effect is used.

@main
enum ClusterWriter {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("write", 4):
            let writer = try await Writer(arguments[1], named: arguments[2], journal: Journal(at: arguments[3]))
            await writer.run()
        case ("verify", 3...):
            let failures = try await Verification(arguments[1]).failures(of: arguments.dropFirst(2).map(Journal.read))
            for failure in failures.prefix(50) { print(failure) }
            exit(failures.isEmpty ? 0 : 1)
        default:
            FileHandle.standardError.write(Data("usage: ClusterWriter write|verify ADDRESS …\n".utf8))
            exit(64)
        }
    }

    /// Opens the database, however long its servers need.
    static func open(_ address: String) async throws -> PostgresDatabase {
        var limits = PostgresLimits()
        limits.statement = .seconds(10)
        limits.connecting = .seconds(3)
        limits.retrying = .seconds(90)
        limits.waiting = .seconds(120)
        let stopwatch = Stopwatch(ContinuousClock())
        while true {
            do throws(StoreError) {
                return try await PostgresDatabase.open(
                    PostgresAddress(address), limits: limits,
                    migrations: SQLiteStore.postgreSQLMigrations + SQLiteJobQueue.postgreSQLMigrations)
            } catch {
                guard stopwatch.elapsed < .seconds(120), error.code != .newerVersion else { throw error }
                try await stopwatch.sleep(until: stopwatch.elapsed + .milliseconds(500))
            }
        }
    }

    static func queue(in database: PostgresDatabase) -> SQLiteJobQueue {
        SQLiteJobQueue(in: database, signal: database.changeSignal(of: "jobs"))
    }
}

/// What a writer has been told.
final class Journal: Sendable {
    struct Line {
        let time: Double
        let word: String
        let subject: String
    }

    private let file: Lock<FileHandle>

    init(at path: String) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileWriteUnknown) }
        try file.seekToEnd()
        self.file = Lock(file)
    }

    func note(_ word: String, _ subject: String = "") {
        file.withLock { $0.write(Data("\(Date().timeIntervalSince1970) \(word) \(subject)\n".utf8)) }
    }

    static func read(_ path: String) throws -> [Line] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
            guard words.count == 3, let time = Double(words[0]) else { return nil }
            return Line(time: time, word: words[1], subject: words[2])
        }
    }
}

/// Writes values and jobs, and performs jobs.
struct Writer: Sendable {
    private let name: String
    private let journal: Journal
    private let database: PostgresDatabase
    private let store: SQLiteStore
    private let queue: SQLiteJobQueue

    init(_ address: String, named name: String, journal: Journal) async throws {
        (self.name, self.journal) = (name, journal)
        database = try await ClusterWriter.open(address)
        store = SQLiteStore(in: database, owner: "shared")
        queue = ClusterWriter.queue(in: database)
    }

    /// Works until SIGTERM.
    func run() async {
        journal.note("began")
        signal(SIGTERM, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGTERM)
        await withTaskGroup { group in
            group.addTask { await count("own/\(name)") }
            group.addTask { await count("shared") }
            group.addTask { await enqueue() }
            group.addTask { await perform() }
            group.addTask { await watch() }
            await withCheckedContinuation { continuation in
                source.setEventHandler { continuation.resume() }
                source.resume()
            }
            source.cancel()
            group.cancelAll()
        }
        journal.note("end")
    }

    /// Increments a number, up to 200 times a second.
    private func count(_ name: String) async {
        guard let key = try? StoreKey(name) else { return }
        let stopwatch = Stopwatch(ContinuousClock())
        while (try? await stopwatch.sleep(until: stopwatch.elapsed + .milliseconds(5))) != nil {
            do throws(StoreError) {
                let record = try await store.read(key)
                let number = record.flatMap { Int(String(decoding: $0.content.payload, as: UTF8.self)) } ?? 0
                journal.note("read", "\(key) \(number)")
                let content = StoredContent(format: "number", version: 1, payload: Data("\(number + 1)".utf8))
                let expectation = record.map { StoreWrite.Expectation.revision($0.revision) } ?? .nothing
                if case .committed = try await store.commit([StoreWrite(key, content, expecting: expectation)]) {
                    journal.note("wrote", "\(key) \(number + 1)")
                }
            } catch {
                // The write may have happened.
                journal.note("failed", "\(key) \(error.code) \(error.message.replacing("\n", with: " "))")
            }
        }
    }

    private func enqueue() async {
        let run = UUID().uuidString.prefix(8)
        let stopwatch = Stopwatch(ContinuousClock())
        var number = 0
        while (try? await stopwatch.sleep(until: stopwatch.elapsed + .milliseconds(50))) != nil {
            number += 1
            let id = "\(name)/\(run)/\(number)"
            do throws(StoreError) {
                try await queue.enqueue(
                    Job(
                        id: Job.ID(id), owner: OwnerID(rawValue: name), kind: "test", lane: "default",
                        payload: Data(id.utf8)))
                journal.note("enqueued", id)
            } catch {
                journal.note("failed", "\(id) \(error.code)")
            }
        }
    }

    private func perform() async {
        let stopwatch = Stopwatch(ContinuousClock())
        while !Task.isCancelled {
            do throws(StoreError) {
                guard let lease = try await queue.lease(lanes: ["default"], worker: name, for: 10) else {
                    try? await stopwatch.sleep(until: stopwatch.elapsed + .milliseconds(20))
                    continue
                }
                let isAccepted = try await queue.end(lease, .succeeded(Data(name.utf8)))
                journal.note(isAccepted ? "ended" : "refused", lease.job.id.description)
            } catch {
                journal.note("failed", "job \(error.code)")
                try? await queue.expire()
            }
            try? await queue.expire()
        }
    }

    /// Notes how late changes of the shared number arrive.
    private func watch() async {
        for await _ in store.updates() { journal.note("changed") }
    }
}

/// Compares the journals with the database.
struct Verification {
    private let database: PostgresDatabase

    init(_ address: String) async throws {
        database = try await ClusterWriter.open(address)
    }

    func failures(of journals: [[Journal.Line]]) async throws -> [String] {
        var failures: [String] = []
        let store = SQLiteStore(in: database, owner: "shared")
        let lines = journals.joined()
        // Each acknowledged number is there, and later reads never show an older one.
        var written: [String: Int] = [:]
        for line in lines where line.word == "wrote" {
            let words = line.subject.split(separator: " ")
            written[String(words[0])] = max(written[String(words[0])] ?? 0, Int(words[1]) ?? 0)
        }
        for (key, number) in written.sorted(by: { $0.key < $1.key }) {
            let record = try await store.read(StoreKey(key))
            let stored = record.flatMap { Int(String(decoding: $0.content.payload, as: UTF8.self)) } ?? 0
            if stored < number { failures.append("\(key) is \(stored), and \(number) was acknowledged") }
            let acknowledged = lines.count { $0.word == "wrote" && $0.subject.hasPrefix("\(key) ") }
            // A killed writer may have written without noting it.
            let writers = journals.filter { $0.contains { $0.word == "wrote" && $0.subject.hasPrefix("\(key) ") } }
            let kills = writers.map { $0.count { $0.word == "began" } - 1 }.reduce(0, +)
            let unknown = kills + lines.count { $0.word == "failed" && $0.subject.hasPrefix("\(key) timedOut") }
            let isPossible = (acknowledged...acknowledged + unknown).contains(stored)
            if !isPossible {
                failures.append("\(key) is \(stored), after \(acknowledged) writes and \(unknown) of unknown outcome")
            }
            print(
                "\(key): \(stored) = \(acknowledged) acknowledged writes and \(stored - acknowledged) of unknown outcome"
            )
        }
        for journal in journals {
            var last: [String: Int] = [:]
            for line in journal where ["read", "wrote"].contains(line.word) {
                let words = line.subject.split(separator: " ")
                let (key, number) = (String(words[0]), Int(words[1]) ?? 0)
                if number < last[key] ?? 0 { failures.append("\(key) went back from \(last[key] ?? 0) to \(number)") }
                last[key] = number
            }
        }
        return try await failures + jobFailures(lines: Array(lines))
    }

    private func jobFailures(lines: [Journal.Line]) async throws -> [String] {
        let queue = ClusterWriter.queue(in: database)
        // The jobs that are left, whose leases may have to expire first.
        let stopwatch = Stopwatch(ContinuousClock())
        var lastEnd = Duration.zero
        var ended = lines.filter { $0.word == "ended" }.map(\.subject)
        while stopwatch.elapsed < lastEnd + .seconds(60) {
            try await queue.expire()
            if let lease = try await queue.lease(lanes: ["default"], worker: "verify", for: 10) {
                if try await queue.end(lease, .succeeded(Data())) {
                    ended.append(lease.job.id.description)
                    lastEnd = stopwatch.elapsed
                }
            } else if try await queue.overview(limit: 1).unfinished.isEmpty {
                break
            }
        }
        var failures: [String] = []
        for (id, count) in Dictionary(grouping: ended, by: \.self).mapValues(\.count) where count > 1 {
            failures.append("the job \(id) ended \(count) times")
        }
        let enqueued = lines.filter { $0.word == "enqueued" }.map(\.subject)
        for id in enqueued {
            guard case .succeeded? = try await queue.record(Job.ID(id))?.phase else {
                failures.append("the job \(id) was enqueued, and hasn't succeeded")
                continue
            }
        }
        print("\(enqueued.count) acknowledged jobs; \(Set(ended).count) ends were acknowledged")
        return failures
    }
}
