import Foundation
import Persistence
import StoreTesting
import Strace
import Testing

@testable import HealthSamples

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The store's contents after a process was killed at any point, and what a follower knows of them.
@Suite(.timeLimit(.minutes(60))) struct SampleKillTests {
    @Test(.enabled("Needs strace, to kill the program at a given system call.") { TracedProgram.isStraceInstalled })
    func killAtAnySystemCallOfASaveOrDeletionLosesNothing() async throws {
        let fixture = try SampleStoreFixture(.database)
        let follower = Follower(fixture: fixture, store: try await fixture.openForAll())
        let rounds = isSoak ? 4 : 1
        let path = try fixture.folder.path
        var kills = 0
        for call in TracedProgram.writingCalls {
            for time in 1... {
                try follower.clearAcknowledged()
                let number = follower.number
                let writer = TracedProgram(
                    TracedProgram.pathBesideTests("StoreWriter"),
                    ["samples", path, "\(number + 1)", "\(number + rounds)", follower.acknowledged])
                let end = await writer.run(killedAt: call, ordinal: time)
                try await follower.checkStoredSamples()
                if end == .ended { break }
                try #require(end == .killed, "strace neither killed the program nor saw it end")
                kills += 1
            }
        }
        #expect(kills >= 15, "\(kills) kills")
    }

    @Test func killAtARandomMomentLosesNothing() async throws {
        let fixture = try SampleStoreFixture(.database)
        let follower = Follower(fixture: fixture, store: try await fixture.openForAll())
        let path = try fixture.folder.path
        for _ in 0..<(isSoak ? 1_000 : 30) {
            try follower.clearAcknowledged()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, first = follower.number + 1 as Int, file = follower.acknowledged as String] in
                let database = try await AppDatabase.open(
                    in: DataFolder.open(at: path), migrations: SQLiteSampleStore.migrations)
                let store = try await SQLiteSampleStore.open(owner: "ann", in: database, now: { .noon })
                let handle = try FileHandle(forWritingTo: URL(filePath: file))
                let last = first + Int.random(in: 0..<20)
                for number in first... {
                    if number == last { killThisProcess(afterMicroseconds: .random(in: 0..<3_000)) }
                    func sample(_ name: String) -> Sample {
                        .caffeine(Double(number % 1_000), 60, sync: name, version: number)
                    }
                    try await store.save(sample("alone"), by: .app)
                    try handle.write(contentsOf: Data("alone \(number)\n".utf8))
                    try await store.save([sample("first"), sample("second")], by: .app)
                    try handle.write(contentsOf: Data("both \(number)\n".utf8))
                    try await store.save(sample("passing-\(number)"), by: .app)
                    try await store.delete(.syncIdentifiers(["passing-\(number)"]), by: .app)
                    try handle.write(contentsOf: Data("deleted \(number)\n".utf8))
                }
            }
            try await follower.checkStoredSamples()
        }
    }
}

/// A reader that follows the store only through its changes, from kill to kill.
private final class Follower {
    let fixture: SampleStoreFixture
    /// The same store throughout, like a server that keeps running while another process is killed.
    let store: any SampleStore
    private var known: [SampleKey: Sample] = [:]
    private var anchor: Anchor?
    /// The stored versions: of the sample saved alone, and of the two saved together.
    private var aloneVersion = 0
    private var bothVersion = 0
    /// The greater of the two, from which the next run continues.
    private(set) var number = 0

    init(fixture: SampleStoreFixture, store: any SampleStore) {
        self.fixture = fixture
        self.store = store
    }

    /// The path of the file to which the writer appends acknowledged versions.
    var acknowledged: String { fixture.path + "/acknowledged" }

    func clearAcknowledged() throws {
        try "".write(toFile: acknowledged, atomically: false, encoding: .utf8)
    }

    /// Checks that acknowledged samples are stored, that none is partial or duplicated, and that the changes match.
    func checkStoredSamples() async throws {
        let lines = try String(contentsOfFile: acknowledged, encoding: .utf8).split(separator: "\n")
        func last(_ word: String) -> Int? {
            lines.filter { $0.hasPrefix(word + " ") }.compactMap { Int($0.dropFirst(word.count + 1)) }.max()
        }
        /// A stored version must be the last acknowledged one, or the next one, whose acknowledgement is missing.
        ///
        /// The last acknowledged one may be of an earlier run.
        func isPossible(_ version: Int, _ word: String, before: Int) -> Bool {
            version == last(word) ?? before || version == (last(word) ?? number) + 1
        }
        let page = try await store.allChanges(since: anchor, limit: 3)
        page.apply(to: &known)
        anchor = page.anchor
        let stored = try await fixture.open().samples(.caffeine, by: .app)
        #expect(Set(known.values) == Set(stored))
        #expect(stored.count == known.count)
        func version(_ name: String) -> Int { known[.sync(source: "app", identifier: name)]?.sync?.version ?? 0 }
        #expect(
            isPossible(version("alone"), "alone", before: aloneVersion),
            "\(version("alone")) after \(aloneVersion): \(lines)")
        #expect(
            isPossible(version("first"), "both", before: bothVersion),
            "\(version("first")) after \(bothVersion): \(lines)")
        #expect(version("first") == version("second"))
        for sample in stored {
            let version = try #require(sample.sync?.version)
            #expect(sample.quantity.value == Double(version % 1_000))
        }
        let passing = stored.filter { $0.sync?.identifier.hasPrefix("passing-") == true }
        #expect(passing.allSatisfy { ($0.sync?.version ?? 0) > last("deleted") ?? number })
        aloneVersion = version("alone")
        bothVersion = version("first")
        number = max(aloneVersion, bothVersion)
        // Remove the unfinished samples, so that the next run can write them again.
        let unfinished = passing.compactMap(\.sync?.identifier)
        try await store.delete(.syncIdentifiers(Set(unfinished)), by: .app)
    }
}
