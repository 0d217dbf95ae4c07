import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Compares the formulas with tabulated values and with numerical integration of the equations that they solve.
@Suite struct CaffeineLevelTests {
    static let morning = moment("2026-03-14 08:00")

    private func hours(_ hours: Double) -> Date { Self.morning.addingTimeInterval(hours * 3600) }

    @Test(arguments: [
        (0.0, 100.0), (2.5, 70.710_678), (5, 50), (10, 25), (15, 12.5), (24, 3.589_682),
    ])
    func simpleDecayHalvesEveryFiveHours(after: Double, left: Double) {
        // mg · 0.5^(Δt / 5 h), as in the sample application.
        let level = CoffeeSettings.sample.level
        let value = level.milligrams(at: hours(after), of: .test(1, 100, at: Self.morning))
        #expect(abs(value - left) < 1e-5)
    }

    @Test func levelDoesNotDropToZeroAfterTwentyFourHours() {
        // The sample application drops drinks older than a day, though 3.6 % of the caffeine is left.
        let level = CoffeeSettings.sample.level
        let drink = Drink.test(1, 256, at: Self.morning)
        let before = level.milligrams(at: hours(23.999), of: [drink])
        let after = level.milligrams(at: hours(24.001), of: [drink])
        #expect(before > 9 && before - after < 0.01)
    }

    @Test(arguments: [(0.5, 8.3), (0.75, 4.9), (1.5, 1.9), (2, 1.2)])
    func peakTimeMatchesPublishedValues(peak: Double, absorption: Double) {
        let level = CaffeineLevel(absorption: absorption)
        let drink = Drink.test(1, 100, at: Self.morning)
        let highest = (0...400).max {
            level.milligrams(at: hours(Double($0) / 100), of: drink)
                < level.milligrams(at: hours(Double($1) / 100), of: drink)
        }
        #expect(abs(Double(highest ?? 0) / 100 - peak) < 0.07)
    }

    @Test(arguments: [
        // D·ka/(ka−ke)·(e^(−ke·t) − e^(−ka·t)), D = 100, ka = 4.94, t½ = 5.
        (0.25, 69.459_370), (0.75, 90.196_167), (5.0, 51.443_644), (12.0, 19.493_496),
    ])
    func absorptionMatchesTabulatedValues(after: Double, left: Double) {
        let value = CaffeineLevel().milligrams(at: hours(after), of: .test(1, 100, at: Self.morning))
        #expect(abs(value - left) < 1e-5)
    }

    @Test(
        arguments: [5.0, 1.5, 9.5, 0.14], [0.0, 10, 45, 240])
    func levelMatchesNumericalIntegration(halfLife: Double, sipped: Double) {
        // The fourth-order Runge–Kutta method, in steps of three seconds.
        for absorption in [4.94, 0.2, log(2) / halfLife] {
            let level = CaffeineLevel(halfLife: halfLife, absorption: absorption)
            let drink = Drink.test(1, 100, at: Self.morning, sipping: sipped)
            var integration = Integration(level: level, absorption: absorption, drink: drink)
            for step in 1...12 {
                integration.advance(to: Double(step) / 2)
                let value = level.milligrams(at: hours(Double(step) / 2), of: drink)
                #expect(abs(value - integration.body) < 1e-5, "\(absorption)/h after \(Double(step) / 2) h")
            }
        }
    }

    @Test func levelIsContinuousWhereTheRatesAreEqual() {
        // At ka = ke the formula divides zero by zero; near that point it must give the same value.
        let rate = log(2) / 5.0
        for minutes in [0.0, 30] {
            let drink = Drink.test(1, 100, at: Self.morning, sipping: minutes)
            for after in [0.01, 1.0, 5, 20] {
                let values = [-1e-3, -1e-5, -1e-9, 0, 1e-9, 1e-5, 1e-3].map { change in
                    CaffeineLevel(absorption: rate * (1 + change)).milligrams(at: hours(after), of: drink)
                }
                for (first, second) in zip(values, values.dropFirst()) {
                    #expect(abs(second - first) < 0.1, "\(values) after \(after) h")
                }
                #expect(values.allSatisfy { $0.isFinite })
            }
        }
    }

