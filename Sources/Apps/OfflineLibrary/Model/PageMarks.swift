import Foundation

/// A word or a few by which people find pages again.
///
/// Tags that differ only in case, width or accents are the same.
public struct PageTag: Sendable, CustomStringConvertible {
    /// The maximum length of a name, in Unicode scalars; the rest is cut off.
    public static let maximumLength = 60

    /// The name, on one line.
    public let name: String
    /// What the names of the same tag have in common.
    public let key: String

    /// Creates a tag.
    ///
    /// - Parameter text: The name as typed; `nil` is returned if nothing of it can be seen. Commas separate tags, so they
    ///   become spaces.
    public init?(_ text: String) {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            scalar == "," || scalar.properties.generalCategory == .control ? " " : scalar
        }
        let name = String(String.UnicodeScalarView(scalars)).split(whereSeparator: \.isWhitespace)
            .joined(separator: " ").unicodeScalars.prefix(Self.maximumLength)
        self.name = String(String.UnicodeScalarView(name)).trimmingCharacters(in: .whitespaces)
        key = self.name.precomposedStringWithCompatibilityMapping
            .folding(options: [.caseInsensitive, .diacriticInsensitive, .widthInsensitive], locale: nil)
        guard key.unicodeScalars.contains(where: { $0.isSearchable || $0.properties.isEmojiPresentation }) else {
            return nil
        }
    }

    /// The name.
    public var description: String { name }

    /// The tags of a text in which commas separate them, each once.
    public static func tags(in text: String) -> [PageTag] {
        var keys: Set<String> = []
        return text.split(whereSeparator: { $0 == "," || $0.isNewline }).compactMap { PageTag(String($0)) }
            .filter { keys.insert($0.key).inserted }
    }
}

extension PageTag: Hashable {
    /// Whether both are the same tag.
    public static func == (tag: PageTag, other: PageTag) -> Bool { tag.key == other.key }

    /// Hashes the key.
    public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// What people add to a page: a star, tags and a note.
public struct PageMarks: Sendable {
    /// The maximum number of tags.
    public static let maximumTags = 50
    /// The maximum length of a note, in Unicode scalars.
    public static let maximumNoteLength = 10_000

    /// Whether the page is a favourite.
    public var isFavourite = false
    /// The tags, in the order in which they were added.
    public var tags: [PageTag] = []
    /// The note; empty if there is none.
    public var note = ""

    /// Creates the marks of a page without any.
    public init() {}

    /// Creates marks.
    ///
    /// - Parameters:
    ///   - isFavourite: Whether the page is a favourite.
    ///   - tags: The tags.
    ///   - note: The note as typed.
    /// - Throws: ``LibraryError/invalidMarks(_:)`` if there are too many tags, or the note is too long.
    public init(isFavourite: Bool, tags: [PageTag], note: String) throws(LibraryError) {
        self.isFavourite = isFavourite
        var keys: Set<String> = []
        self.tags = tags.filter { keys.insert($0.key).inserted }
        self.note = Self.plainNote(note)
        try check()
    }

    /// A note without control characters, and without white space around it.
    private static func plainNote(_ note: String) -> String {
        // Browsers send lines that end with a carriage return, too.
        let plain = note.replacing("\r\n", with: "\n").unicodeScalars.filter {
            $0 == "\n" || $0 == "\t" || $0.properties.generalCategory != .control
        }
        return String(String.UnicodeScalarView(plain)).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The note of an imported page: one that is too long is cut off, and ends with words that say so.
    static func importedNote(_ note: String) -> String {
        let plain = plainNote(note)
        guard plain.unicodeScalars.count > maximumNoteLength else { return plain }
        let end = "… \(LibraryWords.noteWasCutOff)"
        let start = plain.unicodeScalars.prefix(maximumNoteLength - end.unicodeScalars.count)
        return String(String.UnicodeScalarView(start)) + end
    }

    /// Creates the marks of an imported page, without the tags over the limit.
    ///
    /// - Parameters:
    ///   - tags: The tags' names in the import.
    ///   - note: The note in the import.
    ///   - list: The other pages, whose names of the tags are used.
    init(importedTags tags: [String], note: String, in list: PageList) {
        self.note = note
        var keys: Set<String> = []
        let new = tags.compactMap { PageTag($0) }.filter { keys.insert($0.key).inserted }
        self.tags = list.known(Array(new.prefix(Self.maximumTags)))
    }

    /// Throws ``LibraryError/invalidMarks(_:)`` if there are too many tags, or the note is too long.
    func check() throws(LibraryError) {
        guard tags.count <= Self.maximumTags else {
            throw .invalidMarks(LibraryWords.tooManyTags(limit: Self.maximumTags))
        }
        guard note.unicodeScalars.count <= Self.maximumNoteLength else {
            throw .invalidMarks(LibraryWords.noteTooLong(limit: Self.maximumNoteLength))
        }
    }
}

extension PageMarks: Hashable {
    /// Whether both are the same, with the same names of tags.
    public static func == (marks: PageMarks, other: PageMarks) -> Bool {
        marks.isFavourite == other.isFavourite && marks.note == other.note
            && marks.tags.map(\.name) == other.tags.map(\.name)
    }

    /// Hashes the note and the number of tags.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(note)
        hasher.combine(tags.count)
    }
}

/// A tag, and the number of pages that have it.
public struct TagCount: Hashable, Sendable {
    /// The tag, as it was first written.
    public let tag: PageTag
    /// The number of pages that have it and aren't deleted.
    public let count: Int
}
