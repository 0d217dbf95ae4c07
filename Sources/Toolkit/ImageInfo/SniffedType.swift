/// What some content is, told by its first bytes.
///
/// By the tables of https://mimesniff.spec.whatwg.org (sections 5.2, 6 and 7), and, for what those leave out (AVIF, HEIC,
/// TIFF, SVG, JSON), by the formats' own signatures. That it begins like a picture does not make it one that can be drawn;
/// whether it is one, and how large, an ``ImageHeader`` says.
public enum SniffedType: String, Sendable, Hashable, CaseIterable, Codable {
    /// There is not one byte.
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
    /// A document of Photoshop's.
    case photoshop
    /// Icons of Windows, of several sizes.
    case icon
    /// A mouse pointer of Windows.
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
    /// An object or a list in JSON.
    case json
    /// Text of any other kind.
    case text
    /// A zip archive.
    case zip
    /// Something that was compressed by gzip.
    case gzip
    /// A RAR archive.
    case rar
    /// Sound or moving pictures.
    case media
    /// A font.
    case font
    /// Nothing of these.
    case binary
}

extension SniffedType {
    /// Whether it is a picture.
    public var isImage: Bool { [.image, .imageText].contains(traits.kind) }

    /// Whether it is text of some kind.
    public var isText: Bool { [.text, .imageText].contains(traits.kind) }

    /// What it is, with its article: “an HTML page”.
    public var name: String { traits.name }

    private enum Kind {
        case image, text, other
        /// SVG: a picture that is text.
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
