public import Egress
public import Foundation

/// An error that ended a capture.
///
/// ``description`` tells users what failed, why and what to do.
public struct CaptureError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Codable, Sendable, CustomStringConvertible {
        private let kind: String

        /// The code's name, stable across versions.
        public var description: String { kind }

        /// The URL isn't valid.
        public static let invalidAddress = Code(kind: "invalidAddress")
        /// The URL's scheme isn't `http` or `https`, for example `file:`, `javascript:` or `chrome:`.
        public static let unsupportedScheme = Code(kind: "unsupportedScheme")
        /// The host's name doesn't resolve.
        public static let hostNotFound = Code(kind: "hostNotFound")
        /// The host refused the connection on that port.
        public static let connectionRefused = Code(kind: "connectionRefused")
        /// The connection couldn't be made, or broke.
        public static let connectionFailed = Code(kind: "connectionFailed")
        /// No secure connection could be made.
        public static let tlsFailure = Code(kind: "tlsFailure")
        /// The page redirected too often, or in a circle.
        public static let tooManyRedirects = Code(kind: "tooManyRedirects")
        /// The address policy refused the address; ``CaptureError/refusal`` says what would allow it.
        public static let addressRefused = Code(kind: "addressRefused")
        /// The browser refused to open the URL.
        public static let blocked = Code(kind: "blocked")
        /// The URL is a download, not a page.
        public static let download = Code(kind: "download")
        /// The server responded without a page.
        public static let noPage = Code(kind: "noPage")
        /// The page wasn't ready in time.
        public static let timedOut = Code(kind: "timedOut")
        /// The task was cancelled.
        public static let cancelled = Code(kind: "cancelled")
        /// The page's process crashed.
        public static let pageCrashed = Code(kind: "pageCrashed")
        /// Chromium isn't installed.
        public static let browserNotFound = Code(kind: "browserNotFound")
        /// Chromium didn't start.
        public static let browserFailedToStart = Code(kind: "browserFailedToStart")
        /// Chromium exited or was killed.
        public static let browserExited = Code(kind: "browserExited")
        /// Chromium couldn't create the picture, PDF or archive.
        public static let renderingFailed = Code(kind: "renderingFailed")
        /// The page exceeds a size limit.
        public static let tooLarge = Code(kind: "tooLarge")
        /// The page exceeded the memory limit, and the browser was ended.
        ///
        /// No other page was being captured in that browser. See ``PageCapturer/Configuration/maximumBrowserMemory``.
        public static let memory = Code(kind: "memory")
        /// The capturer has been closed.
        public static let closed = Code(kind: "closed")
    }

    /// The kind of failure.
    public var code: Code
    /// A description of the failure, its cause and its remedy, for users.
    public var message: String
    /// The URL of the page; `nil` if the error concerns only the browser.
    public var url: URL?
    /// The refusal of the address policy, if that is the error.
    public var refusal: EgressRefusal?
    /// The error that caused this one.
    public var cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, url: URL? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.url = url
        self.cause = cause
    }
}

extension CaptureError: CustomStringConvertible, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The message.
    public var errorDescription: String? { message }
}

extension CaptureError {
    /// Maps an error of DevTools to an error of a capture.
    init(_ error: DevToolsError, url: URL?) {
        let page = url.map { " while it showed \($0.shown)" } ?? ""
        switch error.code {
        case .cancelled:
            self.init(.cancelled, "The capture was cancelled.", url: url, cause: error)
        case .crashed:
            self.init(
                .pageCrashed,
                "The page's process crashed\(page). Try again; a page that needs more memory than there is "
                    + "crashes again.", url: url, cause: error)
        case .disconnected:
            self.init(
                .browserExited,
                "Chromium exited\(page): it crashed or was killed. Try again: the next capture starts it "
                    + "anew.", url: url, cause: error)
        case .deadlineExceeded:
            self.init(
                .timedOut, "Chromium did not answer in time\(page): \(error.message) The page may keep it busy.",
                url: url, cause: error)
        case .overflow:
            self.init(.tooLarge, "Too much to capture\(page): \(error.message)", url: url, cause: error)
        default:
            self.init(
                .renderingFailed, "Chromium could not do its part\(page): \(error.message)", url: url, cause: error)
        }
    }

