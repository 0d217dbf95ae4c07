public import Foundation
public import HTTPTypes

/// What is kept of one answer, but for its content.
public struct CacheRecord: Sendable, Hashable, Codable {
    /// The content, by which it is found, and by which it is told whether it has changed since.
    public struct Body: Sendable, Hashable, Codable {
        /// Its SHA-256, in 64 hexadecimal digits: its name.
        public var digest: String
        /// Its XXH64, which is compared each time that it is read.
        public var checksum: UInt64
        /// Its length.
        public var bytes: Int

        /// Creates one.
        ///
        /// - Parameters:
        ///   - digest: Its SHA-256, in 64 hexadecimal digits.
        ///   - checksum: Its XXH64.
        ///   - bytes: Its length.
        public init(digest: String, checksum: UInt64, bytes: Int) {
            self.digest = digest
            self.checksum = checksum
            self.bytes = bytes
        }
    }

    /// The header fields of the request that `Vary` names, each in one form: an empty value if there was none.
    public var varying: [String: String]
    /// The status.
    public var status: Int
    /// The header fields of the answer, without those that were for the connection alone.
    public var headers: HTTPFields
    /// When it was asked for.
    public var requested: Date
    /// When it came.
    public var received: Date
    /// Its content.
    public var body: Body

    /// Creates a record.
    ///
    /// - Parameters:
    ///   - varying: The header fields of the request that `Vary` names.
    ///   - status: The status.
    ///   - headers: The header fields of the answer.
    ///   - requested: When it was asked for.
    ///   - received: When it came.
    ///   - body: Its content.
    public init(
        varying: [String: String], status: Int, headers: HTTPFields, requested: Date, received: Date, body: Body
    ) {
        self.varying = varying
        self.status = status
        self.headers = headers
        self.requested = requested
        self.received = received
        self.body = body
    }
}
