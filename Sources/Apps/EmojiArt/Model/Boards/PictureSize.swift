/// How large a picture is, within ``BoardLimits/picturePixels``.
public struct PictureSize: Hashable, Sendable {
    /// The width in pixels, at least 1.
    public let width: Int
    /// The height in pixels, at least 1.
    public let height: Int

    /// Checks a size; `nil` if a board takes no picture of that size.
    ///
    /// - Parameters:
    ///   - width: The width in pixels.
    ///   - height: The height in pixels.
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
    /// How large it is; `nil` if an earlier version stored it.
    public let size: PictureSize?

    /// A stored picture without its bytes.
    public init(id: PictureID, size: PictureSize?) {
        (self.id, self.size) = (id, size)
    }
}
