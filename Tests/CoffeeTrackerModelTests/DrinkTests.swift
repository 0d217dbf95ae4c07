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

    // Foundation reads a name only up to a null character, so it would accept the last two.
    @Test(arguments: ["Europe/Atlantis", "UTC\u{0}", "GMT\u{0}/Atlantis"])
    func unknownTimeZoneIsRefused(name: String) {
        #expect(failure { $0.timeZone = name } == .unknownTimeZone(name))
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
        #expect(CoffeeError.unknownDrink("x", known: []).description == "There is no drink “x”.")
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
        for kind in DrinkCatalogue.sourced + DrinkCatalogue.sized {
            guard case .sourced(let source) = kind.origin else {
                Issue.record("\(kind.name) has no source")
                continue
            }
            #expect(["EFSA", "Mayo", "Starbucks", "Molecules"].contains { source.contains($0) }, "\(source)")
            #expect(kind.millilitres != nil || kind.name.contains("Chocolate, 50 g"))
        }
    }

    @Test func everyKindIsValidAndHasAUniqueID() throws {
        let kinds = DrinkCatalogue.sample + DrinkCatalogue.sourced + DrinkCatalogue.sized
        for kind in kinds { #expect(try kind.checked() == kind) }
        #expect(Set(kinds.map(\.id)).count == kinds.count)
    }

    @Test func firstKindsHaveDifferentEmoji() {
        let first = DrinkCatalogue.sourced.prefix(10)
        #expect(Set(first.map(\.emoji)).count == first.count)
        // Of the sample application's kinds, only the sizes of a coffee look alike.
        #expect(Set(DrinkCatalogue.sample.map(\.emoji)).count == DrinkCatalogue.sample.count - 2)
    }

    @Test func largerSizesHaveMoreCaffeineAndVolume() throws {
        for kind in DrinkCatalogue.sourced where kind.hasSizes {
            let sizes = DrinkSize.allCases.map(kind.sized)
            #expect(sizes.map(\.name) == ["Small \(kind.name)", kind.name, "Large \(kind.name)"])
            #expect(sizes.map(\.id) == ["\(kind.id)/small", kind.id, "\(kind.id)/large"])
            for (size, next) in zip(sizes, sizes.dropFirst()) {
                let (volume, larger) = (try #require(size.millilitres), try #require(next.millilitres))
                #expect(size.milligrams < next.milligrams && volume < larger, "\(next.name)")
            }
        }
        #expect(DrinkCatalogue.sized.count == 2 * DrinkCatalogue.sourced.count(where: \.hasSizes))
        let espresso = try DrinkCatalogue.kind("espresso", in: DrinkCatalogue.sourced)
        #expect(!espresso.hasSizes && espresso.sized(.large) == espresso)
        #expect(espresso.sized(.small).sized(.large) == espresso)
    }

    @Test(arguments: [
        ("espresso", "sourced/espresso"), ("Espresso", "sourced/espresso"), ("black tea", "sourced/black-tea"),
        ("sourced/decaf", "sourced/decaf"), ("green", "sourced/green-tea"),
        ("double espresso", "sourced/double-espresso"),
    ])
    func kindIsFoundByItsNameOrID(text: String, id: String) throws {
        #expect(try DrinkCatalogue.kind(text, in: DrinkCatalogue.sourced).id == id)
    }

    @Test func ambiguousBeginningErrorListsTheMatches() {
        let names = ["Energy Drink, 250 ml", "Energy Drink, 8 oz", "Energy Shot, 2 oz"]
        let error = CoffeeError.ambiguousDrink("energy", matches: names)
        #expect(throws: error) { try DrinkCatalogue.kind("energy", in: DrinkCatalogue.sourced) }
        #expect(error.description.contains("Energy Drink, 8 oz; Energy Shot, 2 oz."))
    }

    @Test(arguments: ["", "water"])
    func unknownDrinkErrorListsTheKnownDrinks(text: String) {
        #expect(throws: CoffeeError.unknownDrink(text, known: DrinkCatalogue.sourced.map(\.name))) {
            try DrinkCatalogue.kind(text, in: DrinkCatalogue.sourced)
        }
    }

    @Test func emojiFindsOnlyTheKindOfThatName() throws {
        let kinds = [DrinkKind(id: "own/1", name: "☕️", emoji: "☕️", milligrams: 80)]
        #expect(try DrinkCatalogue.kind("☕️", in: kinds).id == "own/1")
        #expect(throws: CoffeeError.unknownDrink("🍵", known: ["☕️"])) {
            try DrinkCatalogue.kind("🍵", in: kinds)
        }
    }
}

/// Tests the owner's settings.
@Suite struct CoffeeSettingsTests {
    @Test func settingsRoundTripThroughJSON() throws {
        var settings = CoffeeSettings(zone: "Europe/Vienna")
        settings.group = .child(kilograms: 31)
        settings.dailyLimit = 120
        (settings.clockFormat, settings.volumeUnit, settings.knowsSharing) = (.twelve, .ounces, true)
        settings.kinds = [DrinkKind(id: "own/1", name: "Mate", emoji: "🧉", milligrams: 80, millilitres: 300)]
        settings.favourites = ["own/1", "sample/black-tea"]
        let data = try JSONEncoder().encode(settings)
        #expect(try JSONDecoder().decode(CoffeeSettings.self, from: data) == settings)
    }

    @Test func invalidStoredLimitIsIgnoredAndMergingKeepsTheLimit() {
        var settings = CoffeeSettings()
        settings.dailyLimit = .infinity
        #expect(settings.sanitized.dailyLimit == nil)
        settings.dailyLimit = 0
        #expect(settings.sanitized.dailyLimit == 0)
        var other = CoffeeSettings()
        other.bedtime = 1_300
        let merged = settings.merged(with: other, from: CoffeeSettings())
        #expect(merged.dailyLimit == 0 && merged.bedtime == 1_300)
    }

    @Test func missingAndUnknownSettingsHaveDefaultValues() throws {
        let data = Data(#"{"bedtime":1400,"catalogue":"new","clockFormat":"36","volumeUnit":"pint"}"#.utf8)
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
            { $0.group = .child(kilograms: -3) }, { $0.dailyLimit = -1 }, { $0.dailyLimit = 2_001 },
            { $0.dailyLimit = .nan },
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
