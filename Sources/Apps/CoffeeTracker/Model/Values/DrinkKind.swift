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

    /// The kind's id, such as `sample/black-tea`, `sourced/espresso`, or `own/` and a number.
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

    /// Describes a kind of drink, unchecked: see ``checked()``.
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
    /// A drink of this kind, sipped for some seconds, by a drinker in a zone.
    public func drink(id: UUID, at start: Date, sipping: TimeInterval = 0, timeZone: String) -> Drink {
        Drink(
            id: id, name: name, emoji: emoji, milligrams: milligrams, millilitres: millilitres, start: start,
            sipping: sipping, timeZone: timeZone)
    }
}
