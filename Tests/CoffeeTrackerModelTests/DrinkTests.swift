import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Tests which drinks are valid.
@Suite struct DrinkTests {
    static let now = moment("2026-03-14 12:00")
    static let good = Drink.test(1, 96, at: now)

    private func failure(_ change: (inout Drink) -> Void) -> CoffeeError? {
        var drink = Self.good
        change(&drink)
        do throws(CoffeeError) {
            _ = try drink.checked(now: Self.now)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [-1, -0.001, .nan, .infinity, -.infinity, 2000.1, 1e300])
    func invalidAmountIsRefused(milligrams: Double) {
        guard case .invalidMilligrams = failure({ $0.milligrams = milligrams }) else {
            Issue.record("\(milligrams) mg was accepted")
            return
        }
    }

    @Test(arguments: [0, -1, .nan, .infinity, 5001])
    func invalidVolumeIsRefused(millilitres: Double) {
        guard case .invalidMillilitres = failure({ $0.millilitres = millilitres }) else {
            Issue.record("\(millilitres) ml was accepted")
            return
        }
    }

    @Test(arguments: [-1, .nan, .infinity, 43_201])
    func invalidSippingDurationIsRefused(sipping: Double) {
        guard case .invalidSipping = failure({ $0.sipping = sipping }) else {
            Issue.record("\(sipping) s was accepted")
            return
        }
    }

    @Test func futureDrinkIsRefused() {
        let later = Self.now.addingTimeInterval(121)
        #expect(failure { $0.start = later } == .future(later))
        #expect(failure { $0.start = Self.now.addingTimeInterval(119) } == nil)
        #expect(failure { $0.start = .distantPast } == .invalidTime)
        #expect(failure { $0.start = Date(timeIntervalSince1970: .nan) } == .invalidTime)
    }

    @Test(arguments: ["", "  ", "a\nb", "a\u{0}b", "a\u{2028}b", String(repeating: "x", count: 61)])
    func invalidNameIsRefused(name: String) {
        #expect(failure { $0.name = name } == .invalidName)
    }

    @Test(arguments: ["", "a", "1", "☕️☕️", "☕️ x", "©", "🇦", "e\u{301}", "#"])
    func textOtherThanOneEmojiIsRefused(text: String) {
        #expect(failure { $0.emoji = text } == .invalidEmoji(text))
    }

    @Test(arguments: ["☕️", "🫖", "👩🏽‍🚀", "🇦🇹", "❤️", "1️⃣", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "👨‍👩‍👧‍👦", " 🍵 "])
    func singleEmojiIsAccepted(text: String) {
        #expect(failure { $0.emoji = text } == nil)
    }

    @Test func unknownTimeZoneIsRefused() {
        #expect(failure { $0.timeZone = "Europe/Atlantis" } == .unknownTimeZone("Europe/Atlantis"))
    }

    @Test func surroundingSpacesAreRemovedFromAName() throws {
        var drink = Self.good
        drink.name = "  Flat White "
        #expect(try drink.checked(now: Self.now).name == "Flat White")
    }

    @Test func everyErrorDescriptionIsASentence() {
        let errors: [CoffeeError] = [
            .invalidName, .invalidEmoji("x"), .invalidMilligrams(.nan), .invalidMilligrams(-3), .invalidMillilitres(0),
            .invalidSipping(-1), .future(Self.now), .invalidTime, .unknownTimeZone("x"),
            .unknownDrink("x", known: ["y"]),
            .notFound, .notOwn(source: "Other"), .changedElsewhere, .nothingToUndo, .notAuthorized,
        ]
        for error in errors { #expect(error.description.hasSuffix(".")) }
        #expect(CoffeeError.invalidMilligrams(-3).description.contains("-3 mg"))
    }
}

/// Tests the built-in kinds of drinks.
@Suite struct DrinkCatalogueTests {
    @Test func catalogueHasTheSampleApplicationsElevenDrinks() {
        let figures = DrinkCatalogue.sample.map { "\($0.name) \(Int($0.milligrams))" }
        #expect(
            figures == [
                "Small Coffee 96", "Medium Coffee 144", "Large Coffee 192", "Single Espresso 64", "Double Espresso 128",
                "Quad Espresso 256", "Black Tea 47", "Green Tea 28", "Soft Drink 22", "Energy Drink 29", "Chocolate 18",
            ])
    }

    @Test func everySourcedDrinkNamesItsSource() {
        for kind in DrinkCatalogue.sourced {
            guard case .sourced(let source) = kind.origin else {
                Issue.record("\(kind.name) has no source")
                continue
            }
            #expect(source.contains("EFSA") || source.contains("Mayo"))
            #expect(kind.millilitres != nil)
        }
    }

    @Test func everyKindIsValidAndHasAUniqueID() throws {
        let kinds = DrinkCatalogue.sample + DrinkCatalogue.sourced
        for kind in kinds { #expect(try kind.checked() == kind) }
        #expect(Set(kinds.map(\.id)).count == kinds.count)
    }

    @Test(arguments: [
        ("espresso", "sourced/espresso"), ("Espresso", "sourced/espresso"), ("black tea", "sourced/black-tea"),
        ("sourced/decaf", "sourced/decaf"), ("green", "sourced/green-tea"),
        ("double espresso", "sourced/double-espresso"),
    ])
    func kindIsFoundByItsNameOrID(text: String, id: String) throws {
        #expect(try DrinkCatalogue.kind(text, in: DrinkCatalogue.sourced).id == id)
    }

    @Test(arguments: ["", "water", "energy", "e"])
    func unknownDrinkErrorListsTheKnownDrinks(text: String) {
        #expect(throws: CoffeeError.unknownDrink(text, known: DrinkCatalogue.sourced.map(\.name))) {
            try DrinkCatalogue.kind(text, in: DrinkCatalogue.sourced)
        }
    }
}

/// Tests the owner's settings.
@Suite struct CoffeeSettingsTests {
    @Test func settingsRoundTripThroughJSON() throws {
        var settings = CoffeeSettings(zone: "Europe/Vienna")
        settings.group = .child(kilograms: 31)
        settings.kinds = [DrinkKind(id: "own/1", name: "Mate", emoji: "🧉", milligrams: 80, millilitres: 300)]
        settings.favourites = ["own/1", "sample/black-tea"]
        let data = try JSONEncoder().encode(settings)
        #expect(try JSONDecoder().decode(CoffeeSettings.self, from: data) == settings)
    }

