public import Accounts
import HTTPTypes
import Hummingbird
public import OpenIDConnect
import Persistence

/// How people sign in to the site.
public struct SiteSignIn: Sendable {
    /// The accounts.
    public var signIn: SignIn
    /// Whether the site needs accounts; otherwise everything belongs to one person while there are none.
    ///
    /// It is needed if others than the person at the computer may reach the server.
    public var isRequired: Bool
    /// The provider at which people can sign in, too; `nil` for passwords only.
    public var provider: SiteProvider?

    /// Creates the configuration.
    public init(_ signIn: SignIn, isRequired: Bool, provider: SiteProvider? = nil) {
        (self.signIn, self.isRequired, self.provider) = (signIn, isRequired, provider)
    }
}

/// A provider at which people can sign in.
public struct SiteProvider: Sendable {
    /// The provider.
    public var provider: OpenIDProvider
    /// Whether everyone whom the provider identifies gets an account.
    public var createsAccounts: Bool

    /// What people call the provider.
    var name: String { provider.configuration.name }

    /// Creates the configuration.
    public init(_ provider: OpenIDProvider, createsAccounts: Bool) {
        (self.provider, self.createsAccounts) = (provider, createsAccounts)
    }
}

/// The person who has sent a request, and the session by which the site knows it.
public struct SignedInPerson: Sendable {
    /// The account.
    public let account: Account
    /// The browser's session.
    public let session: Session

    /// The name of the person whom the current task serves, for the layout of pages.
    static let name = TaskLocal<String?>(wrappedValue: nil)
}

/// The cookie with the token of a session.
struct SessionCookie {
    let usesHTTPS: Bool

    /// Browsers accept the prefix `__Host-` only over HTTPS and for the path `/`, so that no other host of the domain can
    /// set the cookie.
    var name: String { usesHTTPS ? "__Host-meanwhile-session" : "meanwhile-session" }

    func token(in request: Request) -> RandomToken? {
        request.cookies[name].flatMap { RandomToken($0.value) }
    }

    func set(_ token: RandomToken, in response: inout Response) {
        response.setCookie(cookie(token.text, maxAge: Int(SessionPolicy.lifetime)))
    }

    func remove(in response: inout Response) {
        response.setCookie(cookie("", maxAge: 0))
    }

    private func cookie(_ value: String, maxAge: Int) -> Cookie {
        // With `strict`, a link from another site would lead to the sign-in page.
        Cookie(
            name: name, value: value, maxAge: maxAge, path: "/", secure: usesHTTPS, httpOnly: true, sameSite: .lax)
    }
}

/// The page of the site to which a sign-in returns.
enum ReturnPath {
    /// The longest path that is remembered, in bytes.
    private static let maximumBytes = 2_000

    /// A path of this site; `/` for anything else, such as another site's address.
    static func path(_ text: String?) -> String {
        guard let text, text.utf8.count <= maximumBytes, text.hasPrefix("/"), !text.contains("\\") else { return "/" }
        // A link encodes tabs and line breaks, which browsers ignore, and refuses two slashes.
        let path = Link(text).url
        return path.hasPrefix("/sign-") ? "/" : path
    }

    /// The path of the sign-in page that returns to a page.
    static func signIn(returningTo path: String) -> String {
        let next = Self.path(path)
        guard next != "/" else { return SignInPages.path }
        var encoded = ""
        for byte in next.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return "\(SignInPages.path)?next=\(encoded)"
    }
}
