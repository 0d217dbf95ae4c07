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
        ("milligrams", "-5", "A drink can’t have -5 mg of caffeine. Enter 0–2000 mg."),
        ("milligrams", "nan", "mg of caffeine. Enter 0–2000 mg."),
        ("milligrams", "inf", "mg of caffeine. Enter 0–2000 mg."),
        ("milligrams", "1e9", "mg of caffeine. Enter 0–2000 mg."),
        ("milligrams", "lots", "“lots” in the field “Caffeine (mg)” isn’t a number"),
        ("sip", "-10", "The time to finish can’t be -10 minutes"),
        ("sip", "99999", "The time to finish can’t be"),
        ("sip", "nan", "The time to finish can’t be"),
        ("sip", "long", "“long” in the field “Time to finish (min)” isn’t a number"),
        ("date", "2026-11-23", "in the future"),
        ("date", "2026-02-30", "Enter a day from 1970 on"),
        ("date", "1969-12-31", "That isn’t a valid date and time"),
        ("date", "yesterday", "That isn’t a valid date and time"),
        ("time", "14:40", "in the future"),
        ("time", "25:00", "That isn’t a valid date and time"),
        ("kind", "sourced/cocoa", "There is no drink “sourced/cocoa”"),
        ("kind", "", "There is no drink"),
    ]

    @Test(arguments: mistakes)
    func invalidInputIsReportedAndTypedValuesStay(field: String, value: String, message: String) async throws {
        try await CoffeeServer.run { server in
            var fields = [
                "kind": "sourced/black-tea", "date": "2026-11-22", "time": "08:31", "sip": "7", "milligrams": "43",
            ]
            fields[field] = value
            let page = try await server.post("/coffee/drinks", fields)
            #expect(page.status == 422)
            #expect(page.text.contains(message.escaped), "\(page.text)")
            #expect(page.text.contains("<details class=\"more\" id=\"add-later\" open>"))
            for (name, value) in fields where name != "kind" {
                #expect(page.text.contains("name=\"\(name)\"") && page.text.contains("value=\"\(value)\""), "\(name)")
            }
            if field != "kind" {
                #expect(page.text.contains("<option value=\"sourced/black-tea\" selected>"))
            }
            // The error is beside its field, which has the focus; an error in the kind is above the fields.
            let marked = page.text.firstMatch(of: /name="(\w+)"[^>]* aria-invalid="true"[^>]* autofocus>/)
            let place: String? = field == "kind" ? nil : field == "date" ? "time" : field
            #expect((marked?.output.1).map { String($0) } == place)
            #expect(page.text.components(separatedBy: "id=\"problem\"").count == 2)
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
            #expect(page.text.contains("02:30 didn’t exist on that day in Europe/Vienna: the clocks went forward."))
            #expect(page.text.contains("Enter 03:30 or another time."))
            #expect(page.text.contains("value=\"02:30\""))
            try await server.use { data in try await data.choose { $0.clockFormat = .twelve } }
            let twelve = try await server.post("/coffee/drinks", fields).text
            #expect(twelve.contains("2:30 AM didn’t exist") && twelve.contains("Enter 3:30 AM or another time."))
        }
    }

    @Test func repeatedTimeMeansItsFirstOccurrenceAndShowsItsUTCOffset() async throws {
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
    func emptyDayOrTimeKeepsTheStoredOne(date: String, time: String, wanted: String) async throws {
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
            #expect(refused.text.contains("The drink has changed"))
            #expect(refused.text.contains("value=\"Lungo\""))
            #expect(try await server.use { $0.drink(drink.id)?.name } == "Ristretto")
        }
    }

    @Test(arguments: [
        ("name", "", "Check the name"), ("name", "two\nlines", "Check the name"), ("emoji", "x", "Check the emoji"),
        ("emoji", "☕️🍵", "Check the emoji"), ("milligrams", "", "A number is missing"),
        ("millilitres", "-1", "A drink can’t have a volume of -1 ml"),
        ("millilitres", "nan", "A drink can’t have a volume of"),
    ])
    func invalidEditIsReported(field: String, value: String, message: String) async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 2)
            var fields = ["name": "Espresso", "emoji": "☕️", "milligrams": "80", "millilitres": "60"]
            fields[field] = value
            let page = try await server.post("/coffee/drinks/\(drink.id)", fields)
            #expect(page.status == 422)
            #expect(page.text.contains(message.escaped), "\(page.text)")
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
            #expect(deleted.text.contains("Deleted Espresso"))
            #expect(try await server.use { $0.drinks.isEmpty })
            #expect(try await server.post("/coffee/undo", [:]).status == 200)
            #expect(try await server.use { $0.drinks } == [drink])
            #expect(try await server.post("/coffee/drinks/\(drink.id)/duplicate", [:]).status == 200)
            #expect(try await server.use { $0.drinks.map(\.start) } == [CoffeeServer.afternoon, drink.start])
        }
    }

    @Test func undoRevertsTheActionThatThePageNames() async throws {
        try await CoffeeServer.run { server in
            let page = try await server.post("/coffee/drinks", ["kind": "sourced/espresso"]).text
            #expect(page.contains("<p>Added Espresso</p>"))
            let step = String(try #require(page.firstMatch(of: /name="step" value="([^"]+)"/)).1)
            // Another tab adds a drink before the first one's button is pressed.
            _ = try await server.post("/coffee/drinks", ["kind": "sourced/black-tea"])
            #expect(try await server.post("/coffee/undo", ["step": step]).status == 200)
            #expect(try await server.use { $0.drinks.map(\.name) } == ["Black Tea"])
            let again = try await server.post("/coffee/undo", ["step": step])
            #expect(again.status == 409 && again.text.contains("There is nothing to undo."))
        }
    }

    @Test func drinkForAnotherDayLinksToItsDay() async throws {
        try await CoffeeServer.run { server in
            let fields = ["kind": "sourced/espresso", "date": "2026-11-14", "time": "08:00"]
            let page = try await server.post("/coffee/drinks", fields).text
            #expect(page.contains("Added Espresso to 14 Nov, 08:00"))
            let link = String(try #require(page.firstMatch(of: /<a href="([^"]+)">Show<\/a>/)).1)
            #expect(link.hasPrefix("/coffee/history?until=2026-11-14#drink-"))
            let history = try await server.get("/coffee/history?until=2026-11-14").text
            #expect(history.contains("id=\"\(link.split(separator: "#")[1])\""))
            // The page with the drink needs no link to it; others do.
            #expect(history.contains("Added Espresso to 14 Nov, 08:00</p>"))
            let otherDays = try await server.get("/coffee/history?until=2026-10-14").text
            #expect(otherDays.contains(">Show</a>"))
            // A drink of today needs no link.
            let today = try await server.post("/coffee/drinks", ["kind": "sourced/espresso", "time": "08:00"]).text
            #expect(today.contains("<p>Added Espresso</p>"))
        }
    }

    @Test func formsOfTheHistoryReturnToIt() async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("espresso", hoursAgo: 24 * 20)
            let path = "/coffee/history?by=day&until=2026-11-03"
            let field = "name=\"back\" value=\"/coffee/history?by=day&amp;until=2026-11-03\""
            let page = try await server.get(path).text
            // Four forms: Undo, its toast, “Add again” and “Delete”.
            #expect(page.components(separatedBy: field).count == 5 && page.contains("<p>Added Espresso"))
            let deleted = try await server.post("/coffee/drinks/\(drink.id)/delete", ["back": path]).text
            #expect(deleted.contains("<h1>History</h1>") && deleted.contains("<p>Deleted Espresso</p>"))
            #expect(!deleted.contains("id=\"drink-\(drink.id.uuidString)\""))
            let undone = try await server.post("/coffee/undo", ["back": path]).text
            #expect(undone.contains("<h1>History</h1>") && undone.contains("id=\"drink-\(drink.id.uuidString)\""))
            let link = String(try #require(undone.firstMatch(of: /href="([^"]+)" aria-label="Edit/)).1)
            let form = try await server.get(link).text
            #expect(form.contains(field) && form.contains("href=\"\(path.replacing("&", with: "&amp;"))\">Cancel</a>"))
        }
    }

    @Test(arguments: [
        nil, "", "/coffee/", "/coffee/catalogue?by=day", "/library/", "//example.com",
        "https://example.com/coffee/history", "/coffee/historyx", "/coffee/history/../settings",
        "/coffee/history?until=\r\nSet-Cookie:a", "/coffee/history#x",
        "/coffee/history?by=day\u{301}",
    ])
    func formsReturnOnlyToPagesOfTheHistory(back: String?) {
        #expect(CoffeePages.returnPath(back) == "/coffee/")
        #expect(CoffeePages.returnPath("/coffee/history") == "/coffee/history")
    }

    @Test func undoToastIsShownForAMomentAfterATap() async throws {
        try await CoffeeServer.run { server in
            let page = try await server.post("/coffee/drinks", ["kind": "sourced/espresso"]).text
            // A browser without scripts shows the server's toast; other browsers show the script's.
            #expect(page.contains(" data-fresh") && page.contains("<noscript><form class=\"action-bar toast\""))
            #expect(page.contains("<p>Added Espresso</p><p>Today: 1 drink, 80 mg</p>"))
            server.time.set(server.time.now + UndoView.freshDuration)
            let later = try await server.get("/coffee/").text
            #expect(!later.contains("Today: 1 drink"))
            #expect(later.contains("id=\"undo\"") && !later.contains(" data-fresh"))
            #expect(!later.contains("class=\"action-bar toast\""))
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
                "halfLife": "6.5", "group": "child", "weight": "40", "dailyLimit": "90", "decay": "simple",
                "catalogue": "sample", "clockFormat": "12", "volumeUnit": "oz",
            ]
            #expect(try await server.post("/coffee/settings", fields).status == 200)
            var wanted = CoffeeSettings(zone: "America/New_York")
            (wanted.dayStart, wanted.bedtime, wanted.threshold, wanted.halfLife) = (240, 1395, 30, 6.5)
            (wanted.group, wanted.usesSimpleDecay, wanted.catalogue) = (.child(kilograms: 40), true, .sample)
            (wanted.dailyLimit, wanted.clockFormat, wanted.volumeUnit) = (90, .twelve, .ounces)
            #expect(try await server.use { $0.settings } == wanted)
            for (field, value) in [
                ("zone", "Mars/Olympus"), ("zone", "UTC\u{0}"), ("dayStart", "24:00"), ("bedtime", "soon"),
                ("threshold", "-1"),
                ("threshold", "nan"), ("halfLife", "0"), ("halfLife", "inf"), ("weight", "0"), ("weight", ""),
                ("dailyLimit", "-1"), ("dailyLimit", "2001"),
            ] {
                var wrong = fields
                wrong[field] = value
                let page = try await server.post("/coffee/settings", wrong)
                #expect(page.status == 422, "\(field)")
                #expect(page.text.contains("role=\"alert\" data-key=\"problem\""), "\(field)")
                if field != "zone" { #expect(page.text.contains("value=\"\(value)\""), "\(field)") }
                let marked = page.text.firstMatch(of: /name="(\w+)"[^>]* aria-invalid="true"/)
                #expect((marked?.output.1).map { String($0) } == (field == "zone" ? nil : field))
                #expect(try await server.use { $0.settings } == wanted, "\(field)")
            }
        }
    }

    @Test func ownDailyLimitIsUsedUntilItIsEmptied() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 1)
            #expect(try await server.get("/coffee/").text.contains("80 of 400 mg, the daily limit for adults."))
            #expect(try await server.post("/coffee/settings", ["dailyLimit": "60"]).status == 200)
            let page = try await server.get("/coffee/").text
            #expect(page.contains("80 of 60 mg, your own daily limit. You are 20 mg over the daily limit."))
            #expect(page.contains("of coffee, over the daily limit of 60 mg"))
            let history = try await server.get("/coffee/history").text
            #expect(history.contains("The dashed line is your own daily limit, 60 mg."))
            #expect(try await server.post("/coffee/settings", ["dailyLimit": "0"]).status == 200)
            // Every bar and line of the chart has a coordinate.
            #expect(try await !server.get("/coffee/history").text.contains(/y[12]?=""/))
            let emptied = ["dailyLimit": "", "shown[dailyLimit]": "0"]
            #expect(try await server.post("/coffee/settings", emptied).status == 200)
            #expect(try await server.use { $0.settings.dailyLimit } == nil)
        }
    }

    @Test func timesAndVolumesAreInTheChosenUnits() async throws {
        try await CoffeeServer.run { server in
            let drink = try await server.drink("filter coffee", hoursAgo: 1)
            let path = "/coffee/drinks/\(drink.id)"
            #expect(try await server.get(path).text.contains("Volume (ml)"))
            let units = ["clockFormat": "12", "volumeUnit": "oz"]
            #expect(try await server.post("/coffee/settings", units).status == 200)
            let page = try await server.get("/coffee/").text
            #expect(page.contains("1:35 PM") && page.contains("90 mg · 6.8 fl oz") && page.contains(">3 PM</text>"))
            #expect(!page.contains("13:35<") && page.contains("data-clock=\"12\""))
            #expect(try await server.get("/coffee/catalogue").text.contains("Volume (fl oz)"))
            // An unchanged volume stays exactly the same.
            let form = try await server.get(path).text
            #expect(form.contains("Volume (fl oz)") && form.contains("value=\"6.76\""))
            var fields = ["name": "Big one", "emoji": "☕️", "milligrams": "90", "millilitres": "6.76", "unit": "oz"]
            #expect(try await server.post(path, fields).status == 200)
            #expect(try await server.use { $0.drink(drink.id)?.millilitres } == 200)
            fields["millilitres"] = "12"
            #expect(try await server.post(path, fields).status == 200)
            let volume = try #require(try await server.use { $0.drink(drink.id)?.millilitres })
            #expect(abs(volume - 354.88) < 0.01)
            // A tab that was opened before still submits millilitres.
            fields.merge(["millilitres": "250", "unit": "ml"]) { $1 }
            #expect(try await server.post(path, fields).status == 200)
            #expect(try await server.use { $0.drink(drink.id)?.millilitres } == 250)
            // A refused text keeps its unit.
            fields["millilitres"] = "lots"
            let refused = try await server.post(path, fields)
            #expect(refused.status == 422 && refused.text.contains("“lots” in the field “Volume (ml)” isn’t a number"))
            #expect(refused.text.contains("name=\"unit\" value=\"ml\""))
        }
    }

    @Test func timesTypedWithAMOrPMAreUnderstood() async throws {
        // A browser without a field for times submits the text.
        try await CoffeeServer.run { server in
            let times = ["bedtime": "10:30 PM", "dayStart": "12:00 am"]
            #expect(try await server.post("/coffee/settings", times).status == 200)
            #expect(try await server.use { [$0.settings.bedtime, $0.settings.dayStart] } == [1350, 0])
            let drink = try await server.drink("espresso", hoursAgo: 12)
            let fields = ["name": "Espresso", "emoji": "☕️", "milligrams": "80", "time": "02:35 PM"]
            _ = try await server.post("/coffee/drinks/\(drink.id)", fields)
            #expect(try await server.use { $0.drinks.first?.start } == CoffeeServer.afternoon)
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

    @Test func customKindCanBeEditedInTheUnitOfItsVolume() async throws {
        try await CoffeeServer.run { server in
            let kind = try await server.use { data in
                try await data.choose { $0.volumeUnit = .ounces }
                return try await data.keepKind(name: "Mate", emoji: "🧉", milligrams: 80, millilitres: 300)
            }
            let id = kind.id.replacing("/", with: "%2F")
            let page = try await server.get("/coffee/catalogue?edit=\(id)").text
            #expect(page.contains("<summary>Edit Mate</summary>") && page.contains("value=\"10.14\""))
            #expect(page.contains("href=\"/coffee/catalogue?edit=own%2F"))
            let fields = ["kind": kind.id, "name": "Mate", "emoji": "🧉", "unit": "oz"]
            let wrong = try await server.post("/coffee/catalogue", fields.merging(["milligrams": "lots"]) { $1 })
            #expect(wrong.status == 422 && wrong.text.contains("<summary>Edit Mate</summary>"))
            _ = try await server.post(
                "/coffee/catalogue", fields.merging(["milligrams": "90", "millilitres": "10.14"]) { $1 })
            // A rounded volume that wasn't changed stays exact.
            let edited = DrinkKind(id: kind.id, name: "Mate", emoji: "🧉", milligrams: 90, millilitres: 300)
            #expect(try await server.use { $0.settings.kinds } == [edited])
            let unknown = try await server.post(
                "/coffee/catalogue", ["kind": "sourced/espresso", "name": "Mine", "milligrams": "1"])
            #expect(unknown.status == 422 && unknown.text.contains("There is no drink"))
            let other = try await server.get("/coffee/catalogue?edit=sourced%2Fespresso").text
            #expect(other.contains("Add your own drink"))
        }
    }

    @Test func deletedCustomKindCanBeRestored() async throws {
        try await CoffeeServer.run { server in
            let kind = try await server.use { try await $0.keepKind(name: "Mate", emoji: "🧉", milligrams: 80) }
            let page = try await server.post("/coffee/catalogue/delete", ["kind": kind.id]).text
            #expect(page.contains("<p>Deleted Mate</p>") && page.contains(" data-fresh") && !page.contains("🧉"))
            let undone = try await server.post("/coffee/undo", ["back": "/coffee/catalogue"]).text
            #expect(undone.contains("<h1>Drinks</h1>") && undone.contains("🧉"))
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

    @Test func sizeChangesAmountAndNameAndBecomesARecentDrink() async throws {
        try await CoffeeServer.run { server in
            for (kind, size) in [
                ("sourced/latte", "large"), ("sourced/latte", "medium"), ("sourced/espresso", "large"),
                ("sourced/latte", "huge"),
            ] {
                #expect(try await server.post("/coffee/drinks", ["kind": kind, "size": size]).status == 200)
            }
            let names = try await server.use { $0.drinks.map { "\($0.name) \(CoffeeFormatter.amount($0.milligrams))" } }
            #expect(
                names.sorted() == ["Espresso 80 mg", "Large Latte 189 mg", "Latte 126 mg", "Latte 126 mg"])
            let quick = try await server.use { CoffeeView($0).quick.map(\.id) }
            #expect(quick.contains("sourced/latte/large"))
            // Its button logs the same again, whichever size is chosen.
            _ = try await server.post("/coffee/drinks", ["kind": "sourced/latte/large", "size": "small"])
            #expect(try await server.use { $0.drinks.count { $0.name == "Large Latte" } } == 2)
        }
    }

    @Test func favouritesComeFirstInTheListOfAllDrinks() async throws {
        try await CoffeeServer.run { server in
            try await server.use { try await $0.setFavourite("sourced/cold-brew", true) }
            let listed = try await server.use { $0.settings.listed }
            #expect(listed.prefix(3).map(\.name) == ["Cold Brew", "Small Cold Brew", "Large Cold Brew"])
            #expect(Set(listed.map(\.id)).count == listed.count)
        }
    }

    @Test func favouriteOfTheOtherCatalogueIsShownAndRemovable() async throws {
        try await CoffeeServer.run { server in
            #expect(try await !server.get("/coffee/catalogue").text.contains("Quad Espresso"))
            let fields = ["kind": "sample/quad-espresso", "favourite": "yes"]
            let page = try await server.post("/coffee/favourites", fields).text
            #expect(page.contains("aria-pressed=\"true\" aria-label=\"Favourite: Quad Espresso\""))
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
                let row = "</span> \(kind.name), \(CoffeeFormatter.amount(kind.milligrams))</span>"
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
