/// The limits of drinks; input is validated before it is stored.
package enum DrinkLimits {
    /// The maximum number of characters of a name.
    package static let nameCharacters = 60
    /// The maximum size in bytes of a name.
    package static let nameBytes = 8 * nameCharacters
    /// The maximum size in bytes of an emoji.
    package static let emojiBytes = 64
    /// The maximum caffeine of one drink, in milligrams; a cup as sold has less than half a gram.
    package static let milligrams = 2_000.0
    /// The maximum volume of a drink, in millilitres.
    package static let millilitres = 5_000.0
    /// The maximum sipping time, in seconds: twelve hours.
    package static let sipping = 12 * 3600.0
    /// How far a time may be in the future, in seconds, because clocks differ.
    package static let clockTolerance = 120.0
}

extension DrinkLimits {
    /// Validates amounts.
    package static func check(milligrams: Double, millilitres: Double?) throws(DrinkFault) {
        // No range contains NaN.
        guard (0...Self.milligrams).contains(milligrams) else { throw .milligrams(milligrams) }
        if let millilitres, !(millilitres > 0 && millilitres <= Self.millilitres) { throw .millilitres(millilitres) }
    }

    /// Validates times: the start and now in seconds since 1970, the sipping time in seconds.
    package static func check(start: Double, sipping: Double, now: Double) throws(DrinkFault) {
        guard (0...Self.sipping).contains(sipping) else { throw .sipping(sipping) }
        guard start.isFinite, start >= 0 else { throw .time }
        if start > now + clockTolerance { throw .future }
    }
}

/// Why a drink can't be logged; the messages are declared by the page and by the server.
package enum DrinkFault: Error, Hashable, Sendable {
    /// The name is empty, too long, or has more than one line.
    case name
    /// The text in place of an emoji is empty, or too long for one.
    case emoji
    /// The amount of caffeine is negative, not a number, or implausibly large.
    case milligrams(Double)
    /// The volume is negative, not a number, or implausibly large.
    case millilitres(Double)
    /// The sipping time in seconds is negative, not a number, or implausibly long.
    case sipping(Double)
    /// The time is in the future.
    case future
    /// The time is before 1970, or isn't a valid time.
    case time
}

extension DrinkFault {
    /// The fault's name for a page.
    package var name: String {
        switch self {
        case .name: "name"
        case .emoji: "emoji"
        case .milligrams: "milligrams"
        case .millilitres: "millilitres"
        case .sipping: "sipping"
        case .future: "future"
        case .time: "time"
        }
    }
}
