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
            // The sunflower moves behind the tractor, the only emoji that it touches.
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

    @Test func resizingReorderingAndTheViewAreAnnounced() async throws {
        try await BoardTab.run { _, page in
            let spoken = "document.getElementById('spoken').textContent"
            try await page.tab.tap(at: page.place(of: "cow"))
            try await page.tab.key(">")
            try await page.wait(until: "\(spoken) === 'Resized to 88'")
            try await page.tab.key("}", holding: .shift)
            try await page.wait(until: "\(spoken) === 'Brought 🐄 to front'")
            try await page.tab.key("1")
            try await page.wait(until: "\(spoken) === 'Showing everything'")
            try await page.tab.key("0")
            try await page.wait(until: "\(spoken) === 'Zoom 100 %'")
            try await page.tab.key(".")
            try await page.wait(
                until: "\(spoken) === `Palette ${document.getElementById('palette-name').innerText}`")
            try await page.tab.key("Escape")
            try await page.wait(until: "\(spoken) === 'Nothing selected'")
        }
    }

    @Test func focusMovesToBoardWhenSelectionBarCloses() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.tap(at: page.place(of: "cow"))
            try await page.wait(until: "!document.getElementById('chosen').hidden")
            try await page.run("document.querySelector('#chosen [data-command=delete]').focus(); return true;")
            try await page.tab.press(.enter)
            try await page.wait(until: "document.getElementById('chosen').hidden")
            try await page.wait(until: "document.activeElement === board.stage")
            #expect(try await page.count == 5)
        }
    }

    @Test func dialogOpenedByMenuReturnsFocusToMenuButton() async throws {
        try await BoardTab.run { _, page in
            try await page.tab.click("#board-menu")
            try await page.tab.click("#menu [data-command=background]")
            try await page.wait(until: "document.getElementById('background-dialog').open")
            try await page.tab.click("#background-dialog [data-close]")
            try await page.wait(until: "document.activeElement?.id === 'board-menu'")
        }
    }

    @Test func emojiOfEqualDepthCanBeReordered() async throws {
        // As in the files of the course CS193p, where all emoji have the same depth.
        let flat = BoardTab.farm.map { emoji in
            var emoji = emoji
            emoji.z = 1
            return emoji
        }
        try await BoardTab.run(flat) { _, page in
            let before = try await page.order
            try await page.run("board.model.select(['cow', 'tree']); return board.run('front');")
            #expect(try await page.order == before.filter { !["cow", "tree"].contains($0) } + ["cow", "tree"])
            try await page.run("return board.run('backward');")
            let order = try await page.order
            #expect(order.firstIndex(of: "cow") ?? 9 < order.firstIndex(of: "tree") ?? 0)
            #expect(order.last != "tree")
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

    @Test(arguments: [true, false])
    func secondaryClickOnEmptyPlaceOffersApplicableCommands(isEmpty: Bool) async throws {
        try await BoardTab.run(isEmpty ? [] : BoardTab.farm) { _, page in
            try await page.tab.tap(at: page.corner, button: .right)
            let commands = try await page.run(
                "return [...document.querySelectorAll('#menu [data-command]')].map(({ dataset }) => dataset.command);",
                as: [String].self)
            let ofEmoji = ["copyPNG", "paste", "selectAll", "fit"]
            #expect(commands == (isEmpty ? ["paste"] : ofEmoji) + ["background", "export"])
        }
    }

    /// Not every browser's `contextmenu` event is a pointer event.
    @Test func mouseEventOpensMenuAtPointer() async throws {
        try await BoardTab.run { _, page in
            let cow = try await page.place(of: "cow")
            let left = try await page.run(
                """
                const place = { clientX: \(cow.x), clientY: \(cow.y) };
                board.stage.dispatchEvent(new MouseEvent('contextmenu', { ...place, button: 2, cancelable: true }));
                return document.getElementById('menu').getBoundingClientRect().left;
                """, as: Double.self)
            #expect(isNear(left, cow.x))
            #expect(try await page.selected == ["cow"])
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

    @Test func menuClosedByClickIsOpenedByNextKey() async throws {
        try await BoardTab.run { _, page in
            let isOpen = "document.getElementById('menu').matches(':popover-open')"
            let cow = try await page.place(of: "cow")
            try await page.tab.drag(from: cow, to: cow.moved(20, 20))
            for isItem in [false, true] {
                try await page.tab.click("[data-list=undo]")
                try await page.wait(until: isOpen)
                if isItem { try await page.tab.click("#menu button") } else { try await page.tab.tap(at: page.corner) }
                try await page.wait(until: "!\(isOpen)")
                try await page.run("document.querySelector('[data-list=undo]').focus(); return true;")
                try await page.tab.press(.enter)
                try await page.wait(until: isOpen)
                try await page.tab.key("Escape")
                try await page.wait(until: "!\(isOpen)")
            }
        }
    }

    @Test func helpSheetListsEveryCommandAndNoKeyTwice() async throws {
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

    @Test func everyCommandIsReachableAndTheBoardMenuOpensByKeyboard() async throws {
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

    @Test func typedLetterMovesToTheNextItemThatBeginsWithIt() async throws {
        try await BoardTab.run([]) { _, page in
            try await page.tab.tab(to: "#palette-menu")
            try await page.tab.press(.enter)
            try await page.wait(until: "document.getElementById('menu').matches(':popover-open')")
            let label = "return document.activeElement.querySelector('span').textContent;"
            #expect(try await page.run(label, as: String.self) == "Recent")
            // The emoji in front of a palette's name doesn't count.
            for (key, name) in [
                ("a", "Animals"), ("A", "Animal Faces"), ("a", "Alternate"), ("a", "Animals"), ("d", "Delete…"),
                ("q", "Delete…"), ("r", "Recent"),
            ] {
                try await page.tab.key(key)
                let shown = try await page.run(label, as: String.self)
                #expect(shown.hasSuffix(name), "\(key): \(shown)")
            }
            // The menu ignores a letter that is typed with Control.
            try await page.tab.key("a", holding: .control)
            #expect(try await page.run(label, as: String.self) == "Recent")
        }
    }

    @Test func downloadSavesAFileOrShowsAMessage() async throws {
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
                "board.model.change('Set', [{ op: 'background', background: { address: 'http://127.0.0.1:9/a.png' } }]);"
                    + " return true;")
            try await choose("exportJSON")
            try await page.wait(until: "window.saved.length === 2")
            try await page.wait(until: "document.getElementById('alerts').innerText.includes('only the address')")
        }
    }

    @Test func boardWorksWithoutBrowserStorage() async throws {
        try await BoardServer.run { server in
            try await server.createBoard(art: try EmojiArt(background: .blank, emojis: BoardTab.farm))
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
                "return !board.model.change('Move 🐶', [{ op: 'move', id: 'missing', x: 0, y: 0 }]);")
            try await page.wait(until: "document.querySelector('#alerts .toast')")
            #expect(try await page.tab.text("#alerts").contains("it was deleted"))
            try await page.tab.click("#alerts .toast-close")
            try await page.wait(until: "!document.querySelector('#alerts .toast')")
        }
    }

    @Test func messageStaysWhileItIsHoveredOrFocused() async throws {
        try await BoardTab.run { _, page in
            // Collects the timers of the message instead of starting them. The test dispatches the events of the focus
            // itself, because the browser dispatches them only in an active window.
            try await page.run(
                """
                window.holdsMessages = false;
                const { setTimeout, clearTimeout } = window;
                window.timers = new Map();
                window.setTimeout = (work, time, ...more) => {
                    if (time !== 5300) return setTimeout(work, time, ...more);
                    const timer = {};
                    window.timers.set(timer, work);
                    return timer;
                };
                window.clearTimeout = (timer) => window.timers.delete(timer) || clearTimeout(timer);
                board.toasts.show('Hello');
                const toast = document.querySelector('#toasts .toast');
                window.setFocus = (isFocused) => {
                    const button = toast.querySelector('button');
                    if (isFocused) button.focus();
                    else button.blur();
                    toast.dispatchEvent(new FocusEvent(isFocused ? 'focusin' : 'focusout'));
                };
                return true;
                """)
            #expect(try await page.run("return window.timers.size;", as: Int.self) == 1)
            try await page.tab.point(at: "#toasts .toast")
            try await page.wait(until: "window.timers.size === 0")
            let afterBlur = try await page.run(
                "window.setFocus(true); window.setFocus(false); return window.timers.size;", as: Int.self)
            #expect(afterBlur == 0, "It is still hovered.")
            try await page.run("window.setFocus(true); return true;")
            try await page.tab.point(at: "#board-name")
            try await page.wait(until: "!document.querySelector('#toasts .toast').matches(':hover')")
            #expect(try await page.run("return window.timers.size;", as: Int.self) == 0, "It is still focused.")
            try await page.run("window.setFocus(false); return true;")
            #expect(try await page.run("return window.timers.size;", as: Int.self) == 1)
            try await page.run("for (const work of window.timers.values()) work(); return true;")
            #expect(try await !page.isShown("#toasts .toast"))
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
