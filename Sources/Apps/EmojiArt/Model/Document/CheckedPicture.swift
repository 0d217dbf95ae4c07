public import Foundation

/// A picture that boards take: its bytes, what they are, and how large it is.
///
/// The bytes are parsed only by the module `EmojiArtReading`, which the server uses in jobs alone: a child process each.
public struct CheckedPicture: Hashable, Sendable {
    /// Its bytes, what they are, and how large it is.
    public let picture: KeptPicture
    private let size: PictureSize

    /// A picture that was checked: its bytes, its type, such as `image/png`, and its size.
    public init(data: Data, type: String, size: PictureSize) {
        (self.picture, self.size) = (KeptPicture(data: data, type: type, size: size), size)
    }

    /// A stored picture; `nil` if its size is unknown.
    public init?(_ stored: KeptPicture) {
        guard let size = stored.size else { return nil }
        (self.picture, self.size) = (stored, size)
    }

    /// How wide it is, in pixels.
    public var width: Int { size.width }
    /// How high it is, in pixels.
    public var height: Int { size.height }
}
