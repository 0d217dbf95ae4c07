public import Foundation
public import Persistence

/// Identifies a request that a script may repeat, by the header `Idempotency-Key`.
public struct APIRequestKey: Hashable, Sendable {
    /// The longest key, in bytes.
    public static let maximumBytes = 255
    /// How long a response is stored: a day, in seconds.
    public static let lifetime: TimeInterval = 24 * 3_600
    /// The largest number of an owner's keys.
    public static let maximumCount = 10_000

    /// The owner of the data that the request changes.
    public let owner: OwnerID
    /// The key, which the script has chosen.
    public let text: String

    /// Creates a key.
    ///
    /// - Returns: `nil` unless the text has 1 to ``maximumBytes`` visible characters of ASCII.
    public init?(_ text: String, of owner: OwnerID) {
        guard (1...Self.maximumBytes).contains(text.utf8.count), text.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            return nil
        }
        (self.owner, self.text) = (owner, text)
    }
}

/// The response to a request, which is sent again if the request is repeated.
public struct APIStoredResponse: Hashable, Sendable {
    /// The largest body that is stored, in bytes.
    public static let maximumBytes = 300_000

    /// The status.
    public var status: Int
    /// The headers whose values belong to the response, by name.
    public var headers: [String: String]
    /// The body.
    public var body: Data

    /// Creates a response.
    public init(status: Int, headers: [String: String], body: Data) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// What is known about a key.
public enum APIRequestState: Hashable, Sendable {
    /// Nothing; from now on, the request counts as begun.
    case new
    /// The same request has begun, and hasn't finished; or the server was stopped before that.
    case unfinished
    /// The same request has finished.
    case finished(APIStoredResponse)
    /// The key belongs to another request.
    case different
}

/// Stores which requests have begun and finished, for a day.
public protocol APIRequestStore: Sendable {
    /// Begins a request, unless its key is known.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - fingerprint: A hash of all that the request contains.
    ///   - time: The current time.
    /// - Returns: What is known about the key.
    /// - Throws: ``AccountError``: `tooManyKeys` if the owner has used too many within a day.
    func begin(_ key: APIRequestKey, fingerprint: String, at time: Date) async throws(AccountError) -> APIRequestState
    /// Stores the response to a request that has begun.
    func finish(_ key: APIRequestKey, _ response: APIStoredResponse) async throws(AccountError)
    /// Forgets a request that has changed nothing, so that it can be repeated.
    func forget(_ key: APIRequestKey) async throws(AccountError)
}
