package import Foundation
package import Persistence

/// Where a bucket of an S3-compatible store is, and the prefix of the names of its objects.
package struct S3Address: Hashable, Sendable {
    /// The scheme, the host and the port of the service, such as `https://s3.eu-central-1.amazonaws.com`.
    package let endpoint: URL
    /// The region that signatures name.
    package let region: String
    package let bucket: String
    /// What the names of all objects begin with: empty, or ending in a slash.
    package let prefix: String
    /// Whether the bucket is the first part of the host's name, instead of the first part of the path.
    package let isVirtualHosted: Bool
    /// Whether browsers may read objects from the service themselves, by URLs that expire.
    package let allowsDirectDownloads: Bool

    /// Checks an address.
    ///
    /// - Parameter text: `s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION`.
    ///   Without an endpoint, it's a bucket of AWS. Without a region, it's `us-east-1`.
    ///   An endpoint without TLS must be this computer, unless the address contains `tls=off`.
    ///   `addressing=virtual` puts the bucket's name into the host's name, and `addressing=path` into the path. AWS
    ///   wants the former, and most other services the latter.
    ///   With `downloads=direct`, browsers read downloads from the service themselves.
    /// - Throws: ``StoreError`` with the code `invalidName`, which says what is wrong.
    package init(_ text: String) throws(StoreError) {
        guard let parts = URLComponents(string: text), parts.scheme == "s3" else {
            throw Self.error("it must have the form s3://BUCKET/PREFIX?endpoint=https://HOST&region=REGION")
        }
        guard parts.user == nil, parts.password == nil else {
            throw Self.error(
                "it contains a user or a password. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead")
        }
        guard parts.port == nil, parts.fragment == nil, let bucket = parts.host, Self.isBucket(bucket) else {
            throw Self.error("the bucket's name must have 3 to 63 lower-case letters, digits, hyphens or periods")
        }
        var values: [String: String] = [:]
        for item in parts.queryItems ?? [] {
            guard ["endpoint", "region", "addressing", "tls", "downloads"].contains(item.name), let value = item.value
            else {
                throw Self.error(
                    "it has the parameter “\(item.name.prefix(40))”. Use endpoint, region, addressing, tls or downloads"
                )
            }
            guard values.updateValue(value, forKey: item.name) == nil else {
                throw Self.error("it has the parameter “\(item.name)” twice")
            }
        }
        self.bucket = bucket
        prefix = try Self.prefix(of: parts.path)
        region = values["region"] ?? "us-east-1"
        guard (1...64).contains(region.utf8.count), region.utf8.allSatisfy(Self.isNameByte) else {
            throw Self.error("the region must consist of lower-case letters, digits and hyphens")
        }
        guard [nil, "direct"].contains(values["downloads"]) else {
            throw Self.error("downloads must be direct, or missing")
        }
        allowsDirectDownloads = values["downloads"] != nil
        guard [nil, "off"].contains(values["tls"]) else { throw Self.error("tls must be off, or missing") }
        if let endpoint = values["endpoint"] {
            self.endpoint = try Self.endpoint(endpoint, isPlain: values["tls"] != nil)
        } else if let endpoint = URL(string: "https://s3.\(region).amazonaws.com") {
            self.endpoint = endpoint
        } else {
            throw Self.error("the region isn't valid")
        }
        switch values["addressing"] {
        case "virtual": isVirtualHosted = true
        case "path": isVirtualHosted = false
        // The certificate of AWS is only for names without further periods.
        case nil: isVirtualHosted = values["endpoint"] == nil && !bucket.contains(".")
        default: throw Self.error("addressing must be virtual or path")
        }
    }

    private static func error(_ reason: String) -> StoreError {
        StoreError(.invalidName, "The address of the bucket is invalid: \(reason).")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-")
    }

    // https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html
    private static func isBucket(_ name: String) -> Bool {
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return (3...63).contains(name.utf8.count)
            && labels.allSatisfy { label in
                !label.isEmpty && label.allSatisfy(isNameByte) && label.first != UInt8(ascii: "-")
                    && label.last != UInt8(ascii: "-")
            }
    }

    private static func prefix(of path: String) throws(StoreError) -> String {
        let names = path.split(separator: "/", omittingEmptySubsequences: true)
        let isValid = names.allSatisfy { name in
            name != "." && name != ".."
                && name.utf8.allSatisfy { isNameByte($0) || "_.=ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8.contains($0) }
        }
        guard isValid, path.utf8.count <= 512 else {
            throw error("the prefix must consist of letters, digits and -_.= with single slashes between names")
        }
        return names.isEmpty ? "" : names.joined(separator: "/") + "/"
    }

    private static func endpoint(_ text: String, isPlain: Bool) throws(StoreError) -> URL {
        guard var parts = URLComponents(string: text), let host = parts.host, !host.isEmpty, parts.user == nil,
            parts.password == nil, parts.query == nil, parts.fragment == nil,
            ["", "/"].contains(parts.path)
        else { throw error("the endpoint must have the form https://HOST or https://HOST:PORT") }
        switch parts.scheme {
        case "https": break
        case "http":
            let isLocal = ["localhost", "127.0.0.1", "::1", "[::1]"].contains(host)
            guard isLocal || isPlain else {
                throw error(
                    "the endpoint \(host) has no TLS, so that others on the network could read the blobs. Use "
                        + "https://, or add tls=off")
            }
        default: throw error("the endpoint must begin with https://")
        }
        parts.path = ""
        guard let url = parts.url else { throw error("the endpoint isn't valid") }
        return url
    }
}

extension S3Address: CustomStringConvertible {
    /// The bucket, the prefix and the endpoint's host, for messages.
    package var description: String { "s3://\(bucket)/\(prefix) at \(endpoint.host() ?? "")" }
}

/// The key that signs requests; its parts appear in no text.
package struct S3Credentials: Hashable, Sendable {
    let keyID: String
    let secret: String
    let sessionToken: String?

    /// - Parameters:
    ///   - keyID: The ID of the access key.
    ///   - secret: The secret of the access key.
    ///   - sessionToken: The token of a temporary key.
    package init(keyID: String, secret: String, sessionToken: String? = nil) {
        (self.keyID, self.secret, self.sessionToken) = (keyID, secret, sessionToken)
    }

    /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and, for a temporary key, `AWS_SESSION_TOKEN`.
    ///
    /// - Parameter environment: The environment variables.
    /// - Throws: ``StoreError`` with the code `invalidName` if one is missing, or has characters that no key has.
    package init(environment: [String: String]) throws(StoreError) {
        func value(_ name: String) throws(StoreError) -> String? {
            guard let value = environment[name], !value.isEmpty else { return nil }
            guard value.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
                throw StoreError(
                    .invalidName,
                    "\(name) contains a space, a line break or a letter that no access key has. Set it again.")
            }
            return value
        }
        guard let keyID = try value("AWS_ACCESS_KEY_ID"), let secret = try value("AWS_SECRET_ACCESS_KEY") else {
            throw StoreError(
                .invalidName,
                "Blobs in S3 need an access key. Set the environment variables AWS_ACCESS_KEY_ID and "
                    + "AWS_SECRET_ACCESS_KEY.")
        }
        self.init(keyID: keyID, secret: secret, sessionToken: try value("AWS_SESSION_TOKEN"))
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Doesn't contain the key.
    package var description: String { "an access key" }
    /// Doesn't contain the key.
    package var debugDescription: String { description }
    /// Doesn't contain the key.
    package var customMirror: Mirror { Mirror(self, children: []) }
}
