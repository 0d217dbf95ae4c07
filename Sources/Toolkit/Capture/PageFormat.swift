/// A file format of a captured page.
public enum PageFormat: String, CaseIterable, Codable, Hashable, Sendable {
    /// A picture of the full page, as PNG.
    case png
    /// A tagged PDF that includes backgrounds.
    case pdf
    /// The page with all its resources, in Safari's format.
    case webArchive = "webarchive"
    /// The page's requests and responses, as recorders of web browsers write them.
    ///
    /// The records have the headers as the browser sent and received them, except `Authorization`, `Cookie` and
    /// `Set-Cookie`: a file that is passed on grants no access to anyone's account.
    case wacz

    /// The usual file name extension, without the dot.
    public var fileExtension: String { rawValue }

    /// The media type.
    public var mediaType: String {
        switch self {
        case .png: "image/png"
        case .pdf: "application/pdf"
        case .webArchive: "application/x-webarchive"
        case .wacz: "application/wacz"
        }
    }

    /// Whether it contains the page's resources.
    var isArchive: Bool {
        switch self {
        case .png, .pdf: false
        case .webArchive, .wacz: true
        }
    }
}
