import CoffeeTrackerModel
import Foundation
import ModelJSON
import Testing

@testable import CoffeeTrackerWeb

/// Tests what the server sends for use without a connection.
@Suite(.timeLimit(.minutes(10))) struct OfflinePageTests {
    private static let id = "7BC6CA51-B1FC-4AC3-B307-EEA2482B8BD8"

    private static func change(_ milligrams: Double, isDeleted: Bool = false) -> [String: String] {
        let drink = LoggedDrink(
            id: id, name: "Espresso", emoji: "☕️", milligrams: milligrams,
            start: CoffeeServer.afternoon.timeIntervalSince1970 - 600, timeZone: "Europe/Vienna")
        let json = JSON.object([
            JSON.Member("drink", drink.json), JSON.Member("isDeleted", .bool(isDeleted)),
            JSON.Member("replaced", .array([])),
        ])
        return ["change": String(decoding: json.bytes, as: UTF8.self)]
    }

    @Test func moduleComputesTheServersAnswersFromTheCopy() async throws {
        try await CoffeeServer.run { server in
            try await server.drink("espresso", hoursAgo: 3)
            try await server.drink("filter-coffee", hoursAgo: 0.5, sipping: 1800)
            try await server.use { data in
                try await data.choose { settings in
                    settings.dailyLimit = 250
                    settings.halfLife = 6.5
                    settings.dayStart = 240
                }
            }
            let answer = try await server.get("/coffee/offline.json")
            #expect(answer.headers["cache-control"] == "no-store")
            let copy = try JSON(Array(answer.text.utf8))
            var module = CaffeineModule()
            let (settings, drinks) = (copy["settings"] ?? .null, copy["drinks"] ?? .null)
            _ = try module.call(.open, .array([settings, drinks, copy["revision"] ?? .null]))
            let expected = try await server.use { $0.answers }
            let time = JSON.number(expected.date.timeIntervalSince1970)
            let values = try module.call(.answers, .array([time]))["value"]
            #expect(values?["currentMilligrams"]?.number == expected.currentMilligrams)
            #expect(values?["belowThresholdAt"]?.number == expected.belowThresholdAt.timeIntervalSince1970)
            #expect(values?["bedtime"]?.number == expected.bedtime.timeIntervalSince1970)
            #expect(values?["guidance"]?["daily"]?.number == 250)
            #expect(values?["guidance"]?["today"]?.number == expected.guidance.today)
            #expect(copy["kinds"]?.array?.isEmpty == false)
            #expect(copy["zone"]?.string == "Europe/Vienna")
        }
    }

    @Test func changeThatIsSentTwiceIsStoredOnce() async throws {
        try await CoffeeServer.run { server in
            let first = try await server.post("/coffee/offline", Self.change(64), prefersJSON: true)
            #expect(first.status == 200)
            let second = try await server.post("/coffee/offline", Self.change(64), prefersJSON: true)
            #expect(second.text == first.text)
            let drinks = try await server.use { $0.drinks }
            #expect(drinks.map(\.id.uuidString) == [Self.id])
            let revision = try await server.use { $0.revision }
            #expect(try JSON(Array(first.text.utf8))["revision"]?.integer == revision)
        }
    }

    @Test func refusedChangeSaysWhy() async throws {
        try await CoffeeServer.run { server in
            let strong = try await server.post("/coffee/offline", Self.change(5000), prefersJSON: true)
            #expect(strong.status == 422)
            let detail = try JSON(Array(strong.text.utf8))["detail"]?.string
            #expect(detail?.contains("Enter 0–2000 mg") == true)
            let garbled = try await server.post("/coffee/offline", ["change": "{"], prefersJSON: true)
            #expect(garbled.status == 422)
            #expect(try await server.use { $0.drinks }.isEmpty)
        }
    }

    @Test func browsersCanInstallTheApp() async throws {
        try await CoffeeServer.run { server in
            let page = try await server.get("/coffee/")
            #expect(page.text.contains("<link rel=\"manifest\" href=\"/coffee/app.webmanifest\""))
            let answer = try await server.get("/coffee/app.webmanifest")
            #expect(answer.headers["content-type"] == "application/manifest+json")
            let manifest = try JSON(Array(answer.text.utf8))
            #expect(manifest["name"]?.string == "Coffee Tracker")
            #expect(manifest["start_url"]?.string == "/coffee/" && manifest["scope"]?.string == "/coffee/")
            #expect(manifest["display"]?.string == "standalone")
            let icon = try #require(manifest["icons"]?.array?.first?["src"]?.string)
            let picture = try await server.get(icon)
            #expect(picture.headers["content-type"] == "image/svg+xml")
            let worker = try await server.get("/coffee/service-worker.js?version=1")
            #expect(worker.headers["content-type"] == "text/javascript; charset=utf-8")
            // A browser asks for a new worker each time.
            #expect(worker.headers["cache-control"] == "no-cache")
            let settings = try await server.get("/coffee/settings")
            #expect(settings.text.contains("A phone needs an https address"))
        }
    }
}
