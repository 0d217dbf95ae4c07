import Digests
import Foundation
import Hummingbird
import Persistence
import Site

/// The user of a request, identified by a random cookie, because the site has no sign-in.
///
/// The cookie distinguishes a board's users but grants no access; other users see only a hash of it.
struct ArtPerson: Sendable, Hashable {
    /// One year, in seconds.
    private static let lifetime = 365 * 24 * 60 * 60

    /// The cookie's value: 32 hexadecimal digits.
    private let token: String
    /// Whether the browser doesn't have the cookie yet.
    private let isNew: Bool
    private let usesHTTPS: Bool
    /// The path to which browsers send the cookie; with HTTPS, to all.
    private let path: String
    /// The hash that other users see.
    let author: String

    /// Identifies the user of a request; creates a new user if there is no valid cookie.
    init(_ request: Request, _ context: SiteContext, path: String = "/art/") {
        usesHTTPS = context.usesHTTPS
        self.path = path
        let known = request.cookies[Self.cookieName(usesHTTPS: usesHTTPS)]?.value
        if let known, known.isHexadecimal(bytes: 16) {
            (token, isNew) = (known, false)
        } else {
            (token, isNew) = (String.randomHexadecimal(bytes: 16), true)
        }
        // A blob's id is the SHA-256 of its bytes.
        author = String(BlobStore.ID(of: Data(token.utf8)).description.prefix(16))
    }

    /// Adds the cookie to a response, if the browser doesn't have it yet.
    func addingCookie(to response: Response) -> Response {
        guard isNew else { return response }
        var response = response
        response.setCookie(
            Cookie(
                name: Self.cookieName(usesHTTPS: usesHTTPS), value: token, maxAge: Self.lifetime,
                path: usesHTTPS ? "/" : path, secure: usesHTTPS, httpOnly: true, sameSite: .strict))
        return response
    }

    /// Browsers accept the prefix `__Host-` only over HTTPS and for the path `/`, so that no other host of the domain
    /// can set the cookie.
    private static func cookieName(usesHTTPS: Bool) -> String {
        usesHTTPS ? "__Host-meanwhile-person" : "meanwhile-person"
    }
}
