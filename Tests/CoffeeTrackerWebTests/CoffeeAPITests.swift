import BrowserDriver
import CoffeeTrackerModel
import Foundation
import HealthSamples
import Persistence
import ServedSite
import Site
import Testing

@testable import CoffeeTrackerWeb

/// What scripts can do with kinds of drinks, settings, overviews and permissions.
@Suite(.timeLimit(.minutes(10))) struct CoffeeAPITests {
    private func with(_ body: (APIClient, CoffeeServer) async throws -> Void) async throws {
        try await CoffeeServer.run { server in try await body(APIClient(of: server.site, app: "coffee"), server) }
    }

    @Test func ownKindIsAddedChangedLoggedAndRestored() async throws {
        try await with { script, server in
            let new = #"{"name":"Cortado","emoji":"🥛","milligrams":120,"millilitres":100}"#
            let id = try #require(try await script.send("POST", "kinds", new, status: 201).value("id"))
            #expect(id.hasPrefix("own/"))
            let changed = try await script.send("PATCH", "kinds/\(id)", #"{"milligrams":130,"millilitres":null}"#)
            #expect(changed.value("milligrams", as: Double.self) == 130 && changed.value("name") == "Cortado")
            #expect(changed.value("millilitres", as: Double.self) == nil)
            let drink = try await script.send("POST", "drinks", #"{"kind":"\#(id)"}"#, status: 201)
            #expect(drink.value("milligrams", as: Double.self) == 130)
            try await script.send("PATCH", "kinds/\(id)", #"{"name":""}"#, status: 422)
            try await script.send("PATCH", "favourites", #"{"add":["\#(id)"]}"#)
            try await script.send("DELETE", "kinds/\(id)", status: 204)
            try await script.get("kinds/\(id)", status: 404)
            try await script.send("DELETE", "kinds/\(id)", status: 404)
            #expect(try await script.get("favourites").values(of: "id").isEmpty)
            try await script.send("POST", "undo", "{}")
            #expect(try await script.get("kinds/\(id)").value("isFavourite", as: Bool.self) == true)
            #expect(try await server.use { $0.settings.kinds.map(\.name) } == ["Cortado"])
        }
    }

    @Test func favouritesChangeTogetherOrNotAtAll() async throws {
        try await with { script, _ in
            let added = try await script.send(
                "PATCH", "favourites", #"{"add":["sourced/espresso","sourced/black-tea"]}"#)
            #expect(added.values(of: "id") == ["sourced/espresso", "sourced/black-tea"])
            try await script.send(
                "PATCH", "favourites", #"{"add":["nothing"],"remove":["sourced/espresso"]}"#, status: 422)
            #expect(try await script.get("favourites").values(of: "id") == ["sourced/espresso", "sourced/black-tea"])
            // What is added again moves to the end.
            let changed = try await script.send(
                "PATCH", "favourites", #"{"add":["sourced/espresso"],"remove":["sourced/black-tea"]}"#)
            #expect(changed.values(of: "id") == ["sourced/espresso"])
        }
    }

    @Test func settingsChangeOneByOne() async throws {
        try await with { script, server in
            let all = """
                {"timeZone":"Europe/Zurich","dayStart":"04:30","bedtime":"23:15","threshold":40,"halfLifeHours":6,\
                "group":"child","kilograms":40,"dailyLimit":100,"clockFormat":"24","volumeUnit":"oz",\
                "usesSimpleDecay":true,"catalogue":"sample"}
                """
            let answer = try await script.send("PATCH", "settings", all)
            #expect(answer.value("dayStart") == "04:30" && answer.value("kilograms", as: Double.self) == 40)
            let settings = try await server.use { $0.settings }
            #expect(settings.zone == "Europe/Zurich" && settings.bedtime == 23 * 60 + 15 && settings.halfLife == 6)
            #expect(settings.group == .child(kilograms: 40) && settings.volumeUnit == .ounces)
            #expect(settings.usesSimpleDecay && settings.catalogue == .sample && settings.clockFormat == .twentyFour)
            // What isn't given stays.
            let removed = try await script.send("PATCH", "settings", #"{"dailyLimit":null}"#)
            #expect(
                removed.value("dailyLimit", as: Double.self) == nil && removed.value("threshold", as: Int.self) == 40)
            try await script.send("PATCH", "settings", #"{"kilograms":50}"#)
            #expect(try await server.use { $0.settings.group } == .child(kilograms: 50))
            let before = try await script.get("settings").text
            for wrong in [
                #"{"bedtime":"24:00"}"#, #"{"bedtime":"9:00"}"#, #"{"threshold":0}"#, #"{"halfLifeHours":25}"#,
                #"{"group":"dog"}"#, #"{"group":"child"}"#, #"{"kilograms":1000}"#, #"{"clockFormat":"13"}"#,
                #"{"timeZone":"Mars"}"#, #"{"threshold":30,"dailyLimit":-1}"#, #"{"usesSimpleDecay":null}"#,
            ] {
                try await script.send("PATCH", "settings", wrong, status: 422)
            }
            #expect(try await script.get("settings").text == before)
        }
    }

    @Test func overviewsHaveTheDrinks() async throws {
        try await with { script, server in
            try await server.drink("espresso", hoursAgo: 1)
            try await server.drink("espresso", hoursAgo: 25)
            let table = try await script.get("drinks.csv")
            #expect(table.type.hasPrefix("text/csv") && table.text.split(separator: "\r\n").count == 3)
            let days = try await script.get("history")
            #expect(days.values(of: "count", as: Int.self).prefix(3) == [1, 1, 0])
            #expect(days.value("items.0.first") == "2026-11-22")
            let months = try await script.get("history?by=month&until=2026-10-05")
            #expect(months.value("items.0.first") == "2026-10-01" && months.values(of: "first").count == 12)
            try await script.get("history?by=year", status: 400)
            try await script.get("history?until=2026-02-30", status: 400)
            let timeline = try await script.get("timeline")
            #expect(timeline.value("drinks", as: [Any].self)?.isEmpty == false)
            #expect(timeline.value("entries.0.milligrams", as: Double.self) ?? 0 > 0)
            #expect(try await script.get("complications/graphicCorner.json").value("family") == "graphicCorner")
            #expect(try await script.get("complications/graphicCorner.svg").type == "image/svg+xml")
            try await script.get("complications/square.json", status: 404)
        }
    }

    @Test func accessIsRevokedAndNeverGranted() async throws {
        try await with { script, server in
            try await server.drink("espresso", hoursAgo: 1)
            _ = try await server.get("/coffee/")
            try await eventually("Coffee Tracker has asked for access") {
                try await !server.samples.authorizations().isEmpty
            }
            let asked = try await script.get("health/access")
            #expect(asked.value("items.0.source.identifier") == "coffee-tracker")
            #expect(asked.value("items.0.share") == "asked")
            let access = [
                "source": "coffee-tracker", "type": "dietaryCaffeine", "direction": "share", "decision": "grant",
            ]
            _ = try await server.post("/coffee/health", access)
            #expect(try await script.get("health/access").value("items.0.share") == "granted")
            func revoke(_ source: String, _ kind: String, status: Int) async throws {
                try await script.send(
                    "POST", "health/revoke",
                    #"{"source":"\#(source)","type":"dietaryCaffeine","access":"\#(kind)","decision":"grant"}"#,
                    status: status)
            }
            try await revoke("other", "share", status: 404)
            try await revoke("coffee-tracker", "delete", status: 422)
            #expect(try await script.get("health/access").value("items.0.share") == "granted")
            try await revoke("coffee-tracker", "share", status: 204)
            #expect(try await script.get("health/access").value("items.0.share") == "denied")
            let authorizations = try await server.samples.authorizations()
            #expect(authorizations.map(\.share) == [.denied])
        }
    }

    @Test func eachChangeIsAnnounced() async throws {
        try await with { script, server in
            let events = DocumentEvents(of: server.documents, key: .local, maker: APIChangeEvents())
            var iterator = events.makeAsyncIterator()
            let changed = APIChangeEvents<CoffeeDocument>.event
            #expect(await iterator.next() == changed)
            try await script.send("POST", "drinks", #"{"kind":"sourced/espresso"}"#, status: 201)
            #expect(await iterator.next() == changed)
            try await script.send("HEAD", "events")
        }
    }
}
