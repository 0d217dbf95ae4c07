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
    public var isImage: Bool {
        switch self {
        case .png, .jpeg, .gif, .webP, .avif, .heif, .tiff, .bmp, .jpegXL, .photoshop, .icon, .cursor, .svg: true
        case .nothing, .pdf, .postScript, .html, .xml, .json, .text, .zip, .gzip, .rar, .media, .font, .binary: false
        }
    }

    /// Whether it is text of some kind.
    public var isText: Bool {
        switch self {
        case .svg, .html, .xml, .json, .text: true
        case .nothing, .png, .jpeg, .gif, .webP, .avif, .heif, .tiff, .bmp, .jpegXL, .photoshop, .icon, .cursor, .pdf,
            .postScript, .zip, .gzip, .rar, .media, .font, .binary:
            false
        }
    }

    /// What it is, with its article: “an HTML page”.
    public var name: String {
        switch self {
        case .nothing: "nothing"
        case .png: "a PNG image"
        case .jpeg: "a JPEG image"
        case .gif: "a GIF image"
        case .webP: "a WebP image"
        case .avif: "an AVIF image"
        case .heif: "a HEIC image"
        case .tiff: "a TIFF image"
        case .bmp: "a BMP image"
        case .jpegXL: "a JPEG XL image"
        case .photoshop: "a Photoshop document"
        case .icon: "an icon of several images"
        case .cursor: "a mouse pointer"
        case .svg: "an SVG image"
        case .pdf: "a PDF document"
        case .postScript: "a PostScript document"
        case .html: "an HTML page"
        case .xml: "an XML document"
        case .json: "JSON"
        case .text: "text"
        case .zip: "a zip archive"
        case .gzip: "compressed data (gzip)"
        case .rar: "a RAR archive"
        case .media: "sound or video"
        case .font: "a font"
        case .binary: "unknown data"
        }
    }
}
