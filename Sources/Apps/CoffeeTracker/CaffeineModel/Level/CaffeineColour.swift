/// A traffic-light colour for an amount of caffeine, with a word of the same meaning for use without colour.
public enum CaffeineColour: String, CaseIterable, Hashable, Sendable {
    /// A low amount.
    case green
    /// A moderate amount.
    case yellow
    /// A high amount.
    case red

    /// The colour of a day’s cups of 96 mg, rounded to tenths: green below 3, yellow below 5.
    ///
    /// The limits are those of the sample application.
    public init(cups: Double) {
        let cups = (cups * 10).nearestWhole / 10
        self = cups < 3 ? .green : cups < 5 ? .yellow : .red
    }
}
