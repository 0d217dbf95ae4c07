public import Foundation
public import ImageInfo

/// Why a picture is not taken.
public enum PictureError: Error, Hashable, Codable, Sendable {
    /// It has so many bytes, more than ``BoardLimits/pictureBytes``.
    case bytes(Int)
    /// It is no image, one that browsers do not draw, damaged, or of more than ``BoardLimits/picturePixels``.
    case image(ImageError)
    /// It is an SVG that holds a script, or what can become one; the words say what.
    case script(String)
    /// It could not be kept.
    case store(BoardStoreError)
    /// The check crashed, timed out or was cancelled: the words say which.
    case unfinished(String)
}

extension PictureError {
    /// Whether a smaller one would be taken.
    public var isTooLarge: Bool {
        switch self {
        case .bytes: true
        case .image(let error): error.code == .tooLarge
        case .script, .store, .unfinished: false
        }
    }
}

extension PictureError: CustomStringConvertible, LocalizedError {
    /// What happened, and what to do now.
    public var description: String {
        switch self {
        case .bytes(let count):
            "The picture has \(Self.megabytes(count)) MB, and a board takes "
                + "\(Self.megabytes(BoardLimits.pictureBytes)) MB. Choose a smaller one."
        case .image(let error): error.message
        case .script(let what):
            "This SVG image holds \(what), which could run in the page of whoever looks. Save it without, or as PNG."
        case .store(let error): error.description
        case .unfinished(let why): why
        }
    }

    /// What happened, and what to do now.
    public var errorDescription: String? { description }

    private static func megabytes(_ count: Int) -> String {
        let tenths = (count + 99_999) / 100_000
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths / 10).\(tenths % 10)"
    }
}
