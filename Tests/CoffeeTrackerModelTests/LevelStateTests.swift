import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Tests that a level's number, colour, word and gauge come from one state.
@Suite struct LevelStateTests {
    private typealias Row = (milligrams: Double, absorption: CaffeineColour, simple: CaffeineColour)

    private static let rows: [Row] = [
        (0, .green, .green), (150, .green, .green), (199, .green, .green), (200, .yellow, .green),
        (250, .yellow, .green), (299, .yellow, .green), (300, .yellow, .yellow), (399, .yellow, .yellow),
        (400, .red, .yellow), (449, .red, .yellow), (450, .red, .red), (480, .red, .red), (900, .red, .red),
    ]

    @Test func colourAndGaugeFollowTheModelsStops() {
        for row in Self.rows {
            for (scale, colour) in [(LevelScale.absorption, row.absorption), (.simple, row.simple)] {
                let state = LevelState(milligrams: row.milligrams, scale: scale)
                #expect(state.colour == colour, "\(row.milligrams) mg")
                #expect(state.fraction == min(1, row.milligrams / 500))
                // The fill ends in the zone of its own colour.
                let passed = scale.marks.filter { $0.fraction <= state.fraction }.count
                #expect([.green, .yellow, .red][passed] == state.colour, "\(row.milligrams) mg")
            }
        }
    }

    @Test func eachModelHasItsOwnStops() {
        #expect(CoffeeSettings().levelScale.stops.map(\.milligrams) == [0, 200, 400])
        #expect(CoffeeSettings.sample.levelScale.stops.map(\.milligrams) == [0, 300, 450])
        #expect(CoffeeSettings.sample.levelScale.marks.map(\.colour) == [.yellow, .red])
        #expect(LevelScale.simple.zones.map(\.range) == [0..<300, 300..<450, 450..<500])
    }

    @Test(arguments: [
        (199.49, "199 mg", CaffeineColour.green), (199.5, "200 mg", .yellow), (200.4, "200 mg", .yellow),
        (399.6, "400 mg", .red), (9.94, "9.9 mg", .green), (0.04, "0 mg", .green),
    ])
    func colourMatchesTheRoundedAmount(milligrams: Double, amount: String, colour: CaffeineColour) {
        let state = LevelState(milligrams: milligrams, scale: .absorption)
        #expect(state.amount == amount && state.colour == colour)
    }

    @Test func impossibleLevelsHaveAValidState() {
        for (milligrams, fraction) in [(Double.nan, 0.0), (.infinity, 1), (1e308, 1), (-.infinity, 0), (-5, 0)] {
            let state = LevelState(milligrams: milligrams, scale: .simple)
            #expect(state.fraction == fraction)
            #expect(state.colour == (fraction == 1 ? .red : .green))
            #expect(!state.amount.isEmpty)
        }
    }

    @Test func eachColourHasItsOwnWord() {
        #expect(CaffeineColour.allCases.map(\.word) == ["low", "moderate", "high"])
    }

    @Test(arguments: [(2.94, CaffeineColour.green), (2.96, .yellow), (3, .yellow), (4.9, .yellow), (5, .red)])
    func coloursOfCupsMatchTheSampleApplication(cups: Double, colour: CaffeineColour) {
        #expect(CaffeineColour(cups: cups) == colour)
    }

    @Test func answersUseTheSameLevelState() {
        let drinks = [Drink.test(1, 250, at: TimelineTests.now)]
        let answers = CaffeineAnswers(drinks: drinks, settings: .sample, at: TimelineTests.now)
        #expect(answers.level == CoffeeSettings.sample.levelState(of: drinks, at: TimelineTests.now))
        #expect(answers.level.amount == "250 mg")
    }
}
