import Foundation
import HTTPTypes

extension FetchError {
    /// What a status that is not one of success means for a person.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - headers: The answer's header fields, of which `Retry-After` is heeded.
    ///   - url: What was asked for.
    ///   - now: The time.
    init(status: Int, headers: HTTPFields, url: URL, now: Date) {
        let host = url.host ?? "The server"
        let after = headers[.retryAfter].flatMap { Self.delay($0, now: now) }
        let wait = after.map { "in \($0 / .seconds(1)) s" } ?? "later"
        let (code, message): (Code, String) =
            switch status {
            case 401, 407:
                (.status, "\(shown(url)) is only for those who sign in (status \(status)). Send credentials.")
            case 403: (.status, "\(host) does not let us have \(shown(url)) (status 403). Ask its owner.")
            case 404, 410: (.status, "\(host) has no \(shown(url)) (status \(status)). Check the address.")
            case 408, 425:
                (
                    .unavailable,
                    "\(host) did not answer for \(shown(url)) in time (status \(status)). Try again \(wait)."
                )
            case 429: (.unavailable, "\(host) has been asked too often (status 429). Try again \(wait).")
            case 500, 502, 503, 504:
                (.unavailable, "\(host) cannot answer for \(shown(url)) now (status \(status)). Try again \(wait).")
            default:
                (.status, "\(host) answered with status \(status) for \(shown(url)). Check the address.")
            }
        self.init(code, message)
        self.status = status
        self.retryAfter = code == .unavailable ? after : nil
    }

    /// What `Retry-After` says: seconds or a date.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    private static func delay(_ text: String, now: Date) -> Duration? {
        if let seconds = DeltaSeconds.parse(text) { return .seconds(seconds) }
        return HTTPDate.parse(text, now: now).map { .seconds(max(0, $0.timeIntervalSince(now).rounded(.up))) }
    }
}
