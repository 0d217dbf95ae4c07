import EmojiArtModel
import Foundation
import HTTPTypes
import Site

/// What a board may be called.
enum BoardName {
    /// What one is called of which nobody said it.
    static let untitled = "Untitled"

    /// A name that was typed, on one line; `nil` if nothing was.
    ///
    /// One that is too long is refused.
    static func ifAny(_ text: String) throws(Problem) -> String? {
        let line = text.split(whereSeparator: \.isUnshown).joined(separator: " ")
        guard line.unicodeScalars.contains(where: \.isShown) else { return nil }
        guard line.utf8.count <= BoardLimits.nameBytes else {
            throw Problem(
                .unprocessableContent, title: "The name is too long",
                detail: """
                    It takes \(line.utf8.count.formatted()) bytes, and there is room for \
                    \(BoardLimits.nameBytes.formatted()). Choose a shorter one.
                    """)
        }
        return line
    }

    /// A name that was typed, where there must be one.
    static func required(_ text: String) throws(Problem) -> String {
        guard let name = try ifAny(text) else {
            throw Problem(
                .unprocessableContent, title: "A name is missing",
                detail: "Nothing that can be seen was typed. Type a name, or leave it as it was.")
        }
        return name
    }

    /// What a copy is called: “Beach copy”, then “Beach copy 2”, “Beach copy 3” and so on.
    static func copy(of name: String) -> String {
        var words = name.split(separator: " ")
        if let last = words.last, let number = Int(last), number > 1, words.dropLast().last == "copy", number < .max {
            words[words.count - 1] = "\(number + 1)"
            return words.joined(separator: " ")
        }
        let copy = words.last == "copy" && words.count > 1 ? "\(name) 2" : "\(name) copy"
        return copy.utf8.count <= BoardLimits.nameBytes ? copy : name
    }
}

extension Character {
    /// Whether it is space, or would break the line or not be seen in a name.
    fileprivate var isUnshown: Bool {
        isWhitespace || isNewline || unicodeScalars.allSatisfy { $0.properties.generalCategory == .control }
    }
}

extension Unicode.Scalar {
    /// Whether it is seen by itself, and does not only shape its neighbours.
    fileprivate var isShown: Bool {
        ![.control, .format, .spaceSeparator].contains(properties.generalCategory)
    }
}
