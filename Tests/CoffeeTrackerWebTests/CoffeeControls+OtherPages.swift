import BrowserDriver
import CoffeeTrackerModel
import Foundation
import HealthSamples
import StoreTesting

// The home page, the history, a drink, the catalogue and the settings.

extension CoffeeControls {
    static let otherPages: [Scene] = [
        Scene("the home page", path: "/", rows: []),
        Scene("the complications", path: "/coffee/complications", rows: []),
        Scene(
            "the history", path: "/coffee/history",
            given: { server in
                try await server.drink("espresso", hoursAgo: 1)
                server.time.set(server.time.now + 60)
            },
            rows: [
                Row("the history is shown as a table", "#history summary", shows: isShown("#history table")),
                Row(
                    "the drink is logged again", "#history form[action$='/duplicate'] button",
                    shows: "location.pathname === '/coffee/history' && \(count("#history .drink-item", is: 2))",
                    stores: { try await $0.use { $0.drinks.count == 2 } }),
                Row(
                    "the drink is deleted", "#history form[action$='/delete'] button",
                    shows: "location.pathname === '/coffee/history' && \(count("#history .drink-item", is: 0))",
                    stores: { try await $0.use { $0.drinks.isEmpty } }),
                Row(
                    "adding the drink is undone", "#undo button",
                    shows: "location.pathname === '/coffee/history' && \(count("#history .drink-item", is: 0))",
                    stores: { try await $0.use { $0.drinks.isEmpty } }),
                Row(
                    "deleting the drink is undone at once", "#undo-now button",
                    after: [
                        .click("#history form[action$='/delete'] button"),
                        .wait(
                            until: "\(count("#history .drink-item", is: 0)) && \(has("Deleted", in: "#undo-toast"))"),
                    ],
                    shows: "location.pathname === '/coffee/history' && \(count("#history .drink-item", is: 1))",
                    in: .scriptsOnly("Without scripts, the toast ends after eight seconds, which a test may exceed."),
                    stores: { try await $0.use { $0.drinks.count == 1 } }),
            ]),
        Scene(
            "a drink", page: "/coffee/drinks/[^/]+",
            at: { "/coffee/drinks/\(try await $0.drink("espresso", hoursAgo: 1).id)" },
            rows: [
                Row(
                    "the drink is changed", "#edit button",
                    after: [
                        .write("Big one", in: "#edit [name=name]"), .write("130", in: "#edit [name=milligrams]"),
                    ],
                    shows: "location.pathname === '/coffee/' && \(has("Big one", in: "#drinks"))",
                    stores: { try await $0.use { $0.drinks.map(\.milligrams) == [130] } })
            ]),
        Scene(
            "the catalogue", path: "/coffee/catalogue",
            rows: [
                Row("the form for a custom drink opens", "#own > summary", shows: isShown("#own-form")),
                Row(
                    "a custom drink is saved", "#own-form button",
                    after: [
                        .click("#own > summary"), .write("Cold brew", in: "#own-form [name=name]"),
                        .write("155", in: "#own-form [name=milligrams]"),
                    ],
                    shows: has("Cold brew", in: "#kinds"),
                    stores: { try await $0.use { $0.kinds.contains { $0.name == "Cold brew" } } }),
                Row(
                    "a drink becomes a favourite", "#kinds .star[value=yes]", shows: count(".star[value=no]", is: 1),
                    stores: { try await $0.use { $0.favourites.count == 1 } }),
            ]),
        Scene(
            "the catalogue with a custom favourite drink", path: "/coffee/catalogue",
            given: { server in
                try await server.use { data in
                    let kind = try await data.keepKind(name: "Cold brew", emoji: "🧊", milligrams: 155)
                    try await data.setFavourite(kind.id, true)
                }
            },
            rows: [
                Row(
                    "the drink is no longer a favourite", "#kinds .star[value=no]",
                    shows: count(".star[value=no]", is: 0),
                    stores: { try await $0.use { $0.favourites.isEmpty } }),
                Row(
                    "the drink is deleted", "#kinds form[action$='/delete'] button",
                    shows: "!\(has("Cold brew", in: "#kinds"))",
                    stores: { try await $0.use { !$0.kinds.contains { $0.name == "Cold brew" } } }),
            ]),
        Scene(
            "the catalogue with a deleted favourite drink", path: "/coffee/catalogue",
            given: { server in
                try await server.use { data in
                    let kind = try await data.keepKind(name: "Cold brew", emoji: "🧊", milligrams: 155)
                    try await data.setFavourite(kind.id, true)
                    try await data.removeKind(kind.id)
                }
            },
            rows: [
                Row(
                    "the deletion is undone", "#undo button", shows: has("Cold brew", in: "#kinds"),
                    stores: { try await $0.use { $0.favourites.map(\.name) == ["Cold brew"] } }),
                Row(
                    "the deletion is undone at once", "#undo-now button", shows: has("Cold brew", in: "#kinds"),
                    in: .scriptsOnly("Without scripts, the toast ends after eight seconds, which a test may exceed."),
                    stores: { try await $0.use { $0.favourites.map(\.name) == ["Cold brew"] } }),
            ]),
        Scene(
            "a drink of the catalogue", page: "/coffee/catalogue",
            at: { server in
                let kind = try await server.use { data in
                    try await data.keepKind(name: "Cold brew", emoji: "🧊", milligrams: 155)
                }
                return "/coffee/catalogue?edit=\(kind.id.replacing("/", with: "%2F"))#own"
            },
            rows: [
                Row(
                    "the drink is changed", "#own-form button",
                    after: [.write("161", in: "#own-form [name=milligrams]")],
                    shows: "location.search === '' && \(has("161 mg", in: "#kinds"))",
                    stores: { try await $0.use { $0.settings.kinds.map(\.milligrams) == [161] } })
            ]),
        Scene(
            "the settings", path: "/coffee/settings",
            rows: [
                Row(
                    "the settings are saved", "#settings button",
                    after: [.choose("23:15", in: "#settings [name=bedtime]")],
                    shows: "document.querySelector('#settings [name=\"shown[bedtime]\"]').value === '23:15'",
                    stores: { try await $0.use { LocalTime.text($0.settings.bedtime) == "23:15" } })
            ]),
    ]
}

// MARK: - Health data

extension CoffeeControls {
    static let health: [Scene] = [nil, SampleAuthorization.Decision.granted, .denied].map { decision in
        Scene(
            "health data, \(decision?.rawValue ?? "asked for")", path: "/coffee/health",
            given: { try await $0.decideOnHealth(decision) },
            rows: SampleAccess.allCases.flatMap { access in
                let rows = [
                    row(access, "grant", .granted, shows: "Allowed to"),
                    row(access, "revoke", .denied, shows: "Not allowed to"),
                ]
                // The current decision has no button.
                return zip(rows, [SampleAuthorization.Decision.granted, .denied]).filter { $1 != decision }.map(\.0)
            })
    }

