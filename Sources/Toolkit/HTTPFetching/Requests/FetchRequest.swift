public import Foundation
public import HTTPTypes
public import ImageInfo

/// What is to be fetched, and what is made of it.
///
/// Equal requests that are under way at the same time are one transfer.
public struct FetchRequest: Sendable, Hashable {
    /// Where the content goes.
    public enum Destination: Sendable, Hashable {
        /// Into memory.
        case memory
        /// Into a file of that path, which is written whole or not at all; an existing one is replaced.
        case file(String)
    }

    /// The address: http or https.
    public var url: URL
    /// The method.
    public var method: HTTPRequest.Method
    /// The header fields.
    public var headers: HTTPFields
    /// The content that is sent along.
    public var body: Data?
    /// What the response's content must be, by its first bytes.
    public var expecting: ExpectedType
    /// Where the response's content goes.
    public var destination: Destination
    /// The limits; `nil` for the fetcher's.
    public var limits: FetchLimits?

    /// Creates a request.
    public init(
        _ url: URL, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Data? = nil,
        expecting: ExpectedType = .anything, destination: Destination = .memory, limits: FetchLimits? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.expecting = expecting
        self.destination = destination
        self.limits = limits
    }
}

/// What a content must be, by its first bytes, whatever its header says.
///
/// A page that says “not found” in response to a request for a picture is no picture, even with status 200.
public enum ExpectedType: Sendable, Hashable {
    /// Any content.
    case anything
    /// A picture of a known format.
    case image
    /// A PDF document.
    case pdf
    /// A page: HTML, or XML that may be XHTML.
    case html
    /// Text of any kind: HTML, XML and JSON too.
    case text
    /// JSON.
    case json
    /// A zip archive, or a format that is one.
    case zip
    /// One of these.
    case oneOf(Set<SniffedType>)
}

extension ExpectedType {
    /// Whether a content of that type is expected; an empty one is only `anything`.
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
