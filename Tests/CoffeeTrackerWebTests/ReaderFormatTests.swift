import BrowserDriver
import CoffeeTrackerModel
import Foundation
import Testing

@testable import CoffeeTrackerWeb

/// Tests that times and numbers follow the reader's language and region, in the owner's time zone.
@Suite(.timeLimit(.minutes(20))) struct ReaderFormatTests {
    private static let sip = DrinkKind(id: "own/sip", name: "Sip", emoji: "☕️", milligrams: 4.5)

    @Test(arguments: [
        ("de-DE", "14:35", "4,5 mg", "Saturday, 14.11."), ("en-US", "2:35 PM", "4.5 mg", "Saturday, Nov 14"),
    ])
    func pageAndItsUpdatesHaveTheReadersFormats(
        language: String, time: String, amount: String, day: String
    ) async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 8 * 24)
            try await BrowserTab.run { tab in
                try await tab.prefer(language: language, zone: "America/New_York")
                try await tab.open(server.url("/coffee/"))
                let now = try await tab.evaluate("document.querySelector('#now time').textContent", as: String.self)
                #expect(now == time)
                try await server.use { _ = try await $0.add(Self.sip) }
                try await tab.wait(
                    until: """
                        document.querySelector('#list a')?.getAttribute('aria-label') === 'Edit Sip at \(time)'
                            && document.querySelector('#list .soft').textContent.includes('\(amount)')
                        """)
                // Fields have the format that browsers submit.
                try await tab.click("#list a")
                try await tab.wait(until: "document.getElementById('milligrams')?.value === '4.5'")
                let field = try await tab.evaluate("document.getElementById('time').value", as: String.self)
                #expect(field == "14:35")
                try await tab.open(server.url("/coffee/history"))
                let history = try await tab.text("#history")
                #expect(history.contains(day))
                let complaints = await tab.takeComplaints()
                #expect(complaints == [])
            }
        }
    }

    @Test func pageHasTheReadersFormatsWithoutScripts() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 8 * 24)
            try await BrowserTab.run { tab in
                try await tab.setRunsScripts(false)
                try await tab.prefer(language: "de-DE", zone: "America/New_York")
                try await tab.open(server.url("/coffee/history"))
                let history = try await tab.text("#history")
                #expect(history.contains("Saturday, 14.11."))
            }
        }
    }

    @Test func chosenClockCountsMoreThanTheRegion() async throws {
        try await CoffeeServer.run { server in
            let before = try await server.get("/coffee/", headers: ["Accept-Language": "en-US"]).text
            #expect(before.contains("2:35 PM") && !before.contains("14:35"))
            try await server.use { try await $0.choose { $0.clockFormat = .twentyFour } }
            let after = try await server.get("/coffee/", headers: ["Accept-Language": "en-US"]).text
            #expect(after.contains("14:35") && !after.contains("2:35 PM"))
        }
    }

    @Test func labelsAndQuestionsHaveTheReadersFormats() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            let page = try await server.get("/coffee/", headers: ["Accept-Language": "en-US"]).text
            #expect(page.contains(#"aria-label="Delete Espresso at 1:35 PM""#))
            #expect(page.contains("At bedtime, 10:30 PM"))
            #expect(page.contains(#"data-clock="12""#))
        }
    }

    @Test func hintsHaveTheReadersFormats() async throws {
        try await CoffeeServer.run { server in
            let settings = try await server.get("/coffee/settings", headers: ["Accept-Language": "de-DE"]).text
            #expect(settings.contains("3 to 8 in most adults, 7,9 with oral contraceptives, 8,3 in pregnancy."))
        }
    }
}
