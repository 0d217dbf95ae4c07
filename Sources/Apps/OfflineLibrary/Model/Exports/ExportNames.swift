import Foundation

/// Names the folders of exported pages: readable, valid on every file system, and each different from the others.
///
/// A name begins with a date, so it never is one that Windows reserves, such as `CON`, or begins with a dot or a dash.
struct ExportNames {
    /// The maximum length of a title in a name, in characters and in bytes of UTF-8: with the other parts of a path, it is
    /// within the limits of Windows and Linux.
    private static let (maximumLength, maximumBytes) = (80, 160)

    /// The names so far, as file systems compare them.
    private var taken: Set<String> = []
    /// The number after which to look for a free one, by name.
    private var numbers: [String: Int] = [:]

    /// Returns the name of the next folder.
    ///
    /// - Parameters:
    ///   - title: The page's title, or its address; any text.
    ///   - date: When the page was saved.
    /// - Returns: The name.
    mutating func name(of title: String, at date: Date) -> String {
        let day = date.formatted(.iso8601.year().month().day()).filter { $0.isASCII && ($0.isNumber || $0 == "-") }
        let name = "\(day) \(Self.clean(title))"
        let key = Self.key(name)
        if taken.insert(key).inserted { return name }
        var number = numbers[key] ?? 2
        while !taken.insert(Self.key("\(name) (\(number))")).inserted { number += 1 }
        numbers[key] = number + 1
        return "\(name) (\(number))"
    }

    /// The name as file systems compare it: some ignore case and whether accents are separate scalars.
    private static func key(_ name: String) -> String {
        // In upper case, `ß` and `ss` are equal.
        name.uppercased().lowercased().precomposedStringWithCanonicalMapping
    }

    /// A title without anything that a file system or a person could misread.
    static func clean(_ title: String) -> String {
        var scalars = String.UnicodeScalarView()
        for scalar in title.unicodeScalars {
            let properties = scalar.properties
            if properties.isWhitespace || properties.generalCategory == .control {
                if let last = scalars.last, last != " " { scalars.append(" ") }
            } else if "/\\:*?\"<>|".unicodeScalars.contains(scalar) {
                scalars.append("-")
            } else if !properties.isDefaultIgnorableCodePoint,
                ![.format, .privateUse, .unassigned, .surrogate].contains(properties.generalCategory)
            {
                scalars.append(scalar)
            }
            // Enough for the longest name, also if the rest joins into fewer characters.
            if scalars.count > 4 * maximumLength { break }
        }
        var name = ""
        var (length, bytes) = (0, 0)
        for character in String(scalars).precomposedStringWithCanonicalMapping {
            length += 1
            bytes += character.utf8.count
            guard length <= maximumLength, bytes <= maximumBytes else { break }
            name.append(character)
        }
        // Windows removes dots and spaces at the end.
        let trimmed = name.trimmingCharacters(in: CharacterSet(charactersIn: ". "))
        return trimmed.isEmpty ? "page" : trimmed
    }
}
