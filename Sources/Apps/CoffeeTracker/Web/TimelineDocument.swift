import CoffeeTrackerModel
import Foundation

/// The timeline as JSON, for a watch face or a widget.
///
/// `version` changes if a field is removed or changes its meaning; new fields may be added at any time.
struct TimelineDocument: Encodable, Sendable {
    struct Entry: Encodable, Sendable {
        var date: Date
        var milligrams: Double
        var low: Double
        var high: Double
        var cups: Double
        /// The colour of the rounded level, as on the pages: `green`, `yellow` or `red`.
        var colour: CaffeineColour
        /// Milligrams by drink id, without negligible ones.
        var shares: [String: Double]
    }

    struct DrinkEntry: Encodable, Sendable {
        var id: String
        var name: String
        var emoji: String
        var milligrams: Double
        var start: Date
        var sippedSeconds: Double
        var timeZone: String
    }

    var version = 1
    var generatedAt: Date
    var zone: String
    var threshold: Double
    var bedtime: Date
    var belowThresholdAt: Date
    var halfLifeHours: Double
    var usesSimpleDecay: Bool
    /// The levels at which the colours begin.
    var stops: [LevelScale.Stop]
    var disclaimer = CoffeeGuidance.disclaimer
    var drinks: [DrinkEntry]
    var entries: [Entry]

    init(_ view: CoffeeView) {
        let settings = view.settings
        let timeline = Timeline(drinks: view.drinks, settings: settings, alignedToStepFrom: view.now)
        let answers = CaffeineAnswers(drinks: view.drinks, settings: settings, at: view.now)
        self.generatedAt = view.now
        self.zone = settings.zone
        self.threshold = settings.threshold
        self.bedtime = answers.bedtime
        self.belowThresholdAt = answers.belowThresholdAt
        self.halfLifeHours = settings.halfLife
        self.usesSimpleDecay = settings.usesSimpleDecay
        self.stops = settings.levelScale.stops
        let counted = Set(timeline.entries.lazy.flatMap { $0.shares.map(\.drink) })
        self.drinks = view.drinks.filter { counted.contains($0.id) }.map {
            DrinkEntry(
                id: $0.id.uuidString, name: $0.name, emoji: $0.emoji, milligrams: $0.milligrams, start: $0.start,
                sippedSeconds: $0.sipping, timeZone: $0.timeZone)
        }
        self.entries = timeline.entries.map { entry in
            Entry(
                date: entry.date, milligrams: Self.rounded(entry.milligrams), low: Self.rounded(entry.low),
                high: Self.rounded(entry.high), cups: Self.rounded(entry.cups),
                colour: settings.levelState(milligrams: entry.milligrams).colour,
                shares: Dictionary(
                    entry.shares.map { ($0.drink.uuidString, Self.rounded($0.milligrams)) },
                    uniquingKeysWith: { first, _ in first }))
        }
    }

    /// Rounds to a thousandth.
    private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}
