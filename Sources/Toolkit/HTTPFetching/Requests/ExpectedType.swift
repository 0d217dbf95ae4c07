public import ImageInfo

/// What an answer must be, by its first bytes, whatever its header says.
///
/// A page that says “not found” in answer to a request for a picture is no picture, though its status be 200.
public enum ExpectedType: Sendable, Hashable {
    /// Whatever it is.
    case anything
    /// A picture of a kind that is known.
    case image
    /// A PDF document.
    case pdf
    /// A page: HTML, or XML that may be XHTML.
    case html
    /// Text of any kind: HTML, XML and JSON too.
    case text
    /// JSON.
    case json
    /// A zip archive, or what is made of one.
    case zip
    /// One of these.
    case oneOf(Set<SniffedType>)
}

extension ExpectedType {
    /// Whether that is what is expected.
    ///
    /// - Parameter type: What the first bytes are.
    /// - Returns: Whether it is that. No bytes at all are none but `anything`.
    public func accepts(_ type: SniffedType) -> Bool {
        switch self {
        case .anything: true
        case .image: type.isImage
        case .pdf: type == .pdf
        case .html: type == .html || type == .xml
        case .text: type.isText
        case .json: type == .json
        case .zip: type == .zip
        case .oneOf(let types): types.contains(type)
        }
    }

    /// For a sentence that says what was expected.
    var name: String {
        switch self {
        case .anything: "anything"
        case .image: "an image"
        case .pdf: "a PDF document"
        case .html: "a page"
        case .text: "text"
        case .json: "JSON"
        case .zip: "a zip archive"
        case .oneOf(let types): types.map(\.name).sorted().joined(separator: " or ")
        }
    }
}
