public import Foundation

/// The caffeine level laid out for one complication family: texts and a gauge, as plain values.
///
/// The families are ClockKit's, for which the sample application has templates; see “Creating and Updating Complications”
/// (WWDC20). The sample draws a gauge only in the graphic families; here every family has one.
public struct Complication: Hashable, Sendable {
    /// A family of complications; its raw value is the name of ClockKit's `CLKComplicationFamily` case.
    public enum Family: String, CaseIterable, Hashable, Sendable, Codable {
        /// A small square of the Modular faces.
        case modularSmall
        /// The wide field of the Modular faces, with a header and two lines.
        case modularLarge
        /// A small square in a corner of the Utility faces.
        case utilitarianSmall
        /// A short line in a corner of the Utility faces.
        case utilitarianSmallFlat
        /// A line along the bottom of the Utility faces.
        case utilitarianLarge
        /// A small circle of the Colour faces.
        case circularSmall
        /// The whole of the X-Large face.
        case extraLarge
        /// A corner of the Infograph face, with a curved gauge.
        case graphicCorner
        /// A circle of the Infograph faces.
        case graphicCircular
        /// The wide field of the Infograph Modular face, with a header, a line and a gauge.
        case graphicRectangular
        /// A circle of the Infograph face, with text along the bezel.
        case graphicBezel
        /// The whole of the X-Large face, in colour.
        case graphicExtraLarge
    }

    /// A text of a complication.
    public struct Text: Hashable, Sendable, Codable {
        /// Where a text is in its layout.
        public enum Role: String, Hashable, Sendable, Codable {
            /// The title of a layout with lines.
            case header
            /// A line of a layout with lines, or its only line.
            case body
            /// The number inside an open gauge.
            case center
            /// The unit below the number.
            case bottom
            /// The text outside a curved gauge.
            case outer
            /// The gauge's lower end.
            case leading
            /// The gauge's upper end.
            case trailing
        }

        /// Where the text is.
        public let role: Role
        /// The text.
        public let text: String
        /// A shorter text with the same meaning, for narrow places.
        public let short: String?
        /// The colour that tints the text; `nil` for the colour of ordinary text.
        public let colour: CaffeineColour?

        init(_ role: Role, _ text: String, short: String? = nil, colour: CaffeineColour? = nil) {
            (self.role, self.text, self.short, self.colour) = (role, text, short, colour)
        }
    }

    /// The family.
    public let family: Family
    /// The level, which determines the gauge, the colour and the level's name, such as “low”.
    public let level: LevelState
    /// The texts, in reading order.
    public let texts: [Text]
    /// The text for screen readers: the level's amount and name, and the cups of today.
    public let label: String
}

/// What all complications show at one moment, and until when it is valid.
public struct ComplicationEntry: Hashable, Sendable {
    /// The level.
    public let level: LevelState
    /// Cups of 96 mg since the start of the owner's day, rounded to tenths.
    public let cups: Double
    /// When the next entry begins: at the timeline's next entry or the start of the owner's next day, whichever is earlier.
    public let expires: Date

    /// Computes the entry for a moment from all drinks that may still count, in any order.
    ///
    /// See ``CoffeeSettings/contributionTime``.
    public init(drinks: [Drink], settings: CoffeeSettings, at date: Date) {
        let days = settings.days
        let today = days.day(of: date)
        self.level = settings.levelState(of: drinks, at: date)
        self.cups = (settings.cupsToday(drinks, at: date) * 10).rounded() / 10
        // The owner's day can begin at any minute, and resets the cups to zero.
        self.expires = min(Timeline.nextEntry(after: date), days.beginning(of: today + 1))
    }
}

extension Complication {
    /// Fills in the layout of a family.
    public init(_ family: Family, showing entry: ComplicationEntry) {
        let level = entry.level
        let cups = CoffeeFormatter.cups(entry.cups)
        let title = Text(.header, CoffeeWords.name, short: CoffeeWords.shortName)
        let caffeine = Text(.body, CoffeeWords.caffeineAmount(level.amount), short: level.amount)
        let texts =
            switch family {
            case .modularSmall, .utilitarianSmall, .circularSmall, .extraLarge, .graphicCircular, .graphicExtraLarge:
                [Text(.center, level.number), Text(.bottom, "mg", colour: level.colour)]
            case .utilitarianSmallFlat, .utilitarianLarge: [caffeine]
            case .modularLarge: [title, Text(.body, cups), caffeine]
            case .graphicRectangular: [title, Text(.body, caffeine.text, short: caffeine.short, colour: level.colour)]
            case .graphicCorner:
                [
                    Text(.outer, level.amount), Text(.leading, "0", colour: .green),
                    Text(.trailing, CoffeeFormatter.number(LevelScale.maximum), colour: .red),
                ]
            case .graphicBezel:
                [
                    Text(.center, level.number), Text(.bottom, "mg", colour: level.colour),
                    Text(
                        .body, CoffeeWords.caffeineAmount(level.amount, cups: cups), short: "\(level.amount), \(cups)"),
                ]
            }
        self.init(
            family: family, level: level, texts: texts,
            label: CoffeeWords.complication(level.amount, word: level.word, cups: cups))
    }
}
