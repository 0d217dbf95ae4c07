import Foundation
import HTTPTypes

/// One request of a redirect chain.
struct Hop: Sendable, Hashable {
    var url: URL
    var method: HTTPRequest.Method
    var headers: HTTPFields
    var body: Data?
}

/// The redirects that one fetch follows.
///
/// The HTTP client follows none itself, because each redirect's address must be checked before connecting to it.
/// https://www.rfc-editor.org/rfc/rfc9110#section-15.4, https://fetch.spec.whatwg.org/#http-redirect-fetch
struct RedirectTrail: Sendable {
    private struct Step: Hashable {
        var url: URL
        var method: HTTPRequest.Method
    }

    /// The request to send next.
    private(set) var hop: Hop
    private let limit: Int
    private var steps: Set<Step>

    /// Starts a chain; throws ``FetchError`` with the code `invalidRequest` if the request can't be sent.
    init(_ request: FetchRequest, limit: Int) throws(FetchError) {
        guard WebOrigin(request.url) != nil else {
            throw FetchError(
                .invalidRequest,
                "\(shown(request.url)) isn't a web address. Use a URL of http or https with a host.")
        }
        guard request.url.user == nil, request.url.password == nil else {
            throw FetchError(
                .invalidRequest,
                "The address of \(request.url.host ?? "") contains a user name or password. Send them as "
                    + "`Authorization`.")
        }
        var headers = request.headers
        // These belong to the connection, which the HTTP client manages.
        for name in Self.connectionFields { headers[fields: name] = [] }
        let hop = Hop(url: Self.stripped(request.url), method: request.method, headers: headers, body: request.body)
        self.hop = hop
        self.limit = limit
        self.steps = [Step(url: hop.url, method: hop.method)]
    }

    private static let connectionFields: [HTTPField.Name] =
        [.connection, .contentLength, .transferEncoding, .te, .upgrade]
        + ["Host", "Keep-Alive", "Proxy-Connection"].compactMap { HTTPField.Name($0) }

    /// The URL without its fragment and credentials, as it's requested.
    private static func stripped(_ url: URL) -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        parts.fragment = nil
        parts.user = nil
        parts.password = nil
        return parts.url ?? url
    }
}

extension RedirectTrail {
    /// Follows a response if it's a redirect.
    ///
    /// - Returns: Whether there is another request to send.
    /// - Throws: ``FetchError`` with the code `tooManyRedirects`, `insecureRedirect`, or, if the target isn't an http
    ///   or https URL, `invalidRequest`.
    mutating func follow(status: Int, headers: HTTPFields) throws(FetchError) -> Bool {
        guard [301, 302, 303, 307, 308].contains(status), let location = headers[.location] else { return false }
        let from = hop.url
        guard let target = URL(string: location, relativeTo: from)?.absoluteURL, let origin = WebOrigin(target) else {
            throw FetchError(
                .invalidRequest,
                "\(shown(from)) redirects to “\(location.prefix(200))”, which isn't a web address. Tell the owner of "
                    + "the site.")
        }
        guard origin.scheme == "https" || WebOrigin(from)?.scheme != "https" else {
            throw FetchError(
                .insecureRedirect,
                "\(shown(from)) redirects to \(shown(target)), which isn't encrypted. If you trust the network, fetch "
                    + "that address directly.")
        }
        var next = Hop(url: Self.stripped(target), method: hop.method, headers: hop.headers, body: hop.body)
        if changesToGet(status) {
            next.method = .get
            next.body = nil
            for name in Self.contentFields { next.headers[fields: name] = [] }
        }
        if origin != WebOrigin(from) {
            for name in Self.credentialFields { next.headers[fields: name] = [] }
        }
        guard steps.count <= limit else {
            throw FetchError(
                .tooManyRedirects,
                "\(shown(from)) redirects again after \(limit) redirects. Open it in a browser to see why.")
        }
        guard steps.insert(Step(url: next.url, method: next.method)).inserted else {
            throw FetchError(
                .tooManyRedirects,
                "\(shown(from)) redirects back to \(shown(next.url)), in a loop. Open it in a browser to see why.")
        }
        hop = next
        return true
    }

    private func changesToGet(_ status: Int) -> Bool {
        switch status {
        case 303: hop.method != .head
        case 301, 302: hop.method == .post
        default: false
        }
    }

    /// The header fields that describe a request's content; removed with the content.
    private static let contentFields: [HTTPField.Name] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation, .contentDisposition,
    ]

    /// The header fields with credentials, which are sent to one origin only.
    private static let credentialFields: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]
}

/// A URL for use in an error message: without credentials and fragment, and at most 200 characters long.
func shown(_ url: URL) -> String {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.user = nil
    parts?.password = nil
    parts?.fragment = nil
    let text = parts?.string ?? url.absoluteString
    return text.count <= 200 ? text : "\(text.prefix(200))…"
}

/// The origin of an http or https URL: its scheme, host and port.
///
/// https://html.spec.whatwg.org/#origin
struct WebOrigin: Sendable, Hashable {
    let scheme: String
    let host: String
    let port: Int

    /// Returns `nil` for a URL of another scheme or without a host.
    init?(_ url: URL) {
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty
        else { return nil }
        self.scheme = scheme
        self.host = host.lowercased()
        self.port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}

extension URL {
    /// The host as the HTTP client takes it: an IPv6 address without its brackets.
    var connectedHost: String? {
        guard let host, !host.isEmpty else { return nil }
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
