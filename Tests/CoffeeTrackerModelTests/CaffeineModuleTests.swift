import CaffeineModel
import Foundation
import ModelJSON
import Testing

@testable import CoffeeTrackerModel

/// Tests the functions that a page calls: they compute what the server computes, and send the logged drinks.
@Suite struct CaffeineModuleTests {
    /// A page with a module.
    private struct Page {
        var module = CaffeineModule()
        /// The effects of the last call.
        var effects = JSON.null

        mutating func call(_ function: CaffeineModule.Function, _ arguments: JSON...) throws -> JSON {
            let result = try module.call(function, .array(arguments))
            effects = result["effects"] ?? .null
            return result["value"] ?? .null
        }

        /// The body of the request to send, and its number.
        var request: (body: JSON, number: JSON)? {
            guard let request = effects["request"], let body = request["body"], let number = request["number"] else {
                return nil
            }
            return (body, number)
        }
    }

    private static let now = moment("2026-03-14 08:00")
    private static let time = JSON.number(now.timeIntervalSince1970)
    private static let drinks = [
        Drink.test(5, 192, at: moment("2026-03-13 21:15"), sipping: 20),
        .test(1, 96, at: moment("2026-03-14 05:00")), .test(3, 64.5, at: moment("2026-03-14 06:10")),
        .test(2, 120, at: moment("2026-03-14 07:30"), sipping: 60),
        .test(4, 80, at: moment("2026-03-14 07:59").addingTimeInterval(0.125)),
        .test(6, 30, at: moment("2026-03-14 05:00")),
    ]

    private static func json(_ drink: Drink) -> JSON {
        LoggedDrink(
            id: drink.id.uuidString, name: drink.name, emoji: drink.emoji, milligrams: drink.milligrams,
            start: drink.start.timeIntervalSince1970, sipping: drink.sipping, timeZone: drink.timeZone
        ).json
    }

    /// The offsets of a zone in a year around a date, as a page gets them.
    private static func clock(_ zone: TimeZone, around date: Date) -> [ClockTable.Change] {
        var changes: [ClockTable.Change] = []
        var date = date.addingTimeInterval(-200 * 86_400)
        for _ in 0..<6 {
            changes.append(
                ClockTable.Change(
                    start: date.timeIntervalSince1970, offset: Double(zone.secondsFromGMT(for: date))))
            guard let next = zone.nextDaylightSavingTimeTransition(after: date) else { break }
            date = next
        }
        return changes
    }

    private static func json(_ settings: CoffeeSettings) throws -> JSON {
        let encoded = try JSON(Array(try JSONEncoder().encode(settings)))
        guard case .object(let members) = encoded else { return encoded }
        let changes = clock(settings.timeZone, around: now).map { change in
            JSON.array([.number(change.start), .number(change.offset)])
        }
        return .object(members + [JSON.Member("clock", .array(changes))])
    }

    private static func page(_ settings: CoffeeSettings = CoffeeSettings()) throws -> Page {
        var page = Page()
        _ = try page.call(.open, try json(settings), .array(drinks.shuffled().map { json($0) }), .number(3))
        return page
    }

    private static var variants: [CoffeeSettings] {
        var york = CoffeeSettings(zone: "America/New_York")
        (york.dayStart, york.halfLife, york.threshold, york.dailyLimit) = (240, 7.9, 20, 250)
        york.group = .child(kilograms: 31)
        return [CoffeeSettings(), .sample, york]
    }

    // MARK: - The same as on the server

    @Test func curveIsThatOfTheServerToTheLastBit() throws {
        for settings in Self.variants {
            var page = try Self.page(settings)
            let start = Self.now - 24 * 3600
            _ = try page.call(.curve, .number(start.timeIntervalSince1970), .number(900), .number(193))
            let timeline = Timeline(drinks: Self.drinks, settings: settings, from: start, length: 48 * 3600, step: 900)
            let entries = timeline.entries
            let expected = entries.map { $0.milligrams } + entries.map { $0.low } + entries.map { $0.high }
            #expect(page.module.numbers == expected)
        }
    }

    @Test func answersAreThoseOfTheServerToTheLastBit() throws {
        for settings in Self.variants {
            for hours in [0.0, 3, 9, 14.75, 17] {
                let date = Self.now.addingTimeInterval(hours * 3600)
                var page = try Self.page(settings)
                let values = try page.call(.answers, .number(date.timeIntervalSince1970))
                let answers = CaffeineAnswers(drinks: Self.drinks, settings: settings, at: date)
                #expect(values["currentMilligrams"]?.number == answers.currentMilligrams)
                #expect(values["low"]?.number == answers.low)
                #expect(values["high"]?.number == answers.high)
                #expect(values["hasRange"]?.bool == answers.hasRange)
                #expect(values["highestAsleep"]?.number == answers.highestAsleep)
                #expect(values["largestDoseForSleep"]?.number == answers.largestDoseForSleep)
                #expect(values["largestDose"]?.number == answers.guidance.largestDoseNow)
                #expect(values["allowance"] == answers.allowance.json)
                #expect(values["peak"]?["level"]?["milligrams"]?.number == answers.peak?.level.milligrams)
                #expect(values["peak"]?["time"]?.number == answers.peak?.date.timeIntervalSince1970)
                #expect(values["bedtime"]?.number == answers.bedtime.timeIntervalSince1970)
                #expect(values["belowThresholdAt"]?.number == answers.belowThresholdAt.timeIntervalSince1970)
                #expect(values["isBelowThreshold"]?.bool == answers.isBelowThreshold)
                #expect(values["level"]?["milligrams"]?.number == answers.level.milligrams)
                #expect(values["level"]?["colour"]?.string == answers.level.colour.rawValue)
                #expect(values["level"]?["fraction"]?.number == answers.level.fraction)
                #expect(values["guidance"]?["daily"]?.number == answers.guidance.daily)
                #expect(values["guidance"]?["left"]?.number == answers.guidance.left)
                #expect(values["guidance"]?["singleDose"]?.number == answers.guidance.singleDose)
            }
        }
    }

