public import Foundation

/// A board as a file: the app's own format, or the course's `.emojiart`.
public struct ArtFile: Hashable, Sendable {
    /// What a file can be.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// The app's own: all that is on the board, as it is, and the background's picture.
        case meanwhile
        /// The course's: whole numbers, and the order of a list.
        case course
    }

    /// What the board is called; `nil` where the file does not say.
    public var name: String?
    /// What is on it.
    public var art: EmojiArt
    /// The background's picture.
    ///
    /// Where ``art`` has an address as its background, this is what was fetched from there. Else it *is* the background: whoever
    /// imports the file keeps it, and sets the background to what it is kept as.
    public var picture: KeptPicture?
    /// What could not be read as it was, for a person.
    public var notes: [String]

    /// A board as a file.
    public init(name: String?, art: EmojiArt, picture: KeptPicture? = nil, notes: [String] = []) {
        (self.name, self.art, self.picture, self.notes) = (name, art, picture, notes)
    }
}

extension ArtFile {
    package static let formatName = "meanwhile.emojiart"
    package static let version = 1
}

// MARK: Writing

extension ArtFile {
    /// Writes the board as a file.
    public func write(as format: Format) throws(ArtFileError) -> Data {
        do throws(ArtJSONError) {
            switch format {
            case .meanwhile: return try ArtJSON.data(OwnArtFile(self))
            case .course: return try ArtJSON.data(CourseArtFile(self))
            }
        } catch {
            throw .unwritable("\(error)")
        }
    }
}

/// Why a file cannot be read or written as a board.
public enum ArtFileError: Error, Hashable, Codable, Sendable, CustomStringConvertible {
    /// There is nothing in it.
    case empty
    /// It has more bytes than ``BoardLimits/importBytes``.
    case tooLarge(bytes: Int)
    /// It has more emoji than ``BoardLimits/emojis``, or more of anything than a board has.
    case tooMany
    /// A newer version of the program has written it.
    case fromTheFuture(version: Int)
    /// It is something else: the words say what.
    case anotherFormat(String)
    /// It is cut off or damaged: the words say where.
    case corrupt(String)
    /// It cannot be written: the words say why.
    case unwritable(String)

    /// The same for a person: what happened, and what to do now.
    public var description: String {
        switch self {
        case .empty: "The file is empty: there is no board in it. Look for another copy."
        case .tooLarge:
            "A board's file has at most \(BoardLimits.importBytes / 1_000_000) MB, and this one is larger. "
                + "Make the picture in it smaller."
        case .tooMany:
            "There is more in the file than a board takes, which is \(BoardLimits.emojis) emoji. Divide it into several."
        case .fromTheFuture(let version):
            "The file is of version \(version), which a newer Meanwhile has written; this one reads version "
                + "\(ArtFile.version). Nothing of it was read: open it with that version."
        case .anotherFormat(let what):
            "This is no emoji board, but \(what). Choose a file that ends in .emojiart or was exported as JSON."
        case .corrupt(let words): "The file is cut off or damaged. \(words) Look for another copy."
        case .unwritable(let why): "The board cannot be written to a file. \(why)"
        }
    }
}
