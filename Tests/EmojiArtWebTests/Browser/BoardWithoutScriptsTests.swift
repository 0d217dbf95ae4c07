import BrowserDriver
import Foundation
import Testing

/// Tests a board's page in a browser that runs no scripts.
@Suite(.timeLimit(.minutes(20))) struct BoardWithoutScriptsTests {
    @Test func onlyWorkingControlsAreShown() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                try await tab.setRunsScripts(false)
                try await tab.open(try #require(URL(string: server.origin + "/art/boards/beach")))
                let shown = try await tab.evaluate(
                    """
                    Array.from(document.querySelectorAll('main :is(a, button, input, [tabindex="0"])'))
                        .filter((control) => control.checkVisibility()).map(({ id, title }) => id || title)
                    """, as: [String].self)
                #expect(shown == ["All boards", "board-name", "share-board"])
                #expect(try await tab.text("main").contains("needs JavaScript"))
            }
        }
    }
}
