import Foundation

/// Who answers for an address.
///
/// https://html.spec.whatwg.org/#origin
struct WebOrigin: Sendable, Hashable {
    let scheme: String
    let host: String
    let port: Int

    /// That of an address of http or https; `nil` of any other.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}
