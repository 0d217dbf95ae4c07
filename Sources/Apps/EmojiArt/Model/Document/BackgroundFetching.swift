public import Foundation
import ImageInfo
public import Loading

/// What fetches the picture of an address for a board.
///
/// The model knows no HTTP: a fetcher stands behind this where the app is put together, and a test's own in tests.
public protocol BackgroundFetching: Sendable {
    /// Fetches what is to be had at an address; it ends soon when its task is cancelled.
    ///
    /// - Parameters:
    ///   - address: The address: http or https.
    ///   - limit: How many bytes may come; more are refused while they come in.
    ///   - progress: Told how much has arrived, on any thread and as often as it likes.
    /// - Returns: The picture.
    /// - Throws: Why it could not be had, with what to do about it: a ``BackgroundError/fetch(_:_:)``; or why what came is no
    ///   picture: a ``BackgroundError/picture(_:)``.
    func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture

    /// Checks a stored picture whose size is unknown: an earlier version stored it.
    ///
    /// - Parameter stored: All of its bytes.
    /// - Returns: The picture with its size.
    /// - Throws: Why it is not taken.
    func check(_ stored: Data) async throws(PictureError) -> CheckedPicture
}

/// Why a background cannot be shown.
public enum BackgroundError: Error, Hashable, Codable, Sendable {
    /// It could not be fetched: the words say what happened and what to do now; and whether it is worth trying again.
    case fetch(String, RetryAdvice)
    /// What came, or was kept, is no picture that boards take, or could not be kept.
    case picture(PictureError)
    /// The picture that was dropped or pasted is not kept, or no longer.
    case missing
}

extension BackgroundError: RetryAdvising {
    /// What may go better the next time: a fetch that says so, what was cut off, a store that has room again, and a
    /// board that was deleted and is back before its document has noticed.
    public var retryAdvice: RetryAdvice {
        switch self {
        case .fetch(_, let advice): advice
        case .picture(.image(let error)): error.code == .truncated ? .retry(after: nil) : .never
        case .picture(.store(.failed)), .picture(.store(.noBoard)): .retry(after: nil)
        case .picture(.bytes), .picture(.script), .picture(.store), .picture(.unfinished), .missing: .never
        }
    }
}

extension BackgroundError: CustomStringConvertible, LocalizedError {
    /// What happened, and what to do now.
    public var description: String {
        switch self {
        case .fetch(let words, _): words
        case .picture(let error): error.description
        case .missing: "The picture is no longer kept. Drop or paste it once more."
        }
    }

    /// What happened, and what to do now.
    public var errorDescription: String? { description }
}
