public import Foundation

/// An owner's settings.
public struct CoffeeSettings: Hashable, Sendable {
    /// The IANA name of the zone that the owner lives in, such as `Europe/Vienna`.
    public var zone = "UTC"
    /// When a day begins, in minutes since midnight.
    public var dayStart = 0
    /// When the owner goes to bed, in minutes since midnight.
    public var bedtime = 22 * 60 + 30
    /// The caffeine in the body with which the owner sleeps well, in milligrams.
    ///
    /// 35: a 400 mg dose harms sleep 6 h before (Drake et al. 2013), 107 mg from 8.8 h and 217.5 mg from 13.2 h before bed do
    /// not (Gardiner et al. 2023); with a half-life of 5 h that leaves 32 and 35 mg.
    public var threshold = 35.0
    /// The half-life of the owner's caffeine, in hours.
    ///
    /// 5 on average; 7.9 with oral contraceptives (Abernethy & Todd 1985), 8.3 in pregnancy (Knutti et al. 1981).
    public var halfLife = CaffeineLevel.usualHalfLife
    /// Whether caffeine is in the body at once, as in the sample application.
    public var usesSimpleDecay = false
    /// The owner's group in the guidance.
    public var group = CoffeeGroup.adult
    /// The catalogue that is offered beside the owner's own kinds.
    public var catalogue = DrinkCatalogue.Choice.sourced
    /// The kinds that are shown first, in their order.
    public var favourites: [DrinkKind.ID] = []
    /// The owner's own kinds.
    public var kinds: [DrinkKind] = []

    /// Creates the settings of an owner who has chosen nothing but lives in a zone.
    public init(zone: String = "UTC") {
        self.zone = zone
    }
}

extension CoffeeSettings {
    /// The half-lives that can be chosen, in hours: the longest in the literature is 18 h, at the end of a pregnancy.
    public static let halfLives = 1.0...24
    /// The thresholds that can be chosen, in milligrams.
    static let thresholds = 0.1...500
    /// The weights of a child that can be chosen, in kilograms.
    static let weights = 3.0...150
    /// The most kinds of an owner's own.
    public static let mostKinds = 200
    /// The half-lives of most people are between 3 and 8 h, where 5 is the mean (IOM 2001).
    static let (shorter, longer) = (3.0 / 5, 8.0 / 5)

    /// How caffeine enters and leaves the owner's body.
    public var level: CaffeineLevel {
        CaffeineLevel(halfLife: halfLife, absorption: usesSimpleDecay ? nil : CaffeineLevel.usualAbsorption)
    }

    /// The same with the shortest and the longest half-life of most people.
    public var levelBand: (low: CaffeineLevel, high: CaffeineLevel) {
        var (low, high) = (level, level)
        low.halfLife *= Self.shorter
        high.halfLife *= Self.longer
        return (low, high)
    }

    /// The zone that the owner lives in; Greenwich if it is unknown here.
    public var timeZone: TimeZone { TimeZone(identifier: zone) ?? .gmt }

    /// How the owner counts days.
    public var days: DayCounting { DayCounting(zone: timeZone, start: dayStart) }

    /// How long a drink counts for the level, in seconds.
    public var memory: TimeInterval { levelBand.high.memory * 3600 + Drink.longestSipping }

    /// All kinds that are offered, the owner's own first.
    public var offered: [DrinkKind] {
        kinds + (catalogue == .sample ? DrinkCatalogue.sample : DrinkCatalogue.sourced)
    }

    /// The drinks of the owner's day until a moment.
    func today(_ drinks: [Drink], at date: Date) -> [Drink] {
        let morning = days.beginning(of: days.day(of: date))
        return drinks.filter { $0.start >= morning && $0.start <= date }
    }

    /// Cups of 96 mg since the owner's day began.
    func cupsToday(_ drinks: [Drink], at date: Date) -> Double {
        today(drinks, at: date).reduce(0) { $0 + $1.milligrams } / Cups.milligrams
    }
}

extension CoffeeSettings {
    /// These settings, if they are valid; a zone or kind that was there before may be known on another machine only.
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
    private enum CodingKeys: String, CodingKey {
        case zone, dayStart, bedtime, threshold, halfLife, usesSimpleDecay, group, catalogue, favourites, kinds
    }

    /// Reads settings; a missing one, or an unknown catalogue, counts as not chosen.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
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
}
