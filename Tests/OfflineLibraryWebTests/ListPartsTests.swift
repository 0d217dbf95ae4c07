import BrowserDriver
import OfflineLibraryModel
import Persistence
import Testing

@testable import OfflineLibraryWeb

/// Tests the parts in which a long list is shown.
@Suite(.timeLimit(.minutes(20))) struct ListPartsTests {
    @Test func laterPartKeepsTheOrderOfTheFirst() async throws {
        let count = LibraryTemplates.listLength + 2
        try await LibraryServer.run(capturer: ScriptedCapturer()) { server in
            try await server.savePages(count)
            try await BrowserTab.run { tab in
                let ids = "[...document.querySelectorAll('#list .item')].map(({ id }) => id)"
                let more = "document.querySelector(\"#pages a[href*='after=']\").getAttribute('href')"
                try await tab.open(server.url("/library/"))
                let first = try await tab.evaluate(ids, as: [String].self)
                let link = try await tab.evaluate(more, as: String.self)
                // Another tab chooses another order.
                try await server.libraries.use(.local) { try await $0.library.sort(.oldest) }
                try await tab.open(server.url(link))
                let rest = try await tab.evaluate(ids, as: [String].self)
                #expect(rest.count == 2)
                #expect(Set(first + rest).count == count)
            }
        }
    }
}
