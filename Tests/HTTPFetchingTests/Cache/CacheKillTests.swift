import DurableFiles
import Foundation
import StoreTesting
import Strace
import Testing

@testable import HTTPFetching

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a process that is killed leaves in a cache's folder.
@Suite(.timeLimit(.minutes(20))) struct CacheKillTests {
    /// The calls that change what is in the folder; with full counts all that are made.
    private static let calls: Set<String> = [
        "write", "pwrite64", "rename", "renameat", "renameat2", "mkdir", "mkdirat", "unlink", "unlinkat", "utimensat",
    ]

    let folder: TemporaryFolder

    init() throws {
        self.folder = try TemporaryFolder()
    }

    /// Into an empty folder; in place of what is there; and where something has to go for it.
    enum Situation: CaseIterable {
        case empty, replacing, full
    }

    @Test(
        .enabled("strace ends a program at a given call") { TracedProgram.isPossible },
        arguments: Situation.allCases)
    func killedAtEachCallOfAnInsertion(situation: Situation) async throws {
        var cache = KilledCache(folder: folder, bound: situation == .full ? 56_000 : 2_000_000)
        let first = situation == .empty ? 1 : situation == .replacing ? 4 : 7
        try cache.keepAll(1..<first)
        let before = try folder.contents
        let made = try await cache.program(first...first).callsMade(after: "begin \(first)", record: cache.trace)
        try folder.restore(before)
        var kills = 0
        for (call, times) in made.sorted(by: { $0.key < $1.key }) where isSoak || Self.calls.contains(call) {
            for time in (times + 1)... {
                // In what the last has left; with full counts from the same beginning, so that there is an end to the calls.
                if situation == .empty || isSoak { try folder.restore(before) }
                let end = try await cache.run(number: first + kills, killedAt: call, time: time)
                try cache.checkWhatWasAcknowledged()
                try cache.check()
                if end == .ended { break }
                try #require(end == .killed, "strace did neither")
                kills += 1
                try #require(time < times + 200, "\(call) has no end")
            }
        }
        #expect(kills >= 6, "\(kills) kills")
        try cache.checkThatEverythingGoes()
    }

    @Test func killedAtRandom() async throws {
        var cache = KilledCache(folder: folder, bound: 150_000)
        for round in 0..<(isSoak ? 500 : 15) {
            let first = round * 1_000 + 1
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = cache.path as String, first = first as Int] in
                let storage = DiskCacheStorage(at: path, bound: 150_000)
                let last = first + Int.random(in: 0..<20)
                for number in first... {
                    if number == last { die(afterMicroseconds: .random(in: 0..<3_000)) }
                    try storage.keep(KilledCache.text(number), "\(number % 3)")
                }
            }
            try cache.check()
        }
        try cache.checkThatEverythingGoes()
    }
}

/// A cache whose processes are killed, and what is expected of it.
private struct KilledCache {
    let folder: TemporaryFolder
    let bound: Int
    /// The last number that was kept here, after all others.
    private var last = 1_000_000

    init(folder: TemporaryFolder, bound: Int) {
        self.folder = folder
        self.bound = bound
    }

    var path: String { folder.path + "/cache" }
    var marks: String { folder.path + "/marks" }
    var trace: String { folder.path + "/trace" }

    static func text(_ number: Int) -> String { repeatElement("\(number) ", count: 4_000).joined() }

    func program(_ numbers: ClosedRange<Int>) -> TracedProgram {
        TracedProgram(
            TracedProgram.besideTests("StoreWriter"),
            ["keep", path, "\(bound)", "\(numbers.lowerBound)", "\(numbers.upperBound)", marks])
    }

    func keepAll(_ numbers: Range<Int>) throws {
        let storage = DiskCacheStorage(at: path, bound: bound)
        for number in numbers { try storage.keep(Self.text(number), "\(number % 3)") }
    }

    func run(number: Int, killedAt call: String, time: Int) async throws -> TracedProgram.End {
        try "".write(toFile: marks, atomically: false, encoding: .utf8)
        return await program(number...number).run(killedAt: call, time: time)
    }

    /// What was kept before the end is served: nothing else was used since.
    func checkWhatWasAcknowledged() throws {
        let lines = try String(contentsOfFile: marks, encoding: .utf8).split(separator: "\n")
        guard let number = lines.last(where: { $0.hasPrefix("end ") }).flatMap({ Int($0.dropFirst(4)) }) else { return }
        #expect(try DiskCacheStorage(at: path, bound: bound).text("\(number % 3)") == Self.text(number))
    }

    /// What is served is whole and right, and there is no more than there may be.
    mutating func check() throws {
        let storage = DiskCacheStorage(at: path, bound: bound)
        for key in 0..<3 {
            guard let text = try storage.text("\(key)") else { continue }
            let number = Int(text.prefix { $0 != " " }) ?? -1
            #expect(number % 3 == key && text == Self.text(number), "\(key) is torn: \(text.prefix(20))")
        }
        // The next who keeps something counts what is there, whoever left it.
        last += 1
        try DiskCacheStorage(at: path, bound: bound).keep(Self.text(last), "last")
        #expect(folder.bytes("/cache") <= bound)
        #expect(try storage.text("last") == Self.text(last))
    }

    /// Nothing that was left stays when there has been enough else.
    func checkThatEverythingGoes() throws {
        let left = Set(folder.files("/cache"))
        let storage = DiskCacheStorage(at: path, bound: bound)
        for number in 1...(bound / 16_000) { try storage.keep(Self.text(2_000_000 + number), "other \(number)") }
        #expect(left.intersection(folder.files("/cache")).isEmpty)
        #expect(folder.files("/cache/writing").isEmpty)
        #expect(folder.bytes("/cache") <= bound + bound / 16)
    }
}

extension TemporaryFolder {
    /// How many bytes all files have.
    fileprivate func bytes(_ folder: String) -> Int {
        files(folder).reduce(0) { sum, file in sum + (FileManager.default.contents(atPath: file)?.count ?? 0) }
    }

    /// The cache's files.
    fileprivate var contents: [String: Data] {
        get throws {
            try files("/cache").reduce(into: [:]) { $0[$1] = try Data(contentsOf: URL(filePath: $1)) }
        }
    }

    /// Makes the cache's folder what it was.
    fileprivate func restore(_ contents: [String: Data]) throws {
        try? FileManager.default.removeItem(atPath: path + "/cache")
        for (file, data) in contents {
            let folder = URL(filePath: file).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try data.write(to: URL(filePath: file))
        }
    }
}
