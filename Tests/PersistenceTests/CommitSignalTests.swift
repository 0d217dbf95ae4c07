import Foundation
import Futures
import StoreTesting
import Testing
import VirtualTime

@testable import Persistence

/// Signals between processes that share a data folder.
@Suite(.timeLimit(.minutes(10))) struct CommitSignalTests {
    private let folder: TemporaryFolder
    private let data: DataFolder

    init() throws {
        folder = try TemporaryFolder()
        data = try DataFolder.make(at: folder.path + "/data")
    }

    private func signal() -> CommitSignal { CommitSignal(in: data, name: "test", clock: ManualClock()) }

    @Test func signalsReachOthersAndNotTheirSender() async throws {
        let (first, second) = (signal(), signal())
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let ownReports = Lock(0)
        let (sender, ownWatch) = first.watch { ownReports.withLock { $0 += 1 } }
        let (_, watch) = second.watch { report.yield() }
        var iterator = reports.makeAsyncIterator()
        for _ in 0..<100 {
            first.send(from: sender)
            _ = await iterator.next()
        }
        let count = ownReports.withLock(\.self)
        #expect(count == 0)
        ownWatch.stop()
        watch.stop()
    }

    @Test func otherWatchersOfTheSameSignalAreNotified() {
        let signal = signal()
        let own = Lock(0)
        let others = Lock(0)
        let (sender, ownWatch) = signal.watch { own.withLock { $0 += 1 } }
        let (_, watch) = signal.watch { others.withLock { $0 += 1 } }
        signal.send(from: sender)
        watch.stop()
        signal.send(from: sender)
        signal.send()
        let counts = [own.withLock(\.self), others.withLock(\.self)]
        #expect(counts == [1, 1])
        ownWatch.stop()
    }

    @Test func sendReturnsTrueWhenItReplacesAnothersSignal() {
        let (first, second) = (signal(), signal())
        #expect(!first.send())
        #expect(second.send())
        #expect(first.send())
        #expect(!first.send())
        second.send()
        second.send()
        #expect(first.send())
    }

    /// This is the case if a process is suspended while it holds the lock.
    @Test func heldLockDoesNotBlockSenders() throws {
        let (first, second) = (signal(), signal())
        #expect(!first.send())
        let holder = open(data.path(of: "test.changed"), O_RDWR)
        defer { close(holder) }
        try #require(flock(holder, LOCK_EX) == 0)
        // It is unknown whether this has replaced another signal.
        #expect(first.send())
        #expect(second.send())
    }
}
