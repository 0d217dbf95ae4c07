import CoffeeTrackerModel
import CoffeeTrackerStore
import Foundation
import Persistence
import ServedSite
import Testing

@testable import CoffeeTrackerWeb

/// Sends hostile values to every route of the app, and opens every page while the database holds impossible drinks.
@Suite(.timeLimit(.minutes(30))) struct HostileRequestTests {
    @Test func hostileValuesCauseNoServerError() async throws {
        try await CoffeeServer.run { server in
            let drink = ["id": try await server.drink("espresso", hoursAgo: 1).id.uuidString]
            let (path, api) = ("/coffee/drinks/{id}", "/api/v1/coffee")
            let own = try await server.use { try await $0.keepKind(name: "a", emoji: "☕️", milligrams: 80) }
            let kind = ["id": String(own.id.trimmingPrefix("own/"))]
            let amounts = [
                "milligrams": "80", "millilitres": "60", "unit": "oz", "date": "2026-11-22", "time": "08:30",
                "sip": "5",
            ]
            let failures = try await HostileRequests.failures(
                of: server.site,
                [
                    RouteCase("GET /coffee"),
                    RouteCase("GET /coffee/events"),
                    RouteCase("GET /coffee/timeline.json"),
                    RouteCase("GET /coffee/history", query: ["by": "month", "until": "2026-01-01"]),
                    RouteCase("GET /coffee/drinks"),
                    RouteCase("GET /coffee/drinks.csv"),
                    RouteCase(
                        "POST /coffee/drinks",
                        fields: ["kind": "sourced/espresso", "size": "large"].merging(amounts) { $1 }),
                    RouteCase("POST /coffee/undo", fields: ["step": "1-0.0", "back": "/coffee/history?by=day"]),
                    RouteCase("POST /coffee/dismiss"),
                    RouteCase("GET \(path)", drink, query: ["back": "/coffee/history?by=day"]),
                    RouteCase(
                        "POST \(path)", drink,
                        fields: ["name": "Name", "emoji": "☕️", "from": "", "back": ""].merging(amounts) { $1 }),
                    RouteCase("POST \(path)/duplicate", drink, fields: ["back": "/coffee/history?by=day"]),
                    RouteCase("POST \(path)/delete", drink, fields: ["back": "/coffee/history?by=day"]),
                    RouteCase("GET /coffee/settings"),
                    RouteCase(
                        "POST /coffee/settings",
                        fields: [
                            "zone": "Europe/Vienna", "dayStart": "04:00", "bedtime": "22:30", "threshold": "35",
                            "halfLife": "5", "group": "child", "weight": "30", "dailyLimit": "300", "decay": "simple",
                            "catalogue": "sample", "clockFormat": "12", "volumeUnit": "oz", "shown[zone]": "",
                        ]),
                    RouteCase("GET /coffee/catalogue", query: ["name": "Flat White", "edit": "own/1"]),
                    RouteCase(
                        "POST /coffee/catalogue",
                        fields: [
                            "kind": "sourced/espresso", "name": "Name", "emoji": "☕️", "milligrams": "80",
                            "millilitres": "60", "unit": "oz",
                        ]),
                    RouteCase("POST /coffee/catalogue/delete", fields: ["kind": "sourced/espresso"]),
                    RouteCase("POST /coffee/favourites", fields: ["kind": "sourced/espresso", "favourite": "yes"]),
                    RouteCase("GET /coffee/complications"),
                    RouteCase("GET /coffee/complications/{family}.json", ["family": "graphicCircular"]),
                    RouteCase("GET /coffee/complications/{family}.svg", ["family": "graphicCircular"]),
                    RouteCase("GET /coffee/offline"),
                    RouteCase("GET /coffee/offline.json"),
                    RouteCase("POST /coffee/offline", fields: ["change": "{}"]),
                    RouteCase("GET /coffee/service-worker.js", query: ["version": "1"]),
                    RouteCase("GET /coffee/app.webmanifest"),
                    RouteCase(
                        "GET \(api)/drinks",
                        query: [
                            "from": "2026-01-01T00:00:00Z", "to": "2026-12-01T00:00:00Z", "limit": "1",
                            "cursor": "eyJpZCI6ImEiLCJzdGFydCI6MX0",
                        ]),
                    RouteCase(
                        "POST \(api)/drinks",
                        json: #"{"name":§,"milligrams":§,"millilitres":§,"sippingSeconds":§,"start":§,"timeZone":§}"#),
                    RouteCase(
                        "POST \(api)/drinks", json: #"{"name":"a","milligrams":80,"sippingSeconds":§,"millilitres":§}"#),
                    RouteCase("POST \(api)/drinks", json: #"{"kind":§,"size":§}"#),
                    RouteCase("POST \(api)/drinks", json: #"{"kind":"sourced/espresso","start":§,"timeZone":§}"#),
                    RouteCase("POST \(api)/undo", json: #"{"step":§}"#),
                    RouteCase("GET \(api)/kinds"),
                    RouteCase("GET \(api)/level"),
                    RouteCase("GET \(api)/drinks/{id}", drink),
                    RouteCase("PATCH \(api)/drinks/{id}", drink, json: #"{"milligrams":§}"#),
                    RouteCase(
                        "PATCH \(api)/drinks/{id}", drink, json: #"{"name":§,"emoji":§,"start":§,"millilitres":§}"#),
                    RouteCase("POST \(api)/drinks/{id}/duplicate", drink),
                    RouteCase("DELETE \(api)/drinks/{id}", drink),
                    RouteCase("POST \(api)/kinds", json: #"{"name":§,"emoji":§,"milligrams":§}"#),
                    RouteCase("POST \(api)/kinds", json: #"{"name":"a","milligrams":80,"millilitres":§}"#),
                    RouteCase("GET \(api)/kinds/own/{id}", kind),
                    RouteCase("PATCH \(api)/kinds/own/{id}", kind, json: #"{"name":§}"#),
                    RouteCase("PATCH \(api)/kinds/own/{id}", kind, json: #"{"milligrams":§}"#),
                    RouteCase("DELETE \(api)/kinds/own/{id}", kind),
                    RouteCase("GET \(api)/favourites"),
                    RouteCase("PATCH \(api)/favourites", json: #"{"add":[§],"remove":[§]}"#),
                    RouteCase("GET \(api)/settings"),
                    RouteCase("PATCH \(api)/settings", json: #"{"timeZone":§}"#),
                    RouteCase("PATCH \(api)/settings", json: #"{"dayStart":§}"#),
                    RouteCase("PATCH \(api)/settings", json: #"{"threshold":§}"#),
                    RouteCase("PATCH \(api)/settings", json: #"{"halfLifeHours":§}"#),
                    RouteCase("PATCH \(api)/settings", json: #"{"group":"child","kilograms":§}"#),
                    RouteCase("PATCH \(api)/settings", json: #"{"dailyLimit":§,"volumeUnit":§}"#),
                    RouteCase("GET \(api)/drinks.csv"),
                    RouteCase("GET \(api)/history", query: ["by": "month", "until": "2026-01-01"]),
                    RouteCase("GET \(api)/timeline"),
                    RouteCase("GET \(api)/complications/{family}.json", ["family": "graphicCircular"]),
                    RouteCase("GET \(api)/complications/{family}.svg", ["family": "graphicCircular"]),
                    RouteCase("GET \(api)/events"),
                    RouteCase("GET \(api)/health/access"),
                    RouteCase(
                        "POST \(api)/health/revoke", json: #"{"source":§,"type":"dietaryCaffeine","access":"share"}"#),
                    RouteCase(
                        "POST \(api)/health/revoke", json: #"{"source":"coffee-tracker","type":§,"access":"read"}"#),
                    RouteCase("GET /coffee/health"),
                    RouteCase("POST /coffee/health/hint"),
                    RouteCase(
                        "POST /coffee/health",
                        fields: [
                            "source": "coffee-tracker", "type": "dietaryCaffeine", "direction": "share",
                            "decision": "grant",
                        ]),
                ])
            #expect(failures.isEmpty, "\(failures.joined(separator: "\n"))")
        }
    }

    private static let amounts: [Double] = [.infinity, -.infinity, .nan, 1e308, -1e308, 1e19, 1e12, -1]
    private static let times: [Double] = [.infinity, -.infinity, .nan, 1e300, -1e300, 1e15, -1e13, 1e12, -1]

    private static let drinks: [Drink] = {
        func drink(
            _ milligrams: Double = 80, _ millilitres: Double = 60, start: Double = -600, sipping: Double = 0
        ) -> Drink {
            Drink(
                id: UUID(), name: "Coffee", emoji: "☕️", milligrams: milligrams, millilitres: millilitres,
                start: CoffeeServer.afternoon + start, sipping: sipping, timeZone: "Europe/Vienna")
        }
        return amounts.map { drink($0) } + amounts.map { drink(80, $0) } + times.map { drink(start: $0) }
            + times.map { drink(sipping: $0) }
    }()

    @Test(arguments: drinks.indices) func everyPageShowsImpossibleDrinks(index: Int) async throws {
        let drink = Self.drinks[index]
        try await CoffeeServer.run { server in
            // A program without checks, or another version of this one, has written the drink.
            let store = CoffeeDataStore(database: server.database, owner: .local)
            guard (try? await store.apply([.add(drink)])) != nil else { return }
            let pages = [
                "", "timeline.json", "history", "history?by=week", "history?by=month", "history?until=1970-01-01",
                "catalogue", "settings", "health", "drinks.csv", "offline.json", "complications",
                "complications/graphicCorner.json", "complications/graphicCorner.svg", "drinks/\(drink.id.uuidString)",
            ]
            for page in pages {
                let answer = try await server.get("/coffee/\(page)")
                #expect(answer.status == 200, "\(page): \(answer.status)")
                #expect(answer.text.utf8.count < 1_000_000, "\(page) has \(answer.text.utf8.count) bytes")
            }
            for path in ["drinks", "drinks/\(drink.id.uuidString)", "level"] {
                #expect(try await server.get("/api/v1/coffee/\(path)").status == 200, "\(path)")
            }
        }
    }
}