    @Test func latestTimesAreThoseOfTheServer() throws {
        let settings = CoffeeSettings()
        var page = Page()
        _ = try page.call(.open, try Self.json(settings), .array([Self.json(Self.drinks[1])]), .number(1))
        let amounts = [20.0, 90, 160, 1900]
        let values = try page.call(.latestTimes, .array(amounts.map { .number($0) }), Self.time)
        let answers = CaffeineAnswers(drinks: [Self.drinks[1]], settings: settings, at: Self.now)
        let expected = amounts.map { amount in
            let latest = answers.latestTime(for: amount)
            let time =
                switch latest {
                case .anyTime: JSON.bool(true)
                case .until(let date): JSON.number(date.timeIntervalSince1970)
                case .never: JSON.bool(false)
                }
            let objection = answers.objection(to: amount, latest: latest)
            return JSON.object([JSON.Member("time", time), JSON.Member("objection", objection?.json ?? .null)])
        }
        #expect(values == .array(expected))
    }

    @Test func cupsAreThoseOfTheServer() throws {
        for settings in Self.variants {
            var page = try Self.page(settings)
            let values = try page.call(.cups, Self.time)
            let cups = settings.cupsToday(Self.drinks, at: Self.now)
            #expect(values["cups"]?.number == cups)
            #expect(values["colour"]?.string == CaffeineColour(cups: cups).rawValue)
        }
    }

