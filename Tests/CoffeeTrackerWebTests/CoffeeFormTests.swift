import CoffeeTrackerModel
import Foundation
import HealthSamples
import Persistence
import Site
import StoreTesting
import Testing

@testable import CoffeeTrackerWeb

/// Tests the forms, as a browser without scripts submits them.
@Suite(.timeLimit(.minutes(10))) struct CoffeeFormTests {
    @Test func postedDrinkStartsNow() async throws {
        try await CoffeeServer.run { server in
            let answer = try await server.post("/coffee/drinks", ["kind": "sourced/espresso"])
            #expect(answer.status == 200)
            #expect(answer.text.contains("Espresso"))
            let drinks = try await server.use { $0.drinks }
            #expect(drinks.map(\.milligrams) == [80])
            #expect(drinks.map(\.start) == [CoffeeServer.afternoon])
            #expect(drinks.map(\.timeZone) == ["Europe/Vienna"])
        }
    }

    @Test func postedTimeAndSippingDurationAreStored() async throws {
        try await CoffeeServer.run { server in
            let fields = [
                "kind": "sourced/filter-coffee", "date": "2026-11-22", "time": "08:30", "sip": "25",
                "milligrams": "62,5",
            ]
            #expect(try await server.post("/coffee/drinks", fields).status == 200)
            let drink = try #require(try await server.use { $0.drinks }.first)
            #expect(try drink.start == Date("2026-11-22T08:30:00+01:00", strategy: .iso8601))
            #expect(drink.sipping == 25 * 60)
            #expect(drink.milligrams == 62.5)
        }
    }

    static let mistakes: [(String, String, String)] = [
        ("milligrams", "-5", "-5 mg is no amount"),
        ("milligrams", "nan", "is no amount of caffeine"),
        ("milligrams", "inf", "is no amount of caffeine"),
        ("milligrams", "1e9", "is no amount of caffeine"),
        ("milligrams", "lots", "“lots” in the field “Caffeine, in mg” is no number"),
        ("sip", "-10", "cannot be sipped for -10 minutes"),
        ("sip", "99999", "cannot be sipped"),
        ("sip", "nan", "cannot be sipped"),
        ("sip", "long", "“long” in the field “Sipped for, in minutes” is no number"),
        ("date", "2026-11-23", "yet to come"),
        ("date", "2026-02-30", "Enter a day since 1970"),
        ("date", "1969-12-31", "Nobody can have drunk this at that time"),
        ("date", "yesterday", "Nobody can have drunk this at that time"),
        ("time", "14:40", "yet to come"),
        ("time", "25:00", "Nobody can have drunk this at that time"),
        ("kind", "sourced/cocoa", "There is no drink “sourced/cocoa”"),
        ("kind", "", "There is no drink"),
    ]

    @Test(arguments: mistakes)
    func invalidInputIsReportedAndTypedValuesStay(field: String, value: String, said: String) async throws {
        try await CoffeeServer.run { server in
            var fields = [
                "kind": "sourced/black-tea", "date": "2026-11-22", "time": "08:31", "sip": "7", "milligrams": "43",
            ]
            fields[field] = value
            let page = try await server.post("/coffee/drinks", fields)
            #expect(page.status == 422)
            #expect(page.text.contains(said.escaped), "\(page.text)")
            #expect(page.text.contains("<details class=\"more\" id=\"add-later\" open>"))
            for (name, value) in fields where name != "kind" {
                #expect(page.text.contains("name=\"\(name)\"") && page.text.contains("value=\"\(value)\""), "\(name)")
            }
            if field != "kind" {
                #expect(page.text.contains("<option value=\"sourced/black-tea\" selected>"))
            }
            // The page's script keeps the typed values itself, and needs only the problem.
            let problem = try await server.post("/coffee/drinks", fields, prefersJSON: true)
            #expect(problem.status == 422)
            #expect(problem.headers["content-type"]?.hasPrefix("application/problem+json") == true)
            #expect(try await server.use { $0.drinks.isEmpty })
        }
    }

    @Test func skippedTimeIsRefusedWithASuggestion() async throws {
        try await CoffeeServer.run { server in
            let fields = ["kind": "sourced/espresso", "date": "2026-03-29", "time": "02:30"]
            let page = try await server.post("/coffee/drinks", fields)
            #expect(page.status == 422)
            #expect(page.text.contains("never showed 02:30. Enter 03:30"))
            #expect(page.text.contains("value=\"02:30\""))
        }
    }

    @Test func repeatedTimeIsTheFirstAndShowsItsUTCOffset() async throws {
        let night = try Date("2026-10-25T06:00:00+01:00", strategy: .iso8601)
        try await CoffeeServer.run(at: night) { server in
            let fields = ["kind": "sourced/espresso", "date": "2026-10-25", "time": "02:30"]
            let page = try await server.post("/coffee/drinks", fields)
            #expect(page.text.contains("02:30 (UTC+2)"))
            let first = try #require(try await server.use { $0.drinks }.first)
            #expect(try first.start == Date("2026-10-25T02:30:00+02:00", strategy: .iso8601))
            // The second one, logged live, keeps its time when another field is changed.
            let second = try await server.use { data in
                try await data.add(
                    try DrinkCatalogue.kind("espresso", in: data.kinds), at: first.start + 3600)
            }
            let changed = try await server.post(
                "/coffee/drinks/\(second.id)",
                ["name": "Late one", "emoji": "☕️", "milligrams": "70", "date": "2026-10-25", "time": "02:30"])
            #expect(changed.text.contains("02:30 (UTC+1)"))
            #expect(try await server.use { $0.drink(second.id)?.start } == second.start)
        }
    }

    @Test(arguments: [
        ("", "", "2026-11-21T14:35:00+01:00"), ("2026-11-20", "", "2026-11-20T14:35:00+01:00"),
        ("", "08:30", "2026-11-21T08:30:00+01:00"),
    ])
    func emptiedDayOrTimeStaysUnchanged(date: String, time: String, wanted: String) async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 24)
            let fields = ["name": "Late one", "emoji": "☕️", "milligrams": "70", "date": date, "time": time]
            #expect(try await server.post("/coffee/drinks/\(drink.id)", fields).status == 200)
            let changed = try #require(try await server.use { $0.drink(drink.id) })
            #expect(changed.name == "Late one")
            #expect(try changed.start == Date(wanted, strategy: .iso8601))
        }
    }

    @Test(arguments: [("2026-10-25T02:40:00+01:00", "+01:00"), ("2026-10-25T02:40:00+02:00", "+02:00")])
    func repeatedTimeInAnEditIsTheOneNearerToTheOldTime(before: String, offset: String) async throws {
        let night = try Date("2026-10-25T06:00:00+01:00", strategy: .iso8601)
        try await CoffeeServer.run(at: night) { server in
            let start = try Date(before, strategy: .iso8601)
            let drink = try await server.use { data in
                try await data.add(try DrinkCatalogue.kind("espresso", in: data.kinds), at: start)
            }
            let fields = ["name": "Late one", "emoji": "☕️", "milligrams": "70", "date": "2026-10-25", "time": "02:30"]
            #expect(try await server.post("/coffee/drinks/\(drink.id)", fields).status == 200)
            let changed = try #require(try await server.use { $0.drink(drink.id) })
            #expect(try changed.start == Date("2026-10-25T02:30:00\(offset)", strategy: .iso8601))
        }
    }

    @Test func secondSubmissionOfAnEditFormIsRefused() async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 2)
            let form = try await server.get("/coffee/drinks/\(drink.id)").text
            let from = try #require(form.firstMatch(of: /name="from" value="([0-9a-f]+)"/)).1
            var fields = [
                "from": String(from), "name": "Ristretto", "emoji": "🫘", "milligrams": "60", "millilitres": "25",
                "date": "2026-11-22", "time": "12:00", "sip": "",
            ]
            #expect(try await server.post("/coffee/drinks/\(drink.id)", fields).status == 200)
            let changed = try #require(try await server.use { $0.drink(drink.id) })
            #expect(changed.name == "Ristretto" && changed.emoji == "🫘" && changed.milligrams == 60)
            #expect(changed.millilitres == 25)
            #expect(try changed.start == Date("2026-11-22T12:00:00+01:00", strategy: .iso8601))
            // Another tab still shows the old values.
            fields["name"] = "Lungo"
            let refused = try await server.post("/coffee/drinks/\(drink.id)", fields)
            #expect(refused.status == 409)
            #expect(refused.text.contains("It has changed meanwhile"))
            #expect(refused.text.contains("value=\"Lungo\""))
            #expect(try await server.use { $0.drink(drink.id)?.name } == "Ristretto")
        }
    }

    @Test(arguments: [
        ("name", "", "That is no name"), ("name", "two\nlines", "That is no name"), ("emoji", "x", "That is no emoji"),
        ("emoji", "☕️🍵", "That is no emoji"), ("milligrams", "", "A number is missing"),
        ("millilitres", "-1", "-1 ml is no volume"), ("millilitres", "nan", "is no volume"),
    ])
    func invalidEditIsReported(field: String, value: String, said: String) async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 2)
            var fields = ["name": "Espresso", "emoji": "☕️", "milligrams": "80", "millilitres": "60"]
            fields[field] = value
            let page = try await server.post("/coffee/drinks/\(drink.id)", fields)
            #expect(page.status == 422)
            #expect(page.text.contains(said.escaped), "\(page.text)")
            #expect(try await server.use { $0.drink(drink.id) } == drink)
        }
    }

    @Test func missingDrinkOrUndoIsReported() async throws {
        try await CoffeeServer.run { server in
            let id = UUID()
            #expect(try await server.get("/coffee/drinks/\(id)").status == 404)
            #expect(try await server.get("/coffee/drinks/nonsense").status == 404)
            for path in ["/coffee/drinks/\(id)/delete", "/coffee/drinks/\(id)/duplicate", "/coffee/drinks/\(id)"] {
                let answer = try await server.post(path, ["milligrams": "1"])
                #expect(answer.status == 404)
                #expect(answer.text.contains("It may have been deleted"))
            }
            let undo = try await server.post("/coffee/undo", [:])
            #expect(undo.status == 409)
            #expect(undo.text.contains("There is nothing to undo."))
        }
    }

    @Test func deletedDrinkCanBeRestoredAndDuplicated() async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 2)
            let deleted = try await server.post("/coffee/drinks/\(drink.id)/delete", [:])
            #expect(deleted.text.contains("Delete Espresso"))
            #expect(try await server.use { $0.drinks.isEmpty })
            #expect(try await server.post("/coffee/undo", [:]).status == 200)
            #expect(try await server.use { $0.drinks } == [drink])
            #expect(try await server.post("/coffee/drinks/\(drink.id)/duplicate", [:]).status == 200)
            #expect(try await server.use { $0.drinks.map(\.start) } == [CoffeeServer.afternoon, drink.start])
        }
    }

    @Test func undoStaysAvailableForHalfAnHourAfterLeaving() async throws {
        try await CoffeeServer.run { server in
            _ = try await server.post("/coffee/drinks", ["kind": "sourced/espresso"])
            server.time.set(server.time.now + 29 * 60)
            await server.documents.tidy()
            #expect(try await server.post("/coffee/undo", [:]).status == 200)
            #expect(try await server.use { $0.drinks.isEmpty })
            // With nothing to undo, or half an hour after the last change, the document is closed.
            await server.documents.tidy()
            #expect(await server.documents.keys.isEmpty)
            _ = try await server.post("/coffee/drinks", ["kind": "sourced/espresso"])
            await server.documents.tidy()
            #expect(await server.documents.keys == [.local])
            server.time.set(server.time.now + 30 * 60)
            await server.documents.tidy()
            #expect(await server.documents.keys.isEmpty)
            #expect(try await server.use { $0.drinks.count } == 1)
        }
    }

    @Test func validSettingsAreStoredAndInvalidOnesRefused() async throws {
        try await CoffeeServer.run { server in
            let fields = [
                "zone": "America/New_York", "dayStart": "04:00", "bedtime": "23:15", "threshold": "30",
                "halfLife": "6.5", "group": "child", "weight": "40", "decay": "simple", "catalogue": "sample",
            ]
            #expect(try await server.post("/coffee/settings", fields).status == 200)
            var wanted = CoffeeSettings(zone: "America/New_York")
            (wanted.dayStart, wanted.bedtime, wanted.threshold, wanted.halfLife) = (240, 1395, 30, 6.5)
            (wanted.group, wanted.usesSimpleDecay, wanted.catalogue) = (.child(kilograms: 40), true, .sample)
            #expect(try await server.use { $0.settings } == wanted)
            for (field, value) in [
                ("zone", "Mars/Olympus"), ("dayStart", "24:00"), ("bedtime", "soon"), ("threshold", "-1"),
                ("threshold", "nan"), ("halfLife", "0"), ("halfLife", "inf"), ("weight", "0"), ("weight", ""),
            ] {
                var wrong = fields
                wrong[field] = value
                let page = try await server.post("/coffee/settings", wrong)
                #expect(page.status == 422, "\(field)")
                #expect(page.text.contains("role=\"alert\" data-key=\"problem\""), "\(field)")
                if field != "zone" { #expect(page.text.contains("value=\"\(value)\""), "\(field)") }
                #expect(try await server.use { $0.settings } == wanted, "\(field)")
            }
        }
    }

    @Test func staleSettingsFormDoesNotUndoOtherChanges() async throws {
        try await CoffeeServer.run { server in
            // The values that both tabs show.
            var loaded = ["weight": ""]
            for field in try await server.get("/coffee/settings").text.matches(
                of: /name="shown\[([a-zA-Z]+)\]" value="([^"]*)"/)
            {
                loaded[String(field.1)] = String(field.2)
                loaded["shown[\(field.1)]"] = String(field.2)
            }
            #expect(loaded["bedtime"] == "22:30" && loaded["shown[zone]"] == "Europe/Vienna")
            let first = loaded.merging(["bedtime": "23:15", "group": "child", "weight": "40"]) { $1 }
            #expect(try await server.post("/coffee/settings", first).status == 200)
            let second = loaded.merging(["threshold": "20", "decay": "simple"]) { $1 }
            #expect(try await server.post("/coffee/settings", second).status == 200)
            var wanted = CoffeeSettings(zone: "Europe/Vienna")
            (wanted.bedtime, wanted.group) = (1395, .child(kilograms: 40))
            (wanted.threshold, wanted.usesSimpleDecay) = (20, true)
            #expect(try await server.use { $0.settings } == wanted)
            // A refused form still carries the values that it was loaded with.
            let refused = try await server.post("/coffee/settings", loaded.merging(["threshold": "-1"]) { $1 })
            #expect(refused.status == 422)
            #expect(refused.text.contains("name=\"shown[bedtime]\" value=\"22:30\""))
            // If both tabs change a setting, the last one wins.
            let third = loaded.merging(["bedtime": "21:00"]) { $1 }
            #expect(try await server.post("/coffee/settings", third).status == 200)
            wanted.bedtime = 1260
            #expect(try await server.use { $0.settings } == wanted)
        }
    }

    @Test func customKindCanBeAddedFavouritedAndDeleted() async throws {
        try await CoffeeServer.run { server in
            let fields = ["name": "Cold brew", "emoji": "🧊", "milligrams": "155", "millilitres": "350"]
            let page = try await server.post("/coffee/catalogue", fields)
            #expect(page.text.contains("Cold brew"))
            let kind = try #require(try await server.use { $0.settings.kinds.first })
            _ = try await server.post("/coffee/favourites", ["kind": kind.id, "favourite": "yes"])
            let today = try await server.get("/coffee/").text
            let first = try #require(
                today.firstMatch(of: /class="button drink" type="submit" name="kind" value="([^"]+)"/))
            #expect(String(first.1) == kind.id)
            _ = try await server.post("/coffee/catalogue/delete", ["kind": kind.id])
            #expect(try await server.use { $0.settings.kinds.isEmpty && $0.settings.favourites.isEmpty })
            let refused = try await server.post("/coffee/catalogue", ["name": "Void", "milligrams": "-1"])
            #expect(refused.status == 422)
            #expect(refused.text.contains("value=\"Void\""))
        }
    }

    @Test func quickListShowsAllFavouritesAndRecentDrinks() async throws {
        try await CoffeeServer.run { server in
            for (hours, name) in [(3.0, "decaf"), (2, "green tea"), (1, "black tea")] {
                try await server.drink(name, hoursAgo: hours)
            }
            let few = try await server.use { CoffeeView($0).quick.map(\.name) }
            #expect(few.count == CoffeeView.quickCount)
            #expect(few.prefix(3) == ["Black Tea", "Green Tea, 8 oz", "Decaf Coffee, 8 oz"])
            let favourites = DrinkCatalogue.sample.prefix(8)
            for kind in favourites {
                _ = try await server.post("/coffee/favourites", ["kind": kind.id, "favourite": "yes"])
            }
            let many = try await server.use { CoffeeView($0).quick.map(\.name) }
            #expect(many == favourites.map(\.name) + ["Black Tea", "Green Tea, 8 oz"])
        }
    }

    @Test func favouriteOfTheOtherCatalogueIsShownAndRemovable() async throws {
        try await CoffeeServer.run { server in
            #expect(try await !server.get("/coffee/catalogue").text.contains("Quad Espresso"))
            let fields = ["kind": "sample/quad-espresso", "favourite": "yes"]
            let page = try await server.post("/coffee/favourites", fields).text
            #expect(page.contains("aria-pressed=\"true\" aria-label=\"Quad Espresso is a favourite\""))
            let after = try await server.post("/coffee/favourites", fields.merging(["favourite": "no"]) { $1 }).text
            #expect(!after.contains("Quad Espresso"))
            #expect(try await server.use { $0.settings.favourites.isEmpty })
        }
    }

    @Test func latestTimeIsShownForEveryDrink() async throws {
        try await CoffeeServer.run { server in
            try await server.use { try await $0.setFavourite("sample/quad-espresso", true) }
            let view = try await server.use { CoffeeView($0) }
            let answers = try #require(try CoffeeTemplates().parts(view)["answers"])
            let favourite = try DrinkCatalogue.kind("quad espresso", in: DrinkCatalogue.sample)
            for kind in DrinkCatalogue.sourced + [favourite] {
                let row = "</span> \(kind.name), \(CoffeeWords.amount(kind.milligrams))</span>"
                #expect(answers.ranges(of: row).count == 1, "\(kind.name)")
            }
        }
    }

    @Test func markupInANameIsEscaped() async throws {
        try await CoffeeServer.run { server in
            let name = "<img src=x onerror=alert(1)>\"'&"
            _ = try await server.post("/coffee/catalogue", ["name": name, "emoji": "🧪", "milligrams": "10"])
            let kind = try #require(try await server.use { $0.settings.kinds.first })
            #expect(kind.name == name)
            _ = try await server.post("/coffee/drinks", ["kind": kind.id])
            for path in ["/coffee/", "/coffee/history", "/coffee/catalogue"] {
                let page = try await server.get(path).text
                #expect(!page.contains("<img"))
                #expect(page.contains("&lt;img src=x"))
            }
        }
    }
}

extension String {
    /// The string as it appears in HTML.
    fileprivate var escaped: String {
        replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
