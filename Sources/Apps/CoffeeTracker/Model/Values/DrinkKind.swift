public import Foundation

/// A kind of drink that can be logged with one tap.
public struct DrinkKind: Identifiable, Hashable, Sendable, Codable {
    /// Where its figures come from.
    public enum Origin: Hashable, Sendable, Codable {
        /// The sample application of WWDC21, whose figures are kept as they were.
        case sample
        /// A table that is named.
        ///
        /// - Parameter source: Who publishes it, and which.
        case sourced(_ source: String)
        /// The person who logs it.
        case own
    }

    /// What tells it apart: `sample/black-tea`, `sourced/espresso`, `own/` and a number.
    public let id: String
    /// What it is called.
    public var name: String
    /// One emoji that stands for it.
    public var emoji: String
    /// Its caffeine, in milligrams.
    public var milligrams: Double
    /// Its volume, in millilitres; `nil` if nobody said.
    public var millilitres: Double?
    /// Where its figures come from.
    public var origin: Origin

    /// Describes a kind of drink; see ``checked()``.
    ///
    /// - Parameters:
    ///   - id: What tells it apart.
    ///   - name: What it is called.
    ///   - emoji: One emoji.
    ///   - milligrams: Its caffeine, in milligrams.
    ///   - millilitres: Its volume, in millilitres.
    ///   - origin: Where its figures come from.
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
    /// One of it that was drunk.
    ///
    /// - Parameters:
    ///   - id: What tells the drink apart.
    ///   - start: When the first of it was drunk.
    ///   - sipping: For how long it was sipped, in seconds.
    ///   - timeZone: The zone that the drinker was in.
    /// - Returns: The drink.
    public func drink(id: UUID, at start: Date, sipping: TimeInterval = 0, timeZone: String) -> Drink {
        Drink(
            id: id, name: name, emoji: emoji, milligrams: milligrams, millilitres: millilitres, start: start,
            sipping: sipping, timeZone: timeZone)
    }
}
