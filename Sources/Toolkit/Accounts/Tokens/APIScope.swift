/// What a token may do with one app, such as `coffee:write`.
///
/// Writing includes reading, because the response to a change contains what was changed.
public struct APIScope: Hashable, Sendable {
    /// The name of the app in the API's paths: 1 to 20 lower-case letters a to z.
    public let app: String
    /// Whether the token may change the app's data; otherwise it may only read it.
    public let allowsWriting: Bool

    /// Creates a scope.
    public init(app: String, allowsWriting: Bool) {
        (self.app, self.allowsWriting) = (app, allowsWriting)
    }
}

extension APIScope: CustomStringConvertible {
    /// Parses a scope.
    ///
    /// - Returns: `nil` unless the text is the name of an app, a colon, and `read` or `write`.
    public init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, (1...20).contains(parts[0].utf8.count),
            parts[0].utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }),
            let allowsWriting = ["read": false, "write": true][parts[1]]
        else { return nil }
        self.init(app: String(parts[0]), allowsWriting: allowsWriting)
    }

    /// Such as `coffee:write`.
    public var description: String { "\(app):\(allowsWriting ? "write" : "read")" }

    /// Whether the scope allows all that another one allows.
    public func includes(_ other: APIScope) -> Bool {
        app == other.app && (allowsWriting || !other.allowsWriting)
    }
}
