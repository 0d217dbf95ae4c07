#if canImport(ModelJSON)
    import ModelJSON
#endif

/// A group of people for which EFSA gives separate guidance.
public enum CoffeeGroup: Hashable, Sendable {
    /// Adults who are neither pregnant nor nursing.
    case adult
    /// Pregnant women.
    case pregnant
    /// Nursing women.
    case nursing
    /// Children and adolescents, by their weight in kilograms.
    case child(kilograms: Double)
}

/// The amounts of caffeine that raise no concern according to the European Food Safety Authority; not medical advice.
///
/// EFSA Panel on Dietetic Products, Nutrition and Allergies: “Scientific Opinion on the safety of caffeine”, EFSA Journal
/// 2015;13(5):4102.
public struct CoffeeGuidance: Hashable, Sendable {
    /// The single dose that raises no concern, in milligrams; `nil` where EFSA gives none.
    public let singleDose: Double?
    /// The owner's own daily limit if they have one, or the daily amount that raises no concern, in milligrams.
    public let daily: Double
    /// The amount drunk today, in milligrams.
    public let today: Double
    /// The largest drink of today, in milligrams.
    public let largestToday: Double
}

extension CoffeeGuidance {
    /// Creates the guidance for a group, compared with today’s drinks.
    ///
    /// - Parameters:
    ///   - group: The group.
    ///   - today: The caffeine of each of today's drinks, in milligrams.
    ///   - limit: The owner's own daily limit, in milligrams, which replaces the group's daily amount.
    public init(for group: CoffeeGroup, today: [Double], limit: Double? = nil) {
        self.today = today.reduce(0, +)
        self.largestToday = today.max() ?? 0
        let daily: Double
        switch group {
        case .adult: (singleDose, daily) = (200, 400)
        // EFSA says 200 mg “consumed throughout the day” and gives no single dose.
        case .pregnant: (singleDose, daily) = (nil, 200)
        case .nursing: (singleDose, daily) = (200, 200)
        // EFSA's single dose for adults by body weight, 3 mg per kilogram, is used as both amounts.
        case .child(let kilograms): (singleDose, daily) = (3 * kilograms, 3 * kilograms)
        }
        self.daily = limit ?? daily
    }

    /// The amount left for today, in milligrams.
    public var left: Double { max(0, daily - today) }
    /// Whether today's total exceeds the daily amount.
    public var isOverDaily: Bool { today > daily }
    /// Whether one of today's drinks exceeds the single dose that raises no concern.
    public var isOverSingleDose: Bool { singleDose.map { largestToday > $0 } ?? false }
    /// The largest drink that raises no concern now, in milligrams.
    public var largestDoseNow: Double { min(left, singleDose ?? .infinity) }
}

extension CoffeeGroup {
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
        let groups = [CoffeeGroup.adult, .pregnant, .nursing, .child(kilograms: kilograms)]
        guard let group = groups.first(where: { compareBytes($0.name, name) == 0 }) else { return nil }
        self = group
    }
}
