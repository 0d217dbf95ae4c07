/// The type of some content, detected from its first bytes.
///
/// Detection follows the tables of https://mimesniff.spec.whatwg.org (sections 5.2, 6 and 7), and the formats' own
/// signatures for types that are missing there (AVIF, HEIC, TIFF, SVG, JSON). A signature doesn't guarantee that an
/// image can be drawn; ``ImageHeader`` says whether it can, and how large it is.
public enum SniffedType: String, Sendable, Hashable, CaseIterable, Codable {
    /// No bytes.
    case nothing
    /// PNG.
    case png
    /// JPEG.
    case jpeg
    /// GIF.
    case gif
    /// WebP.
    case webP
    /// AVIF.
    case avif
    /// HEIC and the other kinds of HEIF.
    case heif
    /// TIFF.
    case tiff
    /// BMP.
    case bmp
    /// JPEG XL.
    case jpegXL
    /// A Photoshop document.
    case photoshop
    /// A Windows icon, with images of several sizes.
    case icon
    /// A Windows mouse pointer.
    case cursor
    /// SVG.
    case svg
    /// PDF.
    case pdf
    /// PostScript.
    case postScript
    /// HTML.
    case html
    /// XML of any other kind.
    case xml
    /// A JSON object or array.
    case json
    /// Text of any other kind.
    case text
    /// A zip archive.
    case zip
    /// Data compressed with gzip.
    case gzip
    /// A RAR archive.
    case rar
    /// Audio or video.
    case media
    /// A font.
    case font
    /// Any other data.
    case binary
}

extension SniffedType {
    /// Whether the content is an image.
    public var isImage: Bool { [.image, .imageText].contains(traits.kind) }

    /// Whether the content is text of any kind.
    public var isText: Bool { [.text, .imageText].contains(traits.kind) }

    /// The name of the type, with its article: “an HTML page”.
    public var name: String { traits.name }

    private enum Kind {
        case image, text, other
        /// SVG, an image that is text.
        case imageText
    }

    private var traits: (name: String, kind: Kind) {
        switch self {
        case .nothing: ("nothing", .other)
        case .png: ("a PNG image", .image)
        case .jpeg: ("a JPEG image", .image)
        case .gif: ("a GIF image", .image)
        case .webP: ("a WebP image", .image)
        case .avif: ("an AVIF image", .image)
        case .heif: ("a HEIC image", .image)
        case .tiff: ("a TIFF image", .image)
        case .bmp: ("a BMP image", .image)
        case .jpegXL: ("a JPEG XL image", .image)
        case .photoshop: ("a Photoshop document", .image)
        case .icon: ("an icon of several images", .image)
        case .cursor: ("a mouse pointer", .image)
        case .svg: ("an SVG image", .imageText)
        case .pdf: ("a PDF document", .other)
        case .postScript: ("a PostScript document", .other)
        case .html: ("an HTML page", .text)
        case .xml: ("an XML document", .text)
        case .json: ("JSON", .text)
        case .text: ("text", .text)
        case .zip: ("a zip archive", .other)
        case .gzip: ("compressed data (gzip)", .other)
        case .rar: ("a RAR archive", .other)
        case .media: ("sound or video", .other)
        case .font: ("a font", .other)
        case .binary: ("unknown data", .other)
        }
    }
}
