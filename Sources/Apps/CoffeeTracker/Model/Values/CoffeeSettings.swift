public import Foundation

/// What somebody has chosen.
public struct CoffeeSettings: Hashable, Sendable {
    /// The zone that they live in, by its IANA name, such as `Europe/Vienna`.
    public var zone = "UTC"
    /// When their day begins, in minutes since midnight.
    public var dayStart = 0
    /// When they go to bed, in minutes since midnight.
    public var bedtime = 22 * 60 + 30
    /// With how much caffeine in the body they sleep well, in milligrams.
    ///
    /// 35: a 400 mg dose harms sleep 6 h before (Drake et al. 2013), 107 mg from 8.8 h and 217.5 mg from 13.2 h before bed do
    /// not (Gardiner et al. 2023); with a half-life of 5 h that leaves 32 and 35 mg.
    public var threshold = 35.0
    /// After how many hours half of their caffeine is gone.
    ///
    /// 5 on average; 7.9 with oral contraceptives (Abernethy & Todd 1985), 8.3 in pregnancy (Knutti et al. 1981).
    public var halfLife = CaffeineLevel.usualHalfLife
    /// Whether caffeine is in the body at once, as the sample application has it.
    public var usesSimpleDecay = false
    /// Whom the guidance is for.
    public var group = CoffeeGroup.adult
    /// Which drinks are offered, beside their own.
    public var catalogue = DrinkCatalogue.Choice.sourced
    /// The kinds that are shown first, in their order.
    public var favourites: [DrinkKind.ID] = []
    /// Their own kinds.
    public var kinds: [DrinkKind] = []

    /// Creates those of somebody who has chosen nothing.
    ///
    /// - Parameter zone: The zone that they live in, by its IANA name.
    public init(zone: String = "UTC") {
        self.zone = zone
    }
}

extension CoffeeSettings {
    /// What can be chosen as a half-life, in hours: the slowest of the people in the literature (18 h, at the end of a
    /// pregnancy) and then some.
    public static let halfLives = 1.0...24
    /// What can be chosen as a threshold, in milligrams.
    static let thresholds = 0.1...500
    /// What a child can weigh, in kilograms.
    static let weights = 3.0...150
    /// The most of one's own kinds.
    public static let mostKinds = 200
    /// How much shorter and longer the half-life of most people is: 3 and 8 h, where 5 is the mean (IOM 2001).
    static let (shorter, longer) = (3.0 / 5, 8.0 / 5)

    /// How caffeine comes and goes in them.
    public var level: CaffeineLevel {
        CaffeineLevel(halfLife: halfLife, absorption: usesSimpleDecay ? nil : CaffeineLevel.usualAbsorption)
    }

    /// The same, should it go as fast, or as slowly, as it does in others: the edges of what is likely.
    public var levelBand: (low: CaffeineLevel, high: CaffeineLevel) {
        var (low, high) = (level, level)
        low.halfLife *= Self.shorter
        high.halfLife *= Self.longer
        return (low, high)
    }

    /// The zone that they live in; that of Greenwich if it is not known here.
    public var timeZone: TimeZone { TimeZone(identifier: zone) ?? .gmt }

    /// How they count days.
    public var days: DayCounting { DayCounting(zone: timeZone, start: dayStart) }

    /// How long, in seconds, drinks still count for what is in the body.
    public var memory: TimeInterval { levelBand.high.memory * 3600 + Drink.longestSipping }

    /// All kinds that are offered: their own first.
    public var offered: [DrinkKind] {
        kinds + (catalogue == .sample ? DrinkCatalogue.sample : DrinkCatalogue.sourced)
    }
}

extension CoffeeSettings {
    /// These settings, if they make sense.
    ///
    /// - Parameter old: What they were; what is as it was is not looked at: another machine may know it.
    /// - Returns: The settings, each favourite once, and names without spaces round them.
    /// - Throws: ``CoffeeError``: what is wrong with them, and what it can be.
    public func checked(changedFrom old: CoffeeSettings? = nil) throws(CoffeeError) -> CoffeeSettings {
        var settings = self
        guard zone == old?.zone || TimeZone(identifier: zone) != nil else { throw .unknownTimeZone(zone) }
        guard (0..<1440).contains(dayStart) else {
            throw .invalidSetting("A day begins at a time from 00:00 to 23:59.")
        }
        guard (0..<1440).contains(bedtime) else { throw .invalidSetting("A bedtime is a time from 00:00 to 23:59.") }
        guard Self.thresholds.contains(threshold) else {
            throw .invalidSetting("The threshold for sleep is between 0.1 and 500 mg; 35 is usual.")
        }
        guard Self.halfLives.contains(halfLife) else {
            throw .invalidSetting("A half-life is between 1 and 24 hours; 5 is the mean of adults.")
        }
        if case .child(let kilograms) = group, !Self.weights.contains(kilograms) {
            throw .invalidSetting("The weight of a child is between 3 and 150 kg.")
        }
        guard kinds.count <= Self.mostKinds, Set(kinds.map(\.id)).count == kinds.count else {
            throw .invalidSetting("There can be up to \(Self.mostKinds) kinds of your own, each once.")
        }
        settings.kinds = []
        for kind in kinds { settings.kinds.append(old?.kinds.contains(kind) == true ? kind : try kind.checked()) }
        var seen: Set<DrinkKind.ID> = []
        settings.favourites = favourites.filter { seen.insert($0).inserted }
        return settings
    }
}

extension CoffeeSettings: Codable {
    private enum Key: String, CodingKey {
        case zone, dayStart, bedtime, threshold, halfLife, usesSimpleDecay, group, catalogue, favourites, kinds
    }

    /// Reads them; what is missing is as if it had not been chosen.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        func read<Value: Decodable>(_ key: Key, into value: inout Value) throws {
            if let read = try values.decodeIfPresent(Value.self, forKey: key) { value = read }
        }
        try read(.zone, into: &zone)
        try read(.dayStart, into: &dayStart)
        try read(.bedtime, into: &bedtime)
        try read(.threshold, into: &threshold)
        try read(.halfLife, into: &halfLife)
        try read(.usesSimpleDecay, into: &usesSimpleDecay)
        try read(.group, into: &group)
        try read(.favourites, into: &favourites)
        try read(.kinds, into: &kinds)
        let choice = try values.decodeIfPresent(String.self, forKey: .catalogue)
        catalogue = choice.flatMap(DrinkCatalogue.Choice.init(rawValue:)) ?? .sourced
    }

    /// Writes them.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Key.self)
        try values.encode(zone, forKey: .zone)
        try values.encode(dayStart, forKey: .dayStart)
        try values.encode(bedtime, forKey: .bedtime)
        try values.encode(threshold, forKey: .threshold)
        try values.encode(halfLife, forKey: .halfLife)
        try values.encode(usesSimpleDecay, forKey: .usesSimpleDecay)
        try values.encode(group, forKey: .group)
        try values.encode(catalogue, forKey: .catalogue)
        try values.encode(favourites, forKey: .favourites)
        try values.encode(kinds, forKey: .kinds)
    }
}
