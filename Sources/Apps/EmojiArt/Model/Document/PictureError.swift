public import Foundation
public import ImageInfo

/// Why a picture is rejected.
public enum PictureError: Error, Hashable, Codable, Sendable {
    /// It has this many bytes, more than ``BoardLimits/pictureBytes``.
    case bytes(Int)
    /// It isn't an image, is damaged, is of a type that browsers don't draw, or exceeds ``BoardLimits/picturePixels``.
    case image(ImageError)
    /// It is an SVG that contains a script, or a part that can become one; the text says which.
    case script(String)
    /// It can't be stored.
    case store(BoardStoreError)
    /// The check crashed, timed out or was cancelled; the text says which.
    case unfinished(String)
}

extension PictureError {
    /// Whether a smaller picture would be accepted.
    public var isTooLarge: Bool {
        switch self {
        case .bytes: true
        case .image(let error): error.code == .tooLarge
        case .script, .store, .unfinished: false
        }
    }
}

extension PictureError: CustomStringConvertible, LocalizedError {
    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .bytes(let count):
            ArtWords.pictureHas(
                megabytes: Self.megabytes(count), limit: Self.megabytes(BoardLimits.pictureBytes))
        case .image(let error): error.message
        case .script(let what): ArtWords.pictureContains(what)
        case .store(let error): error.description
        case .unfinished(let why): why
        }
    }

    /// A message for the user: what happened, and what to do now.
    public var errorDescription: String? { description }

    private static func megabytes(_ count: Int) -> String {
        let tenths = (count + 99_999) / 100_000
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
