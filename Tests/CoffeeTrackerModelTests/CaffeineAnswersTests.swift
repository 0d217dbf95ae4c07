import Foundation
import Testing

@testable import CoffeeTrackerModel

/// Checks the times and amounts of the answers by inserting them into the formulas.
@Suite struct CaffeineAnswersTests {
    static let settings = CoffeeSettings()
    static let morning = moment("2026-03-14 08:00")
    static let bedtime = moment("2026-03-14 22:30")

    private func answers(
        _ drinks: [Drink], at date: Date = morning, settings: CoffeeSettings = settings
    ) -> CaffeineAnswers {
        CaffeineAnswers(drinks: drinks, settings: settings, at: date)
    }

    @Test func currentLevelMatchesTheFormulaAndLiesWithinItsBand() {
        let drinks = [Drink.test(1, 96, at: moment("2026-03-14 05:00")), .test(2, 64, at: moment("2026-03-14 07:30"))]
        let answers = answers(drinks)
        #expect(abs(answers.currentMilligrams - Self.settings.level.milligrams(at: Self.morning, of: drinks)) < 1e-9)
        #expect(answers.low < answers.currentMilligrams && answers.currentMilligrams < answers.high)
        #expect(answers.bedtime == Self.bedtime)
    }

    @Test(arguments: [false, true])
    func levelStaysBelowTheThresholdAfterTheGivenTime(isSimple: Bool) {
        var settings = Self.settings
        settings.usesSimpleDecay = isSimple
        let drinks = [
            Drink.test(1, 200, at: moment("2026-03-14 07:50")),
            .test(2, 90, at: moment("2026-03-14 07:00"), sipping: 90),
        ]
        let answers = answers(drinks, settings: settings)
        let level = settings.level
        #expect(!answers.isBelowThreshold)
        #expect(abs(level.milligrams(at: answers.belowThresholdAt, of: drinks) - 35) < 0.001)
        for minutes in stride(from: 1.0, through: 3000, by: 7) {
            let later = answers.belowThresholdAt.addingTimeInterval(minutes * 60)
            #expect(level.milligrams(at: later, of: drinks) < 35)
        }
    }

    @Test func risingLevelHasAPeakAndFallingLevelHasNone() throws {
        let rising = answers([.test(1, 100, at: Self.morning)])
        let peak = try #require(rising.peak)
        // The level peaks 45 minutes after a drink.
        #expect(abs(peak.date.timeIntervalSince(Self.morning) - 44.7 * 60) < 10)
        let highest = Self.settings.level.milligrams(at: peak.date, of: [.test(1, 100, at: Self.morning)])
        #expect(abs(peak.level.milligrams - highest) < 0.51)
        let falling = Drink.test(1, 100, at: Self.morning - 3 * 3600)
        #expect(answers([falling]).peak == nil)
        // A drink that another program has planned for tomorrow is too far ahead to count.
        #expect(answers([falling, .test(2, 100, at: Self.morning + 20 * 3600)]).peak == nil)
    }

    @Test func plannedDrinksAndDrinksOfOtherDaysAreNotCountedToday() {
        let evening = moment("2026-03-14 23:59")
        let drinks = [
            Drink.test(1, 80, at: moment("2026-03-13 23:59")), .test(2, 80, at: moment("2026-03-14 00:00")),
            .test(3, 80, at: evening), .test(4, 80, at: evening + 30), .test(5, 80, at: evening + 60),
            .test(6, 80, at: evening + 3600),
        ]
        #expect(Self.settings.today(drinks, at: evening).map(\.id) == [.test(2), .test(3), .test(4)])
        #expect(answers(drinks, at: evening).guidance.today == 240)
        // A drink logged by a device whose clock is ahead counts at once, a planned one when it begins.
        #expect(Self.settings.today(drinks, at: moment("2026-03-14 12:00")).map(\.id) == [.test(2)])
    }

    @Test func unabsorbedCaffeineDelaysTheThresholdTime() {
        // Little of the caffeine is absorbed yet, and the level will rise above the threshold.
        let answers = answers([.test(1, 100, at: Self.morning)])
        #expect(answers.currentMilligrams < 1)
        #expect(answers.belowThresholdAt > Self.morning.addingTimeInterval(6 * 3600))
    }