    @Test(arguments: ["America/New_York", "Europe/Vienna", "Australia/Lord_Howe", "Asia/Kolkata", "UTC"])
    func clockTableGivesTheSameDaysAsItsTimeZone(zone: String) throws {
        let days = DayCounting(zone: try #require(TimeZone(identifier: zone)), start: 150)
        let table = OwnerDays(clock: ClockTable(Self.clock(days.zone, around: Self.now)), start: days.start)
        for hours in stride(from: -4000.0, to: 4000, by: 0.5) {
            let date = Self.now.addingTimeInterval(hours * 3600)
            let (day, seconds) = (days.day(of: date), date.timeIntervalSince1970)
            #expect(table.day(of: seconds) == day)
            #expect(table.beginning(of: day) == days.beginning(of: day).timeIntervalSince1970)
            #expect(table.bedtime(1350, at: seconds) == days.ownerDays.bedtime(1350, at: seconds))
        }
    }

    @Test func clockWithoutATableShowsGMT() {
        let days = OwnerDays(clock: ClockTable(), start: 0)
        #expect(days.day(of: 86_399) == LocalDay(number: 0))
        #expect(days.day(of: 86_400) == LocalDay(number: 1))
    }

    // MARK: - Logging

    private static let tea = JSON.object([
        JSON.Member("name", .string(" Tea ")), JSON.Member("emoji", .string("🍵")),
        JSON.Member("milligrams", .number(50)), JSON.Member("start", .number(now.timeIntervalSince1970)),
        JSON.Member("timeZone", .string("UTC")),
    ])

    @Test func loggedDrinkIsShownStoredSentAndConfirmed() throws {
        var page = try Self.page()
        let before = try page.call(.cups, Self.time)["cups"]?.number ?? 0
        let fault = try page.call(.log, Self.tea, Self.time)
        #expect(fault == .null)
        let writing = try #require(page.effects["storing"]?.array?.first)
        let id = try #require(writing["id"])
        #expect(LoggedDrink.isID(id.string ?? ""))
        #expect(page.request == nil)

        let cups = try page.call(.cups, Self.time)["cups"]?.number ?? 0
        #expect(abs(cups - before - 50.0 / 96) < 1e-9)
        let drinks = try page.call(.drinks).array ?? []
        #expect(drinks.count == Self.drinks.count + 1)
        let shown = try #require(drinks.first { $0["id"] == id })
        #expect(shown["name"]?.string == "Tea")
        #expect(shown["isWaiting"]?.bool == true)

        _ = try page.call(.stored, id, writing["version"] ?? .null, .bool(true))
        let request = try #require(page.request)
        #expect(request.body["drink"]?["id"] == id)
        _ = try page.call(.answered, request.number, .number(200), .number(4), .null, .null)
        #expect(page.effects["confirmed"] == .array([id]))
        #expect(page.effects["storing"] == .array([.object([JSON.Member("id", id)])]))
        #expect(page.effects["waiting"]?.number == 0)

        // The drink stays although the list that was requested before lacks it.
        _ = try page.call(.receiveDrinks, .array(Self.drinks.map { Self.json($0) }), .number(3))
        let after = try page.call(.drinks).array ?? []
        #expect(after.contains { $0["id"] == id && $0["isWaiting"] == nil })
        // A list of a later revision includes the drink, unless it was deleted elsewhere.
        _ = try page.call(.receiveDrinks, .array(Self.drinks.map { Self.json($0) }), .number(5))
        let last = try page.call(.drinks).array ?? []
        #expect(last.count == Self.drinks.count)
    }

    @Test func failedRequestStartsATimer() throws {
        var page = try Self.page()
        _ = try page.call(.log, Self.tea, Self.time)
        let writing = try #require(page.effects["storing"]?.array?.first)
        _ = try page.call(.stored, try #require(writing["id"]), try #require(writing["version"]), .bool(true))
        let request = try #require(page.request)
        _ = try page.call(.answered, request.number, .null, .null, .null, .null)
        let timer = try #require(page.effects["timer"]?.array?.first?.number)
        #expect((500...1000).contains(timer))
        let status = try page.call(.status)
        #expect(status["kind"]?.string == "offline")
        #expect(status["waiting"]?.number == 1)
        #expect(status["isStored"]?.bool == true)
        _ = try page.call(.retry)
        #expect(page.request != nil)
        #expect(page.effects["timer"] == .array([.null]))
    }

    @Test func drinkOfTheServerCanBeEditedAndDeleted() throws {
        var page = try Self.page()
        guard case .object(var members) = Self.json(Self.drinks[1]) else { return }
        members.removeAll { $0.name == "milligrams" }
        members.append(JSON.Member("milligrams", .number(10)))
        let fault = try page.call(.edit, .object(members), Self.time)
        #expect(fault == .null)
        let entry = try #require(page.effects["storing"]?.array?.first?["entry"])
        #expect(entry["replaced"] == .array([Self.json(Self.drinks[1])]))
        let id = JSON.string(Self.drinks[1].id.uuidString)
        let edited = try page.call(.drinks).array?.first { $0["id"] == id }
        #expect(edited?["milligrams"]?.number == 10)
        _ = try page.call(.delete, id)
        let left = try page.call(.drinks).array ?? []
        #expect(left.count == Self.drinks.count - 1)
    }

    @Test func invalidDrinkIsRefusedByTheServersRules() throws {
        var page = Page()
        guard case .object(let members) = Self.tea else { return }
        let late = Self.now.addingTimeInterval(121).timeIntervalSince1970
        let changes: [(JSON.Member, String)] = [
            (JSON.Member("milligrams", .number(2000.5)), "milligrams"),
            (JSON.Member("milligrams", .number(-1)), "milligrams"),
            (JSON.Member("millilitres", .number(0)), "millilitres"),
            (JSON.Member("sipping", .number(43_201)), "sipping"), (JSON.Member("start", .number(late)), "future"),
            (JSON.Member("start", .number(-1)), "time"), (JSON.Member("name", .string(" \n")), "name"),
            (JSON.Member("name", .string("a\u{2028}b")), "name"), (JSON.Member("emoji", .string("")), "emoji"),
        ]
        for (member, fault) in changes {
            let drink = JSON.object(members.filter { $0.name != member.name } + [member])
            let answer = try page.call(.log, drink, Self.time)
            #expect(answer == .string(fault))
            #expect(page.effects["storing"] == nil)
        }
        let answer = try page.call(.log, Self.tea, Self.time)
        #expect(answer == .null)
    }

    @Test func storedEntryIsRestored() throws {
        var page = try Self.page()
        _ = try page.call(.log, Self.tea, Self.time)
        let entry = try #require(page.effects["storing"]?.array?.first?["entry"])
        #expect(try DrinkOutbox.Entry(entry).json == entry)
        var next = try Self.page()
        _ = try next.call(.restore, .array([.string("cut off"), try JSON(entry.bytes)]))
        let request = try #require(next.request)
        #expect(request.body["drink"] == entry["drink"])
    }

    @Test func invalidArgumentsAreRefused() throws {
        var page = Page()
        let calls: [(CaffeineModule.Function, [JSON])] = [
            (.open, []), (.open, [.object([]), .array([]), .number(0)]), (.answers, [.string("now")]),
            (.answers, [.number(-1)]), (.curve, [Self.time, .number(0), .number(10)]),
            (.curve, [Self.time, .number(60), .number(1e9)]), (.stored, [.string("a"), .number(0.5), .bool(true)]),
            (.receiveDrinks, [.array([.object([JSON.Member("id", .string("1"))])]), .number(1)]),
            (.answered, [.null]), (.restore, [.null]),
        ]
        for (function, arguments) in calls {
            #expect(throws: CaffeineFormatError.self, "\(function.rawValue) \(arguments)") {
                try page.module.call(function, .array(arguments))
            }
        }
    }
}
