/// A unit of a fixed set: its symbol is stored with each sample, and means the same in every program.
public struct SampleUnit: Hashable, Sendable {
    /// What units measure: units convert into others of the same dimension only.
    public enum Dimension: String, Hashable, Sendable, Codable, CaseIterable {
        /// In grams.
        case mass
        /// In litres.
        case volume
        /// In joules.
        case energy
        /// In metres.
        case length
        /// In seconds.
        case duration
        /// In times a second.
        case frequency
        /// Of things, or of steps.
        case count
    }

    /// The unit as it is written and stored, such as `mg`.
    public let symbol: String
    /// What it measures.
    public let dimension: Dimension
    /// How many of the dimension's base unit it is.
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

    /// Times a second, the base unit of frequency.
    public static let perSecond = SampleUnit(symbol: "count/s", dimension: .frequency, factor: 1)
    /// Times a minute.
    public static let perMinute = SampleUnit(symbol: "count/min", dimension: .frequency, factor: 1.0 / 60)

    /// Things, the base unit of counting.
    public static let count = SampleUnit(symbol: "count", dimension: .count, factor: 1)

    /// Every unit there is.
    public static let all: [SampleUnit] = [
        gram, kilogram, milligram, microgram, ounce, pound, litre, millilitre, fluidOunceUS, fluidOunceImperial, joule,
        kilojoule, kilocalorie, metre, centimetre, kilometre, second, minute, hour, perSecond, perMinute, count,
    ]

    private static let bySymbol: [String: SampleUnit] = {
        var units = Dictionary(uniqueKeysWithValues: all.map { ($0.symbol, $0) })
        // Apple Health's spellings, and both signs that look like a mu.
        for (alias, unit) in [
            ("mcg", microgram), ("\u{3bc}g", microgram), ("mL", millilitre), ("L", litre), ("Cal", kilocalorie),
        ] { units[alias] = unit }
        return units
    }()

    /// The unit of a symbol, such as `mg`; `nil` if there is none.
    public init?(symbol: String) {
        guard let unit = Self.bySymbol[symbol] else { return nil }
        self = unit
    }
}

extension SampleUnit: RawRepresentable, Codable, CustomStringConvertible {
    /// The symbol, which is also what a coder writes.
    public var rawValue: String { symbol }
    /// The symbol.
    public var description: String { symbol }

    /// The unit of a symbol; `nil` if there is none.
    public init?(rawValue: String) { self.init(symbol: rawValue) }
}
