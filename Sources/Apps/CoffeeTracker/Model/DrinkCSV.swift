import Foundation

/// Drinks as comma-separated values (RFC 4180), for a spreadsheet.
package enum DrinkCSV {
    /// The table, with a row for each drink and a byte order mark, without which Excel doesn't read it as UTF-8.
    ///
    /// Dates and times are those of the drinker's clock.
    package static func text(of drinks: [Drink]) -> String {
        var zones: [String: TimeZone] = [:]
        var text = "\u{FEFF}" + line(CoffeeWords.columns)
        for drink in drinks {
            let zone = zones[drink.timeZone] ?? TimeZone(identifier: drink.timeZone) ?? .gmt
            zones[drink.timeZone] = zone
            let start = LocalTime(drink.start, in: zone)
            text += line([
                "\(start.day)", LocalTime.text(start.minutes), zone.identifier, drink.name,
                CoffeeFormatter.trimmed(drink.milligrams), drink.millilitres.map(number) ?? "",
                number(drink.sipping / 60), drink.start.formatted(.iso8601), drink.source.name,
            ])
        }
        return text
    }

    private static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    /// Escapes a field, by scalars: a quote before a combining mark is still a quote for other programs.
    ///
    /// A spreadsheet would run a name that begins like a formula, which another program may have written. An apostrophe makes
    /// it text. Programs differ in the spaces and line ends that they skip before a formula, or that end a line.
    static func field(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first { !$0.isBlank }.map { formulaStarts.contains($0) } ?? false
        let safe = isFormula ? "'" + text : text
        guard safe.unicodeScalars.contains(where: { $0 == "," || $0 == "\"" || $0.isControl }) else { return safe }
        var quoted = String.UnicodeScalarView()
        for scalar in safe.unicodeScalars {
            if scalar == "\"" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        return "\"" + String(quoted) + "\""
    }

    /// The last four are the wide forms, which spreadsheets in East Asian languages also accept.
    private static let formulaStarts: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// A number with at most two decimals: a volume typed in ounces, or a drinking time in seconds, has many.
    private static func number(_ value: Double) -> String {
        CoffeeFormatter.trimmed((value * 100).rounded() / 100)
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(properties.generalCategory)
    }

    fileprivate var isBlank: Bool { isControl || properties.isWhitespace || properties.generalCategory == .format }
}
