import FaultServer
import Foundation
import Testing

@testable import HTTPFetching

/// Tests of the tests' own server.
@Suite(.timeLimit(.minutes(10))) struct FaultServerTests {
    /// A path that no other test's server serves, because another server may reuse the port of a closed one.
    private static let path = "/\(UUID().uuidString)"

    /// A connection accepted after the server's deallocation was dropped, at which NIO traps and ends the whole test
    /// run.
    @Test func connectionAfterTheServerIsReleasedFails() async throws {
        for _ in 0..<20 {
            var server: FaultServer? = try await FaultServer.start()
            let request = FetchRequest(try #require(server?.url(Self.path)))
            let fetcher = try HTTPFetcher.local()
            server = nil
            #expect(await failure { _ = try await fetcher.fetch(request) } != nil)
        }
    }

    @Test func connectionsDuringCloseFail() async throws {
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
