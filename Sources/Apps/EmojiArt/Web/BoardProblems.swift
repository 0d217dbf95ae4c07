public import EmojiArtModel
import HTTPTypes
import ImageInfo
import Persistence
public import Site

extension BoardStoreError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .notFound: Problem(.notFound, title: ArtWords.boardNotFound, detail: description)
        case .exists: Problem(.conflict, title: ArtWords.boardExists, detail: description)
        case .invalid: Problem(.unprocessableContent, title: ArtWords.notSaved, detail: description)
        case .newerVersion:
            Problem(.internalServerError, title: ArtWords.newerVersion, detail: description)
        case .overBudget(let reason):
            Problem(.init(code: reason.statusCode), title: reason.title, detail: reason.message)
        case .failed:
            Problem(.internalServerError, title: ArtWords.boardsFailed, detail: description)
        }
    }
}

extension PictureError: PresentableError {
    /// The problem to present.
    public var problem: Problem {
        switch self {
        case .bytes: Problem(.contentTooLarge, title: ArtWords.pictureTooLarge, detail: description)
        case .image(let error):
            switch error.code {
            case .notAnImage, .unsupported:
                Problem(.unsupportedMediaType, title: ArtWords.pictureNotSupported, detail: description)
            default: Problem(.unprocessableContent, title: ArtWords.pictureNotShown, detail: description)
            }
        case .script: Problem(.unprocessableContent, title: ArtWords.pictureHasScript, detail: description)
        case .store(let error): error.problem
        case .unfinished: Problem(.serviceUnavailable, title: ArtWords.pictureNotRead, detail: description)
        }
    }
}

extension Problem {
    /// The server is shutting down, and opens no more boards.
    static let boardsShuttingDown = Problem(
        .serviceUnavailable, title: ArtWords.shuttingDown,
        detail: ArtWords.shuttingDownDetail)

    static let noSuchBoard = Problem(
        .notFound, title: ArtWords.boardNotFound,
        detail: ArtWords.noSuchBoardDetail)

    /// The page's copy of the board comes from an earlier server process.
    static let earlierEpoch = Problem(
        .conflict, title: ArtWords.restarted,
        detail: ArtWords.restartedDetail)

    /// The request's body isn't a batch of operations.
    static func noBatch(_ why: String) -> Problem {
        Problem(
            .badRequest, title: ArtWords.changeNotRead,
            detail: ArtWords.changeNotReadDetail(why))
    }

    static let batchTooLarge = Problem(
        .contentTooLarge, title: ArtWords.tooManyChanges,
        detail: ArtWords.tooManyChangesDetail(limit: BoardLimits.batchBytes))

    static let pictureTooLarge = Problem(
        .contentTooLarge, title: ArtWords.pictureTooLarge,
        detail: ArtWords.pictureTooLargeDetail(limit: BoardLimits.pictureBytes))

    static let noPicture = Problem(
        .notFound, title: ArtWords.noPicture,
        detail: ArtWords.noPictureDetail)
}
