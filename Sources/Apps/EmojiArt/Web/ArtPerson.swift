import Digests
import Foundation
import Hummingbird
import Persistence
import Site

/// Who asks: until there is sign-in, whoever has this browser's random cookie.
///
/// It tells people apart on a board, and lets nobody in: what others get to know of it is a hash.
struct ArtPerson: Sendable, Hashable {
    /// One year, in seconds.
    private static let lifetime = 365 * 24 * 60 * 60

    /// The cookie's value: 32 hexadecimal digits.
    private let token: String
    /// Whether the browser does not have it yet.
    private let isNew: Bool
    private let usesHTTPS: Bool
    /// What others know of whoever it is.
    let author: String

    /// Whoever asks; somebody new where there is no cookie, or one that we did not make.
    init(_ request: Request, _ context: SiteContext) {
        usesHTTPS = context.usesHTTPS
        let known = request.cookies[Self.cookieName(usesHTTPS: usesHTTPS)]?.value
        if let known, known.isHexadecimal(bytes: 16) {
            (token, isNew) = (known, false)
        } else {
            (token, isNew) = (String.randomHexadecimal(bytes: 16), true)
        }
        // What names a blob is the SHA-256 of it.
        author = String(BlobStore.ID(of: Data(token.utf8)).description.prefix(16))
    }

    /// The answer, which brings the cookie to a browser that does not have it.
    func known(to response: Response) -> Response {
        guard isNew else { return response }
        var response = response
        response.setCookie(
            Cookie(
                name: Self.cookieName(usesHTTPS: usesHTTPS), value: token, maxAge: Self.lifetime,
                path: usesHTTPS ? "/" : "/art/", secure: usesHTTPS, httpOnly: true, sameSite: .strict))
        return response
    }

    /// With `__Host-`, which browsers take by HTTPS and for the path `/` alone, no other host of the domain can set it.
    private static func cookieName(usesHTTPS: Bool) -> String {
        usesHTTPS ? "__Host-meanwhile-person" : "meanwhile-person"
    }
}
