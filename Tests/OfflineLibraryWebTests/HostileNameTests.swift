import BrowserDriver
import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Persistence
import ServedSite
import Testing

@testable import OfflineLibraryWeb

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests that each page that shows a title escapes it by Unicode scalar.
///
/// The title becomes markup if it is escaped by `Character`.
@Suite(.timeLimit(.minutes(10))) struct HostileNameTests {
    @Test func hostilePageTitleIsEscaped() async throws {
        try await LibraryServer.run(capturer: ScriptedCapturer(title: HostileText.name)) { server in
            let id = try await server.libraries.use(.local) {
                try await $0.library.save("https://a.example/", formats: [.png, .webArchive])
            }
            try await eventually("the page is saved") {
                try await server.libraries.use(.local) { $0.library.item(id)?.state.value != nil }
            }
            for path in ["/library/", "/library/pages/\(id)/archive", "/library/pages/\(id)/picture"] {
                let (data, _) = try await URLSession.shared.data(from: server.url(path))
                let page = String(decoding: data, as: UTF8.self)
                #expect(HostileText.injections(in: page).isEmpty, "\(path): \(HostileText.injections(in: page))")
                #expect(HostileText.isShown(in: page), "\(path)")
            }
        }
    }
}
