import BrowserDriver

@testable import CoffeeTrackerModel
@testable import CoffeeTrackerWeb

// The page Today, in each state that has different forms.

extension CoffeeControls {
    static let today: [Scene] = [
        Scene(
            "an empty day", path: "/coffee/",
            rows: [
                Row(
                    "a tap logs a favourite", "#quick-form button", shows: count("#drinks .item", is: 1),
                    stores: { try await $0.use { $0.drinks.count == 1 } }),
                Row(
                    "a tap logs the chosen size", "#quick-form [value='sourced/latte']",
                    after: [.click("#quick-form [name=size][value=large]")],
                    shows: has("Large Latte", in: "#drinks"),
                    stores: { try await $0.use { $0.drinks.map(\.milligrams) == [189] } }),
                Row(
                    "a tap is undone at once", "#undo-now button",
                    after: [.click("#quick-form button"), .wait(until: count("#drinks .item", is: 1))],
                    shows: count("#drinks .item", is: 0),
                    in: .scriptsOnly("Without scripts, the toast ends after eight seconds, which a test may exceed."),
                    stores: { try await $0.use { $0.drinks.isEmpty } }),
                Row("all drinks are listed", "#quick summary", shows: isShown("#catalogue")),
                Row(
                    "a tap logs a drink of the list", "#catalogue button", after: [.click("#quick summary")],
                    shows: count("#drinks .item", is: 1), stores: { try await $0.use { $0.drinks.count == 1 } }),
                Row("the form for another time opens", "#add-later > summary", shows: isShown("#add")),
                Row(
                    "a drink is added with its amount and time", "#add button",
                    after: [
                        .click("#add-later > summary"), .choose("10:00", in: "#add [name=time]"),
                        .write("123", in: "#add [name=milligrams]"),
                    ],
                    shows: "\(has("123 mg", in: "#drinks")) && \(has("10:00", in: "#drinks"))",
                    stores: { try await $0.use { $0.drinks.map(\.milligrams) == [123] } }),
                Row(
                    "the times of all other drinks are listed", "#answers summary",
                    shows: isShown("#answers details ul")),
                Row("the curve is shown as a table", "#chart summary", shows: isShown("#chart table")),
                Row("the tip is dismissed", "#tip button", shows: count("#tip", is: 0)),
            ]),
        Scene(
            "a day with a drink", path: "/coffee/", given: { try await $0.drink("espresso", hoursAgo: 1) },
            rows: [
                Row(
                    "the drink is logged again", "#drinks form[action$='/duplicate'] button",
                    shows: count("#drinks .item", is: 2), stores: { try await $0.use { $0.drinks.count == 2 } }),
                Row(
                    "the drink is deleted", "#drinks form[action$='/delete'] button",
                    shows: count("#drinks .item", is: 0), stores: { try await $0.use { $0.drinks.isEmpty } }),
                Row(
                    "adding the drink is undone", "#undo button", shows: count("#drinks .item", is: 0),
                    stores: { try await $0.use { $0.drinks.isEmpty } }),
            ]),
        Scene(
            "a day with a deleted drink", path: "/coffee/",
            given: { server in
                let drink = try await server.drink("espresso", hoursAgo: 1)
                try await server.use { try await $0.delete(drink) }
            },
            rows: [
                Row(
                    "deleting the drink is undone", "#undo button", shows: count("#drinks .item", is: 1),
                    stores: { try await $0.use { $0.drinks.count == 1 } })
            ]),
        Scene(
            "a day of drinks that wait for permission to be shared", path: "/coffee/",
            given: { try await $0.withholdDrinks(CoffeeView.sharingHintCount) },
            rows: [
                Row(
                    "the hint about sharing is dismissed", "#sharing-hint button",
                    shows: count("#sharing-hint", is: 0), stores: { try await $0.use { $0.settings.knowsSharing } })
            ]),
        Scene(
            "a day on which something failed", path: "/coffee/",
            given: { try await $0.use { $0.failure = .storage("The disk is full.") } },
            rows: [
                Row(
                    "the failure is dismissed", "#now form[action='/coffee/dismiss'] button",
                    shows: count("#now form", is: 0), stores: { try await $0.use { $0.failure == nil } })
            ]),
    ]
}