    private static func row(
        _ access: SampleAccess, _ value: String, _ decision: SampleAuthorization.Decision, shows words: String
    ) -> Row {
        let status = "\(words) \(access == .share ? "write" : "read")"
        let form = "form:has([name=direction][value=\(access.rawValue)])"
        let caffeine = "\(form):has([name=type][value=dietaryCaffeine])"
        return Row(
            "\(value) \(access.rawValue)", "\(caffeine) button[value=\(value)]",
            alike: "\(form) button[value=\(value)]",
            shows: "document.querySelector('\(caffeine) .badge').innerText === '\(status)'",
            stores: { server in
                let caffeine = try await server.samples.authorizations().first { $0.type == .dietaryCaffeine }
                return (access == .share ? caffeine?.share : caffeine?.read) == decision
            })
    }
}

extension CoffeeServer {
    /// Waits until the app has asked for access to the health store, then decides for each type and direction.
    fileprivate func decideOnHealth(_ decision: SampleAuthorization.Decision?) async throws {
        try await drink("espresso", hoursAgo: 1)
        try await eventually("Coffee Tracker has asked for access") {
            try await samples.authorizations().contains { $0.share == .asked && $0.read == .asked }
        }
        for authorization in try await samples.authorizations() {
            for access in SampleAccess.allCases {
                switch decision {
                case .granted:
                    try await samples.grant(access, to: [authorization.type], source: authorization.source)
                case .denied:
                    try await samples.revoke(access, to: [authorization.type], source: authorization.source)
                case .asked, nil: break
                }
            }
        }
    }
}
