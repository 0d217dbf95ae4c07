public import Foundation

/// A caffeinated drink that the owner had.
public struct Drink: Identifiable, Hashable, Sendable, Codable {
    /// The drink's identifier, which is also its sync identifier in the health store.
    public let id: UUID
    /// The name, such as “Espresso”.
    public var name: String
    /// One emoji.
    public var emoji: String
    /// The caffeine, in milligrams.
    public var milligrams: Double
    /// The volume, in millilitres, if it is known.
    public var millilitres: Double?
    /// When drinking began.
    public var start: Date
    /// The drinking time, in seconds; zero if it was drunk at once.
    public var sipping: TimeInterval
    /// The IANA name of the drinker's time zone, such as `Europe/Vienna`.
    public var timeZone: String
    /// The program in which the drink was entered.
    public var source: DrinkSource

    /// Creates a drink without validating it; see ``checked(now:)``.
    public init(
        id: UUID, name: String, emoji: String, milligrams: Double, millilitres: Double? = nil, start: Date,
        sipping: TimeInterval = 0, timeZone: String, source: DrinkSource = .own
    ) {
        self.id = id
        self.name = name
        self.emoji = emoji
        self.milligrams = milligrams
        self.millilitres = millilitres
        self.start = start
        self.sipping = sipping
        self.timeZone = timeZone
        self.source = source
    }

    /// When drinking ended.
    public var end: Date { start.addingTimeInterval(sipping) }

    /// Whether a drink sorts before another, the newest first, and by identifier for equal times.
    public static func isNewer(_ first: Drink, _ second: Drink) -> Bool {
        first.start == second.start ? first.id.uuidString < second.id.uuidString : first.start > second.start
    }
}

/// The program in which a drink was entered, the only one that can change it.
public enum DrinkSource: Hashable, Sendable, Codable {
    /// Coffee Tracker.
    case own
    /// Another program, by its display name and its identifier in the health store.
    case other(name: String, identifier: String)
}
