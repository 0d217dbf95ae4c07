import EmojiArtModel
import Foundation
import HTTPTypes
import Site

/// The rules for a board's name.
enum BoardName {
    /// The name of a board that the user hasn't named.
    static let untitled = "Untitled"

    /// Normalizes typed text to a name on one line; `nil` if nothing visible was typed.
    ///
    /// Throws if the name is too long.
    static func normalized(_ text: String) throws(Problem) -> String? {
        let line = text.split(whereSeparator: \.isUnshown).joined(separator: " ")
        guard line.unicodeScalars.contains(where: \.isShown) else { return nil }
        guard line.utf8.count <= BoardLimits.nameBytes else {
            throw Problem(
                .unprocessableContent, title: "The name is too long",
                detail: """
                    It has \(line.utf8.count.formatted()) bytes, and the limit is \
                    \(BoardLimits.nameBytes.formatted()). Choose a shorter one.
                    """)
        }
        return line
    }

    /// Normalizes typed text to a name; throws if nothing visible was typed.
    static func required(_ text: String) throws(Problem) -> String {
        guard let name = try normalized(text) else {
            throw Problem(
                .unprocessableContent, title: "A name is missing",
                detail: "Enter a name with at least one visible character.")
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