    /// Maps the proxy's failure to connect to the page.
    init(_ error: EgressError, url: URL) {
        if let refusal = error.refusal {
            self.init(.addressRefused, refusal.message, url: url, cause: error)
            self.refusal = refusal
        } else {
            self.init(netError: error.netError, url: url)
            self.cause = error
        }
    }

    /// Maps a network error of Chromium (`net::ERR_…`).
    ///
    /// The names are those of https://source.chromium.org/chromium/chromium/src/+/main:net/base/net_error_list.h
    init(netError: String, url: URL) {
        let address = url.shown
        let host = url.host() ?? address
        let port = url.port.map { " on port \($0)" } ?? ""
        let name = netError.hasPrefix("net::") ? String(netError.dropFirst(5)) : netError
        let (code, text): (Code, String) =
            switch name {
            case "ERR_NAME_NOT_RESOLVED", "ERR_NAME_RESOLUTION_FAILED":
                (.hostNotFound, "No host named \(host) was found. Check the address, and that this machine is online.")
            case "ERR_CONNECTION_REFUSED":
                (.connectionRefused, "Nothing answers at \(host)\(port). Check the address, and that the server runs.")
            case "ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_ADDRESS_UNREACHABLE":
                (.connectionFailed, "\(host) cannot be reached from this machine. Check its network, then try again.")
            case "ERR_CONNECTION_TIMED_OUT", "ERR_TIMED_OUT":
                (.timedOut, "\(host) did not answer in time. Try again later.")
            case "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_CONNECTION_CLOSED", "ERR_CONNECTION_ABORTED",
                "ERR_CONNECTION_FAILED", "ERR_SOCKET_NOT_CONNECTED", "ERR_INVALID_HTTP_RESPONSE",
                "ERR_HTTP2_PROTOCOL_ERROR", "ERR_CONTENT_LENGTH_MISMATCH", "ERR_INCOMPLETE_CHUNKED_ENCODING":
                (.connectionFailed, "\(host) broke off the connection without a whole answer. Try again.")
            case "ERR_TOO_MANY_REDIRECTS":
                (.tooManyRedirects, "\(address) leads in a circle: each address only leads on to another.")
            case "ERR_HTTP_RESPONSE_CODE_FAILURE":
                (.noPage, "\(host) answered \(address) with an error and no page. Check the address.")
            case "ERR_INVALID_URL", "ERR_UNKNOWN_URL_SCHEME", "ERR_DISALLOWED_URL_SCHEME":
                (.invalidAddress, "\(address) is not an address that a browser can open.")
            case "ERR_UNSAFE_PORT":
                (.blocked, "Browsers refuse to connect\(port) of \(host): that port belongs to another protocol.")
            case "ERR_UNSAFE_REDIRECT":
                (.blocked, "\(address) leads to an address that pages must not lead to.")
            case "ERR_ABORTED":
                (.noPage, "\(host) answered \(address) without a page.")
            case _ where name.hasPrefix("ERR_BLOCKED_BY_"):
                (.blocked, "Chromium refused to open \(address).")
            case _ where name.hasPrefix("ERR_CERT_") || name.hasPrefix("ERR_SSL_") || name.hasPrefix("ERR_BAD_SSL"):
                (
                    .tlsFailure,
                    "No safe connection to \(host)\(port) could be made: its certificate or encryption is not valid. "
                        + "Check the address; if the server is yours, mend its certificate."
                )
            default:
                (.connectionFailed, "\(address) could not be loaded.")
            }
        self.init(code, "\(text) (\(name))", url: url)
    }
}

extension URL {
    /// The URL as messages show it, shortened to a few lines.
    var shown: String {
        absoluteString.count <= 300 ? absoluteString : "\(absoluteString.prefix(200))…\(absoluteString.suffix(60))"
    }
}

extension EgressError {
    /// The name that Chromium gives this error when it connects by itself.
    var netError: String {
        switch code {
        case .nameNotFound: "ERR_NAME_NOT_RESOLVED"
        case .resolutionFailed: "ERR_NAME_RESOLUTION_FAILED"
        case .connectionRefused: "ERR_CONNECTION_REFUSED"
        case .timedOut: "ERR_CONNECTION_TIMED_OUT"
        case .invalidHost: "ERR_INVALID_URL"
        case .limitExceeded: "ERR_INSUFFICIENT_RESOURCES"
        default: "ERR_CONNECTION_FAILED"
        }
    }

    /// The reason to record for a missing resource.
    var missingReason: String { refusal?.message ?? "net::\(netError)" }
}
