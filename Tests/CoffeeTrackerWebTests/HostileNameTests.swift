import CoffeeTrackerModel
import Foundation
import ServedSite
import Testing

@testable import CoffeeTrackerWeb

/// Tests names that become markup if they are escaped by character, wherever Coffee Tracker shows one.
@Suite(.timeLimit(.minutes(10))) struct HostileNameTests {
    @Test func hostileDrinkNameIsEscaped() async throws {
        try await CoffeeServer.run { server in
            let name = HostileText.name
            let fields = ["name": name, "emoji": "☕️", "milligrams": "80", "millilitres": "200"]
            #expect(HostileText.injections(in: try await server.post("/coffee/catalogue", fields).text).isEmpty)
            let kind = try #require(try await server.use { $0.kinds.first { $0.name == name }?.id })
            let drink = try await server.drink(kind, hoursAgo: 1)
            for path in [
                "/coffee/", "/coffee/history", "/coffee/catalogue", "/coffee/drinks/\(drink.id.uuidString)",
            ] {
                let page = try await server.get(path).text
                #expect(HostileText.injections(in: page).isEmpty, "\(path): \(HostileText.injections(in: page))")
                #expect(HostileText.isShown(in: page), "\(path)")
            }
            // A refused form shows the typed values again.
            for (path, fields) in [
                ("/coffee/drinks", ["kind": name, "milligrams": name, "date": name, "time": name]),
                ("/coffee/settings", ["halfLife": name, "bedtime": name, "zone": name]),
                ("/coffee/catalogue", ["name": name, "milligrams": name]),
                ("/coffee/drinks/\(drink.id.uuidString)", ["name": name, "milligrams": name, "from": name]),
                ("/coffee/health", ["source": name, "type": name, "direction": name, "decision": name]),
            ] {
                let page = try await server.post(path, fields).text
                #expect(HostileText.injections(in: page).isEmpty, "\(path): \(HostileText.injections(in: page))")
            }
        }
    }
}
