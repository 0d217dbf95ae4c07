import Dispatch
import DurableFiles
import Foundation
import StoreTesting
import Strace
import Testing

@testable import Persistence

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The stored values after a process was killed at any point.
@Suite(.timeLimit(.minutes(20))) struct StoreKillTests {
    /// The path of the writing program, in the same folder as the tests.
    static let writer = TracedProgram.pathBesideTests("StoreWriter")

    @Test(
        .enabled("Needs strace, to kill the program at a given system call.") { TracedProgram.isStraceInstalled },
        arguments: [StoreKind.folder, .database])
    func killAtAnySystemCallOfAWriteLosesNothing(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        _ = try await fixture.open().keys
        let rounds = isSoak ? 4 : 1
        var kills = 0
        var number = 0
        for call in TracedProgram.writingCalls {
            for time in 1... {
                try "".write(toFile: fixture.acknowledged, atomically: false, encoding: .utf8)
                let result = await fixture.writer(of: number + 1...number + rounds).run(killedAt: call, ordinal: time)
                number = try await fixture.checkAcknowledgedWrites(since: number)
                if result == .ended { break }
                try #require(result == .killed, "strace neither killed the program nor saw it end")
                kills += 1
            }
        }
        // The minimum number of calls in two writes, of one key and of two.
        #expect(kills >= (kind == .folder ? 30 : 15), "\(kills) kills")
    }

    @Test(arguments: [StoreKind.folder, .database])
    func killAtARandomMomentLosesNothing(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        _ = try await fixture.open().keys
        var number = 0
        for _ in 0..<(isSoak ? 1_000 : 30) {
            try "".write(toFile: fixture.acknowledged, atomically: false, encoding: .utf8)
            let first = number + 1
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    path = fixture.path as String, kind = kind as StoreKind, first = first as Int,
                    acknowledged = fixture.acknowledged as String
                ] in
                let file = try OpenFile(acknowledged, .appending)
                let store = try await kind.open(at: path)
                let last = first + Int.random(in: 0..<20)
                for number in first... {
                    if number == last { killThisProcess(afterMicroseconds: .random(in: 0..<3_000)) }
                    let content = StoreFixture.content(number)
                    _ = try await store.commit([StoreWrite("alone", content)])
                    try file.append(Data("alone \(number)\n".utf8))
                    _ = try await store.commit([StoreWrite("first", content), StoreWrite("second", content)])
                    try file.append(Data("both \(number)\n".utf8))
                }
            }
            number = try await fixture.checkAcknowledgedWrites(since: number)
        }
    }

    @Test(arguments: [StoreKind.folder, .database])
    func pendingValueIsWrittenOnTermination(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        _ = try await fixture.open().keys
        await #expect(processExitsWith: .success) { [path = fixture.path as String, kind = kind as StoreKind] in
            signal(SIGTERM, SIG_IGN)
            let (terminations, termination) = AsyncStream<Void>.makeStream()
            let source = DispatchSource.makeSignalSource(signal: SIGTERM)
            source.setEventHandler { termination.yield() }
            source.resume()
            let store = try await kind.open(at: path)
            let group = SaveGroup()
            let settings = AutosaveSettings(delay: .seconds(3_600), longestDelay: .seconds(3_600), group: group)
            let saving = Autosave("numbers", settings: settings) { (number: Int) throws(StoreError) in
                _ = try await store.commit([StoreWrite("number", .text("\(number)"))])
            }
            for number in 1...100 { saving.save(number) }
            guard try await store.read("number") == nil else { exit(2) }
            kill(getpid(), SIGTERM)
            for await _ in terminations { break }
            guard await group.flush(within: .seconds(600)).isEmpty else { exit(3) }
            // Exit at once, without waiting for anything else.
            _exit(0)
        }
        #expect(try await fixture.open().text("number") == "100")
    }

    @Test(arguments: StoreKind.shared)
    func concurrentProcessesLoseNoWriteOfOneKey(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        _ = try await fixture.open().keys
        await withTaskGroup { group in
            for process in 0..<2 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [
                            path = fixture.path as String, kind = kind as StoreKind, isSoak = isSoak as Bool,
                            file = "\(fixture.folder.path)/process-\(process)" as String
                        ] in
                        let store = try await kind.open(at: path)
                        let end = ContinuousClock.now + .seconds(60)
                        var count = 0
                        while isSoak ? ContinuousClock.now < end : count < 300 {
                            try await store.increment("count")
                            // Also write without an expectation: the last write wins.
                            _ = try await store.commit([StoreWrite("last", .text("\(count)"))])
                            count += 1
                        }
                        try "\(count)".write(toFile: file, atomically: true, encoding: .utf8)
                    }
                }
            }
        }
        let counts = try (0..<2).map { process in
            try #require(Int(String(contentsOfFile: "\(fixture.folder.path)/process-\(process)", encoding: .utf8)))
        }
        #expect(try await fixture.open().text("count") == "\(counts[0] + counts[1])")
        let last = try #require(try await fixture.open().text("last").flatMap { Int($0) })
        #expect(counts.contains(last + 1))
        #expect(try await fixture.open().setAsideRecords() == [])
    }

    @Test(.enabled(if: geteuid() == 0, "only root may make a small disk"), arguments: [StoreKind.folder, .database])
    func fullDiskIsReportedAndLosesNothing(kind: StoreKind) async throws {
        let fixture = try StoreFixture(kind)
        try FileManager.default.createDirectory(atPath: fixture.path, withIntermediateDirectories: true)
        // In its own mount namespace, so that the disk is unmounted when the process ends.
        let script = "mount -t tmpfs -o size=1m,mode=700 tmpfs \"$1\" && exec \"$2\" fill \"$3\" \"$1\""
        let arguments = [
            "/usr/bin/unshare", "--mount", "--", "/bin/sh", "-c", script, "sh", fixture.path, Self.writer,
            kind.rawValue,
        ]
        await #expect(processExitsWith: .success) { [arguments = arguments as [String]] in
            become(arguments)
        }
    }
}