    @Test func highestLevelAsleepIncludesUnabsorbedCaffeine() {
        let now = moment("2026-03-14 23:05")
        let drinks = [Drink.test(1, 200, at: moment("2026-03-14 23:00"))]
        let night = answers(drinks, at: now)
        let levels = (0...600).map { minutes in
            Self.settings.level.milligrams(at: now.addingTimeInterval(Double(minutes) * 60), of: drinks)
        }
        #expect(night.bedtime == now && night.atBedtime == night.currentMilligrams)
        #expect(night.highestAsleep > night.atBedtime + 20)
        #expect(abs(night.highestAsleep - (levels.max() ?? 0)) < 0.1)
        // If a drink is absorbed by bedtime, the level only falls from then on.
        let day = answers([.test(1, 200, at: Self.morning)])
        #expect(abs(day.highestAsleep - day.atBedtime) < 1e-9)
    }

    @Test func thresholdTimeIsNowIfTheLevelIsBelowTheThreshold() {
        let answers = answers([.test(1, 30, at: Self.morning)])
        #expect(answers.isBelowThreshold && answers.belowThresholdAt == Self.morning)
        #expect(self.answers([]).isBelowThreshold)
    }

    @Test(arguments: [
        [], [Drink.test(1, 96, at: moment("2026-03-14 07:00"))],
        [
            Drink.test(1, 96, at: moment("2026-03-14 07:00"), sipping: 120),
            .test(2, 50, at: moment("2026-03-13 20:00")),
        ],
    ])
    func maximumDoseForSleepReachesTheThresholdExactly(drinks: [Drink]) {
        for hour in [8, 12, 17, 20, 22] {
            let now = moment("2026-03-14 \(hour):00")
            let dose = answers(drinks, at: now).largestDoseForSleep
            func highest(_ milligrams: Double) -> Double {
                let all = drinks + [.test(9, milligrams, at: now)]
                return (0...300).map { minutes in
                    Self.settings.level.milligrams(at: Self.bedtime.addingTimeInterval(Double(minutes) * 60), of: all)
                }.max() ?? 0
            }
            #expect(highest(dose) <= 35.001)
            if dose > 0 { #expect(highest(dose + 0.5) > 35) }
        }
    }

    @Test func doseJustBeforeBedtimeAccountsForLaterAbsorption() {
        // Almost nothing of a dose at 22:29 is absorbed by 22:30; an hour later, most of it is.
        let dose = answers([], at: moment("2026-03-14 22:29")).largestDoseForSleep
        #expect(dose > 35 && dose < 45)
    }

    @Test func levelFarAboveTheThresholdAllowsNoMoreCaffeine() {
        let drinks = [Drink.test(1, 400, at: moment("2026-03-14 20:00"))]
        let answers = answers(drinks, at: moment("2026-03-14 21:00"))
        #expect(answers.largestDoseForSleep == 0 && answers.largestDoseNow == 0)
        #expect(answers.latestTime(for: 10) == .never)
    }

    @Test func drinkAtTheLatestTimeReachesTheThresholdExactly() throws {
        let drinks = [Drink.test(1, 96, at: moment("2026-03-14 07:00"))]
        let answers = answers(drinks)
        guard case .until(let latest) = answers.latestTime(for: 90) else {
            Issue.record("\(answers.latestTime(for: 90))")
            return
        }
        #expect(latest > Self.morning && latest < Self.bedtime)
        #expect(answers.peakInTheNight(with: 90, at: latest) <= 35)
        #expect(answers.peakInTheNight(with: 90, at: latest.addingTimeInterval(3)) > 35)
        for minutes in stride(from: 0.0, to: latest.timeIntervalSince(Self.morning) / 60, by: 10) {
            #expect(answers.peakInTheNight(with: 90, at: Self.morning.addingTimeInterval(minutes * 60)) <= 35)
        }
    }

    @Test func smallDrinkIsAllowedAnyTimeAndHugeDrinkNever() {
        #expect(answers([]).latestTime(for: 20) == .anyTime)
        #expect(answers([]).latestTime(for: 1900) == .never)
        #expect(answers([]).latestTime(for: 0) == .anyTime)
    }

    @Test func sippedDrinkHasAnEarlierLatestTime() {
        guard case .until(let atOnce) = answers([]).latestTime(for: 160),
            case .until(let sipped) = answers([]).latestTime(for: 160, sipping: 7200)
        else {
            Issue.record("A drink has no latest time.")
            return
        }
        #expect(sipped < atOnce)
    }

    @Test func bedtimeDuringTheNightIsNow() {
        #expect(answers([], at: moment("2026-03-14 23:10")).bedtime == moment("2026-03-14 23:10"))
        #expect(answers([], at: moment("2026-03-15 04:00")).bedtime == moment("2026-03-15 04:00"))
        #expect(answers([], at: moment("2026-03-15 05:00")).bedtime == moment("2026-03-15 22:30"))
        #expect(answers([], at: Self.bedtime).bedtime == Self.bedtime)
    }

    @Test func bedtimeUsesTheOwnersTimeZone() {
        var settings = Self.settings
        settings.zone = "America/New_York"
        let answers = answers([], at: moment("2026-03-14 08:00", "America/New_York"), settings: settings)
        #expect(answers.bedtime == moment("2026-03-14 22:30", "America/New_York"))
    }

    @Test(arguments: [
        (CoffeeGroup.adult, Optional(200.0), 400.0), (.pregnant, nil, 200), (.nursing, 200, 200),
        (.child(kilograms: 30), 90, 90),
    ])
    func guidanceMatchesTheEFSALimits(group: CoffeeGroup, single: Double?, daily: Double) {
        var settings = Self.settings
        settings.group = group
        let drinks = [
            Drink.test(1, 210, at: moment("2026-03-14 07:00")), .test(2, 300, at: moment("2026-03-13 23:59")),
        ]
        let guidance = answers(drinks, settings: settings).guidance
        #expect(guidance.singleDose == single && guidance.daily == daily)
        #expect(guidance.today == 210)
        #expect(guidance.left == max(0, daily - 210))
        #expect(guidance.isOverDaily == (daily < 210))
        #expect(guidance.isOverSingleDose == (single.map { $0 < 210 } ?? false))
        #expect(guidance.largestDoseNow == min(single ?? .infinity, max(0, daily - 210)))
        #expect(CoffeeGuidance.disclaimer.contains("not medical advice"))
    }

    @Test func ownLimitReplacesOnlyTheDailyLimitOfTheGroup() {
        for (limit, left) in [(0.0, 0.0), (150, 50), (600, 500)] {
            let guidance = CoffeeGuidance(for: .adult, today: [60, 40], limit: limit)
            #expect(guidance.daily == limit && guidance.singleDose == 200 && guidance.left == left)
            #expect(guidance.isOverDaily == (limit == 0))
        }
    }

    @Test func maximumDoseNowRespectsSleepAndGuidance() {
        let early = answers([], at: moment("2026-03-14 06:00"))
        #expect(early.largestDoseForSleep > 200 && early.largestDoseNow == 200)
        let late = answers([], at: moment("2026-03-14 21:00"))
        #expect(late.largestDoseNow == late.largestDoseForSleep && late.largestDoseNow < 60)
    }

    @Test func invalidSettingsDoNotHangTheAnswers() {
        var settings = Self.settings
        let drinks = [
            Drink.test(1, 96, at: Self.morning), .test(2, 96, at: Date(timeIntervalSince1970: 1e300)),
            .test(3, 1e9, at: .distantPast),
        ]
        for (threshold, halfLife) in [(0.0, 5.0), (-1, 5), (.nan, 5), (35, 0), (35, .nan), (35, -1), (35, .infinity)] {
            settings.threshold = threshold
            settings.halfLife = halfLife
            let answers = answers(drinks, settings: settings)
            _ = answers.latestTime(for: 96)
            let timeline = Timeline(drinks: drinks, settings: settings, from: Self.morning, length: .infinity, step: 0)
            #expect(timeline.entries.count == 1)
        }
    }

    @Test func forecastMatchesTheFormulas() {
        let drinks = [
            Drink.test(1, 96, at: moment("2026-03-14 05:00")),
            .test(2, 120, at: moment("2026-03-14 07:30"), sipping: 60),
            .test(3, 80, at: moment("2026-03-14 10:00")), .test(4, 40, at: moment("2026-03-14 09:00"), sipping: 180),
        ]
        for level in [CaffeineLevel(), CaffeineLevel(halfLife: 8, absorption: 0.1), CaffeineLevel(absorption: nil)] {
            let forecast = LevelForecast(
                level, of: drinks.map(\.intake), from: Self.morning.timeIntervalSince1970)
            var highest = 0.0
            for minutes in stride(from: 0.0, through: 1500, by: 1) {
                let date = Self.morning.addingTimeInterval(minutes * 60)
                let value = level.milligrams(at: date, of: drinks)
                #expect(abs(forecast.milligrams(at: date.timeIntervalSince1970) - value) < 1e-9)
                highest = max(highest, value)
            }
            let peak = forecast.peak(from: Self.morning.timeIntervalSince1970)
            #expect(peak >= highest - 1e-9 && peak < highest + 0.1)
        }
    }
}
