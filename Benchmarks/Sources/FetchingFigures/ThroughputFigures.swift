import AsyncHTTPClient
import Egress
import Figures
import Foundation
import HTTPFetching
import NIOCore

/// Measures fetches per second, by the fetcher and by its underlying HTTP client.
enum ThroughputFigures {
    private struct Size {
        var name: String
        var bytes: Int
        var requests: Int
        var atOnce: Int
    }

    private static let sizes = [
        Size(name: "1 KB, one after another", bytes: 1_000, requests: 3_000, atOnce: 1),
        Size(name: "1 KB, 8 at once", bytes: 1_000, requests: 6_000, atOnce: 8),
        Size(name: "100 KB, one after another", bytes: 100_000, requests: 1_500, atOnce: 1),
        Size(name: "16 MB, one after another", bytes: 16_000_000, requests: 20, atOnce: 1),
    ]

    static func print(rounds: Int) async throws {
        var table = MarkdownTable(columns: ["fetches a second", "HTTPFetcher", "bare async-http-client", "ratio"])
        for size in sizes {
            let server = try await CannedServer.start(body: Data(repeating: 120, count: size.bytes))
            let fetcher = try local()
            var (ours, theirs, ratios) = (Series(), Series(), Series())
            for round in 0...rounds {
                let own = try await rate(size) { number in
                    // A distinct address each, so that no fetches are coalesced.
                    guard let url = URL(string: "\(server.url)\(number)") else { return 0 }
                    return try await fetcher.fetch(FetchRequest(url)).data.count
                }
                let bare = try await rate(size) { number in
                    let request = HTTPClientRequest(url: "\(server.url)\(number)")
                    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
                    return try await response.body.collect(upTo: 64 << 20).readableBytes
                }
                // The first round is a warm-up.
                if round == 0 { continue }
                ours.add(own)
                theirs.add(bare)
                ratios.add(own / bare)
            }
            table.add([size.name, ours.median.digits(0), theirs.median.digits(0), ratios.median.digits(2)])
            await server.close()
        }
        Swift.print(table)
        Swift.print(
            "Medians of \(rounds) alternating rounds, over loopback, with the server in the same process. Each ratio "
                + "is the median of the rounds' ratios.\n")
    }

    /// A fetcher that may connect to this machine.
    static func local() throws -> HTTPFetcher {
        let policy = AddressPolicy(allowing: [try AllowRule("127.0.0.1")])
        return HTTPFetcher(addresses: AddressChecker(policy: policy))
    }

    private static func rate(
        _ size: Size, _ fetch: @escaping @Sendable (Int) async throws -> Int
    ) async throws -> Double {
        let duration = try await time {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in 0..<size.atOnce {
                    group.addTask {
                        for number in 0..<(size.requests / size.atOnce) {
                            let count = try await fetch(worker * size.requests + number)
                            precondition(count == size.bytes)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        return Double(size.requests / size.atOnce * size.atOnce) / (duration / .seconds(1))
    }
}
