public import Foundation

/// A kind of drink that can be logged with one tap.
public struct DrinkKind: Identifiable, Hashable, Sendable, Codable {
    /// The origin of its figures.
    public enum Origin: Hashable, Sendable, Codable {
        /// The sample application of WWDC21.
        case sample
        /// A published table.
        case sourced(_ source: String)
        /// The owner.
        case own
    }

    /// The kind's id, such as `sample/black-tea` or `sourced/espresso`, or `own/` followed by a UUID.
    public let id: String
    /// The name.
    public var name: String
    /// One emoji.
    public var emoji: String
    /// The caffeine, in milligrams.
    public var milligrams: Double
    /// The volume, in millilitres, if it is known.
    public var millilitres: Double?
    /// The origin of its figures.
    public var origin: Origin

    /// Creates a kind without validating it; see ``checked()``.
    public init(
        id: String, name: String, emoji: String, milligrams: Double, millilitres: Double? = nil,
        origin: Origin = .own
    ) {
        self.id = id
        self.name = name
        self.emoji = emoji
        self.milligrams = milligrams
        self.millilitres = millilitres
        self.origin = origin
    }
}

extension DrinkKind {
    /// Creates a drink of this kind, with a sipping time in seconds and the drinker's time zone.
    public func drink(id: UUID, at start: Date, sipping: TimeInterval = 0, timeZone: String) -> Drink {
        Drink(
            id: id, name: name, emoji: emoji, milligrams: milligrams, millilitres: millilitres, start: start,
            sipping: sipping, timeZone: timeZone)
    }
}
