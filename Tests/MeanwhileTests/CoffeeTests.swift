import BrowserDriver
import Foundation
import Testing

/// The documented output of `meanwhile coffee … --json`, declared independently of the program's own type.
private struct CoffeeAnswer: Decodable {
    struct Drink: Decodable {
        var id: String
        var name: String
        var milligrams: Double
        var sippedSeconds: Double
        var start: String
    }

    struct Level: Decodable {
        var milligrams: Double
        var colour: String
        var word: String
        var cupsToday: Double
        var threshold: Double
        var belowThresholdAt: String
        var zone: String
    }

    struct Access: Decodable {
        var source: String
        var type: String
        var write: String?
        var read: String?
    }

    struct Failure: Decodable {
        var code: String
        var message: String
    }

    var version: Int
    var outcome: String
    var drinks: [Drink]?
    var level: Level?
    var access: [Access]?
    var error: Failure?
}

extension Outcome {
    fileprivate func coffee() throws -> CoffeeAnswer {
        try JSONDecoder().decode(CoffeeAnswer.self, from: output)
    }
}

extension Workspace {
    /// Runs `meanwhile coffee` with this workspace's data folder.
    fileprivate func coffee(_ arguments: String...) async throws -> Outcome {
        try await run(
            [Program.path, "coffee"] + arguments + ["--data", data], environment: ["TZ": "Europe/Vienna"])
    }
}

extension SuccessfulRuns {
    /// Coffee Tracker on the command line.
    @Suite struct Coffee {
        @Test func drinkCanBeAddedEditedListedAndDeleted() async throws {
            try await Workspace.with { workspace in
                let added = try await workspace.coffee("add", "filter", "--sip", "10", "--json")
                #expect(added.exitCode == 0, "\(added.errors)")
                #expect(added.errors == "")
                let answer = try added.coffee()
                #expect(answer.version == 1 && answer.outcome == "added")
                #expect(answer.level?.zone == "Europe/Vienna")
                let drink = try #require(answer.drinks?.first)
                #expect(drink.name == "Filter Coffee" && drink.milligrams == 90 && drink.sippedSeconds == 600)
                let short = String(drink.id.prefix(8).lowercased())
                let edited = try await workspace.coffee("edit", short, "--mg", "101", "--name", "Big filter", "--json")
                #expect(try edited.coffee().drinks?.first?.milligrams == 101)
                let now = try await workspace.coffee("now")
                #expect(now.exitCode == 0)
                #expect(now.lines.first?.hasPrefix("Caffeine now: ") == true)
                #expect(now.lines.last?.contains("not medical advice") == true)
                let list = try await workspace.coffee("list", "--days", "2")
                #expect(list.lines.count == 1)
                #expect(list.lines[0].contains("Big filter") && list.lines[0].hasPrefix(drink.id.prefix(8)))
                let deleted = try await workspace.coffee("delete", drink.id, "--json")
                #expect(try deleted.coffee().outcome == "deleted")
                #expect(try await workspace.coffee("list").lines == ["No drinks."])
                #expect(try await workspace.coffee("list", "--json").coffee().drinks?.isEmpty == true)
                let again = try await workspace.coffee("delete", drink.id)
                #expect(again.exitCode == 1)
                #expect(again.errors.contains("The drink wasn’t found"))
            }
        }

        @Test(arguments: [(30, "green", "low"), (1_900, "red", "high")])
        func levelIsReportedWithItsColourAndWord(milligrams: Int, colour: String, word: String) async throws {
            try await Workspace.with { workspace in
                // Three hours ago, so that it is absorbed and the level is far from each threshold.
                let start = Date.now.addingTimeInterval(-3 * 3600).formatted(.iso8601)
                let added = try await workspace.coffee("add", "espresso", "--mg", "\(milligrams)", "--at", start)
                #expect(added.exitCode == 0, "\(added.errors)")
                let level = try #require(try await workspace.coffee("now", "--json").coffee().level)
                #expect(level.colour == colour && level.word == word)
                let line = try #require(try await workspace.coffee("now").lines.first)
                #expect(line.contains(" mg (\(word)), about "), "\(line)")
            }
        }

        @Test func levelJustAfterADrinkNamesItsPeak() async throws {
            try await Workspace.with { workspace in
                let added = try await workspace.coffee("add", "espresso", "--mg", "300")
                let rise = /\(low\), rising to \d+ mg \(moderate\) by/
                #expect(added.lines.last?.contains(rise) == true, "\(added.lines)")
                _ = try await workspace.coffee("add", "espresso", "--mg", "150")
                let now = try await workspace.coffee("now").lines
                #expect(now.contains { $0.hasPrefix("The most you can have now: nothing. You ") }, "\(now)")
            }
        }