    @Test func sippedDrinkMatchesManySmallDrinks() {
        let sipped = Drink.test(1, 120, at: Self.morning, sipping: 60)
        let small = (0..<600).map {
            Drink.test($0, 0.2, at: Self.morning.addingTimeInterval((Double($0) + 0.5) * 6))
        }
        for level in [CaffeineLevel(), CaffeineLevel(absorption: nil)] {
            for after in [0.5, 1, 1.5, 6] {
                let difference =
                    level.milligrams(at: hours(after), of: sipped) - level.milligrams(at: hours(after), of: small)
                #expect(abs(difference) < 0.15)
            }
        }
    }

    @Test func futureDrinkDoesNotCount() {
        let drink = Drink.test(1, 100, at: hours(1))
        #expect(CaffeineLevel(absorption: nil).milligrams(at: Self.morning, of: [drink]) == 0)
        #expect(CaffeineLevel(absorption: nil).milligrams(at: hours(1), of: [drink]) == 100)
        #expect(CaffeineLevel().milligrams(at: hours(1), of: [drink]) == 0)
    }

    @Test func levelStaysInRangeAtExtremeTimes() {
        let drink = Drink.test(1, 2000, at: Self.morning, sipping: 720)
        for level in [CaffeineLevel(), CaffeineLevel(halfLife: 24, absorption: 1e-3), CaffeineLevel(absorption: nil)] {
            for after in [1e-9, 1e4, 1e9] {
                let value = level.milligrams(at: hours(after), of: drink)
                #expect(value >= 0 && value <= 2000)
            }
        }
    }

    @Test func levelIsNegligibleAfterTheContributionTime() {
        let settings = CoffeeSettings()
        let drink = Drink.test(1, 200, at: Self.morning)
        let later = Self.morning.addingTimeInterval(settings.contributionTime)
        #expect(settings.levelBand.high.milligrams(at: later, of: drink) < 0.02)
    }

    @Test func halfLivesOfTheBandAreThreeFiveAndEightHours() {
        let settings = CoffeeSettings()
        #expect(settings.level.halfLife == 5)
        #expect(abs(settings.levelBand.low.halfLife - 3) < 1e-12)
        #expect(abs(settings.levelBand.high.halfLife - 8) < 1e-12)
    }
}

/// Integrates the equations step by step: `gut′ = drunk − ka·gut`, `body′ = ka·gut − ke·body`.
private struct Integration {
    let absorption: Double
    let elimination: Double
    let rate: Double
    let sipped: Double
    var time = 0.0
    var gut: Double
    var body = 0.0

    init(level: CaffeineLevel, absorption: Double, drink: Drink) {
        self.absorption = absorption
        elimination = level.elimination
        sipped = drink.sipping / 3600
        rate = sipped > 0 ? drink.milligrams / sipped : 0
        gut = sipped > 0 ? 0 : drink.milligrams
    }

    mutating func advance(to end: Double) {
        // A step ends where the sipping ends.
        for target in [min(end, sipped), end] where target > time {
            let count = max(1, Int((target - time) * 1200))
            let step = (target - time) / Double(count)
            let isDrinking = time < sipped
            for _ in 0..<count { advance(step, isDrinking ? rate : 0) }
            time = target
        }
    }

    private mutating func advance(_ step: Double, _ rate: Double) {
        func slope(_ gut: Double, _ body: Double) -> (Double, Double) {
            (rate - absorption * gut, absorption * gut - elimination * body)
        }
        let first = slope(gut, body)
        let second = slope(gut + step / 2 * first.0, body + step / 2 * first.1)
        let third = slope(gut + step / 2 * second.0, body + step / 2 * second.1)
        let fourth = slope(gut + step * third.0, body + step * third.1)
        gut += step / 6 * (first.0 + 2 * second.0 + 2 * third.0 + fourth.0)
        body += step / 6 * (first.1 + 2 * second.1 + 2 * third.1 + fourth.1)
    }
}
