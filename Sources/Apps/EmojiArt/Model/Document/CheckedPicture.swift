public import Foundation

/// A validated picture: its bytes, type and size.
///
/// Only the module `EmojiArtReading` parses the bytes; the server calls it only in jobs, each in a child process.
public struct CheckedPicture: Hashable, Sendable {
    /// The picture's bytes, type and size.
    public let picture: PictureContent
    private let size: PictureSize

    /// Creates a validated picture from its bytes, its type, such as `image/png`, and its size.
    public init(data: Data, type: String, size: PictureSize) {
        (self.picture, self.size) = (PictureContent(data: data, type: type, size: size), size)
    }

    /// Creates one from a stored picture; `nil` if its size is unknown.
    public init?(_ stored: PictureContent) {
        guard let size = stored.size else { return nil }
        (self.picture, self.size) = (stored, size)
    }

    /// The width in pixels.
    public var width: Int { size.width }
    /// The height in pixels.
    public var height: Int { size.height }
}
