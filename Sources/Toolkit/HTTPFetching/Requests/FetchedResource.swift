public import Foundation
public import HTTPTypes
public import ImageInfo

/// What was fetched.
public struct FetchedResource: Sendable {
    /// The content, and where it is.
    public enum Content: Sendable, Hashable {
        /// In memory.
        case data(Data)
        /// In a file.
        case file(String, bytes: Int64)
    }

    /// Where it came from.
    public enum Origin: Sendable, Hashable {
        /// All of it came over the network.
        case network
        /// The cache had it, and it was still good.
        case cache
        /// The cache had it, and the server said that it is still good.
        case revalidated
        /// The cache had it, and it may be out of date: it is being asked for again meanwhile.
        case staleWhileRevalidating
        /// The cache had it, and it may be out of date: the server could not be asked.
        case staleAfterError(String)
        /// The cache had it, and it may be out of date, which was asked for.
        case stale
    }

    /// The content, and where it is.
    public var content: Content
    /// The status: one of success.
    public var status: Int
    /// The header fields of the answer; `Age` is how old it is.
    public var headers: HTTPFields
    /// The address that it came from in the end.
    public var url: URL
    /// What its first bytes say that it is.
    public var sniffedType: SniffedType
    /// Where it came from.
    public var origin: Origin
}

extension FetchedResource {
    /// The content; empty if it is in a file.
    public var data: Data {
        switch content {
        case .data(let data): data
        case .file: Data()
        }
    }

    /// Whether the content came out of the cache.
    public var isFromCache: Bool { origin != .network }
}

/// The beginning of an answer whose content is streamed.
public struct FetchedHead: Sendable {
    /// The status, whichever it is.
    public var status: Int
    /// The header fields.
    public var headers: HTTPFields
    /// The address that it came from in the end.
    public var url: URL
    /// How long the content is, if the server says so and it is not compressed.
    public var contentLength: Int64?
}
