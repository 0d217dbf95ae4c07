import EmojiArtModel
import Formats
package import Foundation
import HTTPTypes
import Site

/// The rules for a board's name.
package enum BoardName {
    /// The name that earlier versions gave to all new boards.
    private static let untitled = "Untitled"

    /// The name of a new board: the day, such as “22 Nov 2026”.
    package static func dated(_ date: Date) -> String {
        let formats = ReaderFormats.standard
        return formats.day(date, in: formats.zone)
    }

    /// The name of a board after its first emoji, such as “Dog face”; `nil` if the emoji has no name.
    static func named(after emoji: String) -> String? {
        let plain = emoji.unicodeScalars.filter { !$0.properties.isEmojiModifier }
        let name = EmojiSearch.name(of: String(String.UnicodeScalarView(plain))) ?? EmojiSearch.name(of: emoji)
        return name.map { "\($0.prefix(1).uppercased())\($0.dropFirst())" }
    }

    /// Whether a board with this name may be named after its first emoji; see ``isAutomatic(_:created:)``.
    static func mayBeAutomatic(_ name: String) -> Bool {
        name.hasPrefix(untitled) || name.first?.isNumber ?? false
    }

    /// Whether a board that was created on a date still has the name it was given then.
    static func isAutomatic(_ name: String, created: Date) -> Bool {
        [untitled, dated(created)].contains(unnumbered(name))
    }

    /// The name, with a number if another board has it, as in “Farm (2)”; unchanged if that is too long.
    static func unique(_ name: String, among others: [String]) -> String {
        let taken = Set(others)
        guard taken.contains(name) else { return name }
        let stem = unnumbered(name)
        let unique = (2...taken.count + 2).lazy.map { "\(stem) (\($0))" }.first { !taken.contains($0) }
        guard let unique, unique.utf8.count <= BoardLimits.nameBytes else { return name }
        return unique
    }

    /// The name without a number in parentheses at its end.
    private static func unnumbered(_ name: String) -> String {
        name.wholeMatch(of: /(.+) \([0-9]+\)/).map { String($0.output.1) } ?? name
    }

    /// Normalizes typed text to a name on one line; `nil` if nothing visible was typed.
    ///
    /// Throws if the name is too long.
    static func normalized(_ text: String) throws(Problem) -> String? {
        let line = text.split(whereSeparator: \.isUnshown).joined(separator: " ")
        guard line.unicodeScalars.contains(where: \.isShown) else { return nil }
        guard line.utf8.count <= BoardLimits.nameBytes else {
            throw Problem(
                .unprocessableContent, title: ArtWords.nameTooLong,
                detail: ArtWords.nameTooLongDetail(bytes: line.utf8.count, limit: BoardLimits.nameBytes))
        }
        return line
    }

    /// Normalizes typed text to a name; throws if nothing visible was typed.
    static func required(_ text: String) throws(Problem) -> String {
        guard let name = try normalized(text) else {
            throw Problem(
                .unprocessableContent, title: ArtWords.nameMissing, detail: ArtWords.nameMissingDetail)
        }
        return name
    }

    /// The name of a copy: “Beach copy”, then “Beach copy 2”, “Beach copy 3” and so on; the same name if that
    /// would be too long.
    static func copy(of name: String) -> String {
        var words = name.split(separator: " ")
        var copy = words.last == "copy" && words.count > 1 ? "\(name) 2" : "\(name) copy"
        if let last = words.last, let number = Int(last), number > 1, words.dropLast().last == "copy", number < .max {
            words[words.count - 1] = "\(number + 1)"
            copy = words.joined(separator: " ")
        }
        return copy.utf8.count <= BoardLimits.nameBytes ? copy : name
    }
}

extension Character {
    /// Whether the character is white space, or consists only of control characters.
    fileprivate var isUnshown: Bool {
        isWhitespace || isNewline || unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is visible by itself, rather than only formatting its neighbours.
    fileprivate var isShown: Bool {
        ![.control, .format, .spaceSeparator].contains(properties.generalCategory)
    }
}
