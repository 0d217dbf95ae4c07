import FaultServer
import Foundation
import Testing

@testable import HTTPFetching

/// What the tests' own server owes them.
@Suite(.timeLimit(.minutes(10))) struct FaultServerTests {
    /// A path that no other test's server answers: another server may get the port of one that has been closed.
    private static let path = "/\(UUID().uuidString)"

    /// One that had connected and found no server any more was forgotten, and NIO traps at that: with all tests.
    @Test func connectionsMayComeWhenItHasGone() async throws {
        for _ in 0..<20 {
            var server: FaultServer? = try await FaultServer.start()
            let request = FetchRequest(try #require(server?.url(Self.path)))
            let fetcher = try HTTPFetcher.local()
            server = nil
            #expect(await failure { _ = try await fetcher.fetch(request) } != nil)
        }
    }

    @Test func connectionsMayComeAsItCloses() async throws {
        for round in 0..<50 {
            let server = try await FaultServer.start()
            let fetchers = try (0..<8).map { _ in try HTTPFetcher.local() }
            let request = FetchRequest(server.url(Self.path))
            let fetches = fetchers.map { fetcher in Task { await failure { _ = try await fetcher.fetch(request) } } }
            for _ in 0..<(round * 7 % 50) { await Task.yield() }
            await server.close()
            for fetch in fetches { #expect(await fetch.value != nil) }
        }
    }
}
