import EmojiArtModel
import Foundation
import Futures
import Persistence
import StoreTesting
import Strace
import Testing

@testable import EmojiArtStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Kills processes at any point, and checks that every acknowledged batch is stored once, in order.
@Suite(.timeLimit(.minutes(60)), .serialized) struct BoardKillTests {
    @Test func acknowledgedBatchesSurviveKillAtEachStep() async throws {
        let fixture = try await KillFixture()
        let batches = isSoak ? 60 : 6
        var kills = 0
        for point in 1... {
            try fixture.clearAcknowledgedBatches()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = fixture.path as String, point = point as Int, batches = batches as Int] in
                let fuse = Lock(0)
                let store = try await KillFixture.store(at: path) { _ in
                    let isLast = fuse.withLock { passed in
                        passed += 1
                        return passed == point
                    }
                    if isLast { _ = kill(getpid(), SIGKILL) }
                }
                try await KillFixture.applyBatches(
                    in: store, batches, acknowledging: KillFixture.acknowledged(in: path))
                // The run had fewer steps than `point`.
                _ = kill(getpid(), SIGKILL)
            }
            let wasLast = try fixture.isDone(batches)
            try await fixture.checkSequentialBatches()
            if wasLast { break }
            kills += 1
        }
        #expect(kills >= batches * 3, "\(kills) kills")
    }

    @Test func acknowledgedBatchesSurviveRandomKillWithSeveralWriters() async throws {
        let fixture = try await KillFixture()
        for round in 0..<(isSoak ? 1_000 : 25) {
            try fixture.clearAcknowledgedBatches()
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = fixture.path as String, round = round as Int] in
                let store = try await KillFixture.store(at: path)
                let file = try FileHandle(forWritingTo: URL(filePath: KillFixture.acknowledged(in: path)))
                killThisProcess(afterMicroseconds: .random(in: 0..<60_000))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for person in 0..<3 {
                        group.addTask {
                            for number in 0... {
                                let id = "r\(round)p\(person)n\(number)"
                                // Each batch moves to its own place: one without an effect isn't logged.
                                let (x, y) = (Double(number), Double(1 + person + 3 * round))
                                let outcome = try await store.apply(id, .move("e0", x: x, y: y))
                                try file.seekToEnd()
                                try file.write(contentsOf: Data("\(id) \(outcome.revision)\n".utf8))
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            try await fixture.checkConcurrentBatches()
        }
    }
}
