import BrowserDriver
import EmojiArtModel
import Foundation
import Testing

/// Tests the page of a board in a browser that can't run the board's model.
@Suite(.timeLimit(.minutes(20))) struct BoardWithoutModelTests {
    /// Scripts that run before the page's own.
    private static let obstacles = [
        "delete window.WebAssembly;",
        """
        const fetchAnything = window.fetch;
        window.fetch = (address, ...more) => String(address).includes('board.wasm')
            ? Promise.reject(new TypeError('No.')) : fetchAnything(address, ...more);
        """,
    ]

    @Test(arguments: obstacles)
    func pictureIsShownWithTheReason(obstacle: String) async throws {
        try await BoardServer.run { server in
            try await server.createBoard(art: try EmojiArt(background: .blank, emojis: BoardTab.farm))
            try await BrowserTab.run { tab in
                try await tab.runBeforePages(obstacle)
                try await tab.open(try #require(URL(string: server.origin + "/art/boards/beach")))
                try await tab.wait(until: "document.querySelector('#picture-only img')?.complete")
                let isDrawn = try await tab.evaluate(
                    "document.querySelector('#picture-only img').decode().then(() => true, () => false)", as: Bool.self)
                #expect(isDrawn)
                #expect(try await tab.text("#picture-only").contains("WebAssembly"))
                let shown = try await tab.evaluate(
                    """
                    Array.from(document.querySelectorAll('main :is(a, button, input, [tabindex="0"])'))
                        .filter((control) => control.checkVisibility()).map(({ id, title }) => id || title)
                    """, as: [String].self)
                #expect(shown == ["All boards", "board-name", "share-board"])
            }
        }
    }

    /// Controls that do nothing yet aren't shown; a ring turns instead.
    @Test func controlsAppearWhenTheModelIsCompiled() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                try await tab.runBeforePages(
                    """
                    const compile = WebAssembly.instantiateStreaming;
                    WebAssembly.instantiateStreaming = async (...values) => {
                        await new Promise((done) => (window.finish = done));
                        return compile(...values);
                    };
                    """)
                try await tab.open(try #require(URL(string: server.origin + "/art/boards/beach")))
                let state = """
                    [getComputedStyle(document.getElementById('stage'), '::after').animationName.includes('turn'),
                        document.getElementById('palette-name').checkVisibility({ visibilityProperty: true })]
                    """
                #expect(try await tab.evaluate(state, as: [Bool].self) == [true, false])
                try await tab.wait(until: "window.finish")
                _ = try await tab.evaluate("finish(); true", as: Bool.self)
                try await tab.wait(until: "document.getElementById('stage').dataset.ready === ''")
                #expect(try await tab.evaluate(state, as: [Bool].self) == [false, true])
            }
        }
    }
}
