import BrowserDriver
import Foundation
import Site
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How long a library stays open.
@Suite struct OpenLibrariesTests {
    @Test(.timeLimit(.minutes(2)))
    func itIsDroppedAfterTheLastTab() async throws {
        try await LibraryServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                let other = try await tab.openAnother()
                try await other.open(server.url("/library/"))
                while await server.readers < 2 { await Task.yield() }
                await other.close()
                while await server.readers > 1 { await Task.yield() }
                try await server.libraries.tidy()
                #expect(await server.libraries.owners == ["local"])
                await tab.close()
                // The test's time limit is the end of this.
                while await !server.libraries.owners.isEmpty {
                    try await server.libraries.tidy()
                    await Task.yield()
                }
                // The next one opens it anew.
                let next = try await tab.openAnother()
                try await next.open(server.url("/library/"))
                #expect(try await next.text("#pages").contains("No page is kept yet"))
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aRequestForTheStreamsHeadKeepsNothingOpen() async throws {
        try await LibraryServer.run { server in
            var request = URLRequest(url: try server.url("/library/events"))
            request.httpMethod = "HEAD"
            let (_, response) = try await URLSession.shared.data(for: request)
            #expect((response as? HTTPURLResponse)?.statusCode == 200)
            try await server.libraries.tidy()
            #expect(await server.libraries.owners.isEmpty)
        }
    }
}

extension LibraryServer {
    /// How many streams of the library are being read.
    fileprivate var readers: Int {
        get async {
            (try? await libraries.use("local") { $0.parts.readers }) ?? 0
        }
    }
}
