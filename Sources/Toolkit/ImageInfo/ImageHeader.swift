/// What an image is and how large, told from its first bytes, without decoding any pixels.
///
///     switch try ImageHeader.read(received, isComplete: false) {
///     case .header(let header): place(header.width, header.height)
///     case .needs(let count): …           // ask again when there are so many bytes
///     }
///
/// Whatever the bytes are, it ends with a header, a number of bytes or an ``ImageError``, and reads nothing beyond them. An image of
/// more pixels than ``ImageLimits`` allow, a “decompression bomb”, is refused before it is decoded. What isn't an image, a page that says
/// “not found” for example, is refused by name, and so are formats that browsers don't draw (TIFF, HEIC, JPEG XL, PSD): converting
/// them would take a decoder in this process for bytes from strangers. The error says to what they are to be converted.
public struct ImageHeader: Sendable, Hashable {
    /// The format.
    public let format: ImageFormat
    /// How wide it is as it is shown, in pixels; of an SVG, in CSS pixels.
    public let width: Int
    /// How high it is as it is shown, in pixels; of an SVG, in CSS pixels.
    public let height: Int
    /// How a JPEG is to be turned to be upright, 1 to 8 as in EXIF; 1 is not at all.
    ///
    /// Browsers do it themselves, and ``width`` and ``height`` are those after it.
    public let orientation: Int

    init(_ format: ImageFormat, width: Int, height: Int, orientation: Int = 1) {
        self.format = format
        // From 5 on it lies on its side.
        self.width = orientation > 4 ? height : width
        self.height = orientation > 4 ? width : height
        self.orientation = orientation
    }
}

/// What ``ImageHeader`` reads at the most, and lets pass.
public struct ImageLimits: Sendable, Hashable {
    /// The most pixels that are let pass, by default: 400 MB when they are decoded.
    public static let maximumPixels = 100_000_000
    /// The most bytes that are looked at, by default: photos may hold colour profiles and previews before their size.
    public static let maximumHeaderBytes = 4 << 20

    /// The most pixels that are let pass.
    public var maximumPixels: Int
    /// The most bytes that are looked at, from the beginning on.
    public var maximumHeaderBytes: Int

    /// Creates limits.
    public init(
        maximumPixels: Int = Self.maximumPixels, maximumHeaderBytes: Int = Self.maximumHeaderBytes
    ) {
        self.maximumPixels = maximumPixels
        self.maximumHeaderBytes = maximumHeaderBytes
    }
}

extension ImageHeader {
    /// What the bytes say.
    public enum Reading: Sendable, Hashable {
        /// What the image is.
        case header(ImageHeader)
        /// So many bytes, from the beginning on, are needed to go on; then perhaps more.
        case needs(Int)
    }

    /// Reads as much of the beginning of an image as it takes to know its size.
    ///
    /// - Parameters:
    ///   - bytes: The image, or the beginning of it.
    ///   - isComplete: Whether that is all of it. Then it never asks for more.
    ///   - limits: What is read at the most, and let pass.
    /// - Returns: What the image is, or how many bytes are needed.
    /// - Throws: ``ImageError``: it is not an image, or none that can be shown.
    /// - Complexity: Linear in the bytes before the size, of which most are skipped.
    public static func read(
        _ bytes: some Collection<UInt8>, isComplete: Bool, limits: ImageLimits = ImageLimits()
    ) throws(ImageError) -> Reading {
        func header(_ bytes: UnsafeBufferPointer<UInt8>) -> Result<ImageHeader, HeaderStop> {
            Result { () throws(HeaderStop) in try HeaderBytes(bytes, limits: limits).header() }
        }
        switch bytes.withContiguousStorageIfAvailable(header) ?? Array(bytes).withUnsafeBufferPointer(header) {
        case .success(let header):
            return .header(header)
        case .failure(.refused(let error)):
            throw error
        case .failure(.needs(let needed)) where !isComplete:
            return .needs(needed)
        case .failure(.needs) where bytes.isEmpty:
            throw ImageError(
                .truncated, "There is nothing: the file is empty. Fetch it again.", found: "an empty file")
        case .failure(.needs(let needed)):
            throw ImageError(
                .truncated,
                "The image is cut off: it has \(bytes.count) bytes, and at least \(needed) were needed to know its size. "
                    + "Fetch it again.",
                found: "the beginning of an image")
        }
    }

    /// Reads the header of an image that is there as a whole.
    ///
    /// - Parameters:
    ///   - bytes: The image.
    ///   - limits: What is read at the most, and let pass.
    /// - Throws: ``ImageError``: it is not an image, or none that can be shown.
    public init(_ bytes: some Collection<UInt8>, limits: ImageLimits = ImageLimits()) throws(ImageError) {
        switch try Self.read(bytes, isComplete: true, limits: limits) {
        case .header(let header): self = header
        case .needs(let count):
            throw ImageError(
                .truncated, "The image is cut off before byte \(count). Fetch it again.", found: "an image")
        }
    }
}
