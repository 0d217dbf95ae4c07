public import Foundation
public import HTTPTypes
public import ImageInfo

/// A response with its complete content.
public struct FetchedResource: Sendable {
    /// The content: the bytes themselves, or the file that contains them.
    public enum Content: Sendable, Hashable {
        /// In memory.
        case data(Data)
        /// In a file.
        case file(String, bytes: Int64)
    }

    /// The content: the bytes themselves, or the file that contains them.
    public var content: Content
    /// The status, from 200 to 299.
    public var status: Int
    /// The response's header fields.
    public var headers: HTTPFields
    /// The URL after redirects.
    public var url: URL
    /// The content's type, judged by its first bytes.
    public var sniffedType: SniffedType

    /// The content's bytes; empty if the content is in a file.
    public var data: Data {
        switch content {
        case .data(let data): data
        case .file: Data()
        }
    }
}

/// The head of a response whose content is streamed.
public struct FetchedHead: Sendable {
    /// The status, of any class.
    public var status: Int
    /// The header fields.
    public var headers: HTTPFields
    /// The URL after redirects.
    public var url: URL
    /// The content's length in bytes, if the server announces it and the content isn't compressed.
    public var contentLength: Int64?
}
