import BrowserDriver
import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import Persistence
import Testing

@testable import CoffeeTrackerWeb

/// Tests the app as a person uses it, in a real browser.
@Suite(.timeLimit(.minutes(20))) struct CoffeeBrowserTests {
    private let drinkCount = "document.querySelectorAll('#drinks .item').length"

    @Test func addedDrinkAppearsInEveryTabAndCanBeUndone() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                let other = try await tab.openAnother()
                try await other.open(server.url("/coffee/"))
                #expect(try await tab.text("#drinks").contains("No drinks yet"))
                try await tab.click("#quick-form button")
                for tab in [tab, other] {
                    try await tab.wait(
                        until: "\(drinkCount) === 1 && document.querySelectorAll('#chart .mark').length === 1")
                    // The stream updates each part of the page by a separate event.
                    let now = "document.querySelector('#now').innerText"
                    try await tab.wait(until: "\(now).includes('rising to') && \(now).includes('1 drink · ')")
                }
                // A second drink from the other tab, which then undoes it, once the page offers to undo that action.
                let step = "document.querySelector('#undo')?.dataset.step"
                try await other.wait(until: step)
                let first = try await other.evaluate(step, as: String.self)
                try await other.click("form[action$='/duplicate'] button")
                for tab in [tab, other] { try await tab.wait(until: "\(drinkCount) === 2") }
                try await other.wait(until: "\(step) && \(step) !== '\(first)'")
                try await other.click("#undo button")
                for tab in [tab, other] { try await tab.wait(until: "\(drinkCount) === 1") }
                try await tab.click("form[action$='/delete'] button")
                for tab in [tab, other] { try await tab.wait(until: "\(drinkCount) === 0") }
                try await other.wait(until: "document.querySelector('#undo')?.innerText.includes('Deleted')")
                try await other.click("#undo button")
                for tab in [tab, other] {
                    try await tab.wait(until: "\(drinkCount) === 1")
                    let complaints = await tab.complaints
                    #expect(complaints == [])
                }
            }
        }
    }

    @Test func shownLevelFallsAsTimePasses() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 2)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                let before = try await tab.evaluate(
                    "Number(document.querySelector('.level strong').innerText)", as: Int.self)
                _ = try await tab.evaluate("document.querySelector('#now').dataset.mine = 'yes'; true", as: Bool.self)
                await server.advance(minutes: 120)
                try await tab.wait(until: "document.querySelector('#now time').innerText === '16:35'")
                let after = try await tab.evaluate(
                    "Number(document.querySelector('.level strong').innerText)", as: Int.self)
                #expect(after < before && after > 0)
                // The next day begins with zero cups; the page was never reloaded.
                await server.advance(minutes: 10 * 60)
                try await tab.wait(until: "document.querySelector('#now').innerText.includes('No drinks yet')")
                #expect(try await tab.evaluate("document.querySelector('#now').dataset.mine", as: String.self) == "yes")
            }
        }
    }

    @Test func changesByAnotherProcessAreShown() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                // A separate database connection, like that of another process.
                let database = try await AppDatabase.open(in: server.folder, migrations: CoffeeServer.migrations)
                defer { database.close() }
                let store = CoffeeDataStore(database: database, owner: .local)
                let drink = Drink(
                    id: UUID(), name: "Mate", emoji: "🧉", milligrams: 70, start: CoffeeServer.afternoon - 3600,
                    timeZone: "Europe/Vienna")
                _ = try await store.apply([.add(drink)])
                try await tab.wait(until: "document.querySelector('#drinks').innerText.includes('Mate')")
                var edited = drink
                edited.name = "Yerba mate"
                _ = try await store.apply([.put(edited)])
                try await tab.wait(until: "document.querySelector('#drinks').innerText.includes('Yerba mate')")
                _ = try await store.apply([.delete(drink.id)])
                try await tab.wait(until: "\(drinkCount) === 0")
                // The other process's settings are shown too.
                let settings = await CoffeeSettings.stored(in: SQLiteStore(database: database, owner: .local))
                await settings.load()
                await MainActor.run { settings.value.threshold = 21 }
                try await settings.flush()
                try await tab.wait(until: "document.querySelector('#answers').innerText.includes('below 21 mg')")
            }
        }
    }

    @Test func historyUpdatesInEveryTab() async throws {
        try await CoffeeServer.run { server in
            let old = try await server.drink("black tea", hoursAgo: 24 * 40)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/history"))
                let weeks = try await tab.openAnother()
                try await weeks.open(server.url("/coffee/history?by=week"))
                let today = try await weeks.openAnother()
                try await today.open(server.url("/coffee/"))
                let text = "document.querySelector('#history').innerText"
                _ = try await tab.evaluate("document.querySelector('#history details').open = true", as: Bool.self)
                // Only the differences are applied: elements that haven't changed stay in the document.
                _ = try await tab.evaluate("document.querySelector('#history').mine = true", as: Bool.self)
                try await today.click("#quick-form button")
                try await tab.wait(until: "\(text).includes('1 drink, ')")
                try await weeks.wait(until: "\(text).includes('2 drinks, ')")
                let drink = try #require(try await server.use { $0.drinks.first })
                try await today.open(server.url("/coffee/drinks/\(drink.id)"))
                try await set(["name": "Big one", "milligrams": "130"], in: "#edit", of: today)
                try await today.click("#edit button[type=submit]")
                try await tab.wait(until: "\(text).includes('1 drink, 130 mg') && \(text).includes('Big one')")
                try await weeks.wait(until: "\(text).includes('2 drinks, 180 mg')")
                // Deletions by another process are shown too, even that of a drink that is too old for the first page.
                let database = try await AppDatabase.open(in: server.folder, migrations: CoffeeServer.migrations)
                defer { database.close() }
                let store = CoffeeDataStore(database: database, owner: .local)
                _ = try await store.apply([.delete(old.id)])
                try await weeks.wait(until: "\(text).includes('1 drink, 130 mg')")
                _ = try await store.apply([.delete(drink.id)])
                for tab in [tab, weeks] { try await tab.wait(until: "\(text).includes('No drinks in this period')") }
                #expect(
                    try await tab.evaluate(
                        "document.querySelector('#history').mine && document.querySelector('#history details').open",
                        as: Bool.self))
                for tab in [tab, weeks] {
                    let complaints = await tab.complaints
                    #expect(complaints == [])
                }
            }
        }
    }

    @Test func catalogueUpdatesWithoutLosingTypedText() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/catalogue"))
                try await tab.click("#own summary")
                try await set(["name": "Half typed"], in: "#own-form", of: tab)
                try await server.use { data in
                    _ = try await data.keepKind(name: "Cold brew", emoji: "🧊", milligrams: 155)
                }
                try await tab.wait(until: "document.querySelector('#kinds').innerText.includes('Cold brew')")
                #expect(
                    try await tab.evaluate("document.querySelector('#own-form [name=name]').value", as: String.self)
                        == "Half typed")
            }
        }
    }

    @Test func typedDrinkIsAddedAndEdited() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run(width: 390, height: 844) { tab in
                try await tab.open(server.url("/coffee/"))
                try await tab.click("#add-later summary")
                try await set(["time": "08:15", "sip": "30", "milligrams": "100"], in: "#add", of: tab)
                try await tab.click("#add button")
                try await tab.wait(until: "\(drinkCount) === 1")
                let text = try await tab.text("#drinks")
                #expect(text.contains("08:15") && text.contains("took 30 min") && text.contains("100 mg"))
                // The form is cleared for the next drink once the response arrives, which may be after the event of the stream.
                try await tab.wait(until: "document.querySelector('#add [name=sip]').value === ''")
                try await tab.click("#drinks a[href*='/drinks/']")
                try await tab.wait(until: "document.querySelector('#edit')")
                try await set(["name": "Big one", "milligrams": "130", "time": "09:00"], in: "#edit", of: tab)
                try await tab.click("#edit button[type=submit]")
                try await tab.wait(until: "location.pathname === '/coffee/' && \(drinkCount) === 1")
                let changed = try await tab.text("#drinks")
                #expect(changed.contains("Big one") && changed.contains("09:00") && changed.contains("130 mg"))
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func emptyTimeInAnOldTabMeansTheTimeOfSubmission() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                try await tab.click("#add-later summary")
                #expect(try await tab.text("#time-hint").hasPrefix("Leave empty for the current day and time."))
                await server.advance(minutes: 120)
                try await tab.wait(until: "document.querySelector('#now time').innerText === '16:35'")
                try await set(["milligrams": "100"], in: "#add", of: tab)
                try await tab.click("#add button")
                try await tab.wait(until: "\(drinkCount) === 1")
                let starts = try await server.use { $0.drinks.map(\.start) }
                #expect(starts == [CoffeeServer.afternoon + 120 * 60])
            }
        }
    }

    @Test func fractionalSippingMinutesSurviveAnEdit() async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 1, sipping: 150)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/drinks/\(drink.id)"))
                #expect(
                    try await tab.evaluate("document.querySelector('#edit [name=sip]').value", as: String.self)
                        == "2.5")
                try await set(["name": "Ristretto"], in: "#edit", of: tab)
                try await tab.click("#edit button[type=submit]")
                try await tab.wait(until: "location.pathname === '/coffee/' && \(drinkCount) === 1")
                let changed = try await server.use { $0.drink(drink.id) }
                #expect(changed?.name == "Ristretto" && changed?.sipping == 150)
            }
        }
    }

    @Test func invalidInputIsReportedInTheForm() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                try await tab.click("#add-later summary")
                for (fields, message) in [
                    (["time": "23:00", "sip": "5"], "in the future"),
                    (["date": "2026-03-29", "time": "02:30"], "Enter 03:30"),
                    (["date": "2026-11-22", "time": "10:00", "sip": "999"], "can’t be 999 minutes"),
                ] {
                    try await set(fields, in: "#add", of: tab)
                    try await tab.click("#add button")
                    try await tab.wait(
                        until: "document.querySelector('#add [role=alert]').innerText.includes('\(message)')")
                    let focused = try await tab.evaluate("document.activeElement.name", as: String.self)
                    #expect(focused == (message.contains("minutes") ? "sip" : "time"))
                    #expect(
                        try await tab.evaluate(
                            "document.querySelectorAll('#add [aria-invalid]').length === 1", as: Bool.self))
                    for (name, value) in fields {
                        #expect(
                            try await tab.evaluate(
                                "document.querySelector('#add [name=\(name)]').value", as: String.self)
                                == value)
                    }
                }
                #expect(try await server.use { $0.drinks.isEmpty })
            }
        }
    }

    @Test func settingsTabsDoNotOverwriteEachOther() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/settings"))
                let other = try await tab.openAnother()
                try await other.open(server.url("/coffee/settings"))
                let bedtime = "document.querySelector('#settings [name=bedtime]').value"
                for (time, threshold) in [("23:15", "20"), ("21:00", "25")] {
                    try await set(["bedtime": time], in: "#settings", of: other)
                    try await other.click("#settings button[type=submit]")
                    try await other.wait(
                        until: "document.querySelector('#settings [name=\"shown[bedtime]\"]').value === '\(time)'")
                    try await set(["threshold": threshold], in: "#settings", of: tab)
                    try await tab.click("#settings button[type=submit]")
                    // The page then shows the other tab's choice.
                    try await tab.wait(until: "\(bedtime) === '\(time)'")
                    let settings = try await server.use { $0.settings }
                    #expect(LocalTime.text(settings.bedtime) == time)
                    #expect(CoffeeFormatter.trimmed(settings.threshold) == threshold)
                }
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func chartIsReadableByPointerAndKeyboard() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("filter coffee", hoursAgo: 6, sipping: 1200)
            try await server.drink("espresso", hoursAgo: 2)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                let shown =
                    "[...document.querySelectorAll('.mark')].map(m => getComputedStyle(m.querySelector('.share')).visibility).join()"
                #expect(try await tab.evaluate(shown, as: String.self) == "hidden,hidden")
                try await tab.point(at: ".mark:last-of-type .spot-ground")
                try await tab.wait(until: "\(shown) === 'hidden,visible'")
                #expect(
                    try await tab.evaluate(
                        "document.querySelector('.mark:last-of-type .mark-text').textContent", as: String.self
                    )
                    .contains("Espresso"))
                // With the keyboard: from drink to drink, then to the slider, and back in time.
                try await tab.point(at: "h2")
                try await tab.tab(to: ".mark")
                try await tab.wait(until: "\(shown) === 'visible,hidden'")
                #expect(
                    try await tab.evaluate("document.activeElement.getAttribute('aria-label')", as: String.self)
                        .hasPrefix("Filter Coffee, 08:35, 90 mg"))
                try await tab.tab(to: "#scrub")
                for _ in 0..<8 { try await tab.press(.left) }
                try await tab.wait(until: "document.querySelector('#reading').innerText.includes('12:35')")
                let text = try await tab.text("#reading")
                #expect(text.contains("Sun") && text.contains(" mg ("), "\(text)")
                #expect(
                    try await tab.evaluate(
                        "document.querySelector('#scrub').getAttribute('aria-valuetext')", as: String.self)
                        == text)
                // An hour later the chart has changed, and the selected time has moved with it.
                await server.advance(minutes: 60)
                try await tab.wait(until: "document.querySelector('#reading').innerText.includes('13:35')")
                #expect(
                    try await tab.evaluate("!document.querySelector('#cursor').hasAttribute('hidden')", as: Bool.self))
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func drinksCanBeManagedByKeyboardAlone() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                try await tab.tab(to: "#quick-form button")
                try await tab.press(.enter)
                try await tab.wait(until: "\(drinkCount) === 1")
                try await tab.wait(until: "!document.querySelector('#quick-form [disabled]')")
                try await tab.tab(to: "form[action$='/delete'] button")
                try await tab.press(.space)
                try await tab.wait(until: "\(drinkCount) === 0")
                try await tab.tab(to: "#undo button")
                try await tab.press(.enter)
                try await tab.wait(until: "\(drinkCount) === 1")
            }
        }
    }

    @Test func drinkIsFoundByTypingItsName() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/"))
                try await tab.click("#quick details summary")
                try await tab.click("#find")
                try await tab.type("green")
                let shown =
                    "[...document.querySelectorAll('#catalogue button')].filter(b => !b.hidden).map(b => b.dataset.name).join()"
                try await tab.wait(until: "\(shown) === 'Green Tea, 8 oz'")
                // An update of the page leaves the typed filter alone.
                try await server.drink("espresso", hoursAgo: 3)
                try await tab.wait(until: "\(drinkCount) === 1")
                #expect(try await tab.evaluate(shown, as: String.self) == "Green Tea, 8 oz")
                // By keyboard: the new drink appears above the button, and could move it away from the mouse pointer.
                let button = "document.querySelector('#catalogue button:not([hidden])')"
                #expect(
                    try await tab.evaluate("(\(button).focus(), document.activeElement === \(button))", as: Bool.self))
                try await tab.press(.enter)
                try await tab.wait(until: "\(drinkCount) === 2")
            }
        }
    }

    @Test(arguments: [390, 768, 1280], BrowserTab.Colours.allCases)
    func everyPageFitsEveryWindowInBothColours(width: Int, colours: BrowserTab.Colours) async throws {
        try await CoffeeServer.run { server in
            for hours in [1.0, 1.1, 1.2, 6, 23, 30] { try await server.drink("espresso", hoursAgo: hours) }
            try await server.use { data in
                let kind = try await data.keepKind(
                    name: String(repeating: "Wide", count: 15), emoji: "🦛", milligrams: 1_999, millilitres: 4_999)
                try await data.add(kind, at: data.now - 300, sipping: 3_000)
                try await data.setFavourite(kind.id, true)
            }
            try await BrowserTab.run(width: width, height: 900, colours: colours) { tab in
                for path in ["", "history", "history?by=month", "catalogue", "settings", "health", "complications"] {
                    try await tab.open(server.url("/coffee/\(path)"))
                    #expect(
                        try await tab.evaluate(
                            "document.documentElement.scrollWidth <= document.documentElement.clientWidth",
                            as: Bool.self),
                        "\(path)")
                    let background = try await tab.evaluate(
                        "getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).slice(0, 3).map(Number)",
                        as: [Int].self)
                    #expect((background.reduce(0, +) < 384) == (colours == .dark))
                    let smallest = try await tab.evaluate(
                        "Math.min(99, ...[...document.querySelectorAll('button')].filter(b => b.offsetParent).map(b => b.getBoundingClientRect().height))",
                        as: Double.self)
                    #expect(smallest >= 24, "\(path)")
                }
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test func focusStaysInThePermissionsAfterADecisionByKeyboard() async throws {
        try await CoffeeServer.run { server in
            try await server.withholdDrinks(1)
            try await BrowserTab.run { tab in
                try await tab.open(server.url("/coffee/health"))
                try await tab.tab(to: ".grants button")
                try await tab.press(.enter)
                try await tab.wait(until: "document.querySelector('.grants').innerText.includes('Allowed to write')")
                // The focus is still in the permissions, although the hint above them has disappeared.
                try await tab.wait(until: "document.activeElement.closest('.grants') !== null")
            }
        }
    }

    @Test func everyPageFitsAPhoneWithTextOfTwiceTheSize() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("cappuccino", hoursAgo: 1)
            try await BrowserTab.run(width: 360, height: 640) { tab in
                for path in ["", "history", "catalogue", "settings", "health", "complications"] {
                    try await tab.open(server.url("/coffee/\(path)"))
                    let excess = try await tab.evaluate(
                        """
                        (document.documentElement.style.fontSize = '200%',
                            document.documentElement.scrollWidth - document.documentElement.clientWidth)
                        """, as: Double.self)
                    #expect(excess <= 0, "\(path)")
                }
                try await tab.open(server.url("/coffee/"))
                for size in ["100%", "200%"] {
                    let lines = try await tab.evaluate(
                        """
                        (() => {
                            document.documentElement.style.fontSize = '\(size)';
                            const names = [...document.querySelectorAll('.drink-name')];
                            const text = document.createRange();
                            text.selectNodeContents(names.find((name) => name.textContent === 'Cappuccino'));
                            return text.getClientRects().length;
                        })()
                        """, as: Int.self)
                    #expect(lines == 1, "with text of \(size)")
                }
            }
        }
    }

    @Test func browserTimeZoneIsOfferedInPlaceOfUTC() async throws {
        try await CoffeeServer.run { server in
            try await BrowserTab.run { tab in
                try await tab.runBeforePages(
                    """
                    const { resolvedOptions } = Intl.DateTimeFormat.prototype;
                    Intl.DateTimeFormat.prototype.resolvedOptions = function () {
                        return { ...resolvedOptions.call(this), timeZone: 'Asia/Tokyo' };
                    };
                    """)
                // A zone other than UTC stays.
                try await tab.open(server.url("/coffee/"))
                #expect(try await tab.evaluate("document.querySelector('#zone-offer').hidden", as: Bool.self))
                try await server.use { data in try await data.choose { $0.zone = "Etc/UTC" } }
                try await tab.wait(until: "!document.querySelector('#zone-offer').hidden")
                try await tab.wait(until: "document.querySelector('#now time').innerText === '13:35'")
                try await tab.click("#zone-offer button")
                try await tab.wait(until: "document.querySelector('#now time').innerText === '22:35'")
                try await tab.wait(until: "document.querySelector('#zone-offer').hidden")
                // The slider, which wasn't used, is described in the new zone too.
                try await tab.wait(
                    until: "document.querySelector('#scrub').getAttribute('aria-valuetext').includes('22:35')")
                #expect(try await server.use { $0.settings.zone } == "Asia/Tokyo")
                let complaints = await tab.complaints
                #expect(complaints == [])
            }
        }
    }

    @Test(arguments: ["history", "history?by=week", "history?by=month"])
    func historyLabelsAndTabsFitNarrowPhone(path: String) async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            try await BrowserTab.run(width: 360, height: 780) { tab in
                try await tab.open(server.url("/coffee/\(path)"))
                let labels = "[...document.querySelectorAll('.bars .hour')].filter(label => label.checkVisibility())"
                #expect(try await tab.evaluate("\(labels).length", as: Int.self) >= 3)
                let overlaps = try await tab.evaluate(
                    """
                    \(labels).map(label => label.getBoundingClientRect())
                        .filter((box, index, all) => index > 0 && box.left < all[index - 1].right + 4).length
                    """, as: Int.self)
                #expect(overlaps == 0)
                // No tab is cut off.
                let tabs = "document.querySelector('.tabs ul')"
                #expect(try await tab.evaluate("\(tabs).scrollWidth <= \(tabs).clientWidth", as: Bool.self))
            }
        }
    }

    /// Sets the values of fields, as date and time pickers do.
    private func set(_ fields: [String: String], in form: String, of tab: BrowserTab) async throws {
        for (name, value) in fields {
            _ = try await tab.evaluate(
                "document.querySelector('\(form) [name=\(name)]').value = '\(value)'; true", as: Bool.self)
        }
    }
}
