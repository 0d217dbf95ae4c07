public import Foundation
public import Mustache

/// A safe URL for a link, a form or an image of a page: `href="{{url(name)}}"`.
///
/// It is a path of this site or an `http` or `https` URL, but never a script, and never another site disguised as a
/// path.
public struct Link: Sendable, Hashable {
    /// The URL.
    public let url: String

    /// Creates a link to a path of this site, optionally with a query.
    ///
    /// - Parameter path: The path, which begins with exactly one slash; any other text becomes `/`, the home page.
    ///   Characters that are invalid in a URL are percent-encoded; `%`, `?`, `&` and `#` aren't, so encode text from
    ///   users before you insert it.
    public init(_ path: String) {
        let encoded = path.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "/"
        // Two slashes begin a host name. Backslashes and tabs are encoded, because browsers treat a backslash as a
        // slash and ignore tabs.
        self.url = encoded.hasPrefix("/") && !encoded.hasPrefix("//") ? encoded : "/"
    }

    /// Creates a link to an external URL.
    ///
    /// - Returns: `nil` if the URL is neither `http` nor `https`.
    public init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else { return nil }
        self.url = url.absoluteString
    }

    /// The characters allowed in a path, a query or a fragment (https://www.rfc-editor.org/rfc/rfc3986#appendix-A),
    /// and `%`.
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@!$&'()*+,;=/?#%")
}

extension Link: MustacheTransformable {
    /// Provides the URL to the template engine.
    public func transform(_ name: String) -> Any? {
        name == "url" ? url : nil
    }
}

extension Link: CustomStringConvertible {
    /// The URL.
    public var description: String { url }
}
