/// Why a board could not be made a file, or a file a board.
public enum BoardFileError: Error, Codable, Sendable, CustomStringConvertible {
    /// The board cannot be read, or not be kept.
    case store(BoardStoreError)
    /// The form has no file in it.
    case noFile
    /// The file is none of a board, or the board cannot be written to one.
    case file(ArtFileError)
    /// The picture would be without its background.
    case background(String)
    /// The picture could not be rendered.
    case rendering(String)
    /// It took too long, or was cancelled: the words say which.
    case unfinished(String)

    /// The same for a person: what happened, and what to do now.
    public var description: String {
        switch self {
        case .store(let error): "\(error)"
        case .file(let error): "\(error)"
        case .noFile: "There was no file. Choose a file to import, then try again."
        case .background(let why):
            "The background could not be shown, and the picture would be without it: \(why) Try again, or take the background "
                + "away first."
        case .rendering(let why): "The picture could not be made. \(why)"
        case .unfinished(let why): why
        }
    }
}
