/// What a page is kept as.
public enum PageFormat: String, CaseIterable, Codable, Hashable, Sendable {
    /// A picture of the full page.
    case png
    /// A tagged PDF with its backgrounds.
    case pdf
    /// The page with everything it is made of, as Safari saves it.
    case webArchive = "webarchive"

    /// The usual ending of such a file's name, without the dot.
    public var fileExtension: String { rawValue }

    /// The media type of such a file.
    public var mediaType: String {
        switch self {
        case .png: "image/png"
        case .pdf: "application/pdf"
        case .webArchive: "application/x-webarchive"
        }
    }
}
