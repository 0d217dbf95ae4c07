import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Tests the texts of complications, and when they expire.
@Suite struct ComplicationTests {
    private static let now = TimelineTests.now

    private func entry(_ milligrams: Double, at date: Date = now, dayStart: Int = 0) -> ComplicationEntry {
        var settings = CoffeeSettings.sample
        settings.dayStart = dayStart
        let drinks = [Drink.test(1, milligrams, at: date)]
        return ComplicationEntry(drinks: drinks, settings: settings, at: date)
    }

    @Test func aComplicationOfEachFamilyShowsTheLevel() {
        let entry = entry(310)
        for family in Complication.Family.allCases {
            let complication = Complication(family, showing: entry)
            #expect(complication.texts.contains { $0.text.contains("310") }, "\(family)")
            #expect(complication.level.colour == .yellow)
            #expect(complication.label == "Caffeine: 310 mg, moderate. 3.2 cups today.")
            // A text has the level's colour or none, except at the ends of the gauge.
            for text in complication.texts where text.role != .leading && text.role != .trailing {
                #expect(text.colour == nil || text.colour == .yellow, "\(family)")
            }
        }
    }

    @Test func layoutsShowTheTextsOfApplesSampleApp() {
        func texts(_ family: Complication.Family) -> [String] {
            Complication(family, showing: entry(250)).texts.map(\.text)
        }
        #expect(texts(.modularSmall) == ["250", "mg"])
        #expect(texts(.modularLarge) == ["Coffee Tracker", "2.6 cups", "250 mg caffeine"])
        #expect(texts(.utilitarianLarge) == ["250 mg caffeine"])
        #expect(texts(.graphicCorner) == ["250 mg", "0", "500"])
        #expect(texts(.graphicRectangular) == ["Coffee Tracker", "250 mg caffeine"])
        #expect(texts(.graphicBezel) == ["250", "mg", "250 mg caffeine, 2.6 cups"])
    }

    @Test func entryExpiresAtTheNextTimelineEntry() {
        #expect(entry(0, at: moment("2026-03-14 20:02")).expires == moment("2026-03-14 20:05"))
        #expect(entry(0, at: moment("2026-03-14 20:05")).expires == moment("2026-03-14 20:10"))
    }

    @Test func entryExpiresWhenTheOwnersDayBegins() {
        let dayStart = 4 * 60 + 2
        let before = entry(96, at: moment("2026-03-14 04:01"), dayStart: dayStart)
        #expect(before.expires == moment("2026-03-14 04:02") && before.cups == 1)
        let drinks = [Drink.test(1, 96, at: moment("2026-03-14 04:01"))]
        var settings = CoffeeSettings.sample
        settings.dayStart = dayStart
        let after = ComplicationEntry(drinks: drinks, settings: settings, at: moment("2026-03-14 04:02"))
        #expect(after.expires == moment("2026-03-14 04:05") && after.cups == 0)
    }

    @Test func aDrinkThatHasNotBegunIsNotCounted() {
        let drinks = [Drink.test(1, 96, at: Self.now + 600)]
        let entry = ComplicationEntry(drinks: drinks, settings: .sample, at: Self.now)
        #expect(entry.cups == 0 && entry.level.milligrams == 0)
    }
}