        @Test func outputSaysFromWhenTheLevelAllowsSleep() async throws {
            try await Workspace.with { workspace in
                let start = Date.now.addingTimeInterval(-3 * 3600).formatted(.iso8601)
                let added = try await workspace.coffee("add", "espresso", "--mg", "1900", "--at", start)
                let sleep = /below 35 mg from (\w+ )?\d\d:\d\d\.$/
                #expect(added.lines.last?.contains(sleep) == true, "\(added.lines)")
                let now = try await workspace.coffee("now").lines
                #expect(now.contains { $0.hasPrefix("Sleep: ") && $0.contains(sleep) }, "\(now)")
            }
        }

        @Test func sizeOptionChangesTheAmount() async throws {
            try await Workspace.with { workspace in
                let added = try await workspace.coffee("add", "latte", "--size", "large", "--json")
                let drink = try #require(try added.coffee().drinks?.first)
                #expect(drink.name == "Large Latte" && drink.milligrams == 189)
                let drinks = try await workspace.coffee("drinks").lines
                #expect(drinks.contains { $0.hasSuffix("Latte\t126 mg\tsmall 63 mg, large 189 mg") }, "\(drinks)")
                #expect(drinks.contains { $0.hasSuffix("Espresso\t80 mg") }, "\(drinks)")
            }
        }

        @Test func drinkTimeUsesTheOwnersTimeZone() async throws {
            try await Workspace.with { workspace in
                let local = try await workspace.coffee("add", "espresso", "--at", "2026-01-14 08:30", "--json")
                #expect(try local.coffee().drinks?.first?.start == "2026-01-14T07:30:00Z")
                let other = try await workspace.coffee(
                    "add", "espresso", "--at", "2026-01-14T08:30:00-05:00", "--json")
                #expect(try other.coffee().drinks?.first?.start == "2026-01-14T13:30:00Z")
            }
        }

        @Test func healthAccessCanBeGrantedAndRevoked() async throws {
            try await Workspace.with { workspace in
                _ = try await workspace.coffee("add", "espresso")
                let granted = try await workspace.coffee("grant", "write", "--json")
                #expect(granted.exitCode == 0, "\(granted.errors)")
                #expect(try granted.coffee().access?.first?.write == "granted")
                #expect(try await workspace.sqlite("SELECT count(*) FROM coffee_drink WHERE told < version") == ["0"])
                let revoked = try await workspace.coffee("revoke", "write", "--json")
                #expect(try revoked.coffee().access?.first?.write == "denied")
                _ = try await workspace.coffee("add", "espresso")
                #expect(try await workspace.sqlite("SELECT count(*) FROM coffee_drink WHERE told < version") == ["1"])
                let unknown = try await workspace.coffee("grant", "read", "--source", "nobody")
                #expect(unknown.exitCode == 1)
                #expect(unknown.errors.contains("nobody has not asked for dietaryCaffeine"))
            }
        }

        @Test func helpNamesEveryExitCode() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run([Program.path, "coffee", "--help"])
                #expect(outcome.exitCode == 0)
                let help = String(decoding: outcome.output, as: UTF8.self).replacing("\n", with: " ")
                #expect(help.contains("Exit codes: 0 success, 1 failure, 64 wrong usage."))
                for name in ["add", "now", "list", "edit", "delete", "drinks", "access", "grant", "revoke"] {
                    let help = try await workspace.run([Program.path, "coffee", name, "--help"])
                    #expect(help.exitCode == 0)
                }
            }
        }
    }
}

