public import EmojiArtModel
import HTTPTypes
import ImageInfo
import Persistence
public import Site

extension BoardStoreError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .notFound: Problem(.notFound, title: "Board not found", detail: description)
        case .exists: Problem(.conflict, title: "The board exists already", detail: description)
        case .invalid: Problem(.unprocessableContent, title: "Couldn’t save that", detail: description)
        case .newerVersion:
            Problem(.internalServerError, title: "Made by a newer version", detail: description)
        case .overBudget(let reason):
            Problem(.init(code: reason.statusCode), title: reason.title, detail: reason.message)
        case .failed:
            Problem(.internalServerError, title: "EmojiArt couldn’t read or save its data", detail: description)
        }
    }
}

extension PictureError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .bytes: Problem(.contentTooLarge, title: "The picture is too large", detail: description)
        case .image(let error):
            switch error.code {
            case .notAnImage, .unsupported:
                Problem(.unsupportedMediaType, title: "Not a supported picture", detail: description)
            default: Problem(.unprocessableContent, title: "The picture can’t be shown", detail: description)
            }
        case .script: Problem(.unprocessableContent, title: "The picture contains a script", detail: description)
        case .store(let error): error.problem
        case .unfinished: Problem(.serviceUnavailable, title: "Couldn’t read the picture", detail: description)
        }
    }
}

extension Problem {
    /// The server is shutting down, and opens no more boards.
    static let boardsShuttingDown = Problem(
        .serviceUnavailable, title: "The server is stopping",
        detail: "Nothing was changed. Start it again, then reload the page.")

    static let noSuchBoard = Problem(
        .notFound, title: "Board not found",
        detail: "The address may be wrong, or the board was deleted. Look for it in the list of boards.")

    /// The page's copy of the board comes from an earlier server process.
    static let earlierEpoch = Problem(
        .conflict, title: "The server was restarted",
        detail: "This page may show an outdated board. Reload it.")

    /// The request's body isn't a batch of operations.
    static func noBatch(_ why: String) -> Problem {
        Problem(
            .badRequest, title: "The change couldn’t be read",
            detail: "\(why) Nothing was changed. Reload the page and try again.")
    }

    static let batchTooLarge = Problem(
        .contentTooLarge, title: "Too many changes at once",
        detail: """
            A change can be up to \(megabytes(BoardLimits.batchBytes)), and this one is larger. Nothing was changed. \
            Make smaller changes.
            """)

    static let pictureTooLarge = Problem(
        .contentTooLarge, title: "The picture is too large",
        detail: """
            A picture can be up to \(megabytes(BoardLimits.pictureBytes)), and this one is larger. It was not saved. \
            Make it smaller, or choose another one.
            """)

    static let noPicture = Problem(
        .notFound, title: "Picture not found",
        detail: "This board does not use it. Reload the page.")

    static func megabytes(_ bytes: Int) -> String { "\(bytes / 1_000_000) MB" }
}
