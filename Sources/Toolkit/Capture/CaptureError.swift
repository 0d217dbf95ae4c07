public import Egress
public import Foundation

/// Why a page could not be captured.
///
/// ``description`` is made for people: what happened, to what, and what to do now.
public struct CaptureError: Error, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Codable, Sendable {
        private enum Kind: String, Hashable, Codable, Sendable {
            case invalidAddress, unsupportedScheme, hostNotFound, connectionRefused, connectionFailed, tlsFailure
            case tooManyRedirects, addressRefused, blocked, download, noPage, timedOut, cancelled, pageCrashed
            case browserNotFound, browserFailedToStart, browserExited, renderingFailed, tooLarge, memory
            case closed
        }

        private let kind: Kind

        /// The address is not one.
        public static let invalidAddress = Code(kind: .invalidAddress)
        /// The address is not of the web: `file:`, `javascript:`, `chrome:` and the like.
        public static let unsupportedScheme = Code(kind: .unsupportedScheme)
        /// No host of that name is known.
        public static let hostNotFound = Code(kind: .hostNotFound)
        /// Nothing answers at that host and port.
        public static let connectionRefused = Code(kind: .connectionRefused)
        /// The connection broke, or could not be made.
        public static let connectionFailed = Code(kind: .connectionFailed)
        /// The connection could not be made safe.
        public static let tlsFailure = Code(kind: .tlsFailure)
        /// One address leads to the next without end.
        public static let tooManyRedirects = Code(kind: .tooManyRedirects)
        /// The address is not public, and not allowed; ``CaptureError/refusal`` says what would allow it.
        public static let addressRefused = Code(kind: .addressRefused)
        /// The browser refused to open the address.
        public static let blocked = Code(kind: .blocked)
        /// The address is a file to download, not a page.
        public static let download = Code(kind: .download)
        /// The server answered without a page.
        public static let noPage = Code(kind: .noPage)
        /// The page was not ready in time.
        public static let timedOut = Code(kind: .timedOut)
        /// The task was cancelled.
        public static let cancelled = Code(kind: .cancelled)
        /// The page's process crashed.
        public static let pageCrashed = Code(kind: .pageCrashed)
        /// There is no Chromium.
        public static let browserNotFound = Code(kind: .browserNotFound)
        /// Chromium did not start.
        public static let browserFailedToStart = Code(kind: .browserFailedToStart)
        /// Chromium exited or was killed.
        public static let browserExited = Code(kind: .browserExited)
        /// Chromium could not make the picture, document or archive.
        public static let renderingFailed = Code(kind: .renderingFailed)
        /// What the page is made of is larger than allowed.
        public static let tooLarge = Code(kind: .tooLarge)
        /// The page made the browser take more memory than allowed, and the browser was ended.
        ///
        /// The page was alone in its browser then. See ``PageCapturer/Configuration/maximumBrowserMemory``.
        public static let memory = Code(kind: .memory)
        /// The capturer has been closed.
        public static let closed = Code(kind: .closed)
    }

    /// The kind of failure.
    public var code: Code
    /// What happened, to what, and what to do now.
    public var message: String
    /// The page that was to be captured; `nil` where it is about the browser alone.
    public var url: URL?
    /// What the policy for addresses refused, if it was that.
    public var refusal: EgressRefusal?
    /// What lies underneath.
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

extension CaptureError.Code: CustomStringConvertible {
    /// The code's name, stable across versions.
    public var description: String { kind.rawValue }
}

extension CaptureError {
    /// What a DevTools failure means for the capture of a page.
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

    /// Why the proxy could not connect to the page.
    init(_ error: EgressError, url: URL) {
        if let refusal = error.refusal {
            self.init(.addressRefused, refusal.message, url: url, cause: error)
            self.refusal = refusal
        } else {
            self.init(netError: error.netError, url: url)
            self.cause = error
        }
    }

    /// What a network error of Chromium (`net::ERR_…`) means for a person.
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
    /// The address as it stands in a message: not longer than a few lines.
    var shown: String {
        absoluteString.count <= 300 ? absoluteString : "\(absoluteString.prefix(200))…\(absoluteString.suffix(60))"
    }
}

extension EgressError {
    /// What Chromium calls it where it connects by itself.
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

    /// Why something that a page is made of is missing.
    var missingReason: String { refusal?.message ?? "net::\(netError)" }
}
