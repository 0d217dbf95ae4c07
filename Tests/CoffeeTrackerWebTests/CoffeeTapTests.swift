import BrowserDriver
import CoffeeTrackerModel
import Testing

/// Tests adding a drink with a tap, and what the page shows and offers at once, in a real browser.
@Suite(.timeLimit(.minutes(20))) struct CoffeeTapTests {
    private let drinks = "document.querySelectorAll('#drinks .item').length"

    @Test func tapResultAndUndoFitOneScreenOfAPhone() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.runBeforePages(CoffeeControls.lastingUndo)
                try await tab.open(server.url("/coffee/"))
                let order = "['#now', '#quick', '#drinks', '#chart', '#answers']"
                #expect(
                    try await tab.evaluate(
                        """
                        \(order).map(name => document.querySelector(name).getBoundingClientRect().top)
                            .every((top, index, all) => index === 0 || top > all[index - 1])
                        """, as: Bool.self))
                let buttons = "[...document.querySelectorAll('#quick-form button')]"
                let lowest = "Math.max(...\(buttons).map(button => button.getBoundingClientRect().bottom))"
                #expect(try await tab.evaluate(lowest, as: Double.self) <= 640)
                // Clicked by a script, because the test would scroll for a click with the mouse.
                _ = try await tab.evaluate("document.querySelector('#quick-form button').click(); true", as: Bool.self)
                try await tab.wait(until: "document.querySelector('#undo-now button')")
                try await tab.wait(until: "document.querySelector('#now').innerText.includes('1 drink · ')")
                let box = "document.querySelector('#undo-now button').getBoundingClientRect()"
                #expect(
                    try await tab.evaluate(
                        "\(box).bottom <= 640 && \(box).height >= 44 && window.scrollY === 0", as: Bool.self))
                let toast = try await tab.text("#undo-toast")
                #expect(toast.hasPrefix("Added Filter Coffee") && toast.contains("Today: 1 drink, 90 mg"))
                // After its time the message disappears; the list still offers undo.
                _ = try await tab.evaluate("undoEnds.at(-1)(); true", as: Bool.self)
                try await tab.wait(until: "!document.querySelector('#undo-now')")
                #expect(try await tab.evaluate("document.querySelector('#undo') !== null", as: Bool.self))
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func deletionInTheHistoryIsUndoneInPlaceOnAPhone() async throws {
        try await CoffeeServer.run { server in
            for hours in 1...8 { try await server.drink("espresso", hoursAgo: Double(24 * hours)) }
            try await BrowserTab.run(width: 360, height: 640) { tab in
                try await tab.runBeforePages(CoffeeControls.lastingUndo)
                try await tab.open(server.url("/coffee/history"))
                let items = "document.querySelectorAll('#history .drink-item').length"
                let button = "[...document.querySelectorAll(\"#history form[action$='/delete'] button\")].at(-1)"
                _ = try await tab.evaluate("(\(button).focus(), \(button).click(), true)", as: Bool.self)
                try await tab.wait(
                    until: "\(items) === 7 && document.querySelector('#undo-toast').innerText.includes('Deleted')")
                let box = "document.querySelector('#undo-now button').getBoundingClientRect()"
                #expect(
                    try await tab.evaluate(
                        "\(box).bottom <= 640 && \(box).height >= 44 && scrollY > 0", as: Bool.self))
                // The deleted drink's button had the focus, which isn't lost.
                try await tab.wait(until: "document.activeElement !== document.body")
                try await tab.tab(to: "#undo-now button")
                try await tab.press(.enter)
                try await tab.wait(until: "\(items) === 8 && location.pathname === '/coffee/history'")
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func undoByKeyboardDoesNotOfferAnOlderAction() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.runBeforePages(CoffeeControls.lastingUndo)
                try await tab.open(server.url("/coffee/"))
                for count in 1...2 {
                    try await tab.click("#quick-form button")
                    try await tab.wait(
                        until: "\(drinks) === \(count) && !document.querySelector('#quick-form [disabled]')")
                }
                try await tab.tab(to: "#undo-now button")
                try await tab.press(.enter)
                try await tab.wait(until: "\(drinks) === 1 && !document.querySelector('#undo-now')")
                // The focus stays where the message was.
                try await tab.wait(until: "document.activeElement.id === 'undo-toast'")
                #expect(try await server.use { $0.drinks.count } == 1)
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func buttonsShowTheAmountOfTheChosenSize() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                let latte = "document.querySelector(\"#quick-form [value='sourced/latte']\").innerText"
                let espresso = "document.querySelector(\"#quick-form [value='sourced/espresso']\").innerText"
                for (size, amount) in [("medium", "126 mg"), ("small", "63 mg"), ("large", "189 mg")] {
                    try await tab.click("#quick-form [name=size][value=\(size)]")
                    try await tab.wait(until: "\(latte).endsWith('\(amount)') && \(espresso).endsWith('80 mg')")
                }
                try await tab.click("#quick-form [value='sourced/latte']")
                try await tab.wait(until: "document.querySelector('#drinks').innerText.includes('Large Latte')")
                // The next drink is a medium one again.
                try await tab.wait(until: "document.querySelector('#quick-form [value=medium]').checked")
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func drinkThatIsNotFoundCanBeAddedAsAnOwnDrink() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                try await tab.click("#quick details summary")
                try await tab.click("#find")
                try await tab.type("LATTÉ")
                let shown = "[...document.querySelectorAll('#catalogue button')].filter(b => !b.hidden).length"
                try await tab.wait(until: "\(shown) === 3")
                #expect(try await tab.text("#find-none") == "")
                try await tab.type(" & oat")
                try await tab.wait(until: "\(shown) === 0")
                #expect(try await tab.text("#find-none") == "No “LATTÉ & oat”. Add it as your own drink")
                // It stays while the page is updated.
                try await server.drink("espresso", hoursAgo: 3)
                try await tab.wait(until: "\(drinks) === 1")
                #expect(try await tab.text("#find-none").hasPrefix("No “LATTÉ & oat”."))
                try await tab.click("#find-none a")
                try await tab.wait(until: "location.pathname === '/coffee/catalogue'")
                try await tab.wait(until: "document.querySelector('#own-form').checkVisibility()")
                #expect(
                    try await tab.evaluate("document.querySelector('#own-form [name=name]').value", as: String.self)
                        == "LATTÉ & oat")
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }
}
