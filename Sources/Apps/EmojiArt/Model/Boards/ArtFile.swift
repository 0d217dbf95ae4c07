public import Foundation

/// A board as a file: the app's own format, or the course's `.emojiart`.
public struct ArtFile: Hashable, Sendable {
    /// The file formats.
    public enum Format: String, Hashable, Sendable, CaseIterable {
        /// The app's own format: everything on the board without rounding, and the background's picture.
        case meanwhile
        /// The course's format: whole numbers, with the list's order as the drawing order.
        case course
    }

    /// The board's name; `nil` if the file has none.
    public var name: String?
    /// The board's contents.
    public var art: EmojiArt
    /// The background's picture.
    ///
    /// If the background of ``art`` is an address, this is the picture fetched from there. Otherwise this picture *is*
    /// the background: the importer stores it, and sets the background to the stored picture.
    public var picture: PictureContent?
    /// Messages for the user about what couldn't be imported unchanged.
    public var notes: [String]

    /// Creates a file from a board's name, contents and picture.
    public init(name: String?, art: EmojiArt, picture: PictureContent? = nil, notes: [String] = []) {
        (self.name, self.art, self.picture, self.notes) = (name, art, picture, notes)
    }
}

extension ArtFile {
    package static let formatName = "meanwhile.emojiart"
    package static let version = 1
}

// MARK: Encoding

extension ArtFile {
    /// Encodes the board in a format.
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
    /// The file is empty.
    case empty
    /// The file has more bytes than ``BoardLimits/importBytes``.
    case tooLarge(bytes: Int)
    /// The file has more emoji than ``BoardLimits/emojis``, or exceeds another limit of a board.
    case tooMany
    /// A newer version of the program wrote the file.
    case newerVersion(version: Int)
    /// The file is of another kind; the text says which.
    case anotherFormat(String)
    /// The file is truncated or damaged; the text says where.
    case corrupt(String)
    /// The board can't be encoded; the text says why.
    case unwritable(String)

    // Results of jobs are stored with these keys, which are older than the names of the cases.
    private enum CodingKeys: String, CodingKey {
        case empty, tooLarge, tooMany, anotherFormat, corrupt, unwritable
        case newerVersion = "fromTheFuture"
    }

    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .empty: ArtWords.emptyFile
        case .tooLarge: ArtWords.boardFileTooLarge(megabytes: BoardLimits.importBytes / 1_000_000)
        case .tooMany: ArtWords.boardFileTooFull(limit: BoardLimits.emojis)
        case .newerVersion(let version): ArtWords.boardFileFromNewerVersion(version, own: ArtFile.version)
        case .anotherFormat(let what): ArtWords.notAnEmojiBoard(what)
        case .corrupt(let words): ArtWords.damagedFile(words)
        case .unwritable(let why): ArtWords.notWritten(why)
        }
    }
}
