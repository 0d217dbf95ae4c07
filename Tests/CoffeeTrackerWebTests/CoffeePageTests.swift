import BrowserDriver
import CoffeeTrackerModel
import Foundation
import HealthSamples
import Persistence
import Testing
import VirtualTime

@testable import CoffeeTrackerWeb

/// Tests the content of the pages.
@Suite(.timeLimit(.minutes(10))) struct CoffeePageTests {
    /// The timeline as a client reads it, so that a renamed field fails a test.
    private struct TimelineReport: Decodable {
        struct Entry: Decodable {
            var date: Date
            var milligrams: Double
            var low: Double
            var high: Double
            var cups: Double
            var colour: String
            var shares: [String: Double]
        }

        struct Stop: Decodable {
            var colour: String
            var milligrams: Double
        }

        struct Drink: Decodable {
            var id: String
            var name: String
            var milligrams: Double
            var start: Date
        }

        var version: Int
        var generatedAt: Date
        var zone: String
        var threshold: Double
        var stops: [Stop]
        var bedtime: Date
        var drinks: [Drink]
        var entries: [Entry]
    }

    @Test func timelineIsServedAsJSON() async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 1)
            let answer = try await server.get("/coffee/timeline.json")
            #expect(answer.headers["content-type"] == "application/json")
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let report = try decoder.decode(TimelineReport.self, from: Data(answer.text.utf8))
            #expect(report.version == 1)
            #expect(report.generatedAt == CoffeeServer.afternoon)
            #expect(report.zone == "Europe/Vienna")
            #expect(try report.bedtime == Date("2026-11-22T22:30:00+01:00", strategy: .iso8601))
            #expect(report.drinks.map(\.id) == [drink.id.uuidString])
            #expect(report.entries.count == 289)
            #expect(report.entries.allSatisfy { $0.colour == "green" })
            #expect(report.stops.map(\.colour) == ["green", "yellow", "red"])
            #expect(report.stops.map(\.milligrams) == [0, 200, 400])
            #expect(report.entries[1].date.timeIntervalSince(report.entries[0].date) == 300)
            let level = CaffeineLevel().milligrams(at: CoffeeServer.afternoon, of: drink)
            #expect(abs(report.entries[0].milligrams - level) < 0.001)
            #expect(report.entries[0].shares == [drink.id.uuidString: report.entries[0].milligrams])
            #expect(report.entries[0].low < level && level < report.entries[0].high)
            // The cups start at zero with each day.
            #expect(report.entries[0].cups == 0.833)
            #expect(report.entries.last?.cups == 0)
        }
    }

    @Test func dayWithoutDrinksShowsZeroAndTheSources() async throws {
        try await CoffeeServer.run { server in
            let page = try await server.get("/coffee/")
            #expect(page.status == 200)
            #expect(page.text.contains("No drinks yet"))
            #expect(page.text.contains("not medical advice"))
            #expect(page.text.contains("EFSA Journal"))
            #expect(page.text.contains("<strong>0</strong>"))
            // The site's content security policy blocks these, so they would have no effect.
            #expect(!page.text.contains(" style=") && !page.text.contains("<style") && !page.text.contains(" onclick"))
        }
    }

    @Test func recentDrinkShowsARisingLevel() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso")
            let page = try await server.get("/coffee/").text
            #expect(page.contains("rising to"))
            #expect(page.contains("1 drink · 80 mg"))
        }
    }

    @Test func bedtimeAnswerIsTheHighestLevelDuringSleep() async throws {
        // 23:11 in Vienna, after the bedtime of 22:30.
        try await CoffeeServer.run(at: CoffeeServer.afternoon + 31_000) { server in
            try await server.drink("espresso")
            let answers = try await server.use { $0.answers }
            #expect(answers.highestAsleep > answers.currentMilligrams + 30)
            let asleep = CoffeeFormatter.amount(answers.highestAsleep)
            let page = try await server.get("/coffee/").text
            #expect(page.contains("<h3>If I go to bed now</h3><p class=\"answer\">\(asleep)</p>"))
            #expect(page.contains("Up to \(asleep) if you go to bed now."))
            #expect(!page.contains("at bedtime, 23:"))
        }
    }

    @Test func tooLateForEveryDrinkIsOneSentence() async throws {
        try await CoffeeServer.run(at: CoffeeServer.afternoon + 31_000) { server in
            for _ in 0..<4 { try await server.drink("espresso", hoursAgo: 1) }
            let page = try await server.get("/coffee/").text
            let reason = "You would be over your bedtime limit if you go to bed now."
            #expect(page.contains("Too late for any drink today. \(reason)"))
            #expect(!page.contains("How much can I have now?"))
            #expect(!page.contains("<strong>too late</strong>") && !page.contains("Latest time for"))
        }
        try await CoffeeServer.run { server in
            let page = try await server.get("/coffee/").text
            #expect(page.contains("<h3>Latest time for a drink</h3>") && !page.contains("Too late for"))
            #expect(page.contains("How much can I have now?"))
        }
    }

    @Test func risingLevelAndDayOverTheLimitAreNamed() async throws {
        try await CoffeeServer.run { server in
            for _ in 0..<5 { try await server.drink("espresso") }
            let page = try await server.get("/coffee/").text
            // The level is still low, and the text says that it won't stay so.
            let badges = "<span class=\"badge good\">low</span> <span class=\"badge busy\">then moderate</span> in your"
            #expect(page.contains(badges) && page.contains(/; rising to \d+ mg by/))
            #expect(page.contains("5 drinks · 400 mg") && !page.contains("over the daily limit"))
            try await server.drink("black-tea")
            let over = try await server.get("/coffee/").text
            // By its cups alone, this day would be yellow.
            #expect(over.contains("6 drinks · 450 mg") && over.contains("of coffee, over the daily limit of 400 mg"))
            #expect(over.contains("<span class=\"dot red\""))
            #expect(try await server.get("/coffee/history").text.contains("bar-value red"))
        }
    }

    @Test func drinkOfAnotherProgramIsShownAndCannotBeDeleted() async throws {
        try await CoffeeServer.run { server in
            let watch = SampleSource(identifier: "watch", name: "My watch")
            try await server.samples.grant(.share, to: [.dietaryCaffeine], source: watch)
            try await server.samples.grant(.read, to: [.dietaryCaffeine], source: .coffeeTracker)
            let start = CoffeeServer.afternoon - 3600
            try await server.samples.save(
                Sample(
                    type: .dietaryCaffeine, quantity: Quantity(95, .milligram), start: start, end: start,
                    timeZone: "Europe/Vienna", source: watch), by: watch)
            try await server.use { try await $0.refresh() }
            let page = try await server.get("/coffee/").text
            #expect(page.contains("from My watch"))
            let drink = try #require(try await server.use { $0.drinks.first })
            #expect(!page.contains("/coffee/drinks/\(drink.id.uuidString)/delete"))
            let refused = try await server.post("/coffee/drinks/\(drink.id)/delete", [:])
            #expect(refused.status == 403)
            #expect(refused.text.contains("My watch"))
        }
    }

    @Test func historyCanBePagedAndSumsItsDrinks() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            try await server.drink("filter coffee", hoursAgo: 24)
            try await server.drink("black tea", hoursAgo: 24 * 40)
            let days = try await server.get("/coffee/history").text
            #expect(days.contains("9 Nov to 22 Nov"))
            #expect(days.contains("2 drinks, 170 mg"))
            #expect(days.contains("Saturday, 21 Nov"))
            let weeks = try await server.get("/coffee/history?by=week").text
            #expect(weeks.contains("3 drinks, 220 mg"))
            let earlier = try #require(days.firstMatch(of: /href="([^"]+)" rel="prev"/)).1
            let before = try await server.get(String(earlier).replacing("&amp;", with: "&")).text
            #expect(before.contains("26 Oct to 8 Nov"))
            #expect(before.contains("No drinks in this period."))
            #expect(before.contains("rel=\"next\""))
            #expect(try await server.get("/coffee/history?by=month").text.contains("3 drinks, 220 mg"))
            // An invalid span or day is ignored.
            #expect(try await server.get("/coffee/history?by=year&until=tomorrow").text.contains("9 Nov to 22 Nov"))
            #expect(try await server.get("/coffee/history?until=9999-12-31").status == 200)
            #expect(try await server.get("/coffee/history?by=month&until=0001-01-01").status == 200)
        }
    }

    @Test func allDrinksCanBeDownloadedAsCSV() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            try await server.drink("black tea", hoursAgo: 24 * 400)
            #expect(try await server.get("/coffee/history").text.contains("href=\"/coffee/drinks.csv\""))
            let file = try await server.get("/coffee/drinks.csv")
            #expect(file.status == 200 && file.headers["content-type"] == "text/csv; charset=utf-8")
            #expect(file.headers["content-disposition"]?.contains("filename=\"Drinks.csv\"") == true)
            let rows = file.text.components(separatedBy: "\r\n").filter { !$0.isEmpty }
            #expect(rows.count == 3)
            #expect(rows[1].hasPrefix("2026-11-22,13:35,Europe/Vienna,Espresso,80,60,0,2026-11-22T12:35:00Z,"))
            #expect(rows[2].hasPrefix("2025-10-18,"))
        }
    }

    @Test func healthPageGrantsAndRevokesAccess() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            _ = try await server.get("/coffee/")
            try await eventually("Coffee Tracker has asked for access") {
                try await !server.samples.authorizations().isEmpty
            }
            let page = try await server.get("/coffee/health").text
            #expect(page.contains("Coffee Tracker") && page.contains("Wants to write"))
            let access = ["source": "coffee-tracker", "type": "dietaryCaffeine", "direction": "share"]
            let granted = try await server.post("/coffee/health", access.merging(["decision": "grant"]) { $1 }).text
            #expect(granted.contains("Allowed to write"))
            // The drinks that waited for the permission have been saved.
            let found = try await server.samples.samples(
                SampleQuery(types: [.dietaryCaffeine]), by: .coffeeTracker)
            #expect(found.map(\.quantity.value) == [80])
            let revoked = try await server.post("/coffee/health", access.merging(["decision": "revoke"]) { $1 }).text
            #expect(revoked.contains("Not allowed to write"))
            // Invalid values decide nothing.
            for wrong in [["source": "nobody"], ["type": "nothing"], ["direction": "sideways"], ["decision": "eat"]] {
                let fields = access.merging(["decision": "grant"]) { $1 }.merging(wrong) { $1 }
                #expect(try await server.post("/coffee/health", fields).text.contains("Not allowed to write"))
            }
        }
    }

    @Test func undoneDrinksAreNotCountedAsWaiting() async throws {
        try await CoffeeServer.run { server in
            _ = try await server.get("/coffee/")
            try await eventually("Coffee Tracker has asked for access") {
                try await !server.samples.authorizations().isEmpty
            }
            for _ in 0..<3 { try await server.drink("espresso") }
            for _ in 0..<2 { try await server.use { _ = try await $0.undo() } }
            try await eventually("one drink waits") {
                try await server.get("/coffee/health").text.contains("1 drink is not shared")
            }
        }
    }

    @Test func hintAboutSharingIsShownFromTenDrinksUntilADecision() async throws {
        try await CoffeeServer.run { server in
            try await server.withholdDrinks(CoffeeView.sharingHintCount - 1)
            #expect(try await !server.get("/coffee/").text.contains("id=\"sharing-hint\""))
            try await server.withholdDrinks(1)
            #expect(try await server.get("/coffee/").text.contains("id=\"sharing-hint\""))
            // A decision about sharing removes the hint too, even one against it.
            let access = ["source": "coffee-tracker", "type": "dietaryCaffeine", "direction": "share"]
            _ = try await server.post("/coffee/health", access.merging(["decision": "revoke"]) { $1 })
            #expect(try await server.use { $0.settings.knowsSharing && CoffeeView($0).withheld >= 10 })
            #expect(try await !server.get("/coffee/").text.contains("id=\"sharing-hint\""))
        }
    }

    @Test func failureIsShownUntilItIsDismissed() async throws {
        try await CoffeeServer.run { server in
            _ = try await server.get("/coffee/")
            // Wait until the initial reads have ended.
            await server.clock.waitForSleepers(2)
            server.database.close()
            let refused = try await server.post("/coffee/drinks", ["kind": "sourced/espresso"])
            #expect(refused.status == 500)
            #expect(refused.text.contains("Dismiss</button>") && refused.text.contains("has been closed"))
            try await eventually("the failure is gone after it was dismissed") {
                try await !server.post("/coffee/dismiss", [:]).text.contains("Dismiss</button>")
            }
        }
    }

    @Test func dismissibleMessageComesFirstAndHasTheOnlyButton() async throws {
        try await CoffeeServer.run { server in
            let templates = try CoffeeTemplates()
            var view = try await server.use { CoffeeView($0) }
            view.problem = "The watch does not answer."
            let problem = try #require(templates.parts(view)["now"])
            #expect(problem.contains("The watch does not answer.") && !problem.contains("Dismiss</button>"))
            view.failure = "The disk is full."
            let both = try #require(templates.parts(view)["now"])
            #expect(both.contains(/The disk is full\.[\s\S]*Dismiss[\s\S]*The watch does not answer\./))
        }
    }

    @Test func sampleDrinksAreNotOfferedForUndo() async throws {
        try await CoffeeServer.run { server in
            let pages = try CoffeePages(documents: server.documents)
            let ids = (0..<CoffeePages.sampleCount).map { _ in UUID() }
            try await pages.addSamples(ids)
            let added = try await server.use { $0.drinks.count }
            let afterAdding = try await server.use { $0.lastUndo }
            #expect(added == ids.count && afterAdding == nil)
            let page = try await server.get("/coffee/").text
            #expect(!page.contains("id=\"undo\""))
            // The owner's own action stays the last one.
            try await server.drink("espresso")
            try await pages.removeSamples(ids)
            let left = try await server.use { $0.drinks.map(\.name) }
            let last = try await server.use { $0.undoName }
            #expect(left == ["Espresso"] && last == "Added Espresso")
        }
    }

    @Test func eachPageHasOneHeadingAndItsTitle() async throws {
        try await CoffeeServer.run { server in
            let titles = [
                "/coffee/": "Coffee Tracker", "/coffee/history": "History", "/coffee/catalogue": "Drinks",
                "/coffee/settings": "Settings", "/coffee/health": "Health data",
                "/coffee/complications": "Complications",
            ]
            for (path, title) in titles {
                let page = try await server.get(path)
                #expect(page.status == 200)
                #expect(page.text.contains("<title>\(title) · "), "\(path)")
                #expect(page.text.matches(of: /<h1/).count == 1, "\(path)")
                #expect(page.text.matches(of: /aria-current="page"/).count == 1, "\(path)")
            }
        }
    }
}
