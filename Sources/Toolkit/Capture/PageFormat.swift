/// A file format of a captured page.
public enum PageFormat: String, CaseIterable, Codable, Hashable, Sendable {
    /// A picture of the full page, as PNG.
    case png
    /// A tagged PDF that includes backgrounds.
    case pdf
    /// The page with all its resources, in Safari's format.
    case webArchive = "webarchive"

    /// The usual file name extension, without the dot.
    public var fileExtension: String { rawValue }

    /// The media type.
    public var mediaType: String {
        switch self {
        case .png: "image/png"
        case .pdf: "application/pdf"
        case .webArchive: "application/x-webarchive"
        }
    }
}
