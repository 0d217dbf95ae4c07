/// How times are written.
public enum ClockFormat: String, CaseIterable, Hashable, Sendable, Codable {
    /// `15:30`.
    case twentyFour = "24"
    /// `3:30 PM`.
    case twelve = "12"

    /// Formats minutes since midnight: `15:30` or `3:30 PM`.
    public func text(_ minutes: Int) -> String {
        switch self {
        case .twentyFour: LocalTime.text(minutes)
        case .twelve: "\(Self.hour(minutes)):\(LocalTime.text(minutes).suffix(2)) \(Self.half(minutes))"
        }
    }

    /// Formats an hour of the day for a scale: `15:00` or `3 PM`.
    public func text(hour: Int) -> String {
        switch self {
        case .twentyFour: LocalTime.text(hour * 60)
        case .twelve: "\(Self.hour(hour * 60)) \(Self.half(hour * 60))"
        }
    }

    private static func hour(_ minutes: Int) -> Int { (minutes / 60 + 11) % 12 + 1 }
    private static func half(_ minutes: Int) -> String { minutes < 12 * 60 ? "AM" : "PM" }
}

/// A unit of volumes.
public enum VolumeUnit: String, CaseIterable, Hashable, Sendable, Codable {
    /// Millilitres.
    case millilitres = "ml"
    /// Fluid ounces of the United States.
    case ounces = "oz"

    /// The unit's volume, in millilitres (for ounces: NIST Special Publication 811, appendix B.8).
    public var volume: Double {
        switch self {
        case .millilitres: 1
        case .ounces: 29.573_529_562_5
        }
    }

    /// The unit's symbol.
    public var symbol: String {
        switch self {
        case .millilitres: "ml"
        case .ounces: "fl oz"
        }
    }

    /// Formats a volume in millilitres: `355 ml` or `12 fl oz`.
    public func text(_ millilitres: Double) -> String {
        "\(CoffeeFormatter.number(millilitres / volume)) \(symbol)"
    }

    /// Formats a volume in millilitres for the field of a form: the exact millilitres, or ounces with two decimals.
    package func field(_ millilitres: Double) -> String {
        switch self {
        case .millilitres: CoffeeFormatter.trimmed(millilitres)
        case .ounces: CoffeeFormatter.trimmed((millilitres / volume * 100).rounded() / 100)
        }
    }
}
