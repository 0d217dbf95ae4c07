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

    /// The content, and where it is.
    public var content: Content
    /// The status: one of success.
    public var status: Int
    /// The response's header fields.
    public var headers: HTTPFields
    /// The address after redirects.
    public var url: URL
    /// What the content is, by its first bytes.
    public var sniffedType: SniffedType

    /// The content; empty if it is in a file.
    public var data: Data {
        switch content {
        case .data(let data): data
        case .file: Data()
        }
    }
}

/// The head of a response whose content is streamed.
public struct FetchedHead: Sendable {
    /// The status, of any kind.
    public var status: Int
    /// The header fields.
    public var headers: HTTPFields
    /// The address after redirects.
    public var url: URL
    /// How long the content is, if the server says so and it is not compressed.
    public var contentLength: Int64?
}
