/// The thresholds at which a caffeine level changes its colour and its word: the stops of the gauge.
///
/// Each caffeine model has one scale.
public struct LevelScale: Hashable, Sendable {
    /// A colour and the level from which it applies.
    public struct Stop: Hashable, Sendable {
        /// The colour.
        public let colour: CaffeineColour
        /// The lowest level with that colour, in milligrams.
        public let milligrams: Double
        /// The stop's position on the gauge, from 0 to 1.
        public let fraction: Double

        package init(colour: CaffeineColour, milligrams: Double, fraction: Double) {
            (self.colour, self.milligrams, self.fraction) = (colour, milligrams, fraction)
        }

        fileprivate init(_ colour: CaffeineColour, _ milligrams: Double) {
            self.init(colour: colour, milligrams: milligrams, fraction: milligrams / LevelScale.maximum)
        }
    }

    /// The end of the gauge, in milligrams, as in the sample application.
    public static let maximum = 500.0

    /// The scale of the model with absorption: yellow from 200 mg, red from 400 mg.
    ///
    /// The sample application colours a dose at these levels. EFSA has no concern about a single dose of up to 200 mg
    /// and a day's total of up to 400 mg for adults (EFSA Journal 2015;13(5):4102).
    public static let absorption = LevelScale(yellow: 200, red: 400)

    /// The scale of the simple model: yellow from 300 mg, red from 450 mg, the stops of the sample application's gauge.
    ///
    /// The sample application colours the text beside its gauge at 200 and 400 mg, which contradicts the gauge. Here
    /// everything uses the gauge's stops.
    public static let simple = LevelScale(yellow: 300, red: 450)

    /// Green from 0, then yellow, then red.
    public let stops: [Stop]

    private init(yellow: Double, red: Double) {
        stops = [Stop(.green, 0), Stop(.yellow, yellow), Stop(.red, red)]
    }

    /// The stops that a gauge marks: all but the one at its beginning.
    public var marks: [Stop] { Array(stops.dropFirst()) }

    /// The stops' colours and ranges, each up to the next stop or ``maximum``.
    public var zones: [(colour: CaffeineColour, range: Range<Double>)] {
        zip(stops, stops.dropFirst().map { $0.milligrams } + [Self.maximum]).map { stop, end in
            (stop.colour, stop.milligrams..<end)
        }
    }
}

/// A caffeine level as displayed: number, colour, word and gauge follow from one rounded amount.
///
/// The level is rounded first, so that no page shows “200 mg” in the colour of 199.7 mg.
public struct LevelState: Hashable, Sendable {
    /// The level, in milligrams, rounded to a whole number from 10 on and to one decimal below; NaN becomes 0.
    public let milligrams: Double
    /// The thresholds.
    public let scale: LevelScale

    /// Creates the displayed state of a level, which is rounded; the scale is that of the level's model.
    public init(milligrams: Double, scale: LevelScale) {
        self.milligrams = milligrams.isNaN ? 0 : milligrams.roundedForDisplay
        self.scale = scale
    }

    /// The colour of the highest stop that the level reaches.
    public var colour: CaffeineColour {
        scale.stops.last { $0.milligrams <= milligrams }?.colour ?? .green
    }

    /// The filled part of the gauge, from 0 to 1.
    public var fraction: Double { min(1, max(0, milligrams / LevelScale.maximum)) }
}

extension Double {
    /// An amount rounded to the displayed precision: a whole number from ten on, one decimal below.
    package var roundedForDisplay: Double { abs(self) < 9.95 ? (self * 10).nearestWhole / 10 : nearestWhole }
}
