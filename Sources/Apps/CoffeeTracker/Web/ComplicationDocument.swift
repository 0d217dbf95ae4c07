import CoffeeTrackerModel
import Foundation

/// A complication as JSON, for a program that draws it itself.
///
/// `version` changes if a field is removed or changes its meaning; new fields may be added at any time.
struct ComplicationDocument: Encodable, Sendable {
    struct Level: Encodable, Sendable {
        /// Rounded as displayed; missing if it isn't finite.
        var milligrams: Double?
        var text: String
        var colour: CaffeineColour
        var word: String
    }

    struct Gauge: Encodable, Sendable {
        /// The filled part, from 0 to 1.
        var fraction: Double
        /// The colour of the fill.
        var colour: CaffeineColour
        /// The amount that a full gauge represents, in milligrams.
        var maximum: Double
        /// The amounts at which the colours begin.
        var stops: [LevelScale.Stop]

        init(_ level: LevelState) {
            fraction = level.fraction
            colour = level.colour
            maximum = LevelScale.maximum
            stops = level.scale.stops
        }
    }

    var version = 1
    var family: Complication.Family
    var label: String
    var level: Level
    var gauge: Gauge
    var texts: [Complication.Text]
    /// When the next timeline entry begins; a copy may be used until then.
    var expires: Date
    var disclaimer = CoffeeGuidance.disclaimer

    init(_ complication: Complication, expires: Date) {
        let level = complication.level
        self.family = complication.family
        self.label = complication.label
        self.level = Level(
            milligrams: level.milligrams.isFinite ? level.milligrams : nil, text: level.amount, colour: level.colour,
            word: level.word)
        self.gauge = Gauge(level)
        self.texts = complication.texts
        self.expires = expires
    }
}

extension Encodable {
    /// The JSON of a document, with ISO 8601 dates.
    var json: Data {
        get throws {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .iso8601
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try encoder.encode(self)
        }
    }
}