/// Replaces this process by a program, or exits if that fails.
private func become(_ arguments: [String]) {
    var pointers = arguments.map { strdup($0) }
    pointers.append(nil)
    execv(arguments[0], pointers)
    exit(71)
}

extension StoreFixture {
    /// The path of the file that records acknowledged writes.
    fileprivate var acknowledged: String { folder.path + "/acknowledged" }

    fileprivate static func content(_ number: Int) -> StoredContent {
        let text = repeatElement("\(number) ", count: 2_000).joined()
        return StoredContent(format: "number", version: 1, payload: Data(text.utf8))
    }

    /// The program that writes these numbers.
    fileprivate func writer(of numbers: ClosedRange<Int>) -> TracedProgram {
        TracedProgram(
            StoreKillTests.writer,
            ["write", kind.rawValue, path, "\(numbers.lowerBound)", "\(numbers.upperBound)", acknowledged])
    }

    /// Checks that all acknowledged writes are stored, and none is partial.
    ///
    /// - Parameter number: The last number before the run.
    /// - Returns: The last number that is stored.
    /// - Throws: The errors of reading.
    fileprivate func checkAcknowledgedWrites(since number: Int) async throws -> Int {
        let lines = try String(contentsOfFile: acknowledged, encoding: .utf8).split(separator: "\n")
        func last(_ word: String) -> Int {
            lines.filter { $0.hasPrefix(word + " ") }.compactMap { Int($0.dropFirst(word.count + 1)) }.max() ?? number
        }
        let store = try await open()
        let alone = try await self.number("alone", in: store)
        let first = try await self.number("first", in: store)
        let second = try await self.number("second", in: store)
        #expect(first == second)
        #expect((last("alone")...last("alone") + 1).contains(alone))
        #expect((last("both")...last("both") + 1).contains(first))
        #expect(try await store.setAsideRecords() == [])
        // The next write must succeed, and leave no temporary files.
        let next = Self.content(max(alone, first))
        _ = try await store.commit(["alone", "first", "second"].map { (key: StoreKey) in StoreWrite(key, next) })
        #expect(Disk.names(in: path).filter { $0.contains(".pending") || $0 == ".journal" } == [])
        return max(alone, first)
    }

    private func number(_ key: StoreKey, in store: any Store) async throws -> Int {
        guard let content = try await store.read(key)?.content else { return 0 }
        let number = Int(String(decoding: content.payload.prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)) ?? -1
        #expect(content == Self.content(number), "\(key) is partly written")
        return number
    }
}
