/// The size of a picture, within ``BoardLimits/picturePixels``.
public struct PictureSize: Hashable, Sendable {
    /// The width in pixels, at least 1.
    public let width: Int
    /// The height in pixels, at least 1.
    public let height: Int

    /// Creates a size in pixels; `nil` if a side isn't positive or the picture exceeds the limit.
    public init?(width: Int, height: Int) {
        let (pixels, isTooLarge) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !isTooLarge, pixels <= BoardLimits.picturePixels else { return nil }
        (self.width, self.height) = (width, height)
    }
}

/// A stored picture without its bytes.
public struct StoredPicture: Hashable, Sendable {
    /// The identifier.
    public let id: PictureID
    /// The media type, such as `image/png`.
    public let type: String
    /// The size; `nil` if an earlier version of this app stored the picture.
    public let size: PictureSize?

    /// Creates a description of a stored picture.
    public init(id: PictureID, type: String, size: PictureSize?) {
        (self.id, self.type, self.size) = (id, type, size)
    }
}
