import Capture
import Hummingbird

/// The formats that a browser's user chose for the last page, which the form selects for the next one.
///
/// They are in a cookie, so that one browser's choice doesn't change another's. A browser without the cookie gets the
/// owner's last choice.
enum ChosenFormats {
    private static let cookieName = "meanwhile-formats"
    /// One year, in seconds.
    private static let lifetime = 365 * 24 * 60 * 60

    /// The cookie with a choice.
    static func cookie(with formats: Set<PageFormat>, usesHTTPS: Bool) -> Cookie {
        Cookie(
            name: cookieName, value: names(of: formats), maxAge: lifetime, path: "/library/", secure: usesHTTPS,
            httpOnly: true, sameSite: .strict)
    }

    /// The choice in a request's cookie; `nil` if there is none.
    static func formats(in request: Request) -> Set<PageFormat>? {
        request.cookies[cookieName].flatMap { formats(named: $0.value) }
    }

    /// The cookie's value for a choice, such as `pdf.webarchive`.
    static func names(of formats: Set<PageFormat>) -> String {
        formats.map(\.rawValue).sorted().joined(separator: ".")
    }

    /// The choice of a cookie's value; `nil` if it names no format.
    static func formats(named text: String) -> Set<PageFormat>? {
        let formats = Set(text.split(separator: ".").compactMap { PageFormat(rawValue: String($0)) })
        return formats.isEmpty ? nil : formats
    }
}
