/// Why a board can't be exported, or a file can't be imported as a board.
public enum BoardFileError: Error, Codable, Sendable, CustomStringConvertible {
    /// The board can't be read or stored.
    case store(BoardStoreError)
    /// The form contains no file.
    case noFile
    /// The file isn't a board file, or the board can't be encoded.
    case file(ArtFileError)
    /// The background can't be shown, so the rendered picture would lack it.
    case background(String)
    /// Rendering failed.
    case rendering(String)
    /// The job didn't finish, for example because it was cancelled or took too long; the text says why.
    case unfinished(String)

    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .store(let error): "\(error)"
        case .file(let error): "\(error)"
        case .noFile: ArtWords.noFileChosen
        case .background(let why): ArtWords.backgroundMissing(why)
        case .rendering(let why): ArtWords.pictureCouldNotBeMade(why)
        case .unfinished(let why): why
        }
    }
}
