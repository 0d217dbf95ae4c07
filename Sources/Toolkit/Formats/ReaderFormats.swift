package import Foundation

/// Formats dates, times, numbers and sizes for one reader: by the reader's language and region, in their time zone.
///
/// Words stay English, so a language other than English gets dates in digits, and all digits are Latin.
package struct ReaderFormats: Sendable, Hashable {
    /// The language and region, such as `de-AT`.
    package let language: String
    /// The time zone.
    package let zone: TimeZone
    private let locale: Locale
    private static let calendar = Calendar(identifier: .gregorian)

    /// Creates the formats of a reader.
    ///
    /// - Parameters:
    ///   - languages: The value of the header `Accept-Language`; without a known language, and for English without a
    ///     region, the formats are British.
    ///   - zone: The IANA name of the time zone; the server's if it is `nil` or unknown.
    package init(languages: String? = nil, zone: String? = nil) {
        let identifier = languages.flatMap(Self.identifier) ?? "en_GB"
        var components = Locale.Components(identifier: identifier)
        components.numberingSystem = Locale.NumberingSystem("latn")
        self.language = identifier.replacing("_", with: "-")
        self.locale = Locale(components: components)
        self.zone = zone.flatMap(Self.zone(named:)) ?? .current
    }
}

// MARK: - The reader being served

extension ReaderFormats {
    /// The formats for readers who are unknown, as on the command line.
    package static let standard = ReaderFormats()
    /// The formats of the reader whom the current task serves.
    package static let local = TaskLocal<ReaderFormats>(wrappedValue: standard)

    /// The formats of the reader whom the current task serves; otherwise ``standard``.
    package static var current: ReaderFormats { local.get() }

    /// The zone's name; all names of UTC are `UTC`, as in browsers.
    package var zoneName: String {
        ["GMT", "UTC", "UCT", "Zulu", "Universal"].contains(zone.identifier.replacing("Etc/", with: ""))
            ? "UTC" : zone.identifier
    }

    /// The known identifiers.
    ///
    /// Others are ignored, because caches keep every locale that was used.
    private static let identifiers = Set(Locale.availableIdentifiers)

    /// The identifier of the first known language in a header `Accept-Language`, which names the preferred one first.
    private static func identifier(in languages: String) -> String? {
        for language in languages.prefix(200).split(separator: ",").prefix(10) {
            let parts = language.split(separator: ";")
            guard let tag = parts.first?.trimmingCharacters(in: .whitespaces), !parts.contains(where: isZeroQuality)
            else { continue }
            let whole = tag.replacing("-", with: "_")
            let base = String(whole.prefix { $0 != "_" })
            if let known = [whole, base].first(where: { !$0.isEmpty && identifiers.contains($0) }) {
                // English without a known region could be American or British.
                return known == "en" ? nil : known
            }
        }
        return nil
    }

    /// Whether a part of a language in `Accept-Language` says that it isn't acceptable (RFC 9110, 12.4.2).
    private static func isZeroQuality(_ part: Substring) -> Bool {
        part.wholeMatch(of: /\s*[qQ]=0(\.0*)?\s*/) != nil
    }

    /// The time zone with an IANA name; `nil` if the name is unknown or too long.
    ///
    /// `TimeZone(identifier:)` would also accept a known name that a null character follows.
    package static func zone(named name: String) -> TimeZone? {
        guard name.utf8.count <= 64, name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_+\-\/]*/) != nil else { return nil }
        return TimeZone(identifier: name)
    }
}

// MARK: - Dates and times

extension ReaderFormats {
    /// Whether clocks in the reader's region count hours to 12.
    package var usesTwelveHours: Bool {
        locale.hourCycle == .oneToTwelve || locale.hourCycle == .zeroToEleven
    }

    /// A date and a time: `26 Nov 2026, 14:05`, `Nov 26, 2026, 2:05 PM` or `26.11.2026, 14:05`.
    package func dateAndTime(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970 + Double(zone.secondsFromGMT(for: date))
        let minutes = Int((seconds - (seconds / 86_400).rounded(.down) * 86_400) / 60)
        return "\(day(date, in: zone)), \(time(minutes: minutes))"
    }

    /// A date: `26 Nov 2026`, `Nov 26, 2026` or `26.11.2026`.
    ///
    /// - Parameters:
    ///   - date: A moment of the day.
    ///   - zone: The zone that determines the day.
    ///   - hasYear: Whether to include the year.
    /// - Returns: The date.
    package func day(_ date: Date, in zone: TimeZone, hasYear: Bool = true) -> String {
        let style = Date.FormatStyle(locale: locale, calendar: Self.calendar, timeZone: zone)
            .day().month(isEnglish ? .abbreviated : .defaultDigits)
        return date.formatted(hasYear ? style.year() : style)
    }

    /// A time of day: `14:05` or `2:05 PM`.
    ///
    /// - Parameters:
    ///   - minutes: Minutes since midnight.
    ///   - usesTwelveHours: Whether to count hours to 12; as usual in the reader's region by default.
    /// - Returns: The time.
    package func time(minutes: Int, usesTwelveHours: Bool? = nil) -> String {
        let (hour, rest) = (minutes / 60, Self.twoDigits(minutes % 60))
        guard usesTwelveHours ?? self.usesTwelveHours else { return "\(Self.twoDigits(hour)):\(rest)" }
        return "\((hour + 11) % 12 + 1):\(rest) \(hour < 12 ? "AM" : "PM")"
    }

    private var isEnglish: Bool { language == "en" || language.hasPrefix("en-") }

    private static func twoDigits(_ number: Int) -> String { "\(number < 10 ? "0" : "")\(number)" }
}

// MARK: - Numbers

extension ReaderFormats {
    /// A whole number: `1,234`, `1.234` or `1 234`.
    package func number(_ value: Int) -> String {
        value.formatted(IntegerFormatStyle<Int>(locale: locale))
    }

    /// A number with at most two decimals: `1,234.5` or `1.234,5`; with an exponent from 10¹⁵ on.
    package func number(_ value: Double) -> String {
        guard abs(value) < 1e15 else { return "\(value)" }
        // Adding zero makes a negative zero positive.
        return (value + 0).formatted(FloatingPointFormatStyle<Double>(locale: locale).precision(.fractionLength(0...2)))
    }

    /// A number of things: `1 page` or `1,024 pages`.
    ///
    /// - Parameters:
    ///   - count: The number.
    ///   - noun: The singular of what is counted, whose plural ends in “s”.
    /// - Returns: The text.
    package func count(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(number(count)) \(noun)s"
    }

    /// A number of bytes: `1.5 MB` or `1,5 MB`.
    package func size(_ bytes: some BinaryInteger) -> String {
        Int64(bytes).formatted(ByteCountFormatStyle(style: .file, spellsOutZero: false, locale: locale))
    }
}
