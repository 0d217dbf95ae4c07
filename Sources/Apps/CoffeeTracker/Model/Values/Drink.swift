public import Foundation

/// A drink with caffeine that the owner had.
public struct Drink: Identifiable, Hashable, Sendable, Codable {
    /// The drink's number, which is its sync identifier in the health store.
    public let id: UUID
    /// The name, such as “Espresso”.
    public var name: String
    /// One emoji.
    public var emoji: String
    /// The caffeine, in milligrams.
    public var milligrams: Double
    /// The volume, in millilitres, if it is known.
    public var millilitres: Double?
    /// When the first of it was drunk.
    public var start: Date
    /// How long it was sipped, in seconds; zero if it was drunk at once.
    public var sipping: TimeInterval
    /// The IANA name of the drinker's zone, such as `Europe/Vienna`.
    public var timeZone: String
    /// The program that it was entered in.
    public var source: DrinkSource

    /// Describes a drink, unchecked: see ``checked(now:)``.
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

    /// When the last of it was drunk.
    public var end: Date { start.addingTimeInterval(sipping) }

    /// Whether a drink comes before another where the newest comes first; at the same time the number decides.
    public static func isNewer(_ first: Drink, _ second: Drink) -> Bool {
        first.start == second.start ? first.id.uuidString < second.id.uuidString : first.start > second.start
    }
}

/// The program in which a drink was entered, and in which alone it can be changed.
public enum DrinkSource: Hashable, Sendable, Codable {
    /// Coffee Tracker.
    case own
    /// Another program, by its name for people and its identifier in the health store.
    case other(name: String, identifier: String)
}
