import Formats

/// How times are written.
public enum ClockFormat: String, CaseIterable, Hashable, Sendable, Codable {
    /// As usual in the reader's region.
    case automatic = "auto"
    /// `15:30`.
    case twentyFour = "24"
    /// `3:30 PM`.
    case twelve = "12"

    /// Formats minutes since midnight: `15:30` or `3:30 PM`.
    public func text(_ minutes: Int) -> String {
        ReaderFormats.current.time(minutes: minutes, usesTwelveHours: usesTwelveHours)
    }

    /// Formats an hour of the day for a scale: `15:00` or `3 PM`.
    public func text(hour: Int) -> String {
        let time = text(hour * 60)
        return usesTwelveHours ? time.replacing(":00", with: "") : time
    }

    /// Whether times are written with 12 hours: the owner's choice, or else the usage of the reader's region.
    package var usesTwelveHours: Bool {
        switch self {
        case .automatic: ReaderFormats.current.usesTwelveHours
        case .twentyFour: false
        case .twelve: true
        }
    }
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
        case .millilitres: CoffeeWords.millilitreSymbol
        case .ounces: CoffeeWords.ounceSymbol
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
