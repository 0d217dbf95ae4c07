/// The format and dimensions of an image, read from its first bytes without decoding any pixels.
///
///     switch try ImageHeader.read(received, isComplete: false) {
///     case .header(let header): place(header.width, header.height)
///     case .needs(let count): …           // ask again when that many bytes have arrived
///     }
///
/// For any input, reading ends with a header, a required number of bytes or an ``ImageError``, and never reads beyond
/// the input. An image with more pixels than ``ImageLimits`` allow, a “decompression bomb”, is rejected before it is
/// decoded. Other content, such as a “not found” page, is rejected with an error that names it, and so are formats that
/// browsers don't draw (TIFF, HEIC, JPEG XL, PSD): converting them would mean decoding untrusted bytes in this process.
/// The error says which format to convert them to.
public struct ImageHeader: Sendable, Hashable {
    /// The format.
    public let format: ImageFormat
    /// The displayed width in pixels; for an SVG, in CSS pixels.
    public let width: Int
    /// The displayed height in pixels; for an SVG, in CSS pixels.
    public let height: Int
    /// The EXIF orientation of a JPEG, 1 to 8; 1 is upright.
    ///
    /// Browsers apply it themselves; ``width`` and ``height`` are those after rotation.
    public let orientation: Int

    init(_ format: ImageFormat, width: Int, height: Int, orientation: Int = 1) {
        self.format = format
        // From 5 on, width and height are swapped.
        self.width = orientation > 4 ? height : width
        self.height = orientation > 4 ? width : height
        self.orientation = orientation
    }
}

/// The limits of what ``ImageHeader`` reads and accepts.
public struct ImageLimits: Sendable, Hashable {
    /// The default maximum number of pixels: 400 MB when decoded.
    public static let maximumPixels = 100_000_000
    /// The default maximum number of header bytes: photos may contain colour profiles and previews before their size.
    public static let maximumHeaderBytes = 4 << 20

    /// The maximum number of pixels.
    public var maximumPixels: Int
    /// The maximum number of bytes that are read, from the beginning on.
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
    /// The result of reading the first bytes.
    public enum Reading: Sendable, Hashable {
        /// The image's header.
        case header(ImageHeader)
        /// At least this many bytes, from the beginning on, are needed to continue.
        case needs(Int)
    }

    /// Reads as much of the beginning of an image as is needed to know its size.
    ///
    /// - Parameters:
    ///   - bytes: The image, or the beginning of it.
    ///   - isComplete: Whether the bytes are the whole image. If so, the result is never ``Reading/needs(_:)``.
    ///   - limits: The limits of what is read and accepted.
    /// - Returns: The header, or the number of bytes that are needed.
    /// - Throws: ``ImageError``, if the bytes aren't an image, or not one that browsers can show.
    /// - Complexity: At most linear in the number of bytes before the size; usually, most of them are skipped.
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
                .truncated, "The file is empty. Fetch it again.", found: "an empty file")
        case .failure(.needs(let needed)):
            throw ImageError(
                .truncated,
                "The image is cut off: it has \(bytes.count) bytes, and at least \(needed) were needed to know its size. "
                    + "Fetch it again.",
                found: "the beginning of an image")
        }
    }

    /// Reads the header of a complete image.
    ///
    /// - Parameters:
    ///   - bytes: The image.
    ///   - limits: The limits of what is read and accepted.
    /// - Throws: ``ImageError``, if the bytes aren't an image, or not one that browsers can show.
    public init(_ bytes: some Collection<UInt8>, limits: ImageLimits = ImageLimits()) throws(ImageError) {
        switch try Self.read(bytes, isComplete: true, limits: limits) {
        case .header(let header): self = header
        case .needs(let count):
            throw ImageError(
                .truncated, "The image is cut off before byte \(count). Fetch it again.", found: "an image")
        }
    }
}
