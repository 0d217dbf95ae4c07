import Formats
public import Foundation

/// An owner's settings.
public struct CoffeeSettings: Hashable, Sendable {
    /// The IANA name of the owner's time zone, such as `Europe/Vienna`.
    public var zone = "UTC"
    /// When a day begins, in minutes since midnight.
    public var dayStart = 0
    /// The owner's bedtime, in minutes since midnight.
    public var bedtime = 22 * 60 + 30
    /// The amount of caffeine below which the owner sleeps well, in milligrams.
    ///
    /// 400 mg disturb sleep when drunk 6 h before bedtime (Drake et al. 2013). 107 mg don't if drunk 8.8 h before it,
    /// nor 217.5 mg if drunk 13.2 h before it (Gardiner et al. 2023). With a half-life of 5 h, 32 and 35 mg of the
    /// latter two are left at bedtime.
    public var threshold = 35.0
    /// The half-life of the owner's caffeine, in hours.
    ///
    /// 5 on average; 7.9 with oral contraceptives (Abernethy & Todd 1985), 8.3 in pregnancy (Knutti et al. 1981).
    public var halfLife = CaffeineLevel.usualHalfLife
    /// Whether caffeine is absorbed immediately, as in the sample application.
    public var usesSimpleDecay = false
    /// The owner's group in EFSA's guidance.
    public var group = CoffeeGroup.adult
    /// The owner's own daily limit, in milligrams; `nil` for the group's limit.
    public var dailyLimit: Double?
    /// The catalogue that is available beside the owner's own kinds.
    public var catalogue = DrinkCatalogue.Choice.sourced
    /// The owner's favourite kinds, in order.
    public var favourites: [DrinkKind.ID] = []
    /// The owner's own kinds.
    public var kinds: [DrinkKind] = []
    /// How times are written.
    public var clockFormat = ClockFormat.automatic
    /// The unit of volumes.
    public var volumeUnit = VolumeUnit.millilitres
    /// Whether the owner has seen that drinks can be shared through the health store.
    public var knowsSharing = false

    /// Creates default settings with a time zone.
    public init(zone: String = "UTC") {
        self.zone = zone
    }
}

extension CoffeeSettings {
    /// The valid half-lives, in hours; the longest in the literature is 18 h, at the end of a pregnancy.
    public static let halfLives = 1.0...24
    /// The valid thresholds, in milligrams.
    static let thresholds = 0.1...500
    /// The valid daily limits, in milligrams; zero is for an owner who avoids caffeine.
    static let dailyLimits = 0.0...2_000
    /// The valid weights of a child, in kilograms.
    package static let weights = 3.0...150
    /// The maximum number of an owner's own kinds.
    public static let maximumKinds = 200

    /// The settings that determine the level and the answers.
    package var profile: CaffeineProfile {
        CaffeineProfile(
            halfLife: halfLife, usesSimpleDecay: usesSimpleDecay, threshold: threshold, group: group,
            dailyLimit: dailyLimit)
    }

    /// The model of caffeine in the owner's body.
    public var level: CaffeineLevel { profile.level }

    /// The models with the shortest and the longest half-life of most people.
    public var levelBand: (low: CaffeineLevel, high: CaffeineLevel) { profile.band }

    /// The owner's time zone; GMT if it is unknown here.
    public var timeZone: TimeZone { TimeZone(identifier: zone) ?? .gmt }

    /// How the owner counts days.
    public var days: DayCounting { DayCounting(zone: timeZone, start: dayStart) }

    /// How long a drink contributes to the level, in seconds.
    public var contributionTime: TimeInterval { profile.contributionTime }

    /// All available kinds, the owner's own first.
    public var offered: [DrinkKind] {
        kinds + (catalogue == .sample ? DrinkCatalogue.sample : DrinkCatalogue.sourced)
    }

    /// The guidance for the owner, compared with today's drinks.
    package func guidance(today: [Drink]) -> CoffeeGuidance {
        profile.guidance(today: today.map(\.milligrams))
    }

    /// The drinks of the owner's day that began up to a moment, in the given order.
    ///
    /// A drink that another program has planned counts once it begins; one that was logged with a clock that is
    /// somewhat ahead counts at once.
    package func today(_ drinks: [Drink], at date: Date) -> [Drink] {
        let today = Today(days: days.ownerDays, at: date.timeIntervalSince1970)
        return drinks.filter { today.contains($0.start.timeIntervalSince1970) }
    }

    /// Cups of 96 mg since the start of the owner's day.
    func cupsToday(_ drinks: [Drink], at date: Date) -> Double {
        Cups.today(drinks.map(\.intake), days: days.ownerDays, at: date.timeIntervalSince1970)
    }
}

extension CoffeeSettings {
    /// Validates the settings; an unchanged time zone or kind is always valid, because another machine may know it.
    public func checked(changedFrom old: CoffeeSettings? = nil) throws(CoffeeError) -> CoffeeSettings {
        var settings = self
        guard zone == old?.zone || ReaderFormats.zone(named: zone) != nil else { throw .unknownTimeZone(zone) }
        guard (0..<1440).contains(dayStart) else {
            throw .invalidSetting(CoffeeWords.enterDayStart, field: "dayStart")
        }
        guard (0..<1440).contains(bedtime) else {
            throw .invalidSetting(CoffeeWords.enterBedtime, field: "bedtime")
        }
        guard Self.thresholds.contains(threshold) else {
            throw .invalidSetting(CoffeeWords.enterThreshold, field: "threshold")
        }
        guard Self.halfLives.contains(halfLife) else {
            throw .invalidSetting(CoffeeWords.enterHalfLife, field: "halfLife")
        }
        if case .child(let kilograms) = group, !Self.weights.contains(kilograms) {
            throw .invalidSetting(CoffeeWords.enterWeight, field: "weight")
        }
        if let dailyLimit, !Self.dailyLimits.contains(dailyLimit) {
            throw .invalidSetting(CoffeeWords.enterDailyLimit, field: "dailyLimit")
        }
        guard kinds.count <= Self.maximumKinds, Set(kinds.map(\.id)).count == kinds.count else {
            throw .invalidSetting(CoffeeWords.tooManyKinds(limit: Self.maximumKinds))
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
        case dailyLimit, clockFormat, volumeUnit, knowsSharing
    }

    /// Decodes settings, with defaults for missing values, and for an unknown catalogue, clock or unit.
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
        dailyLimit = try values.decodeIfPresent(Double.self, forKey: .dailyLimit)
        try read(.favourites, into: &favourites)
        try read(.kinds, into: &kinds)
        try read(.knowsSharing, into: &knowsSharing)
        func choice<Value: RawRepresentable<String>>(_ key: CodingKeys) throws -> Value? {
            try values.decodeIfPresent(String.self, forKey: key).flatMap(Value.init(rawValue:))
        }
        catalogue = try choice(.catalogue) ?? .sourced
        clockFormat = try choice(.clockFormat) ?? .automatic
        volumeUnit = try choice(.volumeUnit) ?? .millilitres
    }
}
