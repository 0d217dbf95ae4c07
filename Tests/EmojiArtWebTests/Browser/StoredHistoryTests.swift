import BrowserDriver
import EmojiArtModel
import Foundation
import Testing

/// Tests which undo histories a browser stores.
@Suite(.timeLimit(.minutes(20))) struct StoredHistoryTests {
    private static let storedBoards = """
        Object.keys(localStorage).filter((key) => key.startsWith('meanwhile.art.history/'))
            .map((key) => key.slice('meanwhile.art.history/'.length)).sort()
        """

    @Test func listRemovesHistoriesOfBoardsThatNoLongerExist() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                // This script runs before the page's own, and stores what an earlier visit would have left.
                try await tab.runBeforePages(
                    """
                    if (location.pathname === '/art/') {
                        const store = (board, time) => localStorage.setItem(
                            'meanwhile.art.history/' + board, JSON.stringify({ time, undo: [], redo: [] }));
                        store('beach', 1);
                        store('deleted', 1);
                        store('restorable', Date.now());
                        localStorage.setItem('meanwhile.art.history/early', '{"undo":[],"redo":[]}');
                    }
                    """)
                try await tab.open(try #require(URL(string: server.origin + "/art/")))
                try await tab.wait(until: "localStorage.getItem('meanwhile.art.history/deleted') === null")
                let left = try await tab.evaluate(Self.storedBoards, as: [String].self)
                #expect(left == ["beach", "restorable"])
            }
        }
    }

    @Test func historiesOfTheLastTenBoardsAreStored() async throws {
        try await BoardTab.run { _, page in
            try await page.run(
                """
                for (let time = 1; time <= 12; time += 1) {
                    const history = JSON.stringify({ time, undo: [], redo: [] });
                    localStorage.setItem('meanwhile.art.history/board' + String(time).padStart(2, '0'), history);
                }
                return board.model.change('Move 🐄', [{ op: 'move', id: 'cow', x: 7, y: 8 }]);
                """)
            try await page.wait(until: "localStorage.getItem('meanwhile.art.history/beach') !== null")
            let left = try await page.tab.evaluate(Self.storedBoards, as: [String].self)
            let newest = ["04", "05", "06", "07", "08", "09", "10", "11", "12"]
            #expect(left == ["beach"] + newest.map { "board" + $0 })
        }
    }
}
