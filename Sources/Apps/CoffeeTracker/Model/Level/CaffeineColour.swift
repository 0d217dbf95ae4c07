/// A traffic-light colour for an amount of caffeine, with a word of the same meaning for use without colour.
public enum CaffeineColour: String, CaseIterable, Hashable, Sendable, Codable {
    /// A low amount.
    case green
    /// A moderate amount.
    case yellow
    /// A high amount.
    case red

    /// The word for the colour: `low`, `moderate` or `high`.
    public var word: String {
        switch self {
        case .green: CoffeeWords.low
        case .yellow: CoffeeWords.moderate
        case .red: CoffeeWords.high
        }
    }

    /// The colour of a day’s cups of 96 mg, rounded to tenths: green below 3, yellow below 5.
    ///
    /// The limits are those of the sample application.
    public init(cups: Double) {
        let cups = (cups * 10).rounded() / 10
        self = cups < 3 ? .green : cups < 5 ? .yellow : .red
    }
}
