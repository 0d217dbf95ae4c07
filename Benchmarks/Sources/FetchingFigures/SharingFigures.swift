import Figures
import Foundation
import HTTPFetching

/// Measures the cost of coalescing concurrent fetches of one address.
enum SharingFigures {
    private static let waiters = 10_000

    static func print(rounds: Int) async throws {
        let server = try await CannedServer.start(body: Data(repeating: 120, count: 1_000))
        let fetcher = try ThroughputFigures.local()
        guard let url = URL(string: server.url) else { return }
        var (shared, plain, alone) = (Series(), Series(), Series())
        for round in 0...rounds {
            let ours = try await microseconds {
                _ = try await fetcher.fetch(FetchRequest(url))
            }
            // The minimum cost: tasks that await one task.
            let common = Task { try await fetcher.fetch(FetchRequest(url)) }
            let theirs = try await microseconds { _ = try await common.value }
            let one = try await time { _ = try await fetcher.fetch(FetchRequest(url)) }
            if round == 0 { continue }
            shared.add(ours)
            plain.add(theirs)
            alone.add(one / .microseconds(1))
        }
        var table = MarkdownTable(columns: ["\(waiters.formatted()) waiters for one address", "microseconds a waiter"])
        table.add(["HTTPFetcher.fetch", shared.median.digits(2)])
        table.add(["the same tasks, waiting for one Task", plain.median.digits(2)])
        table.add(["one fetch alone", alone.median.digits(0)])
        Swift.print(table)
        Swift.print("Medians of \(rounds) alternating rounds; making the tasks is included.\n")
        await server.close()
    }

    private static func microseconds(_ wait: @escaping @Sendable () async throws -> Void) async throws -> Double {
        let duration = try await time {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<waiters { group.addTask { try await wait() } }
                try await group.waitForAll()
            }
        }
        return duration / .microseconds(1) / Double(waiters)
    }
}
