package import Foundation

/// The texts in which pages show times, sizes and counts: British English, in the server's time zone.
package enum Shown {
    private static let locale = Locale(identifier: "en_GB")
    private static let dayFormat = Date.FormatStyle(locale: locale, timeZone: .current)
        .day().month(.abbreviated).year()
    private static let timeFormat = dayFormat.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
    private static let numberFormat = IntegerFormatStyle<Int>(locale: locale)
}

extension Shown {
    /// A day, such as “22 Nov 2026”.
    package static func day(_ date: Date) -> String { date.formatted(dayFormat) }

    /// A day and a time, such as “22 Nov 2026, 09:05”.
    package static func time(_ date: Date) -> String { date.formatted(timeFormat) }

    /// A size in bytes, such as “1.2 MB”.
    package static func size(_ bytes: Int64) -> String {
        bytes.formatted(.byteCount(style: .file, spellsOutZero: false))
    }

    /// A number, such as “1,024”.
    package static func number(_ number: Int) -> String { number.formatted(numberFormat) }

    /// A number of things, such as “1 page” or “1,024 pages”.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - noun: The singular of what is counted, whose plural ends in “s”.
    /// - Returns: The text.
    package static func count(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(number(count)) \(noun)s"
    }
}
