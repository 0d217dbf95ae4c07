/// A group of people with a guidance of its own.
public enum CoffeeGroup: Hashable, Sendable {
    /// Adults who are neither pregnant nor nursing.
    case adult
    /// Pregnant women.
    case pregnant
    /// Women who nurse.
    case nursing
    /// Children and adolescents, by their weight in kilograms.
    case child(kilograms: Double)
}

/// What raises no concern according to the European Food Safety Authority; no medical advice.
///
/// EFSA Panel on Dietetic Products, Nutrition and Allergies: “Scientific Opinion on the safety of caffeine”, EFSA Journal
/// 2015;13(5):4102.
public struct CoffeeGuidance: Hashable, Sendable {
    /// Where the figures are from.
    public static let citation = "EFSA Journal 2015;13(5):4102"
    /// What must stand beside every figure.
    public static let disclaimer =
        "An estimate from averages, and no medical advice. If you are pregnant, ill, or take medicine, ask your doctor."

    /// The single dose that raises no concern, in milligrams; `nil` where EFSA gives none.
    public let singleDose: Double?
    /// The daily amount that raises no concern, in milligrams.
    public let daily: Double
    /// What was drunk today, in milligrams.
    public let today: Double
    /// The largest drink of today, in milligrams.
    public let largestToday: Double
}

extension CoffeeGuidance {
    /// The guidance for a group, and how today’s drinks, in milligrams, compare with it.
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

    /// The rest for today, in milligrams.
    public var left: Double { max(0, daily - today) }
    /// Whether more was drunk today than raises no concern.
    public var isOverDaily: Bool { today > daily }
    /// Whether a drink of today was larger than raises no concern.
    public var isOverSingleDose: Bool { singleDose.map { largestToday > $0 } ?? false }
    /// The largest drink that raises no concern now, in milligrams.
    public var mostNow: Double { min(left, singleDose ?? .infinity) }
}

extension CoffeeGroup: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, kilograms
    }

    /// The group's name in stored settings and forms.
    package var name: String {
        switch self {
        case .adult: "adult"
        case .pregnant: "pregnant"
        case .nursing: "nursing"
        case .child: "child"
        }
    }

    /// The group of a name, with the weight of a child; `nil` for an unknown name.
    package init?(name: String, kilograms: Double) {
        switch name {
        case "adult": self = .adult
        case "pregnant": self = .pregnant
        case "nursing": self = .nursing
        case "child": self = .child(kilograms: kilograms)
        default: return nil
        }
    }

    /// Reads a group; an unknown one counts as adults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let name = try values.decode(String.self, forKey: .name)
        let kilograms = name == "child" ? try values.decode(Double.self, forKey: .kilograms) : 0
        self = CoffeeGroup(name: name, kilograms: kilograms) ?? .adult
    }

    /// Writes a group.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        if case .child(let kilograms) = self { try values.encode(kilograms, forKey: .kilograms) }
    }
}
