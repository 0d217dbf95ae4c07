import BrowserDriver
import Foundation
import Persistence
import Site
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests how long a library stays open.
@Suite struct OpenLibrariesTests {
    @Test(.timeLimit(.minutes(10)))
    func libraryIsClosedAfterTheLastTab() async throws {
        try await LibraryServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/library/"))
                let other = try await tab.openAnother()
                try await other.open(server.url("/library/"))
                try await eventually("both tabs receive events") { await server.readers == 2 }
                await other.close()
                try await eventually("one tab receives events") { await server.readers == 1 }
                try await server.libraries.tidy()
                #expect(await server.libraries.owners == [.local])
                await tab.close()
                try await eventually("the library is closed") {
                    try await server.libraries.tidy()
                    return await server.libraries.owners.isEmpty
                }
                // The next tab opens it again.
                let next = try await tab.openAnother()
                try await next.open(server.url("/library/"))
                #expect(try await next.text("#pages").contains("No page is kept yet"))
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func headRequestForEventsKeepsNoLibraryOpen() async throws {
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
    /// The number of open event streams of the library.
    fileprivate var readers: Int {
        get async {
            (try? await libraries.use(.local) { $0.parts.readers }) ?? 0
        }
    }
}
