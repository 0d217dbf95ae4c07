public import Foundation
public import HTTPTypes
public import ImageInfo

/// A request, the type of content that it expects, and where to put that content.
///
/// Concurrent calls of ``HTTPFetcher/fetch(_:progress:)`` with equal requests share one transfer.
public struct FetchRequest: Sendable, Hashable {
    /// Where the response's content is written to.
    public enum Destination: Sendable, Hashable {
        /// In memory.
        case memory
        /// The file at that path. It's replaced atomically, and only by complete content.
        case file(String)
    }

    /// The URL; a fetch fails if its scheme isn't http or https.
    public var url: URL
    /// The method.
    public var method: HTTPRequest.Method
    /// The header fields.
    public var headers: HTTPFields
    /// The request's content.
    public var body: Data?
    /// The type that the response's content must have, judged by its first bytes.
    public var expecting: ExpectedType
    /// Where the response's content is written to.
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

/// The type that content must have, judged by its first bytes and not by its `Content-Type`.
///
/// It rejects an HTML page that says “not found” in place of a picture, even if the status is 200.
public enum ExpectedType: Sendable, Hashable {
    /// Any content.
    case anything
    /// A picture of a known format.
    case image
    /// A PDF document.
    case pdf
    /// HTML, or XML, which may be XHTML.
    case html
    /// Text of any kind, including HTML, XML and JSON.
    case text
    /// JSON.
    case json
    /// A zip archive, or a format based on zip.
    case zip
    /// One of these types.
    case oneOf(Set<SniffedType>)
}

extension ExpectedType {
    /// Whether content of that type is expected.
    ///
    /// Empty content has the type `SniffedType.nothing`: only `anything`, and a `oneOf` that contains it, accept that.
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

    /// The type's name as error messages use it.
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
