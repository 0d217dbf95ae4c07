/// A unit from a fixed set, whose symbol is stored with each sample and must never change its meaning.
public struct SampleUnit: Hashable, Sendable {
    /// What a unit measures; units convert only within a dimension.
    public enum Dimension: String, Hashable, Sendable, Codable, CaseIterable {
        /// Mass, in grams.
        case mass
        /// Volume, in litres.
        case volume
        /// Energy, in joules.
        case energy
        /// Length, in metres.
        case length
        /// Duration, in seconds.
        case duration
        /// Frequency, in times per second.
        case frequency
        /// A count of things, such as steps.
        case count
    }

    /// The unit as displayed and stored, such as `mg`.
    public let symbol: String
    /// The unit's dimension.
    public let dimension: Dimension
    /// The unit's size in the dimension's base unit.
    public let factor: Double
}

extension SampleUnit {
    /// Grams, the base unit of mass.
    public static let gram = SampleUnit(symbol: "g", dimension: .mass, factor: 1)
    /// Kilograms.
    public static let kilogram = SampleUnit(symbol: "kg", dimension: .mass, factor: 1_000)
    /// Milligrams.
    public static let milligram = SampleUnit(symbol: "mg", dimension: .mass, factor: 0.001)
    /// Micrograms.
    public static let microgram = SampleUnit(symbol: "µg", dimension: .mass, factor: 0.000_001)
    /// Avoirdupois ounces: a sixteenth of the international pound, which is 0.45359237 kg by the agreement of 1959
    /// (NIST Handbook 44, appendix C).
    public static let ounce = SampleUnit(symbol: "oz", dimension: .mass, factor: 28.349_523_125)
    /// International pounds: 0.45359237 kg (NIST Handbook 44, appendix C).
    public static let pound = SampleUnit(symbol: "lb", dimension: .mass, factor: 453.592_37)

    /// Litres, the base unit of volume.
    public static let litre = SampleUnit(symbol: "l", dimension: .volume, factor: 1)
    /// Millilitres.
    public static let millilitre = SampleUnit(symbol: "ml", dimension: .volume, factor: 0.001)
    /// US fluid ounces: a 128th of the US gallon of 231 cubic inches (NIST Handbook 44, appendix C).
    public static let fluidOunceUS = SampleUnit(symbol: "fl_oz_us", dimension: .volume, factor: 0.029_573_529_562_5)
    /// Imperial fluid ounces: a 160th of the gallon of 4.54609 l (Weights and Measures Act 1985, schedule 1).
    public static let fluidOunceImperial = SampleUnit(
        symbol: "fl_oz_imp", dimension: .volume, factor: 0.028_413_062_5)

    /// Joules, the base unit of energy.
    public static let joule = SampleUnit(symbol: "J", dimension: .energy, factor: 1)
    /// Kilojoules.
    public static let kilojoule = SampleUnit(symbol: "kJ", dimension: .energy, factor: 1_000)
    /// Thermochemical kilocalories, of 4.184 kJ: those of food labels (ISO 31-4, FAO).
    public static let kilocalorie = SampleUnit(symbol: "kcal", dimension: .energy, factor: 4_184)

    /// Metres, the base unit of length.
    public static let metre = SampleUnit(symbol: "m", dimension: .length, factor: 1)
    /// Centimetres.
    public static let centimetre = SampleUnit(symbol: "cm", dimension: .length, factor: 0.01)
    /// Kilometres.
    public static let kilometre = SampleUnit(symbol: "km", dimension: .length, factor: 1_000)

    /// Seconds, the base unit of duration.
    public static let second = SampleUnit(symbol: "s", dimension: .duration, factor: 1)
    /// Minutes.
    public static let minute = SampleUnit(symbol: "min", dimension: .duration, factor: 60)
    /// Hours.
    public static let hour = SampleUnit(symbol: "h", dimension: .duration, factor: 3_600)

    /// Times per second, the base unit of frequency.
    public static let perSecond = SampleUnit(symbol: "count/s", dimension: .frequency, factor: 1)
    /// Times per minute.
    public static let perMinute = SampleUnit(symbol: "count/min", dimension: .frequency, factor: 1.0 / 60)

    /// Counted things, the base unit of counts.
    public static let count = SampleUnit(symbol: "count", dimension: .count, factor: 1)

    /// All units.
    public static let all: [SampleUnit] = [
        gram, kilogram, milligram, microgram, ounce, pound, litre, millilitre, fluidOunceUS, fluidOunceImperial, joule,
        kilojoule, kilocalorie, metre, centimetre, kilometre, second, minute, hour, perSecond, perMinute, count,
    ]

    private static let bySymbol: [String: SampleUnit] = {
        var units = Dictionary(uniqueKeysWithValues: all.map { ($0.symbol, $0) })
        // HealthKit's spellings, and the Greek letter mu in place of the micro sign.
        for (alias, unit) in [
            ("mcg", microgram), ("\u{3bc}g", microgram), ("mL", millilitre), ("L", litre), ("Cal", kilocalorie),
        ] { units[alias] = unit }
        return units
    }()

    /// The unit with a symbol, such as `mg`; `nil` if there is none.
    public init?(symbol: String) {
        guard let unit = Self.bySymbol[symbol] else { return nil }
        self = unit
    }
}

extension SampleUnit: RawRepresentable, Codable, CustomStringConvertible {
    /// The symbol, which is also the encoded form.
    public var rawValue: String { symbol }
    /// The symbol.
    public var description: String { symbol }

    /// The unit with a symbol; `nil` if there is none.
    public init?(rawValue: String) { self.init(symbol: rawValue) }
}
