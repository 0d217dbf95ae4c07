import BrowserDriver
import EmojiArtModel
import Foundation
import HTTPTypes
import Testing

@testable import EmojiArtWeb

/// Tests commands by keys, buttons and menus.
@Suite(.timeLimit(.minutes(20))) struct BoardCommandTests {
    @Test func orderCommandsMoveSelectedEmoji() async throws {
        try await BoardTab.run { _, page in
            let order = try await page.order
            try await page.tab.tap(at: page.place(of: "sunflower"))
            // Past the tractor, which is the only emoji that it touches.
            try await page.tab.key("[")
            #expect(try await page.order == ["cow", "pig", "dog", "tree", "sunflower", "tractor"])
            try await page.tab.key("]")
            #expect(try await page.order == order)
            try await page.tab.key("{", holding: .shift)
            #expect(try await page.order.first == "sunflower")
            try await page.tab.key("}", holding: .shift)
            #expect(try await page.order == order)
            #expect(
                try await page.undoNames == [
                    "Bring 🌻 to Front", "Send 🌻 to Back", "Bring 🌻 Forward", "Send 🌻 Backward",
                ])
            // If nothing is in front, nothing changes.
            try await page.tab.key("}", holding: .shift)
            #expect(try await page.undoNames.count == 4)
        }
    }

    @Test func undoAndRedoAreAnnounced() async throws {
        try await BoardTab.run { _, page in
            let spoken = "document.getElementById('spoken').textContent"
            try await page.tab.tap(at: page.place(of: "cow"))
            try await page.tab.key("Delete")
            try await page.tab.key("z", holding: .control)
            try await page.wait(until: "\(spoken) === 'Undone: Delete 🐄'")
            try await page.tab.key("y", holding: .control)
            try await page.wait(until: "\(spoken) === 'Redone: Delete 🐄'")
        }
    }

    @Test func emojiOfEqualDepthCanBeReordered() async throws {
        // As in a file of the course, where all emoji have the same depth.
        let flat = BoardTab.farm.map { emoji in
            var emoji = emoji
            emoji.z = 1
            return emoji
        }
        try await BoardTab.run(flat) { _, page in
            let before = try await page.order
            try await page.run("board.selection.set(['cow', 'tree']); return board.run('front');")
            #expect(try await page.order == before.filter { !["cow", "tree"].contains($0) } + ["cow", "tree"])
            try await page.run("return board.run('backward');")
            let order = try await page.order
            #expect(order.firstIndex(of: "cow") ?? 9 < order.firstIndex(of: "tree") ?? 0)
            #expect(order.last != "tree")
        }
    }

    @Test func emojiAreCopiedCutPastedAndDuplicated() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.allowClipboard()
            try await page.tab.tap(at: page.place(of: "tree"))
            try await page.tab.key("c", holding: .control, command: "copy")
            #expect(try await page.run("return navigator.clipboard.readText();", as: String.self) == "🌳")
            try await page.tab.key("v", holding: .control, command: "paste")
            try await page.wait(until: "board.sync.art.emojis.size === 7")
            let pasted = try #require(try await page.selected.first)
            #expect(try await page.emoji(pasted)?.size == 120)
            try await page.tab.key("x", holding: .control, command: "cut")
            #expect(try await page.count == 6)
            try await page.tab.key("v", holding: .control, command: "paste")
            try await page.wait(until: "board.sync.art.emojis.size === 7")
            try await page.tab.key("d", holding: .control)
            #expect(try await page.count == 8)
            #expect(try await page.undoNames == ["Duplicate 🌳", "Paste 🌳", "Cut 🌳", "Paste 🌳"])
            // They can be pasted on another board too, with the same distances.
            try await page.run("board.selection.set(['cow', 'pig']); return true;")
            try await page.tab.key("c", holding: .control, command: "copy")
            try await page.tab.key("a", holding: .control)
            try await page.tab.key("Delete")
            #expect(try await page.count == 0)
            try await page.tab.key("v", holding: .control, command: "paste")
            try await page.wait(until: "board.sync.art.emojis.size === 2")
            let places = try await page.run(
                "return board.sync.art.ordered().map(({ x }) => x);", as: [Double].self)
            #expect(isNear(places[1] - places[0], 200))
        }
    }

    @Test func secondaryClickSelectsEmojiAndOpensMenu() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "cow"), button: .right)
            #expect(try await page.selected == ["cow"])
            #expect(try await page.isShown("#menu [data-command=front]"))
            try await page.tab.click("#menu [data-command=duplicate]")
            #expect(try await page.count == 7)
            #expect(try await !page.isShown("#menu"))
        }
    }

    @Test func undoAndRedoMenusListStepNames() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.click("[data-list=undo]")
            #expect(try await page.tab.text("#menu") == "Nothing to Undo")
            try await page.tab.key("Escape")
            for id in ["cow", "pig", "dog"] {
                let place = try await page.place(of: id)
                try await page.tab.drag(from: place, to: place.moved(20, 20))
            }
            try await page.tab.click("[data-list=undo]")
            #expect(try await page.tab.text("#menu") == "Move 🐶\nMove 🐖\nMove 🐄")
            try await page.tab.click("#menu button:nth-child(2)")
            #expect(try await page.undoNames == ["Move 🐄"])
            #expect(try await page.emoji("pig")?.x == 0)
            try await page.wait(
                until: "document.querySelector('[data-command=undo]').getAttribute('aria-label') === 'Undo Move 🐄'")
            try await page.tab.click("[data-command=undo]")
            #expect(try await page.undoNames == [])
            try await page.tab.click("[data-list=redo]")
            #expect(try await page.tab.text("#menu") == "Move 🐄\nMove 🐖\nMove 🐶")
            // The button that opens the menu also closes it.
            try await page.tab.click("[data-list=redo]")
            #expect(try await !page.isShown("#menu"))
            try await page.tab.click("[data-command=redo]")
            #expect(try await page.undoNames == ["Move 🐄"])
        }
    }

    @Test func theHelpSheetHasEveryCommandWithItsKeys() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.key("?", holding: .shift)
            try await page.wait(until: "document.getElementById('help').open")
            let missing = try await page.run(
                """
                const { commands } = await import('\(ArtPages.scripts)/commands.js');
                return commands.filter(({ id }) => !document.querySelector(`#help [data-command=${id}]`)?.checkVisibility())
                    .map(({ id }) => id);
                """, as: [String].self)
            #expect(missing == [])
            #expect(try await page.tab.text("#help [data-command=redo]").contains("Ctrl+Shift+Z or Ctrl+Y"))
            // No key has two commands.
            let doubled = try await page.run(
                """
                const { commands } = await import('\(ArtPages.scripts)/commands.js');
                const keys = commands.flatMap((command) => command.keys);
                return keys.filter((key, index) => keys.indexOf(key) !== index);
                """, as: [String].self)
            #expect(doubled == [])
            try await page.tab.key("Escape")
            try await page.wait(until: "!document.getElementById('help').open")
        }
    }

    @Test func commandsWithoutKeyAreInMenusThatKeyboardReaches() async throws {
        try await BoardTab.run { _, page in
            let unreachable = try await page.run(
                """
                const { commands } = await import('\(ArtPages.scripts)/commands.js');
                return commands.filter(({ keys, menus, bar }) => !keys.length && !menus.length && !bar).map(({ id }) => id);
                """, as: [String].self)
            #expect(unreachable == [])
            try await page.tab.tab(to: "#board-menu")
            try await page.tab.press(.enter)
            try await page.wait(until: "document.getElementById('menu').matches(':popover-open')")
            let links = try await page.run(
                "return [...document.querySelectorAll('#menu a[download]')].map((link) => link.pathname);",
                as: [String].self)
            #expect(links == ["png", "svg", "json", "emojiart"].map { "/art/boards/beach/export.\($0)" })
            try await page.tab.key("End")
            #expect(try await page.run("return document.activeElement.dataset.command === 'help';"))
            try await page.tab.press(.enter)
            try await page.wait(until: "document.getElementById('help').open")
        }
    }

    @Test func failedDownloadShowsMessage() async throws {
        try await BoardTab.run { _, page in
            try await page.run(
                """
                window.saved = [];
                HTMLAnchorElement.prototype.click = function () { window.saved.push(this.download); };
                return true;
                """)
            func choose(_ kind: String) async throws {
                try await page.tab.click("#board-menu")
                try await page.tab.click("#menu [data-command=\(kind)]")
            }
            try await choose("exportJSON")
            try await page.wait(until: "window.saved[0] === 'Beach.json'")
            // No renderer of pictures is available here.
            try await choose("exportPNG")
            try await page.wait(until: "document.getElementById('alerts').innerText.includes('was not downloaded')")
            try await page.run(
                "board.sync.change('None', [{ op: 'background', background: { address: 'http://127.0.0.1:9/a.png' } }]);"
                    + " return true;")
            try await choose("exportJSON")
            try await page.wait(until: "window.saved.length === 2")
            try await page.wait(until: "document.getElementById('alerts').innerText.includes('only its address')")
        }
    }

    @Test func boardWorksWithoutBrowserStorage() async throws {
        try await BoardServer.run { server in
            try await server.board(art: try EmojiArt(background: .blank, emojis: BoardTab.farm))
            try await BrowserTab.run { tab in
                try await tab.runBeforePages(
                    """
                    for (const name of ['localStorage', 'sessionStorage']) {
                        Object.defineProperty(window, name, { get() { throw new DOMException('No.', 'SecurityError'); } });
                    }
                    """)
                let page = try await BoardTab(tab, of: server)
                try await tab.tap(at: page.place(of: "cow"))
                try await tab.key("Delete")
                try await eventually("the deletion is stored") {
                    try await server.state().art.emojis.count == BoardTab.farm.count - 1
                }
                #expect(await tab.complaints.isEmpty)
            }
        }
    }

    @Test func renamingInPlaceUpdatesEveryTab() async throws {
        try await BoardTab.run { server, page in
            let other = try await BoardTab(try await page.tab.openAnother(), of: server)
            try await page.tab.tap(at: page.corner)
            try await page.tab.key("F2")
            try await page.tab.type("Harbour")
            try await page.tab.press(.enter)
            for page in [page, other] { try await page.wait(until: "document.title.startsWith('Harbour · ')") }
            #expect(try await server.state().name == "Harbour")
            try await page.tab.key("F2")
            try await page.tab.type("Nothing")
            try await page.tab.key("Escape")
            #expect(try await page.run("return document.getElementById('board-name').value === 'Harbour';"))
        }
    }

    @Test func refusedChangeShowsMessage() async throws {
        try await BoardTab.run { _, page in
            try await page.run(
                "return !board.sync.change('Move 🐶', [{ op: 'move', id: 'nobody', x: 0, y: 0 }]);")
            try await page.wait(until: "document.querySelector('#alerts .toast')")
            #expect(try await page.tab.text("#alerts").contains("it is gone"))
            try await page.tab.click("#alerts .toast-close")
            try await page.wait(until: "!document.querySelector('#alerts .toast')")
        }
    }

    @Test func deletedBoardCanBeRestoredFromItsPage() async throws {
        try await BoardTab.run { server, page in
            _ = try await server.ask(.post, "/art/boards/beach/delete")
            try await page.wait(until: "!document.getElementById('gone').hidden")
            #expect(try await page.tab.text("#gone").contains("This board was deleted"))
            // Commands are disabled meanwhile.
            #expect(try await page.run("return !board.run('selectAll');"))
            try await page.tab.click("#restore")
            try await page.tab.wait(
                until:
                    "document.getElementById('gone')?.hidden && document.getElementById('stage').dataset.ready === ''")
            #expect(try await server.state().art.emojis.count == BoardTab.farm.count)
        }
    }
}
