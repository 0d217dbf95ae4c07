public import Foundation
public import HTTPTypes

/// What is to be fetched, and what is made of it.
///
/// Equal requests that are under way at the same time are one transfer.
public struct FetchRequest: Sendable, Hashable {
    /// How the cache is used.
    public enum CacheUse: Sendable, Hashable {
        /// As RFC 9111 says.
        case standard
        /// What is kept is asked for again, whether or not it is still good.
        case revalidate
        /// What is kept is served, good or not; what is not kept is fetched.
        case preferCached
        /// Only what is kept is served, good or not; nothing is fetched.
        case onlyCached
        /// Nothing is read from the cache, nothing is written to it.
        case ignored
    }

    /// Where the content goes.
    public enum Destination: Sendable, Hashable {
        /// Into memory.
        case memory
        /// Into a file of that path, which is written whole or not at all; one that is there is replaced. What goes to a
        /// file is not kept in the cache.
        case file(String)
    }

    /// The address: http or https.
    public var url: URL
    /// What is asked of it.
    public var method: HTTPRequest.Method
    /// Header fields.
    ///
    /// `Cache-Control` among them is heeded.
    public var headers: HTTPFields
    /// Content that is sent along.
    public var body: Data?
    /// What it must be, by its first bytes.
    public var expecting: ExpectedType
    /// How the cache is used.
    public var cacheUse: CacheUse
    /// Where the content goes.
    public var destination: Destination
    /// What it may take; `nil` for what the fetcher allows.
    public var limits: FetchLimits?

    /// Creates a request.
    ///
    /// - Parameters:
    ///   - url: The address: http or https.
    ///   - method: What is asked of it.
    ///   - headers: Header fields.
    ///   - body: Content that is sent along.
    ///   - expecting: What it must be, by its first bytes.
    ///   - cacheUse: How the cache is used.
    ///   - destination: Where the content goes.
    ///   - limits: What it may take; `nil` for what the fetcher allows.
    public init(
        _ url: URL, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: Data? = nil,
        expecting: ExpectedType = .anything, cacheUse: CacheUse = .standard, destination: Destination = .memory,
        limits: FetchLimits? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.expecting = expecting
        self.cacheUse = cacheUse
        self.destination = destination
        self.limits = limits
    }
}
