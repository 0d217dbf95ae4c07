public import Foundation

// What a drink can be. What comes from outside is checked before it is kept.

extension Drink {
    /// The most characters of a name.
    public static let longestName = 60
    /// The most caffeine of one drink, in milligrams: more is a slip, or a danger.
    ///
    /// What is sold by the cup stays below half a gram.
    public static let mostMilligrams = 2_000.0
    /// The largest drink, in millilitres.
    public static let mostMillilitres = 5_000.0
    /// The longest time for which a drink is sipped, in seconds: twelve hours.
    public static let longestSipping: TimeInterval = 12 * 3600
    /// How far the clocks of two machines may be apart, in seconds, before a time is yet to come.
    public static let clockTolerance: TimeInterval = 120

    /// This drink, if it makes sense.
    ///
    /// - Parameter now: What time it is: no drink can be begun later.
    /// - Returns: The drink, its name without spaces round it, its times in whole milliseconds: as it is kept.
    /// - Throws: ``CoffeeError``: what is wrong with it, and what it can be.
    public func checked(now: Date) throws(CoffeeError) -> Drink {
        var drink = self
        drink.name = try Self.checkedName(name)
        drink.emoji = try Self.checkedEmoji(emoji)
        try Self.check(milligrams: milligrams, millilitres: millilitres)
        guard (0...Self.longestSipping).contains(sipping) else { throw .invalidSipping(sipping) }
        let time = start.timeIntervalSince1970
        guard time.isFinite, time >= 0 else { throw .invalidTime }
        if start > now.addingTimeInterval(Self.clockTolerance) { throw .future(start) }
        guard TimeZone(identifier: timeZone) != nil else { throw .unknownTimeZone(timeZone) }
        drink.start = start.wholeMilliseconds
        drink.sipping = sipping.wholeMilliseconds
        return drink
    }

    /// This drink with its numbers in ranges that everything can calculate with.
    ///
    /// A database may hold any number, and other programs write what ``checked(now:)`` would refuse. 100 g are the most
    /// that the health store takes.
    package var tolerated: Drink {
        var drink = self
        drink.milligrams = milligrams.clamped(to: 0...100_000)
        drink.millilitres = millilitres.flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
        // From the year 1 to 9999, and up to 31 years.
        let start = start.timeIntervalSince1970.clamped(to: -62_135_596_800...253_402_300_799)
        drink.start = Date(timeIntervalSince1970: start)
        drink.sipping = sipping.clamped(to: 0...1_000_000_000)
        return drink
    }

    static func checkedName(_ name: String) throws(CoffeeError) -> String {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        let isOneLine = !name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.isLineEnd }
        guard (1...longestName).contains(name.count), name.utf8.count <= 8 * longestName, isOneLine else {
            throw .invalidName
        }
        return name
    }

    static func checkedEmoji(_ text: String) throws(CoffeeError) -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.count == 1, text.utf8.count <= 64, let character = text.first, character.isOneEmoji else {
            throw .invalidEmoji(text)
        }
        return text
    }

    static func check(milligrams: Double, millilitres: Double?) throws(CoffeeError) {
        // No range contains what is not a number.
        guard (0...mostMilligrams).contains(milligrams) else { throw .invalidMilligrams(milligrams) }
        if let millilitres, !(millilitres > 0 && millilitres <= mostMillilitres) {
            throw .invalidMillilitres(millilitres)
        }
    }
}

extension Double {
    /// The value of a range that is nearest to it; the least for what is not a number.
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension DrinkKind {
    /// This kind, if it makes sense.
    ///
    /// - Returns: The kind, its name without spaces round it.
    /// - Throws: ``CoffeeError``: what is wrong with it, and what it can be.
    public func checked() throws(CoffeeError) -> DrinkKind {
        var kind = self
        kind.name = try Drink.checkedName(name)
        kind.emoji = try Drink.checkedEmoji(emoji)
        try Drink.check(milligrams: milligrams, millilitres: millilitres)
        return kind
    }
}

extension Character {
    /// Whether it is shown as an emoji: one by itself, or one that is asked to be (Unicode Technical Standard #51).
    fileprivate var isOneEmoji: Bool {
        guard let first = unicodeScalars.first else { return false }
        // A flag is two letters; one of them alone is none.
        if (0x1F1E6...0x1F1FF).contains(first.value) { return unicodeScalars.count == 2 }
        if first.properties.isEmojiPresentation { return true }
        return first.properties.isEmoji && unicodeScalars.contains { $0.value == 0xFE0F }
    }
}

extension Unicode.Scalar {
    fileprivate var isLineEnd: Bool { [.lineSeparator, .paragraphSeparator].contains(properties.generalCategory) }
}
