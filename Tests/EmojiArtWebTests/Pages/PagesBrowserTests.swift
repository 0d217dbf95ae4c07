import BrowserDriver
import EmojiArtModel
import Foundation
import HTTPTypes
import RealPictures
import Testing

@testable import EmojiArtWeb

/// The list of boards and the palettes, used in a real browser.
@Suite(.timeLimit(.minutes(20))) struct PagesBrowserTests {
    private static func names(_ expected: [String]) -> String {
        let list = expected.map { "'\($0)'" }.joined(separator: ",")
        return "JSON.stringify(Array.from(document.querySelectorAll('.board-name'), (name) => name.innerText.trim()))"
            + " === JSON.stringify([\(list)])"
    }

    @Test func changesToBoardAppearInEveryTab() async throws {
        try await PagesServer.run(usesRealTime: true) { server in
            try await server.createBoard("b", named: "Beach", emojis: 2)
            try await BrowserTab.run { tab in
                let tabs = [tab, try await tab.openAnother()]
                for tab in tabs { try await tab.open(try server.url("/art/")) }
                try await tab.click("#board-b summary")
                try await tab.wait(until: "document.querySelector('#board-b details').open")
                _ = try await tab.evaluate("document.querySelector('#name-b').select(); true", as: Bool.self)
                try await tab.type("Harbour")
                try await tab.press(.enter)
                for tab in tabs { try await tab.wait(until: Self.names(["Harbour"])) }
                // The menu closes after its command, and the focus returns to its button.
                try await tab.wait(
                    until:
                        "!document.querySelector('details[open]') && document.activeElement.matches('#board-b summary')"
                )
                try await tab.click("#board-b summary")
                try await tab.click("#board-b form[action$='/duplicate'] button")
                for tab in tabs { try await tab.wait(until: Self.names(["Harbour copy", "Harbour"])) }
                try await tabs[1].click("#board-b summary")
                try await tabs[1].click("#board-b form[action$='/delete'] button")
                for tab in tabs {
                    try await tab.wait(until: Self.names(["Harbour copy"]))
                    #expect(try await tab.text("#deleted").contains("Deleted “Harbour”."))
                }
                try await tab.click("#undo-b button")
                for tab in tabs {
                    try await tab.wait(until: Self.names(["Harbour copy", "Harbour"]))
                    let complaints = await tab.complaints
                    #expect(complaints == [])
                }
            }
        }
    }

    @Test(arguments: [
        ("/art/", "#board-b"), ("/art/", "#import"), ("/art/palettes", "#palette-Main-1"),
    ])
    func escapeClosesAMenuAndReturnsTheFocus(path: String, place: String) async throws {
        try await PagesServer.run { server in
            try await server.createBoard("b", named: "Beach")
            try await BrowserTab.run { tab in
                try await tab.open(try server.url(path))
                let summary = place == "#import" ? "#import > summary" : "\(place) .menu > summary"
                try await tab.click(summary)
                try await tab.wait(until: "document.querySelector('details.menu[open]')")
                try await tab.press(.tab)
                try await tab.key("Escape")
                try await tab.wait(
                    until: """
                        !document.querySelector('details.menu[open]') && document.activeElement.matches('\(summary)')
                        """)
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func newBoardIsFetchedOnce() async throws {
        try await PagesServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(try server.url("/art/"))
                _ = try await tab.evaluate(
                    """
                    (() => {
                        const real = window.fetch;
                        sessionStorage.fetched = '';
                        window.fetch = async (...request) => {
                            const response = await real(...request);
                            sessionStorage.fetched += `${response.url} `;
                            return response;
                        };
                        return true;
                    })()
                    """, as: Bool.self)
                try await tab.click("#new button")
                try await tab.wait(until: ArtControls.isOnABoard)
                let fetched = try await tab.evaluate("sessionStorage.fetched", as: String.self)
                #expect(fetched.contains("/art/boards ") && !fetched.contains("/art/boards/"), "\(fetched)")
            }
        }
    }

    @Test func newBoardHasTheFocus() async throws {
        try await PagesServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(try server.url("/art/"))
                try await tab.tab(to: "#new button")
                try await tab.press(.enter)
                try await tab.wait(until: ArtControls.isOnABoard)
                try await tab.wait(until: "document.activeElement.id === 'stage'")
                // A board with emoji doesn't take the focus.
                try await server.createBoard("b", named: "Beach", emojis: 2)
                try await tab.open(try server.url("/art/boards/b"))
                try await tab.wait(until: "document.getElementById('stage').dataset.ready === ''")
                #expect(try await tab.evaluate("document.activeElement === document.body", as: Bool.self))
            }
        }
    }

    @Test func focusStaysInListAfterBoardIsDeleted() async throws {
        try await PagesServer.run { server in
            for id in ["b", "c"] { try await server.createBoard(id, named: id) }
            try await BrowserTab.run { tab in
                try await tab.open(try server.url("/art/"))
                try await tab.tab(to: "#board-b summary")
                try await tab.press(.enter)
                try await tab.tab(to: "#board-b form[action$='/delete'] button")
                try await tab.press(.enter)
                try await tab.wait(until: "!document.querySelector('#board-b') && document.querySelector('#undo-b')")
                try await tab.wait(until: "document.activeElement.closest('#boards')")
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func deletedPaletteIsRestoredInEveryTab() async throws {
        try await PagesServer.run(usesRealTime: true) { server in
            try await BrowserTab.run { tab in
                let tabs = [tab, try await tab.openAnother()]
                for tab in tabs { try await tab.open(try server.url("/art/palettes")) }
                try await tab.tab(to: "#palette-Main-2 .menu > summary")
                try await tab.press(.enter)
                try await tab.tab(to: "#palette-Main-2 .menu-sure > summary")
                try await tab.press(.enter)
                try await tab.tab(to: "#palette-Main-2 form[action$='/delete'] button")
                try await tab.press(.enter)
                for tab in tabs {
                    try await tab.wait(until: "document.querySelector('#palette-Main-1 + #deleted-Main-2')")
                    #expect(try await tab.text("#deleted-Main-2 p") == "Deleted “Sports”.")
                }
                try await tab.wait(until: "document.activeElement.closest('#store-Main')")
                try await tabs[1].click("#deleted-Main-2 button")
                for tab in tabs {
                    try await tab.wait(until: "document.querySelector('#palette-Main-1 + #palette-Main-2')")
                    #expect(try await !tab.evaluate("!!document.querySelector('.deleted-palette')", as: Bool.self))
                    let complaints = await tab.complaints
                    #expect(complaints == [])
                }
            }
        }
    }

    @Test func listShowsWhichBackgroundCannotBeDecoded() async throws {
        try await BoardServer.run { server in
            for (id, data) in [("good", RealPictures.png(40, 30)), ("bad", RealPictures.pngWithBadPixels(40, 30))] {
                try await server.createBoard(id, named: id)
                let answer = try await server.ask(.post, "/art/boards/\(id)/pictures", body: data)
                let stored = try answer.json(StoredPictureJSON.self).picture
                _ = try await server.send(
                    #"{"op":"background","background":{"picture":"\#(stored)"}}"#, as: "bg", to: id)
            }
            try await BrowserTab.run { tab in
                try await tab.open(try #require(URL(string: server.origin + "/art/")))
                try await tab.wait(until: "document.querySelector('#board-bad .board-problem')")
                #expect(try await tab.text("#board-bad .board-problem").contains("can't show the background"))
                // The message stays when the list changes, and each Retry decodes again.
                try await server.createBoard("later", named: "later")
                try await tab.wait(until: Self.names(["later", "bad", "good"]))
                try await tab.wait(until: "document.querySelector('#board-bad .board-problem')")
                _ = try await tab.evaluate(
                    "window.old = document.querySelector('#board-bad .board-problem'); true", as: Bool.self)
                try await tab.click("#board-bad .board-problem button")
                try await tab.wait(
                    until: "(document.querySelector('#board-bad .board-problem') ?? window.old) !== window.old")
                let shown = try await tab.evaluate(
                    "Array.from(document.querySelectorAll('.board:has(.board-problem)'), ({ id }) => id)",
                    as: [String].self)
                #expect(shown == ["board-bad"])
                // A new background removes the message.
                _ = try await server.send(#"{"op":"background","background":null}"#, as: "none", to: "bad")
                try await tab.wait(until: "!document.querySelector('.board-problem')")
            }
        }
    }

    @Test func typedEmojiAreAddedAndSearchShowsHitsAtOnce() async throws {
        try await PagesServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(try server.url("/art/palettes"))
                try await tab.click("#palette-Main-8 a")
                try await tab.wait(until: "document.activeElement.id === 'palette-add'")
                for text in ["🐶", "🐱", "a🦊"] { try await tab.type(text) }
                try await tab.wait(
                    until: """
                        ['🐶', '🐱', '🦊'].every((emoji) => document.querySelector(`#remove [value='${emoji}']`)) \
                        && document.querySelector('#palette-add').value === '' && document.activeElement.id === 'palette-add'
                        """)
                try await tab.click("#palette-search")
                try await tab.type("rain")
                try await tab.type("bow")
                try await tab.click("#found-form [value='🌈']")
                try await tab.wait(until: "document.querySelector('#remove [value=\"🌈\"]')")
                #expect(try await tab.evaluate("location.search", as: String.self).hasSuffix("&q=rainbow"))
                // With the keyboard, a person can remove several emoji one after another.
                _ = try await tab.evaluate(
                    "document.querySelector('#remove [value=\"🌈\"]').focus(); true", as: Bool.self)
                try await tab.press(.enter)
                try await tab.wait(
                    until:
                        "!document.querySelector('#remove [value=\"🌈\"]') && document.activeElement.closest('#remove')")
                let emojis = try await server.palettes.store(named: "Main").list.palette(8).emojis
                #expect(Set(emojis.prefix(3)) == ["🐶", "🐱", "🦊"])
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func newPaletteIsNamedAndFilledFromTheGridOnAPhone() async throws {
        try await PagesServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.resize(width: 360, height: 640)
                try await tab.open(try server.url("/art/palettes"))
                try await tab.click("#new-Main button")
                try await tab.wait(
                    until: """
                        document.activeElement.id === 'palette-name' && document.activeElement.selectionStart === 0 \
                        && document.activeElement.selectionEnd === 'New palette'.length
                        """)
                try await tab.type("Lunch")
                try await tab.press(.enter)
                try await tab.wait(until: "document.querySelector('#editor-heading').innerText === 'Lunch'")
                _ = try await tab.evaluate("window.isSame = true", as: Bool.self)
                try await tab.click(".emoji-groups a[title^=Food]")
                try await tab.click("#found-form [value='🍇']")
                try await tab.wait(until: "document.querySelector('#remove [value=\"🍇\"]')")
                // The emoji that was tapped and the palette are on the screen together.
                let shown = try await tab.evaluate(
                    """
                    ['#found-form [value="🍇"]', '#remove [value="🍇"]'].map((selector) => {
                        const box = document.querySelector(selector).getBoundingClientRect();
                        return box.top >= 0 && box.bottom <= innerHeight;
                    })
                    """, as: [Bool].self)
                #expect(shown == [true, true])
                _ = try await tab.evaluate(
                    """
                    (() => {
                        const tone = document.querySelector('#palette-tone');
                        tone.value = 'dark';
                        return tone.dispatchEvent(new Event('input', { bubbles: true }));
                    })()
                    """, as: Bool.self)
                try await tab.wait(until: "location.search.endsWith('&group=food&tone=dark')")
                try await tab.click(".emoji-groups a[title^=People]")
                try await tab.click("#found-form [value='👋🏿']")
                try await tab.wait(until: "document.querySelector('#remove [value=\"👋🏿\"]')")
                let emojis = try await server.palettes.store(named: "Main").list.current.emojis
                #expect(emojis == ["👋🏿", "🍇"])
                #expect(try await tab.evaluate("window.isSame === true", as: Bool.self))
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func deletingPaletteAsksForConfirmation() async throws {
        try await PagesServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(try server.url("/art/palettes"))
                let button = "#palette-Main-1 form[action$='/delete'] button"
                let isAsking = "document.querySelector(\"\(button)\").checkVisibility()"
                try await tab.click("#palette-Main-1 summary")
                try await tab.click("#palette-Main-1 .menu-sure > summary")
                try await tab.wait(until: isAsking)
                // A menu that opens again doesn't ask.
                try await tab.key("Escape")
                try await tab.click("#palette-Main-1 summary")
                try await tab.wait(until: "!\(isAsking) && document.querySelector('#palette-Main-1 .menu').open")
                try await tab.click("#palette-Main-1 .menu-sure > summary")
                try await tab.click(button)
                try await tab.wait(until: "document.querySelector('#palette-Main-1') === null")
                let left = try await server.palettes.store(named: "Main").list.palettes.map(\.id)
                #expect(!left.contains(1))
            }
        }
    }

    @Test func paletteMovesWithinAndBetweenStoresWithoutReload() async throws {
        try await PagesServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(try server.url("/art/palettes?store=Main&palette=1"))
                _ = try await tab.evaluate("window.isSame = true", as: Bool.self)
                try await tab.click("#palette-Main-1 summary")
                for place in 1...2 {
                    try await tab.click("#palette-Main-1 form[action$='/move'] button[aria-label$='down']")
                    // The response comes after the event, and moves the palette, too.
                    try await tab.wait(
                        until: """
                            document.querySelector('#palette-Main-1').dataset.index === '\(place)' \
                            && !document.querySelector('[aria-busy]')
                            """)
                }
                try await tab.click("#palette-Main-1 form[action$='/to'] button[value=Special]")
                // The editor follows the palette, and the page is not reloaded.
                try await tab.wait(
                    until: """
                        window.isSame && document.querySelector('#palette-Special-1') \
                        && document.querySelector('#rename').getAttribute('action') === '/art/palettes/Special/1/rename'
                        """)
                let special = try await server.palettes.store(named: "Special").list.palettes.map(\.id)
                #expect(special.last == 1)
            }
        }
    }

    @Test(arguments: [390, 768, 1280], BrowserTab.Colours.allCases)
    func pagesFitWindowAndControlsAreLargeEnough(width: Int, colours: BrowserTab.Colours) async throws {
        try await PagesServer.run { server in
            try await server.createBoard("b", named: String(repeating: "Verylongname", count: 9), emojis: 9)
            try await server.createBoard("c")
            try await server.createBoard("gone", named: "Gone")
            _ = try await server.post("/art/boards/gone/delete")
            try await BrowserTab.run { tab in
                try await tab.resize(width: width, height: 844)
                try await tab.emulate(colours)
                for path in ["/art/", "/art/palettes", "/art/palettes?store=Main&palette=5&q=dog"] {
                    try await tab.open(try server.url(path))
                    let scrolls = try await tab.evaluate("document.documentElement.scrollWidth", as: Int.self)
                    #expect(scrolls <= width, "\(path)")
                    // An open menu stays within the window, too.
                    _ = try await tab.evaluate(
                        "document.querySelector('main li details.menu').open = true", as: Bool.self)
                    let small = try await tab.evaluate(
                        """
                        Array.from(document.querySelectorAll('main :is(button, summary, a, input:not([type=hidden]))'))
                            .filter((each) => each.checkVisibility() && !each.closest('[aria-hidden], h2, .deleted summary'))
                            .filter((each) => {
                                const box = each.getBoundingClientRect();
                                return box.height < 40 || box.width < 40 || box.left < 0 || box.right > innerWidth;
                            })
                            .map((each) => each.outerHTML.slice(0, 120))
                        """, as: [String].self)
                    #expect(small == [], "\(path)")
                }
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }
}
