/// How large a picture is, within ``BoardLimits/picturePixels``.
public struct PictureSize: Hashable, Sendable {
    /// The width in pixels, at least 1.
    public let width: Int
    /// The height in pixels, at least 1.
    public let height: Int

    /// Checks a size in pixels; `nil` if a board takes no picture of that size.
    public init?(width: Int, height: Int) {
        let (pixels, isTooLarge) = width.multipliedReportingOverflow(by: height)
        guard width > 0, height > 0, !isTooLarge, pixels <= BoardLimits.picturePixels else { return nil }
        (self.width, self.height) = (width, height)
    }
}

/// A stored picture without its bytes.
public struct StoredPicture: Hashable, Sendable {
    /// Its identifier.
    public let id: PictureID
    /// What it is, such as `image/png`.
    public let type: String
    /// How large it is; `nil` if an earlier version stored it.
    public let size: PictureSize?

    /// A stored picture without its bytes.
    public init(id: PictureID, type: String, size: PictureSize?) {
        (self.id, self.type, self.size) = (id, type, size)
    }
}
