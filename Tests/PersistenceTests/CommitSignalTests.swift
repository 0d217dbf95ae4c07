import Futures
import Testing

@testable import Persistence

/// Signals between those who share a data folder.
@Suite(.timeLimit(.minutes(10))) struct CommitSignalTests {
    private let folder: TemporaryFolder
    private let data: DataFolder

    init() throws {
        folder = try TemporaryFolder()
        data = try DataFolder.make(at: folder.path + "/data")
    }

    @Test func signalsReachOthersAndNotTheirSender() async throws {
        let (first, second) = (CommitSignal(in: data, name: "test"), CommitSignal(in: data, name: "test"))
        let (reports, report) = AsyncStream.makeStream(of: Void.self)
        let ownReports = Lock(0)
        let watches = [
            first.watch(fallback: .seconds(3_600), clock: ContinuousClock()) { ownReports.withLock { $0 += 1 } },
            second.watch(fallback: .seconds(3_600), clock: ContinuousClock()) { report.yield() },
        ]
        var iterator = reports.makeAsyncIterator()
        for _ in 0..<100 {
            first.send()
            _ = await iterator.next()
        }
        #expect(ownReports.withLock(\.self) == 0)
        for watch in watches { watch.stop() }
    }
}