extension FailingRuns {
    /// Errors of coffee commands.
    @Suite struct CoffeeErrors {
        @Test(arguments: [
            (["add", "cocoa"], "unknownDrink", "There is no drink “cocoa”"),
            (["add", "energy"], "ambiguousDrink", "“energy” could be Energy Drink, 250 ml; Energy Drink, 8 oz;"),
            (["add", "espresso", "--size", "large"], "oneSize", "Espresso comes in one size"),
            (["add", "espresso", "--mg=-5"], "invalidMilligrams", "A drink can’t have -5 mg"),
            (["add", "espresso", "--mg", "nan"], "invalidMilligrams", "mg of caffeine. Enter 0–2000 mg."),
            (["add", "espresso", "--mg", "1e9"], "invalidMilligrams", "mg of caffeine. Enter 0–2000 mg."),
            (["add", "espresso", "--sip=-1"], "invalidSipping", "The time to finish can’t be"),
            (["add", "espresso", "--sip", "nan"], "invalidSipping", "The time to finish can’t be"),
            (["add", "espresso", "--at", "noon"], "invalidTime", "That isn’t a valid date and time"),
            (["add", "espresso", "--at", "2199-01-01 08:00"], "future", "in the future"),
            (["add", "espresso", "--at", "2026-03-29 02:30"], "skippedTime", "Enter 03:30"),
            (["delete", "00000000"], "notFound", "The drink wasn’t found"),
            (["delete", ""], "notFound", "The drink wasn’t found"),
            (["edit", "nonsense", "--mg", "5"], "notFound", "The drink wasn’t found"),
        ])
        func failedCommandReportsCodeAndMessage(arguments: [String], code: String, message: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run(
                    [Program.path, "coffee"] + arguments + ["--data", workspace.data, "--json"],
                    environment: ["TZ": "Europe/Vienna"])
                #expect(outcome.exitCode == 1)
                #expect(outcome.errors.hasPrefix("error: "))
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
                let answer = try outcome.coffee()
                #expect(answer.outcome == "failed")
                #expect(answer.error?.code == code)
                #expect(answer.error?.message.contains(message) == true)
                #expect(try await workspace.sqlite("SELECT count(*) FROM coffee_drink") == ["0"])
            }
        }

        @Test(arguments: [
            (["add"], "Missing expected argument '<drink>'"),
            (["add", "espresso", "--sip", "long"], "'long' is invalid for '--sip"),
            (["add", "latte", "--size", "huge"], "'huge' is invalid for '--size"),
            (["list", "--days", "0"], "--days takes a whole number from 1"),
            (["edit", "1234"], "Say what to change"),
            (["grant", "everything"], "'everything' is invalid"),
            (["now", "--data", ""], "--data takes a folder's name"),
            (["drink"], "Unexpected argument 'drink'"),
        ])
        func invalidCommandLineExitsWith64(arguments: [String], message: String) async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.run([Program.path, "coffee"] + arguments)
                #expect(outcome.exitCode == 64)
                #expect(outcome.output.isEmpty)
                #expect(outcome.errors.contains(message), "\(outcome.errors)")
                #expect(workspace.names(in: workspace.root) == ["input", "tmp"])
            }
        }

        @Test func newerDatabaseIsRefusedUnchanged() async throws {
            try await Workspace.with { workspace in
                _ = try await workspace.coffee("add", "espresso")
                _ = try await workspace.sqlite("INSERT INTO grdb_migrations VALUES ('coffee.999')")
                let outcome = try await workspace.coffee("add", "espresso", "--json")
                #expect(outcome.exitCode == 1)
                #expect(try outcome.coffee().error?.code == "newerVersion")
                #expect(try await workspace.sqlite("SELECT count(*) FROM coffee_drink") == ["1"])
            }
        }
    }
}

extension ServerRuns {
    /// Coffee commands while the server runs.
    @Suite struct CoffeeBesideServer {
        @Test func commandUpdatesAnOpenTabWithoutReload() async throws {
            try await Workspace.with { workspace in
                let outcome = try await workspace.serve("--no-worker") { server in
                    try await BrowserTab.run { tab in
                        let address = try #require(URL(string: "\(server.origin)/coffee/"))
                        try await tab.open(address)
                        #expect(try await tab.text("#drinks").contains("No drinks yet"))
                        _ = try await tab.evaluate("document.body.dataset.mine = 'yes'; true", as: Bool.self)
                        let added = try await workspace.coffee("add", "black tea", "--json")
                        #expect(added.exitCode == 0, "\(added.errors)")
                        let drink = try #require(try added.coffee().drinks?.first)
                        try await tab.wait(until: "document.querySelector('#drinks').innerText.includes('Black Tea')")
                        _ = try await workspace.coffee("edit", drink.id, "--name", "Strong tea")
                        try await tab.wait(until: "document.querySelector('#drinks').innerText.includes('Strong tea')")
                        _ = try await workspace.coffee("delete", drink.id)
                        try await tab.wait(until: "!document.querySelector('#drinks .item')")
                        // The next command sees the tab's changes.
                        try await tab.click("#quick-form button")
                        try await tab.wait(until: "document.querySelectorAll('#drinks .item').length === 1")
                        // The tab shows a drink while it is still being stored.
                        try await eventually("the command lists the drink") {
                            try await workspace.coffee("list", "--json").coffee().drinks?.count == 1
                        }
                        #expect(try await tab.evaluate("document.body.dataset.mine", as: String.self) == "yes")
                        let complaints = await tab.complaints
                        #expect(complaints == [])
                    }
                }
                #expect(outcome.exitCode == 0)
                #expect(outcome.errors == "")
                try await workspace.expectIntactData()
            }
        }
    }
}
