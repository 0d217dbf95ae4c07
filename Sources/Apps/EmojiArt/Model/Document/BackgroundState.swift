/// A picture that is kept, and how large it is.
public struct BackgroundPicture: Hashable, Sendable {
    /// What names it in the store.
    public let id: PictureID
    /// What it is, such as `image/png`.
    public let type: String
    /// How wide it is, in pixels.
    public let width: Int
    /// How high it is, in pixels.
    public let height: Int

    /// A picture that is kept.
    public init(id: PictureID, type: String, width: Int, height: Int) {
        (self.id, self.type, self.width, self.height) = (id, type, width, height)
    }
}

/// How far the picture is that a board is drawn on.
///
/// The states are those of lecture 14, and each has the picture that can be shown meanwhile. The address is `nil` where
/// the picture was dropped or pasted.
public enum BackgroundState: Hashable, Sendable {
    /// There is none.
    case none
    /// It is on its way; the share that has arrived, from 0 to 1, where somebody has said how much there will be.
    case fetching(address: String?, fraction: Double?, previous: BackgroundPicture?)
    /// It is here.
    case shown(address: String?, picture: BackgroundPicture)
    /// It could not be had: the words are for a person.
    case failed(address: String?, message: String, previous: BackgroundPicture?)
}

extension BackgroundState {
    /// The picture that can be shown: the one that was asked for, or the one from before.
    public var picture: BackgroundPicture? {
        switch self {
        case .none: nil
        case .fetching(_, _, let previous), .failed(_, _, let previous): previous
        case .shown(_, let picture): picture
        }
    }

    /// Whether it is on its way.
    public var isFetching: Bool {
        switch self {
        case .fetching: true
        case .none, .shown, .failed: false
        }
    }

    /// Where it is on its way from; `nil` where it is not, or comes from no address.
    public var addressBeingFetched: String? {
        switch self {
        case .fetching(let address, _, _): address
        case .none, .shown, .failed: nil
        }
    }

    /// What is said where it could not be had, under ``alertTitle``.
    public var failureReason: String? {
        switch self {
        case .failed(_, let message, _): message
        case .none, .fetching, .shown: nil
        }
    }

    /// What stands over the words of a failure.
    public static let alertTitle = "Set Background"

    /// What is said of a failure, as in the course.
    static func message(_ error: BackgroundError) -> String { "Couldn't set background: \(error)" }
}
