/// Whom a guidance is for.
public enum CoffeeGroup: Hashable, Sendable {
    /// Adults who are neither pregnant nor nursing.
    case adult
    /// Pregnant women.
    case pregnant
    /// Women who nurse.
    case nursing
    /// Children and adolescents, by their weight.
    case child(kilograms: Double)
}

/// What the European Food Safety Authority says raises no concern: no medical advice.
///
/// EFSA Panel on Dietetic Products, Nutrition and Allergies: “Scientific Opinion on the safety of caffeine”, EFSA Journal
/// 2015;13(5):4102.
public struct CoffeeGuidance: Hashable, Sendable {
    /// Where the figures are from.
    public static let citation = "EFSA Journal 2015;13(5):4102"
    /// What must stand beside every figure.
    public static let disclaimer =
        "An estimate from averages, and no medical advice. If you are pregnant, ill, or take medicine, ask your doctor."
    /// A dose near bedtime that may disturb sleep, in milligrams: “single doses of 100 mg may increase sleep latency”.
    public static let doseThatMayDisturbSleep = 100.0

    /// What raises no concern at once, in milligrams; `nil` where nothing is said.
    public let singleDose: Double?
    /// What raises no concern in a day, in milligrams.
    public let daily: Double
    /// What was drunk today, in milligrams.
    public let today: Double
    /// The largest drink of today, in milligrams.
    public let largestToday: Double
}

extension CoffeeGuidance {
    /// The guidance for a group.
    ///
    /// - Parameters:
    ///   - group: For whom.
    ///   - today: What was drunk today, each drink in milligrams.
    public init(for group: CoffeeGroup, today: [Double]) {
        self.today = today.reduce(0, +)
        self.largestToday = today.max() ?? 0
        switch group {
        case .adult: (singleDose, daily) = (200, 400)
        // 200 mg “consumed throughout the day”: no single dose is given.
        case .pregnant: (singleDose, daily) = (nil, 200)
        case .nursing: (singleDose, daily) = (200, 200)
        // 3 mg for each kilogram: single doses of no concern for adults, and the same for a day.
        case .child(let kilograms): (singleDose, daily) = (3 * kilograms, 3 * kilograms)
        }
    }

    /// What is left for today, in milligrams; not below zero.
    public var left: Double { max(0, daily - today) }
    /// Whether more was drunk today than raises no concern.
    public var isOverDaily: Bool { today > daily }
    /// Whether a drink of today was larger than raises no concern.
    public var isOverSingleDose: Bool { singleDose.map { largestToday > $0 } ?? false }
    /// The most that raises no concern now, in milligrams: as a single dose, and for today.
    public var mostNow: Double { min(left, singleDose ?? .infinity) }
}

extension CoffeeGroup: Codable {
    private enum Key: String, CodingKey {
        case name, kilograms
    }

    /// Reads a group; one that is not known is that of adults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        switch try values.decode(String.self, forKey: .name) {
        case "pregnant": self = .pregnant
        case "nursing": self = .nursing
        case "child": self = .child(kilograms: try values.decode(Double.self, forKey: .kilograms))
        default: self = .adult
        }
    }

    /// Writes a group.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        switch self {
        case .adult: try values.encode("adult", forKey: .name)
        case .pregnant: try values.encode("pregnant", forKey: .name)
        case .nursing: try values.encode("nursing", forKey: .name)
        case .child(let kilograms):
            try values.encode("child", forKey: .name)
            try values.encode(kilograms, forKey: .kilograms)
        }
    }
}