    @Test func missingAndUnknownSettingsHaveDefaultValues() throws {
        let data = Data(#"{"bedtime":1400,"catalogue":"new"}"#.utf8)
        let settings = try JSONDecoder().decode(CoffeeSettings.self, from: data)
        var expected = CoffeeSettings()
        expected.bedtime = 1400
        #expect(settings == expected)
    }

    @Test func invalidSettingsAreRefused() {
        let changes: [(inout CoffeeSettings) -> Void] = [
            { $0.zone = "Nowhere" }, { $0.dayStart = -1 }, { $0.dayStart = 1440 }, { $0.bedtime = 1440 },
            { $0.threshold = 0 }, { $0.threshold = .nan }, { $0.threshold = 501 }, { $0.halfLife = 0 },
            { $0.halfLife = .nan }, { $0.halfLife = 25 }, { $0.group = .child(kilograms: .nan) },
            { $0.group = .child(kilograms: -3) },
            { $0.kinds = [DrinkKind(id: "a", name: "", emoji: "☕️", milligrams: 3)] },
            { $0.kinds = [DrinkKind(id: "a", name: "A", emoji: "A", milligrams: 3)] },
            { $0.kinds = [DrinkKind(id: "a", name: "A", emoji: "☕️", milligrams: .nan)] },
        ]
        for (number, change) in changes.enumerated() {
            var settings = CoffeeSettings()
            change(&settings)
            #expect(throws: CoffeeError.self, "change \(number)") { try settings.checked() }
        }
    }
}
