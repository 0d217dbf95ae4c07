import Foundation
import HTTPTypes

/// One request on the way through redirects.
struct Hop: Sendable, Hashable {
    var url: URL
    var method: HTTPRequest.Method
    var headers: HTTPFields
    var body: Data?
}

/// The redirects of one fetch.
///
/// Each is decided here, and none by the HTTP client, because each address must be checked before it is connected to.
/// https://www.rfc-editor.org/rfc/rfc9110#section-15.4, https://fetch.spec.whatwg.org/#http-redirect-fetch
struct RedirectTrail: Sendable {
    private struct Step: Hashable {
        var url: URL
        var method: HTTPRequest.Method
    }

    /// The request to send now.
    private(set) var hop: Hop
    private let limit: Int
    private var steps: Set<Step>

    /// Begins a trail; throws ``FetchError`` with the code `invalidRequest`, if the request cannot be sent.
    init(_ request: FetchRequest, limit: Int) throws(FetchError) {
        guard WebOrigin(request.url) != nil else {
            throw FetchError(
                .invalidRequest,
                "\(shown(request.url)) is no address of the web. Give one of http or https, with a host.")
        }
        guard request.url.user == nil, request.url.password == nil else {
            throw FetchError(
                .invalidRequest,
                "The address of \(request.url.host ?? "") has a name or password in it. Send them as `Authorization`.")
        }
        var headers = request.headers
        // They belong to the connection, which is made here.
        for name in Self.ofConnection { headers[fields: name] = [] }
        let hop = Hop(url: Self.bare(request.url), method: request.method, headers: headers, body: request.body)
        self.hop = hop
        self.limit = limit
        self.steps = [Step(url: hop.url, method: hop.method)]
    }

    private static let ofConnection: [HTTPField.Name] =
        [.connection, .contentLength, .transferEncoding, .te, .upgrade]
        + ["Host", "Keep-Alive", "Proxy-Connection"].compactMap { HTTPField.Name($0) }

    /// The address as it is asked for.
    private static func bare(_ url: URL) -> URL {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return url }
        parts.fragment = nil
        parts.user = nil
        parts.password = nil
        return parts.url ?? url
    }
}

extension RedirectTrail {
    /// Follows a response if it is a redirect.
    ///
    /// - Returns: Whether there is another request to send.
    /// - Throws: ``FetchError``: `tooManyRedirects`, `insecureRedirect`, or `invalidRequest` if it leads to no address.
    mutating func follow(status: Int, headers: HTTPFields) throws(FetchError) -> Bool {
        guard [301, 302, 303, 307, 308].contains(status), let location = headers[.location] else { return false }
        let from = hop.url
        guard let target = URL(string: location, relativeTo: from)?.absoluteURL, let origin = WebOrigin(target) else {
            throw FetchError(
                .invalidRequest,
                "\(shown(from)) leads to “\(location.prefix(200))”, which is no address of the web. Tell its owner.")
        }
        guard origin.scheme == "https" || WebOrigin(from)?.scheme != "https" else {
            throw FetchError(
                .insecureRedirect,
                "\(shown(from)) leads to \(shown(target)), where the connection would not be secure. Ask for that address "
                    + "itself if you trust the way to it.")
        }
        var next = Hop(url: Self.bare(target), method: hop.method, headers: hop.headers, body: hop.body)
        if changesToGet(status) {
            next.method = .get
            next.body = nil
            for name in Self.ofBody { next.headers[fields: name] = [] }
        }
        if origin != WebOrigin(from) {
            for name in Self.ofOrigin { next.headers[fields: name] = [] }
        }
        guard steps.count <= limit else {
            throw FetchError(
                .tooManyRedirects,
                "\(shown(from)) leads on after \(limit) other addresses. Open it in a browser to see what it wants.")
        }
        guard steps.insert(Step(url: next.url, method: next.method)).inserted else {
            throw FetchError(
                .tooManyRedirects,
                "\(shown(from)) leads back to \(shown(next.url)), in a circle. Open it in a browser to see what it wants."
            )
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

    /// The header fields that describe a content that is sent no more.
    private static let ofBody: [HTTPField.Name] = [
        .contentType, .contentEncoding, .contentLanguage, .contentLocation, .contentDisposition,
    ]

    /// The header fields with credentials, which are for one origin alone.
    private static let ofOrigin: [HTTPField.Name] = [.authorization, .cookie, .proxyAuthorization]
}

/// An address for a sentence: without what may be secret in it, and not endless.
func shown(_ url: URL) -> String {
    var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
    parts?.user = nil
    parts?.password = nil
    parts?.fragment = nil
    let text = parts?.string ?? url.absoluteString
    return text.count <= 200 ? text : "\(text.prefix(200))…"
}

/// The scheme, host and port of an address of the web.
///
/// https://html.spec.whatwg.org/#origin
struct WebOrigin: Sendable, Hashable {
    let scheme: String
    let host: String
    let port: Int

    /// The origin of an address of http or https; `nil` of any other.
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
    /// The host as the HTTP client takes it: without the brackets of an address.
    var connectedHost: String? {
        guard let host, !host.isEmpty else { return nil }
        return host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    }
}
