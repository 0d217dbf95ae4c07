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
        /// The page redirected too often, or in a loop.
        public static let tooManyRedirects = Code(kind: "tooManyRedirects")
        /// The address policy refused the address; ``CaptureError/refusal`` says what would allow it.
        public static let addressRefused = Code(kind: "addressRefused")
        /// The browser refused to open the URL.
        public static let blocked = Code(kind: "blocked")
        /// The URL is a download, not a page.
        public static let download = Code(kind: "download")
        /// The server responded without a page.
        public static let noPage = Code(kind: "noPage")
        /// The server or Chromium didn't respond in time, or the page wasn't ready in time.
        public static let timedOut = Code(kind: "timedOut")
        /// The task was cancelled.
        public static let cancelled = Code(kind: "cancelled")
        /// The page's process crashed.
        public static let pageCrashed = Code(kind: "pageCrashed")
        /// Chromium isn't installed in a usual place, or the given path has no program.
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
    /// The exceeded ``CaptureOptions/timeout``, if that is the error.
    package var exceededTimeout: Duration?
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
        let page = url.map { " while showing \($0.shown)" } ?? ""
        switch error.code {
        case .cancelled:
            self.init(.cancelled, "The capture was cancelled.", url: url, cause: error)
        case .crashed:
            self.init(
                .pageCrashed,
                "The page's process crashed\(page). Try again. If the page needs more memory than is available, it "
                    + "crashes again.", url: url, cause: error)
        case .disconnected:
            self.init(
                .browserExited,
                "Chromium exited\(page): it crashed or was killed. Try again; the next capture restarts it.", url: url,
                cause: error)
        case .deadlineExceeded:
            self.init(
                .timedOut, "Chromium didn't respond in time\(page): \(error.message) The page may be keeping it busy.",
                url: url, cause: error)
        case .overflow:
            self.init(.tooLarge, "There was too much data to capture\(page): \(error.message)", url: url, cause: error)
        default:
            self.init(
                .renderingFailed, "Chromium failed\(page): \(error.message)", url: url, cause: error)
        }
    }

    /// Maps the proxy's failure to connect to the page.
    init(_ error: EgressError, url: URL) {
        if let netError = error.netError {
            self.init(netError: netError, url: url)
        } else {
            self.init(error.refusal == nil ? .connectionFailed : .addressRefused, error.message, url: url)
            self.refusal = error.refusal
        }
        self.cause = error
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
                (.hostNotFound, "The server \(host) wasn't found. Check the address, and that this computer is online.")
            case "ERR_CONNECTION_REFUSED":
                (
                    .connectionRefused,
                    "\(host) refused the connection\(port). Check the address, and that the server is running."
                )
            case "ERR_INTERNET_DISCONNECTED", "ERR_NETWORK_CHANGED", "ERR_ADDRESS_UNREACHABLE",
                "ERR_CONNECTION_FAILED":
                (.connectionFailed, "\(host) can't be reached. Check this computer's network, then try again.")
            case "ERR_CONNECTION_TIMED_OUT", "ERR_TIMED_OUT":
                (.timedOut, "\(host) took too long to respond. Try again later.")
            case "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET", "ERR_CONNECTION_CLOSED", "ERR_CONNECTION_ABORTED",
                "ERR_SOCKET_NOT_CONNECTED", "ERR_HTTP2_PROTOCOL_ERROR", "ERR_CONTENT_LENGTH_MISMATCH",
                "ERR_INCOMPLETE_CHUNKED_ENCODING":
                (.connectionFailed, "\(host) closed the connection before its response was complete. Try again.")
            case "ERR_INVALID_HTTP_RESPONSE":
                (.connectionFailed, "\(host) sent a response that isn't valid HTTP. Try again later.")
            case "ERR_TOO_MANY_REDIRECTS":
                (.tooManyRedirects, "\(address) redirects too many times.")
            case "ERR_HTTP_RESPONSE_CODE_FAILURE":
                (.noPage, "\(host) responded to \(address) with an error and no page. Check the address.")
            case "ERR_INVALID_URL", "ERR_UNKNOWN_URL_SCHEME", "ERR_DISALLOWED_URL_SCHEME":
                (.invalidAddress, "\(address) isn't an address that a browser can open.")
            case "ERR_UNSAFE_PORT":
                (.blocked, "Browsers don't connect to \(host)\(port), because the port is for another protocol.")
            case "ERR_UNSAFE_REDIRECT":
                (.blocked, "\(address) redirects to an address that browsers don't allow.")
            case "ERR_ABORTED":
                (.noPage, "\(host) responded to \(address) without a page.")
            case _ where name.hasPrefix("ERR_BLOCKED_BY_"):
                (.blocked, "Chromium refused to open \(address).")
            case _ where name.hasPrefix("ERR_CERT_") || name.hasPrefix("ERR_SSL_") || name.hasPrefix("ERR_BAD_SSL"):
                (
                    .tlsFailure,
                    "Can't connect securely to \(host)\(port): its certificate or encryption isn't valid. Check the "
                        + "address. If the server is yours, fix its certificate."
                )
            default:
                (.connectionFailed, "\(address) couldn't be loaded.")
            }
        self.init(code, "\(text) (\(name))", url: url)
    }
}

extension URL {
    /// The URL as messages show it, shortened to a few lines.
    var shown: String { absoluteString.shortened }
}

extension String {
    /// A URL as messages show it, shortened to a few lines.
    var shortened: String { count <= 300 ? self : "\(prefix(200))…\(suffix(60))" }
}

extension EgressError {
    /// The name that Chromium gives this error when it connects by itself; `nil` for an error that only the proxy has.
    var netError: String? {
        switch code {
        case .nameNotFound: "ERR_NAME_NOT_RESOLVED"
        case .resolutionFailed: "ERR_NAME_RESOLUTION_FAILED"
        case .connectionRefused: "ERR_CONNECTION_REFUSED"
        case .unreachable: "ERR_ADDRESS_UNREACHABLE"
        case .connectionFailed: "ERR_EMPTY_RESPONSE"
        case .invalidResponse: "ERR_INVALID_HTTP_RESPONSE"
        case .timedOut: "ERR_CONNECTION_TIMED_OUT"
        case .invalidHost: "ERR_INVALID_URL"
        default: nil
        }
    }

    /// The reason to record for a missing resource.
    var missingReason: String { netError.map { "net::\($0)" } ?? message }
}
