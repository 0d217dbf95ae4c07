public import Foundation

/// Something with caffeine that somebody drank.
public struct Drink: Identifiable, Hashable, Sendable, Codable {
    /// What tells it apart, here and in the health store: its sync identifier there.
    public let id: UUID
    /// What it is called, such as “Espresso”.
    public var name: String
    /// One emoji that stands for it.
    public var emoji: String
    /// Its caffeine, in milligrams.
    public var milligrams: Double
    /// Its volume, in millilitres; `nil` if nobody said.
    public var millilitres: Double?
    /// When the first of it was drunk.
    public var start: Date
    /// For how long it was sipped, in seconds; zero if it was drunk at once.
    public var sipping: TimeInterval
    /// The zone that the drinker was in, by its IANA name, such as `Europe/Vienna`.
    public var timeZone: String
    /// Who says so.
    public var source: DrinkSource

    /// Describes a drink; it is not looked at whether it makes sense, see ``checked(now:)``.
    ///
    /// - Parameters:
    ///   - id: What tells it apart.
    ///   - name: What it is called.
    ///   - emoji: One emoji.
    ///   - milligrams: Its caffeine, in milligrams.
    ///   - millilitres: Its volume, in millilitres.
    ///   - start: When the first of it was drunk.
    ///   - sipping: For how long it was sipped, in seconds.
    ///   - timeZone: The zone that the drinker was in, by its IANA name.
    ///   - source: Who says so.
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

    /// Whether a drink comes before another where the newest comes first.
    ///
    /// - Parameters:
    ///   - first: A drink.
    ///   - second: Another drink; of two that were begun at once, the number decides.
    /// - Returns: Whether the first is the newer one.
    public static func isNewer(_ first: Drink, _ second: Drink) -> Bool {
        first.start == second.start ? first.id.uuidString < second.id.uuidString : first.start > second.start
    }
}

/// Who says that a drink was drunk.
public enum DrinkSource: Hashable, Sendable, Codable {
    /// It was entered in Coffee Tracker; it can be changed here.
    case own
    /// It came from another program by way of the health store, which is where it can be changed.
    ///
    /// - Parameters:
    ///   - name: What people call the program.
    ///   - identifier: What the health store calls it.
    case other(name: String, identifier: String)
}
