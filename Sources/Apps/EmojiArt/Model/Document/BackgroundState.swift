/// A stored picture with its size, without its bytes.
public struct BackgroundPicture: Hashable, Sendable {
    /// The picture's identifier in the store.
    public let id: PictureID
    /// The media type, such as `image/png`.
    public let type: String
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int

    /// Creates a description of a stored picture.
    public init(id: PictureID, type: String, width: Int, height: Int) {
        (self.id, self.type, self.width, self.height) = (id, type, width, height)
    }
}

/// The loading state of a board's background picture.
///
/// The states are those of lecture 14 of the course CS193p, with the picture that can be shown in the meantime.
/// `address` is `nil` for a picture that was dropped or pasted.
public enum BackgroundState: Hashable, Sendable {
    /// The board has no background.
    case none
    /// The picture is loading; `fraction` is the share received, from 0 to 1, or `nil` if the total size is unknown.
    case fetching(address: String?, fraction: Double?, previous: BackgroundPicture?)
    /// The picture is loaded.
    case shown(address: String?, picture: BackgroundPicture)
    /// The picture couldn't be loaded; `message` is for the user.
    case failed(address: String?, message: String, previous: BackgroundPicture?)
}

extension BackgroundState {
    /// The picture to show: the loaded one, or the previous one while another loads or after it failed.
    public var picture: BackgroundPicture? {
        switch self {
        case .none: nil
        case .fetching(_, _, let previous), .failed(_, _, let previous): previous
        case .shown(_, let picture): picture
        }
    }

    /// Whether the picture is loading.
    public var isFetching: Bool {
        switch self {
        case .fetching: true
        case .none, .shown, .failed: false
        }
    }

    /// The address that is being fetched; `nil` if nothing is loading, or the picture comes from the store.
    public var addressBeingFetched: String? {
        switch self {
        case .fetching(let address, _, _): address
        case .none, .shown, .failed: nil
        }
    }

    /// The message to show under ``alertTitle`` after a failure; otherwise `nil`.
    public var failureReason: String? {
        switch self {
        case .failed(_, let message, _): message
        case .none, .fetching, .shown: nil
        }
    }

    /// The title of the alert about a failure.
    public static let alertTitle = ArtWords.setBackground

    /// The message about a failure, worded as in the course.
    static func message(_ error: BackgroundError) -> String { ArtWords.backgroundNotSet("\(error)") }
}
