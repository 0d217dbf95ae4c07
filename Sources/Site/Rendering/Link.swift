public import Foundation
public import Mustache

/// Where a link, a form or a picture of a page leads: `href="{{url(name)}}"`.
///
/// Either a path of this site, or an `http` or `https` address elsewhere; never a script, and never another site in the
/// disguise of a path.
public struct Link: Sendable, Hashable {
    /// The URL.
    public let url: String

    /// A path of this site, with its query.
    ///
    /// - Parameter path: Begins with one slash. What URLs cannot hold is percent-encoded; `%`, `?`, `&` and `#` stay as they are, so
    ///   a component from outside has to be encoded before. Text that leads elsewhere is replaced by the home page's `/`.
    public init(_ path: String) {
        let encoded = path.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "/"
        // Two slashes begin the name of a host. Backslashes and tabs, which browsers read as slashes and as nothing, are encoded.
        self.url = encoded.hasPrefix("/") && !encoded.hasPrefix("//") ? encoded : "/"
    }

    /// An address elsewhere.
    ///
    /// - Returns: `nil` if it is neither `http` nor `https`.
    public init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) else { return nil }
        self.url = url.absoluteString
    }

    /// What stands for itself in a path, a query or a fragment (https://www.rfc-editor.org/rfc/rfc3986#appendix-A), and `%`.
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@!$&'()*+,;=/?#%")
}

extension Link: MustacheTransformable {
    /// What the template engine asks for.
    public func transform(_ name: String) -> Any? {
        name == "url" ? url : nil
    }
}

extension Link: CustomStringConvertible {
    /// The URL.
    public var description: String { url }
}
