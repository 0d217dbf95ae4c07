#if canImport(ModelJSON)
    import ModelJSON
#endif

/// A drink that was logged on a page.
package struct LoggedDrink: Hashable, Sendable {
    /// The drink's identifier, under which the server stores it once, however often it is sent: a UUID.
    package let id: String
    /// The name, such as “Espresso”.
    package var name: String
    /// One emoji.
    package var emoji: String
    /// The caffeine, in milligrams.
    package var milligrams: Double
    /// The volume, in millilitres, if it is known.
    package var millilitres: Double?
    /// When drinking began, in seconds since 1970.
    package var start: Double
    /// The drinking time, in seconds; zero if it was drunk at once.
    package var sipping: Double
    /// The IANA name of the drinker's time zone, such as `Europe/Vienna`.
    package var timeZone: String

    package init(
        id: String, name: String, emoji: String, milligrams: Double, millilitres: Double? = nil, start: Double,
        sipping: Double = 0, timeZone: String
    ) {
        (self.id, self.name, self.emoji, self.milligrams) = (id, name, emoji, milligrams)
        (self.millilitres, self.start, self.sipping, self.timeZone) = (millilitres, start, sipping, timeZone)
    }
}

extension LoggedDrink {
    /// Whether two drinks are the same, byte by byte: as in a browser, where texts aren't normalized.
    package static func == (first: LoggedDrink, second: LoggedDrink) -> Bool {
        zip(first.texts, second.texts).allSatisfy { compareBytes($0, $1) == 0 } && first.numbers == second.numbers
    }

    package func hash(into hasher: inout Hasher) {
        for byte in id.utf8 { hasher.combine(byte) }
        hasher.combine(numbers)
    }

    private var texts: [String] { [id, name, emoji, timeZone] }
    private var numbers: [Double?] { [milligrams, millilitres, start, sipping] }
}

extension LoggedDrink {
    /// The drink's contribution to the level.
    package var intake: DrinkIntake { DrinkIntake(start: start, sipping: sipping, milligrams: milligrams) }

    /// Whether a drink sorts before another, the newest first, and by identifier for equal times.
    package static func isNewer(_ first: LoggedDrink, _ second: LoggedDrink) -> Bool {
        first.start == second.start ? compareBytes(first.id, second.id) < 0 : first.start > second.start
    }

    /// Validates the drink, and returns it as the server stores it: its name trimmed, its times in whole milliseconds.
    ///
    /// The server checks what needs Unicode's tables: the number of characters in the name, and whether a text is one
    /// emoji.
    package func checked(now: Double) throws(DrinkFault) -> LoggedDrink {
        var drink = self
        drink.name = name.withoutOuterSpaces
        guard (1...DrinkLimits.nameBytes).contains(drink.name.utf8.count), drink.name.isOneLine else { throw .name }
        drink.emoji = emoji.withoutOuterSpaces
        guard (1...DrinkLimits.emojiBytes).contains(drink.emoji.utf8.count) else { throw .emoji }
        try DrinkLimits.check(milligrams: milligrams, millilitres: millilitres)
        try DrinkLimits.check(start: start, sipping: sipping, now: now)
        drink.start = start.wholeMilliseconds
        drink.sipping = sipping.wholeMilliseconds
        return drink
    }
}

extension String {
    /// The text without the spaces, tabs and line ends of ASCII at its ends.
    fileprivate var withoutOuterSpaces: String {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        let bytes = Array(utf8)
        guard let first = bytes.firstIndex(where: { !isSpace($0) }), let last = bytes.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self)
    }

    /// Whether the text has no control character and no separator of lines or paragraphs.
    fileprivate var isOneLine: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: false
            default: true
            }
        }
    }
}

extension LoggedDrink {
    /// A new identifier of a drink: a random UUID (RFC 9562, version 4), in capitals as Foundation writes it.
    package static func newID(using generator: inout some RandomNumberGenerator) -> String {
        var text: [UInt8] = []
        for index in 0..<16 {
            var byte = UInt8(truncatingIfNeeded: generator.next())
            if index == 6 { byte = byte & 0x0F | 0x40 }
            if index == 8 { byte = byte & 0x3F | 0x80 }
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digit(byte >> 4), digit(byte & 15)]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a text is a UUID in capitals: identifiers are compared as bytes.
    package static func isID(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 36
            && bytes.indices.allSatisfy { index in
                switch bytes[index] {
                case UInt8(ascii: "-"): [8, 13, 18, 23].contains(index)
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                    ![8, 13, 18, 23].contains(index)
                default: false
                }
            }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
