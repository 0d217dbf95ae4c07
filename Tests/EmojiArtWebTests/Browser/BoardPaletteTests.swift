import BrowserDriver
import EmojiArtModel
import Foundation
import Testing

/// Tests the palette bar below a board.
@Suite(.timeLimit(.minutes(20))) struct BoardPaletteTests {
    private func name(_ page: BoardTab) async throws -> String {
        try await page.tab.text("#palette-name")
    }

    private let first = "#palette-emoji button:nth-child(1)"

    /// The middle of an element in the window.
    private func place(of selector: String, _ page: BoardTab) async throws -> BrowserTab.Place {
        let numbers = try await page.run(
            """
            const { x, y, width, height } = document.querySelector('\(selector)').getBoundingClientRect();
            return [x + width / 2, y + height / 2];
            """, as: [Double].self)
        return BrowserTab.Place(numbers[0], numbers[1])
    }

    @Test func emojiDraggedFromPaletteIsAddedAtPointer() async throws {
        try await BoardTab.run([]) { _, page in
            let emoji = try await place(of: first, page)
            let text = try await page.tab.text(first)
            let target = BrowserTab.Place(400, 300)
            try await page.tab.beginDrag(from: emoji, to: target)
            try await page.wait(until: "!document.getElementById('ghost').hidden")
            try await page.tab.release(at: target)
            try await page.wait(until: "board.sync.art.emojis.size === 1 && document.getElementById('ghost').hidden")
            let id = try #require(try await page.order.first)
            let dropped = try await page.place(of: id)
            #expect(isNear(dropped.x, 400) && isNear(dropped.y, 300))
            #expect(try await page.emoji(id)?.size == 40)
            #expect(try await page.undoNames == ["Add \(text)"])
            // A cancelled drag, or one that ends beside the board, adds nothing.
            try await page.tab.beginDrag(from: emoji, to: target)
            try await page.tab.key("Escape")
            try await page.tab.release(at: target)
            try await page.tab.drag(from: emoji, to: emoji.moved(30, 0))
            #expect(try await page.count == 1)
        }
    }

    @Test func swipeUpAddsEmojiAndSwipeSidewaysScrollsPalette() async throws {
        try await BoardTab.run([], width: 390, height: 844, isTouch: true) { _, page in
            let emoji = try await place(of: "#palette-emoji button:nth-child(4)", page)
            try await page.tab.swipe(from: emoji, to: .init(200, 400), steps: 8)
            try await page.wait(until: "board.sync.art.emojis.size === 1")
            #expect(try await page.selected == page.order)
            try await page.tab.swipe(from: emoji, to: emoji.moved(-120, 0))
            try await page.wait(until: "document.getElementById('palette-emoji').scrollLeft > 20")
            #expect(try await page.count == 1)
        }
    }

    @Test func tapsAndKeysAddEmojiSideBySideInMiddle() async throws {
        try await BoardTab.run([]) { _, page in
            try await page.tab.click(first)
            try await page.wait(until: "board.sync.art.emojis.size === 1")
            try await page.tab.press(.enter)
            try await page.wait(until: "board.sync.art.emojis.size === 2")
            try await page.tab.key("ArrowRight")
            try await page.tab.press(.space)
            try await page.wait(until: "board.sync.art.emojis.size === 3")
            let (emoji, next) = (
                try await page.tab.text(first), try await page.tab.text("#palette-emoji button:nth-child(2)")
            )
            let texts = try await page.run(
                "return board.sync.art.ordered().map(({ text }) => text);", as: [String].self)
            #expect(texts == [emoji, emoji, next])
            let places = try await page.run(
                "return board.sync.art.ordered().map(({ x, y }) => `${x} ${y}`);", as: [String].self)
            #expect(places[0] == "0 0" && Set(places).count == 3)
        }
    }

    /// On a phone, the view of a board is smaller than the board.
    @Test func tappedEmojiHasTheMedianSizeAndCoversNoOtherAndIsSelected() async throws {
        try await BoardTab.run(width: 360, height: 640, isTouch: true) { _, page in
            #expect(try await page.view.zoom < 0.7)
            try await page.tab.click(first)
            try await page.wait(until: "board.sync.art.emojis.size === 7")
            let id = try #require(try await page.selected.first)
            let added = try #require(try await page.emoji(id))
            // The median of the farm's sizes.
            #expect(added.size == 80)
            for other in BoardTab.farm {
                let distance = 0.45 * (other.size + 80)
                #expect(abs(other.x - added.x) >= distance || abs(other.y - added.y) >= distance, "\(other.text)")
            }
            let isSeen = try await page.run(
                """
                const { x, y } = toStage(board.sync.art.emojis.get('\(id)'));
                const { size: { width, height }, zoom } = board.camera;
                const half = 40 * zoom;
                return x - half > 0 && x + half < width && y - half > 0 && y + half < height;
                """)
            #expect(isSeen)
        }
    }

    @Test func enterAddsBestMatchEvenBeforeResultsArrive() async throws {
        try await BoardTab.run([]) { _, page in
            try await page.tab.key("/")
            try await page.wait(until: "document.activeElement?.id === 'palette-search'")
            try await page.run(
                """
                const field = document.getElementById('palette-search');
                field.value = 'sailboat';
                field.dispatchEvent(new Event('input'));
                field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', cancelable: true }));
                return true;
                """)
            try await page.wait(until: "board.sync.art.emojis.size === 1")
            let text = try await page.run("return board.sync.art.ordered()[0].text;", as: String.self)
            #expect(text.unicodeScalars.first == "⛵")
        }
    }

    @Test func searchResultsAreAnnouncedAndReplacedByTheNextPalette() async throws {
        try await BoardTab.run([]) { _, page in
            let spoken = "document.getElementById('spoken').textContent"
            try await page.tab.click("[data-command=search]")
            try await page.tab.type("sailboat")
            try await page.wait(until: "/^[0-9]+ emoji found$/.test(\(spoken))")
            #expect(try await name(page) == "Results")
            try await page.tab.tap(at: page.corner)
            try await page.tab.key(".")
            try await page.wait(until: "document.getElementById('palette-search').hidden")
            try await page.wait(until: "\(spoken).startsWith('Palette ')")
        }
    }

    @Test func paletteIsChosenByTapKeyOrMenu() async throws {
        try await BoardTab.run([]) { server, page in
            let other = try await BoardTab(try await page.tab.openAnother(), of: server)
            let start = try await name(page)
            try await page.tab.click("#palette-name")
            let next = try await name(page)
            #expect(next != start)
            // The choice applies to every tab of the browser.
            try await other.wait(until: "document.getElementById('palette-name').innerText === '\(next)'")
            try await page.tab.tap(at: page.corner)
            try await page.tab.key(",")
            try await page.wait(until: "document.getElementById('palette-name').innerText === '\(start)'")
            try await page.tab.click("#palette-menu")
            let items = try await page.tab.text("#menu").components(separatedBy: "\n")
            for item in ["Go To", "New", "Edit…", "Delete…", "List", "Recent"] {
                #expect(items.contains(item), "\(item)")
            }
            #expect(
                try await page.run(
                    "return document.querySelector('#menu [data-command=listPalettes]').pathname === '/art/palettes';"))
            // The first item shows the recently used emoji, so the fourth one is the third palette.
            try await page.tab.click("#menu [role=menuitemradio]:nth-of-type(4)")
            try await page.wait(until: "board.palettes.cursor === 2")
        }
    }

    @Test func paletteChoiceOfAnotherBrowserIsIgnored() async throws {
        try await BoardTab.run([]) { server, page in
            let start = try await name(page)
            let otherTab = try await page.tab.openInNewContext()
            let other = try await BoardTab(otherTab, of: server)
            try await other.tab.click("#palette-name")
            #expect(try await name(other) != start)
            // A new palette in front of the shown one is reported, too.
            try await other.run("return board.palettes.add({ name: 'Later' });")
            try await page.wait(until: "board.palettes.palettes.some(({ name }) => name === 'Later')")
            #expect(try await name(page) == start)
            #expect(try await name(other) == "Later")
            await otherTab.close()
        }
    }

    /// Regression test: of two states that were requested after each other, the one that arrived last was shown.
    @Test func olderPalettesDoNotReplaceNewerOnes() async throws {
        try await BoardTab.run([]) { _, page in
            let name = try await page.run(
                """
                const list = board.palettes, original = window.fetch, requests = [];
                const state = await (await original(`/art/palettes.json?store=${list.store}`)).json();
                const answer = (name) => new Response(JSON.stringify({
                    ...state, version: name, palettes: state.palettes.map((palette) => ({ ...palette, name })),
                }), { headers: { 'Content-Type': 'application/json' } });
                window.fetch = (address, options) => String(address).includes('palettes.json')
                    ? new Promise((resolve) => requests.push(resolve)) : original(address, options);
                const older = list.handleVersion('Older'), newer = list.handleVersion('Newer');
                requests[1](answer('Newer'));
                await newer;
                requests[0](answer('Older'));
                // The list asks again, because another state came meanwhile.
                const isAsked = async () => {
                    while (requests.length < 3) await new Promise((done) => setTimeout(done));
                };
                await Promise.race([older, isAsked()]);
                requests[2]?.(answer('Newer'));
                await older;
                window.fetch = original;
                return list.palettes[0].name;
                """, as: String.self)
            #expect(name == "Newer")
        }
    }

    @Test func paletteAddedBeforeTheStreamOpensIsShown() async throws {
        try await BoardServer.run { server in
            try await server.createBoard()
            try await BrowserTab.run { tab in
                // A tab that is opened in the background has no stream.
                try await tab.runBeforePages(
                    "Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' });")
                let page = try await BoardTab(tab, of: server)
                let isAdded = try await page.run(
                    """
                    const body = new URLSearchParams({ name: 'Later' });
                    return (await fetch('/art/palettes/Main/new', { method: 'POST', body })).ok;
                    """)
                #expect(isAdded)
                try await page.run(
                    """
                    delete document.visibilityState;
                    document.dispatchEvent(new Event('visibilitychange'));
                    return true;
                    """)
                try await page.wait(until: "board.palettes.palettes.some(({ name }) => name === 'Later')")
            }
        }
    }

    @Test func aNewPaletteIsEditedAndDeleted() async throws {
        try await BoardTab.run([]) { _, page in
            let before = try await name(page)
            let count = try await page.run("return board.palettes.palettes.length;", as: Int.self)
            try await page.tab.click("#palette-menu")
            try await page.tab.click("#menu [data-command=newPalette]")
            try await page.wait(until: "document.getElementById('palette-editor').open")
            #expect(try await page.run("return document.getElementById('editor-name').value === 'New palette';"))
            // The palette has a name, so the field for emoji is focused.
            #expect(try await page.run("return document.activeElement.id === 'editor-add';"))
            let firstEmoji = "document.querySelector('#editor-emoji button')?.dataset.emoji"
            try await page.tab.type("🐶")
            try await page.wait(until: "\(firstEmoji) === '🐶'")
            try await page.tab.type("🦊")
            try await page.wait(until: "\(firstEmoji) === '🦊'")
            try await page.tab.type("xyz")
            try await page.tab.press(.enter)
            try await page.wait(until: "document.getElementById('editor-message').innerText.includes('no emoji')")
            try await page.tab.click("#editor-emoji button")
            try await page.wait(until: "\(firstEmoji) === '🐶'")
            try await page.run("document.getElementById('editor-name').select(); return true;")
            try await page.tab.type("Sums")
            try await page.tab.click("#palette-editor [data-close]")
            try await page.wait(until: "document.getElementById('palette-name').innerText === 'Sums'")
            #expect(try await page.tab.text(first) == "🐶")
            try await page.tab.click("#palette-menu")
            try await page.tab.click("#menu [data-command=deletePalette]")
            try await page.wait(until: "document.getElementById('question').open")
            try await page.tab.click("#question [value=yes]")
            try await page.wait(until: "board.palettes.palettes.length === \(count)")
            #expect(try await name(page) == before)
            try await page.wait(until: "document.querySelector('#toasts .toast')?.innerText.includes('“Sums”')")
            try await page.tab.click("#toasts .toast-action")
            try await page.wait(until: "document.getElementById('palette-name').innerText === 'Sums'")
            #expect(try await page.tab.text(first) == "🐶")
        }
    }

    @Test func searchFindsEmojiByNameAndOffersLastUsed() async throws {
        try await BoardTab.run([]) { _, page in
            try await page.tab.tap(at: page.corner)
            try await page.tab.key("/")
            try await page.wait(until: "document.activeElement.id === 'palette-search'")
            try await page.tab.type("dog face")
            try await page.wait(until: "document.querySelector('#palette-emoji button')?.title === 'dog face'")
            try await page.tab.press(.enter)
            try await page.wait(until: "board.sync.art.emojis.size === 1")
            try await page.run(
                """
                document.getElementById('palette-search').value = '';
                document.getElementById('palette-search').dispatchEvent(new Event('input'));
                return true;
                """)
            try await page.wait(until: "document.getElementById('palette-name').innerText === 'Recent'")
            #expect(try await page.tab.text(first) == "🐶")
            try await page.tab.key("Escape")
            try await page.wait(until: "document.getElementById('palette-search').hidden")
            try await page.tab.tap(at: page.corner)
            try await page.tab.key("/")
            try await page.tab.type("qqqq")
            try await page.wait(until: "!document.getElementById('palette-hint').hidden")
            #expect(try await page.tab.text("#palette-hint") == "No emoji found.")
        }
    }
}
