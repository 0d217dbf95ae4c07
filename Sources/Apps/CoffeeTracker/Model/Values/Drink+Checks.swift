import Formats
public import Foundation

// The limits of drinks; input is validated before it is stored.

extension Drink {
    /// The maximum number of characters of a name.
    public static let maximumNameLength = DrinkLimits.nameCharacters
    /// The maximum caffeine of one drink, in milligrams; a cup as sold has less than half a gram.
    public static let maximumMilligrams = DrinkLimits.milligrams
    /// The maximum volume of a drink, in millilitres.
    public static let maximumMillilitres = DrinkLimits.millilitres
    /// The maximum sipping time, in seconds: twelve hours.
    public static let longestSipping: TimeInterval = DrinkLimits.sipping
    /// How far a time may be in the future, in seconds, because clocks differ.
    public static let clockTolerance: TimeInterval = DrinkLimits.clockTolerance

    /// Validates the drink, and returns it as stored: its name trimmed, its times in whole milliseconds.
    public func checked(now: Date) throws(CoffeeError) -> Drink {
        var drink = self
        drink.name = try Self.checkedName(name)
        drink.emoji = try Self.checkedEmoji(emoji)
        try Self.check(milligrams: milligrams, millilitres: millilitres)
        do throws(DrinkFault) {
            try DrinkLimits.check(
                start: start.timeIntervalSince1970, sipping: sipping, now: now.timeIntervalSince1970)
        } catch {
            throw CoffeeError(error, of: start)
        }
        guard ReaderFormats.zone(named: timeZone) != nil else { throw .unknownTimeZone(timeZone) }
        drink.start = start.wholeMilliseconds
        drink.sipping = sipping.wholeMilliseconds
        return drink
    }

    /// The drink with its numbers clamped to ranges that are safe to calculate with, and without an invalid volume.
    ///
    /// The database may hold any number, and other programs write drinks that ``checked(now:)`` rejects. The health
    /// store accepts up to 100 g.
    package var sanitized: Drink {
        var drink = self
        drink.milligrams = milligrams.clamped(to: 0...100_000)
        drink.millilitres = millilitres.flatMap { $0 > 0 && $0 <= 1_000_000 ? $0 : nil }
        // The start is in the years 1 to 9999, and the sipping time is at most 31 years.
        let start = start.timeIntervalSince1970.clamped(to: -62_135_596_800...253_402_300_799)
        drink.start = Date(timeIntervalSince1970: start)
        drink.sipping = sipping.clamped(to: 0...1_000_000_000)
        return drink
    }

    static func checkedName(_ name: String) throws(CoffeeError) -> String {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        let isOneLine = !name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0.isLineEnd }
        guard (1...maximumNameLength).contains(name.count), name.utf8.count <= DrinkLimits.nameBytes, isOneLine else {
            throw .invalidName
        }
        return name
    }

    static func checkedEmoji(_ text: String) throws(CoffeeError) -> String {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.count == 1, text.utf8.count <= DrinkLimits.emojiBytes, let character = text.first,
            character.isOneEmoji
        else {
            throw .invalidEmoji(text)
        }
        return text
    }

    static func check(milligrams: Double, millilitres: Double?) throws(CoffeeError) {
        do throws(DrinkFault) {
            try DrinkLimits.check(milligrams: milligrams, millilitres: millilitres)
        } catch {
            throw CoffeeError(error, of: .distantPast)
        }
    }
}

extension Double {
    /// The nearest value in a range; the lower bound for NaN.
    fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension DrinkKind {
    /// Validates the kind, and returns it with its name trimmed.
    public func checked() throws(CoffeeError) -> DrinkKind {
        var kind = self
        kind.name = try Drink.checkedName(name)
        kind.emoji = try Drink.checkedEmoji(emoji)
        try Drink.check(milligrams: milligrams, millilitres: millilitres)
        return kind
    }
}

extension Character {
    /// Whether it is displayed as an emoji, by itself or with a variation selector (Unicode Technical Standard #51).
    fileprivate var isOneEmoji: Bool {
        guard let first = unicodeScalars.first else { return false }
        // A flag consists of two regional indicators.
        if (0x1F1E6...0x1F1FF).contains(first.value) { return unicodeScalars.count == 2 }
        if first.properties.isEmojiPresentation { return true }
        return first.properties.isEmoji && unicodeScalars.contains { $0.value == 0xFE0F }
    }
}

extension Unicode.Scalar {
    fileprivate var isLineEnd: Bool { [.lineSeparator, .paragraphSeparator].contains(properties.generalCategory) }
}
