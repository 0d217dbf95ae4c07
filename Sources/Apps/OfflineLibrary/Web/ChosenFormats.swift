import Capture
import Hummingbird

/// The formats in which a browser saved its last page, which are those of its next one.
///
/// They are in a cookie, so that one browser's choice doesn't change another's. A browser without the cookie has the
/// owner's last choice.
enum ChosenFormats {
    private static let cookieName = "meanwhile-formats"
    /// One year, in seconds.
    private static let lifetime = 365 * 24 * 60 * 60

    /// The cookie with a choice.
    static func cookie(with formats: Set<PageFormat>, usesHTTPS: Bool) -> Cookie {
        Cookie(
            name: cookieName, value: formats.map(\.rawValue).sorted().joined(separator: "."), maxAge: lifetime,
            path: "/library/", secure: usesHTTPS, httpOnly: true, sameSite: .strict)
    }

    /// The choice in a request's cookie; `nil` if there is none.
    static func formats(in request: Request) -> Set<PageFormat>? {
        guard let value = request.cookies[cookieName]?.value else { return nil }
        let formats = Set(value.split(separator: ".").compactMap { PageFormat(rawValue: String($0)) })
        return formats.isEmpty ? nil : formats
    }
}
