import DurableFiles
import Foundation
import HTTPTypes
import StoreTesting
import Strace
import SystemPackage
import Testing

@testable import HTTPFetching

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a folder may do to a cache that is in it.
@Suite(.timeLimit(.minutes(20))) struct DiskCacheTests {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        self.folder = try TemporaryFolder()
        self.path = folder.path + "/cache"
    }

    private func storage(bound: Int = 1 << 20) -> DiskCacheStorage { DiskCacheStorage(at: path, bound: bound) }

    @Test func anotherProcessFindsWhatIsKept() throws {
        let (one, two) = (storage(), storage())
        try one.keep("first", "a")
        #expect(try two.text("a") == "first")
        // It knows the record by now, and sees that it is another.
        try one.keep("second", "a")
        #expect(try two.text("a") == "second")
        try two.change("a", adding: nil) { $0.removeAll() }
        #expect(try one.text("a") == nil)
        try two.keep("third", "a")
        #expect(try one.text("a") == "third")
    }

    /// Nanoseconds since 1970 do not fit into 64 bits before 1677 and after 2262; a disk has other times too.
    @Test(arguments: [13_569_465_600, -13_569_465_600, Int.max / 2, Int.min / 2])
    func anyTimeOfAFileIsTaken(seconds: Int) throws {
        try storage().keep("some content", "a")
        for file in folder.files("/cache") {
            var times = [timespec](repeating: timespec(tv_sec: seconds, tv_nsec: 999_999_999), count: 2)
            // A file system may refuse a time, or store the nearest one that it has.
            _ = utimensat(AT_FDCWD, file, &times, 0)
        }
        #expect(try storage().text("a") == "some content")
        try storage(bound: 8_000).keep("other content", "b")
        #expect(try storage().text("b") == "other content")
    }

    @Test func whatHasChangedIsNeverServed() throws {
        try storage().keep("some content", "a")
        for file in folder.files("/cache") {
            let good = try #require(FileManager.default.contents(atPath: file))
            // 11 and 8 have no common divisor: each of a byte's bits has its turn.
            for bit in stride(from: 0, to: good.count * 8, by: isSoak ? 1 : 11) {
                var bad = good
                bad[bit / 8] ^= 1 << (bit % 8)
                try bad.write(to: URL(filePath: file))
                let text = try storage().text("a")
                #expect(text == nil, "\(text ?? "") by bit \(bit) of \(file)")
                // It has been dropped: the next finds nothing to look at.
                let isThere = FileManager.default.fileExists(atPath: file)
                #expect(!isThere, "bit \(bit) of \(file)")
                try good.write(to: URL(filePath: file))
            }
            #expect(try storage().text("a") == "some content")
        }
    }

    @Test func whatIsCutShortIsNeverServed() throws {
        try storage().keep("some content", "a")
        for file in folder.files("/cache") {
            let good = try #require(FileManager.default.contents(atPath: file))
            for count in 0..<good.count {
                try Data(good.prefix(count)).write(to: URL(filePath: file))
                #expect(try storage().text("a") == nil)
            }
            try Data(good + [0]).write(to: URL(filePath: file))
            #expect(try storage().text("a") == nil)
            try good.write(to: URL(filePath: file))
        }
    }

    @Test func anEntryOfAnotherAddressIsNotServed() throws {
        try storage().keep("of a", "a")
        let a = try #require(folder.files("/cache/entries").first)
        try storage().keep("of b", "b")
        let b = try #require(folder.files("/cache/entries").first { $0 != a })
        try FileManager.default.removeItem(atPath: a)
        try FileManager.default.copyItem(atPath: b, toPath: a)
        #expect(try storage().text("a") == nil)
    }

    /// Makes all files look as if they had been used at a time, in seconds since 1970, and written long ago.
    private func markAllUsed(at seconds: Int) {
        for file in folder.files("/cache") {
            var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
            #expect(utimensat(AT_FDCWD, file, &times, 0) == 0)
        }
    }

    @Test func whatWasUsedLeastRecentlyGoesFirst() throws {
        let storage = storage(bound: 60_000)
        for key in ["a", "b", "c", "d"] { try storage.keep(key + String(repeating: "x", count: 10_000), key) }
        // Long ago, so that no time needs to pass.
        markAllUsed(at: 1_000_000)
        #expect(try storage.text("b") != nil)
        for key in ["e", "f", "g", "h"] { try storage.keep(key + String(repeating: "x", count: 10_000), key) }
        #expect(try storage.text("b") != nil)
        let others = try ["a", "c", "d"].filter { try storage.text($0) != nil }
        #expect(others.count < 3)
        #expect(try storage.text("h") != nil)
    }

    /// A disk counts the times of use in steps: by these alone what was just written went as soon as anything older.
    @Test func whatHasJustBeenWrittenGoesLast() throws {
        let storage = storage(bound: 60_000)
        for key in ["a", "b", "c", "d"] { try storage.keep(key + String(repeating: "x", count: 12_000), key) }
        markAllUsed(at: 4_000_000_000)
        try storage.keep("e" + String(repeating: "x", count: 20_000), "e")
        #expect(try storage.text("e") != nil)
        #expect(try ["a", "b", "c", "d"].contains { try storage.text($0) == nil })
    }

    @Test func whatAnotherProcessWroteCounts() throws {
        let (one, two) = (storage(bound: 100_000), storage(bound: 100_000))
        for number in 0..<100 {
            try (number % 2 == 0 ? one : two).keep(String(repeating: "\(number) ", count: 2_000), "\(number)")
        }
        let bytes = folder.files("/cache").reduce(0) { sum, file in
            sum + (FileManager.default.contents(atPath: file)?.count ?? 0)
        }
        #expect(bytes <= 100_000 + 2 * 100_000 / 16 + 8_000)
    }

    @Test func whatWasHalfWrittenLongAgoGoes() throws {
        let storage = storage(bound: 10_000)
        try storage.keep("x", "a")
        let old = path + "/writing/old"
        let new = path + "/writing/new"
        for file in [old, new] { try Data("half".utf8).write(to: URL(filePath: file)) }
        var times = [timespec(tv_sec: 1_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, old, &times, 0) == 0)
        try storage.keep(String(repeating: "y", count: 900), "b")
        #expect(!FileManager.default.fileExists(atPath: old) && FileManager.default.fileExists(atPath: new))
    }

    /// Every step fails once: what is kept afterwards is what was kept before, or what was to be.
    @Test func anyStepMayFail() throws {
        try storage().keep("before", "a")
        var failures = 0
        for number in 1... {
            let steps = Counter()
            let disk = Disk { (_: Disk.Step) throws(Errno) in
                if steps.next() == number { throw Errno.ioError }
            }
            let faulty = DiskCacheStorage(at: path, bound: 1 << 20, disk: disk)
            let isDone: Bool
            do throws(FileError) {
                try faulty.keep("after", "a")
                isDone = true
            } catch {
                #expect(error.code == .inputOutput)
                isDone = false
                failures += 1
            }
            let text = try storage().text("a")
            #expect(text == "after" || (!isDone && text == "before"), "step \(number): \(text ?? "nothing")")
            if steps.count < number { break }
            try storage().keep("before", "a")
        }
        #expect(failures >= 4)
        #expect(folder.files("/cache/writing").isEmpty)
    }

    /// A process is killed at every step of its writes.
    @Test func killedAtEachStep() async throws {
        let path = path
        try storage().keep("before", "a")
        for number in 1...90 {
            let result = await #expect(processExitsWith: .failure) { [path = path as String, number = number as Int] in
                let steps = Counter()
                let disk = Disk { (_: Disk.Step) throws(Errno) in
                    if steps.next() == number { _ = kill(getpid(), SIGKILL) }
                }
                let storage = DiskCacheStorage(at: path, bound: 1 << 20, disk: disk)
                try storage.keep("after", "a")
                try storage.keep(String(repeating: "other", count: 10_000), "b")
                exit(9)
            }
            let text = try storage().text("a")
            #expect(text == "before" || text == "after", "step \(number): \(text ?? "nothing")")
            let other = try storage().text("b")
            #expect(other == nil || other == String(repeating: "other", count: 10_000))
            if result?.exitStatus == .exitCode(9) {
                #expect(number > 8, "it has \(number - 1) steps")
                return
            }
            try storage().keep("before", "a")
            try storage().change("b", adding: nil) { $0.removeAll() }
        }
        Issue.record("more steps than there should be")
    }

    /// Several processes write, read and are killed, all over one folder: what is served is what was kept under its name.
    @Test func killedAtRandomWhileOthersWrite() async throws {
        let path = path
        for round in 0..<6 {
            await withTaskGroup(of: Void.self) { group in
                for worker in 0..<2 {
                    group.addTask {
                        await #expect(processExitsWith: .signal(SIGKILL)) {
                            [path = path as String, seed = round * 2 + worker as Int] in
                            let storage = DiskCacheStorage(at: path, bound: 300_000)
                            die(afterMicroseconds: UInt32(seed * 7_919 % 20_000))
                            for number in 0... {
                                let key = "\((number * 31 + seed) % 23)"
                                try storage.keep("\(key):" + String(repeating: key, count: number % 9_000), key)
                                if let text = try storage.text(key), !text.hasPrefix("\(key):") { exit(1) }
                            }
                        }
                    }
                }
            }
            for key in 0..<23 {
                let text = try storage().text("\(key)")
                #expect(text?.hasPrefix("\(key):") ?? true)
            }
        }
    }
}

/// Counts, from any thread.
private final class Counter: Sendable {
    private let steps = Collected<Void>()

    var count: Int { steps.elements.count }

    func next() -> Int {
        steps.add(())
        return steps.elements.count
    }
}
