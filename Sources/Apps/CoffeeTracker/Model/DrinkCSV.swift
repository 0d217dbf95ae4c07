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
    static func field(_ text: String) -> String {
        let safe = withoutFormulas(text)
        guard safe.contains(where: { $0 == "," || $0 == "\"" || $0.isControl }) else { return string(safe) }
        return "\"" + string(safe.flatMap { $0 == "\"" ? [$0, $0] : [$0] }) + "\""
    }

    /// Inserts an apostrophe, which makes a cell text, wherever a cell could begin like a formula.
    ///
    /// Another program may have written a name that begins like a formula, and a spreadsheet would run it. Spreadsheets
    /// differ in the spaces that they skip before a formula, and in the characters that they treat as line ends. In
    /// languages with a decimal comma, they separate cells at semicolons, even inside quotes.
    private static func withoutFormulas(_ text: String) -> [Unicode.Scalar] {
        var safe: [Unicode.Scalar] = []
        // Where to insert the apostrophe if a formula begins here; `nil` once the cell has visible text.
        var start: Int? = 0
        for scalar in text.unicodeScalars {
            if let place = start, formulaStarts.contains(scalar) { safe.insert("'", at: place) }
            safe.append(scalar)
            if scalar == ";" {
                start = safe.count
            } else if !scalar.isBlank {
                start = nil
            } else if start == nil, scalar.isControl {
                start = safe.count
            }
        }
        return safe
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
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
