public import Foundation
import ImageInfo
public import Loading

/// Fetches the pictures of addresses for a board.
///
/// The model knows no HTTP: the app injects a fetcher when it is assembled, and tests inject their own.
public protocol BackgroundFetching: Sendable {
    /// Fetches the picture at an address; returns soon after its task is cancelled.
    ///
    /// - Parameters:
    ///   - address: The address, http or https.
    ///   - limit: The maximum number of bytes; a longer response is refused while it arrives.
    ///   - progress: Called with the bytes received so far, on any thread and any number of times.
    /// - Returns: The picture.
    /// - Throws: ``BackgroundError/fetch(_:_:)`` if the fetch failed, with what to do about it;
    ///   ``BackgroundError/picture(_:)`` if the response isn't a picture that boards accept.
    func fetch(
        _ address: String, limit: Int, progress: @escaping @Sendable (FetchProgress) -> Void
    ) async throws(BackgroundError) -> CheckedPicture

    /// Validates a stored picture whose size is unknown because an earlier version stored it.
    ///
    /// - Parameter stored: The picture's bytes.
    /// - Returns: The picture with its size.
    /// - Throws: Why it is rejected.
    func check(_ stored: Data) async throws(PictureError) -> CheckedPicture
}

/// Why a background can't be shown.
public enum BackgroundError: Error, Hashable, Codable, Sendable {
    /// The fetch failed; the text says what happened and what to do now, and the advice whether to retry.
    case fetch(String, RetryAdvice)
    /// The fetched or stored bytes aren't a picture that boards accept, or can't be stored.
    case picture(PictureError)
    /// The picture that was dropped or pasted isn't stored, or was removed.
    case missing
}

extension BackgroundError: RetryAdvising {
    /// Advises a retry after a fetch error that advises it, a truncated picture, a failure of the store, and a missing
    /// board: a deleted board may be restored before its document has noticed.
    public var retryAdvice: RetryAdvice {
        switch self {
        case .fetch(_, let advice): advice
        case .picture(.image(let error)): error.code == .truncated ? .retry(after: nil) : .never
        case .picture(.store(.failed)), .picture(.store(.notFound)): .retry(after: nil)
        case .picture(.bytes), .picture(.script), .picture(.store), .picture(.unfinished), .missing: .never
        }
    }
}

extension BackgroundError: CustomStringConvertible, LocalizedError {
    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .fetch(let words, _): words
        case .picture(let error): error.description
        case .missing: ArtWords.pictureNoLongerStored
        }
    }

    /// A message for the user: what happened, and what to do now.
    public var errorDescription: String? { description }
}
