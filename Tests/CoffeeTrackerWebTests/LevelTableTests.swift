import CoffeeTrackerModel
import Foundation
import Site
import Testing

@testable import CoffeeTrackerWeb

/// Tests that the colours, words and answers of the first page never contradict each other.
///
/// The tests combine levels with trends and with bedtimes.
@Suite(.timeLimit(.minutes(10))) struct LevelTableTests {
    enum Trend: CaseIterable {
        case rising, falling
    }

    /// The minutes until the next bedtime; a negative number is the time since the last one.
    enum Bedtime: Int, CaseIterable {
        case far = 540
        case near = 30
        case past = -60
    }

    private static let levels: [Double] = [0, 20, 34, 36, 150, 199, 200, 299, 309, 399, 400, 449, 450, 900]
    private static let now = CoffeeServer.afternoon

    private let templates: CoffeeTemplates

    init() throws {
        templates = try CoffeeTemplates()
    }

    /// The first page with a level, caused by a drink three hours ago; if it rises, another drink has just begun.
    private static func view(_ level: Double, _ trend: Trend, _ settings: CoffeeSettings) -> CoffeeView {
        func drink(_ milligrams: Double, hoursAgo: Double, sipping: TimeInterval = 0) -> Drink {
            Drink(
                id: UUID(), name: "Coffee", emoji: "☕️", milligrams: milligrams, start: now - hoursAgo * 3_600,
                sipping: sipping, timeZone: settings.zone)
        }
        let share = settings.level.milligrams(at: now, of: drink(1, hoursAgo: 3))
        var drinks = level > 0 ? [drink(level / share, hoursAgo: 3)] : []
        if trend == .rising { drinks.append(drink(100 + level / 2, hoursAgo: 0, sipping: 3_600)) }
        return CoffeeView(
            drinks: drinks, settings: settings, quick: Array(DrinkCatalogue.sourced.prefix(6)), undo: nil, failure: nil,
            problem: nil, withheld: 0, revision: 0, now: now)
    }

    private static func settings(_ bedtime: Bedtime) -> [CoffeeSettings] {
        var settings = CoffeeSettings(zone: "Europe/Vienna")
        settings.bedtime = LocalTime(now, in: settings.timeZone).minutes + bedtime.rawValue
        var all: [CoffeeSettings] = []
        for isSimple in [false, true] {
            for limit in [nil, 100.0] {
                settings.usesSimpleDecay = isSimple
                settings.dailyLimit = limit
                all.append(settings)
            }
        }
        return all
    }

    @Test(arguments: Trend.allCases, Bedtime.allCases)
    func coloursWordsAndAnswersAgree(trend: Trend, bedtime: Bedtime) throws {
        for settings in Self.settings(bedtime) {
            for level in Self.levels {
                let model = settings.usesSimpleDecay ? "simple" : "absorption"
                let limit = settings.dailyLimit.map { "\($0) mg" } ?? "none"
                let scenario = Comment(rawValue: "\(level) mg, \(model), own limit: \(limit)")
                let view = Self.view(level, trend, settings)
                let answers = CaffeineAnswers(drinks: view.drinks, settings: settings, at: view.now)
                let parts = TodayParts(view, templates)
                #expect(abs(answers.currentMilligrams - level) < 0.01, scenario)
                checkLevel(answers, trend, parts, scenario)
                checkDay(answers, parts, scenario)
                checkNight(answers, parts.answers.markup, scenario)
                checkAllowance(answers, parts.answers.markup, scenario)
            }
        }
    }

    private func checkLevel(_ answers: CaffeineAnswers, _ trend: Trend, _ parts: TodayParts, _ scenario: Comment) {
        let (level, now) = (answers.level, parts.now.markup)
        #expect(now.contains("<p class=\"level \(level.colour)\"><strong>\(level.number)</strong>"), scenario)
        #expect(now.contains("<span class=\"badge \(level.colour.badge)\">\(level.word)</span>"), scenario)
        let isRising = trend == .rising
        #expect((answers.peak != nil) == isRising, scenario)
        for text in [now, parts.chart.markup] { #expect(text.contains("rising to ") == isRising, scenario) }
        // If the level will be higher, the word for it follows the word for the current level, in its own colour.
        let later = answers.peak?.level ?? level
        #expect(later.milligrams >= level.milligrams, scenario)
        let badge = "<span class=\"badge \(later.colour.badge)\">then \(later.word)</span>"
        #expect(now.contains(badge) == (later.colour != level.colour), scenario)
        #expect(now.contains(">then ") == (later.colour != level.colour), scenario)
    }

    private func checkDay(_ answers: CaffeineAnswers, _ parts: TodayParts, _ scenario: Comment) {
        let isOver = answers.guidance.isOverDaily
        #expect(parts.now.markup.contains(", over the daily limit of") == isOver, scenario)
        #expect(parts.answers.markup.contains(" mg over the daily limit.") == isOver, scenario)
        if isOver {
            #expect(parts.now.markup.contains("<span class=\"dot red\""), scenario)
            #expect(parts.answers.markup.contains("<p class=\"warn\">"), scenario)
        }
    }

    private func checkNight(_ answers: CaffeineAnswers, _ text: String, _ scenario: Comment) {
        if text.contains("<p class=\"soft\">Below your bedtime limit") {
            #expect(answers.belowThresholdAt <= answers.bedtime, scenario)
        }
        if text.contains(" over your bedtime limit of ") {
            #expect(answers.belowThresholdAt > answers.bedtime && answers.allowance == .tooLate, scenario)
        }
        let isRisingOver = !answers.isBelowThreshold && answers.level.milligrams < answers.threshold
        #expect(text.contains("When will I be below 35 mg again?") == isRisingOver, scenario)
        if answers.isBelowThreshold {
            #expect(answers.currentMilligrams <= answers.threshold, scenario)
            #expect(answers.highestAsleep <= answers.threshold, scenario)
        }
    }

    private func checkAllowance(_ answers: CaffeineAnswers, _ text: String, _ scenario: Comment) {
        let times = text.matches(of: /<strong>([^<]+)<\/strong><\/li>/).map { String($0.output.1) }
        let refusals = ["<p class=\"answer\">Nothing</p>", "No more caffeine today.", "Too late for any"]
        let isRefused = refusals.contains { text.contains($0) }
        switch answers.allowance {
        case .upTo(let dose):
            #expect(text.contains("<p class=\"answer\">\(CoffeeFormatter.amount(dose))</p>"), scenario)
            #expect(!text.contains("No more caffeine today.") && dose <= answers.guidance.left, scenario)
            for kind in DrinkCatalogue.sourced where kind.milligrams <= dose {
                let latest = answers.latestTime(for: kind.milligrams)
                #expect(answers.objection(to: kind.milligrams, latest: latest) == nil, scenario)
            }
        case .tooLate, .limitReached:
            #expect(isRefused, scenario)
            // Nothing more may be drunk, so no drink has a time.
            #expect(times.allSatisfy { $0 == "too late" || $0 == "over the daily limit" }, scenario)
        }
    }

    @Test func drinkOverTheDailyLimitHasNoLatestTime() throws {
        // Early in the day, another drink wouldn't disturb the sleep, but it would exceed the limit.
        let settings = Self.settings(.far)[1]
        let parts = TodayParts(Self.view(20, .falling, settings), templates)
        let times = parts.answers.markup.matches(of: /<strong>([^<]+)<\/strong><\/li>/).map { String($0.output.1) }
        #expect(times.contains("over the daily limit") && times.contains { $0 != "over the daily limit" }, "\(times)")
        let reached = TodayParts(Self.view(0, .rising, settings), templates).answers.markup
        #expect(reached.contains("No more caffeine today. You have reached the daily limit of 100 mg."))
        #expect(!reached.contains("How much can I have now?") && !reached.contains("Latest time"))
    }
}
