/// How much is much, by the sample application's rules.
public enum CaffeineColour: String, Hashable, Sendable, Codable {
    /// Little.
    case green
    /// Some.
    case yellow
    /// Much.
    case red

    /// The colour of what is in the body: below 200 mg green, below 400 mg yellow.
    public init(milligrams: Double) {
        self = milligrams < 200 ? .green : milligrams < 400 ? .yellow : .red
    }

    /// The colour of what was drunk today: below 3 cups green, below 5 yellow.
    public init(cups: Double) {
        self = cups < 3 ? .green : cups < 5 ? .yellow : .red
    }
}

/// The sample application's gauge: 0 to 500 mg, green, yellow from 300 on, red from 450 on.
public enum CaffeineGauge {
    /// What it shows at the most, in milligrams.
    public static let most = 500.0
    /// Where its colours change, each as a part of the whole.
    public static let stops: [(colour: CaffeineColour, fraction: Double)] = [
        (.green, 0), (.yellow, 300 / most), (.red, 450 / most),
    ]

    /// How far it is filled, from 0 to 1.
    public static func fraction(milligrams: Double) -> Double {
        min(1, max(0, milligrams / most))
    }
}
