import AsyncHTTPClient
import Egress
import Foundation
import HTTPTypes
import ImageInfo
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL
import SystemPackage

extension FetchError {
    /// Maps an error of a connection or of its content; a ``FetchError`` stays as it is.
    init(_ error: any Error, fetching url: URL) {
        let host = url.host ?? "the host"
        switch error {
        case let error as FetchError: self = error
        case let error as EgressError: self.init(error)
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(error, fetching: url)
        case let error as HTTPParserError: self.init(error, fetching: url)
        case let error as IOError: self.init(Errno(rawValue: error.errnoCode), error, fetching: url)
        case let error as ChannelError: self.init(error, fetching: url)
        case NIOHTTPDecompression.DecompressionError.limit: self = .tooLarge(url, nil)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            self = .garbled(url, "it cannot be decompressed", error)
        case NIOSSLError.uncleanShutdown: self = .cutOff(url, error)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(
                .insecureConnection,
                "\(host) could not prove that it is \(host), so nothing was sent to it. Check the address and this "
                    + "machine's clock. If both are right, the site's owner must renew its certificate. (\(error))",
                underlying: error)
        case let error as WrongAddress:
            self.init(.connectionFailed, "\(host): \(error). Nothing was sent. Try again.", underlying: error)
        default:
            self.init(
                .connectionFailed, "\(shown(url)) could not be fetched: \(error). Try again later.", underlying: error)
        }
    }

    private init(_ error: EgressError) {
        let code: Code =
            switch error.code {
            case .refused: .blocked
            case .nameNotFound: .hostNotFound
            case .resolutionFailed: .noNetwork
            case .interfacesUnknown: .connectionFailed
            case .cancelled: .cancelled
            default: .invalidRequest
            }
        self.init(code, error.message, underlying: error)
    }

    private init(_ error: HTTPClientError, fetching url: URL) {
        switch error {
        case .cancelled, .requestStreamCancelled:
            self = .cancelled
        case .connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout:
            self = .timedOut(url, .connecting, nil, error)
        case .readTimeout, .deadlineExceeded:
            self = .timedOut(url, .idle, nil, error)
        case .remoteConnectionClosed, .uncleanShutdown, .bodyLengthMismatch:
            self = .cutOff(url, error)
        case .alreadyShutdown:
            self = .closed
        default:
            self.init(
                .invalidRequest, "The request for \(shown(url)) cannot be sent: \(error). Check its header fields.",
                underlying: error)
        }
    }

    private init(_ error: HTTPParserError, fetching url: URL) {
        switch error {
        case .invalidEOFState, .closedConnection:
            self = .cutOff(url, error)
        case .headerOverflow:
            self = .headersTooLarge(url)
        default:
            self = .garbled(url, "it is not valid HTTP (\(error))", error)
        }
    }

    private init(_ error: ChannelError, fetching url: URL) {
        switch error {
        case .connectTimeout: self = .timedOut(url, .connecting, nil, error)
        default: self = .cutOff(url, error)
        }
    }

    private init(_ errno: Errno, _ error: any Error, fetching url: URL) {
        let host = url.host ?? "the host"
        switch errno {
        case .networkUnreachable, .noRouteToHost, .networkDown, .hostIsDown, .addressNotAvailable:
            self.init(
                .noNetwork, "Can't reach \(host). Check that this machine is online. (\(error))", underlying: error)
        case .timedOut:
            self = .timedOut(url, .connecting, nil, error)
        case .connectionReset, .brokenPipe, .connectionAbort, .socketNotConnected:
            self = .cutOff(url, error)
        case .connectionRefused:
            self.init(
                .connectionFailed,
                "\(host) refused the connection on port \(WebOrigin(url)?.port ?? 0). Check the address, or try again "
                    + "later.",
                underlying: error)
        default:
            self.init(.connectionFailed, "Can't connect to \(host): \(error). Try again later.", underlying: error)
        }
    }

    /// Whether no connection could be made, so that another address of the host might work.
    var isConnectError: Bool {
        switch code {
        case .connectionFailed, .noNetwork: true
        case .timedOut: limit == .connecting
        default: false
        }
    }
}

extension FetchError {
    static func cutOff(_ url: URL, _ error: (any Error)?) -> FetchError {
        FetchError(
            .cutOff,
            "The connection to \(url.host ?? "the host") ended before all of \(shown(url)) had arrived. Try again.",
            underlying: error)
    }

    static func garbled(_ url: URL, _ why: String, _ error: (any Error)? = nil) -> FetchError {
        FetchError(
            .garbled,
            "The response of \(shown(url)) cannot be read: \(why). Try again later, or tell the owner of the site.",
            underlying: error)
    }

    static func tooLarge(_ url: URL, _ limit: Int?) -> FetchError {
        let size = limit.map { "has more than \($0) bytes" } ?? "is larger than the limit when decompressed"
        var error = FetchError(.tooLarge, "\(shown(url)) \(size). Raise the limit to fetch it anyway.")
        error.limit = .bytes
        return error
    }

    static func headersTooLarge(_ url: URL) -> FetchError {
        var error = FetchError(
            .tooLarge, "The response of \(shown(url)) has too many header fields. Tell the owner of the site.")
        error.limit = .headerBytes
        return error
    }

    static func timedOut(_ url: URL, _ limit: FetchLimit, _ duration: Duration?, _ error: (any Error)? = nil)
        -> FetchError
    {
        let host = url.host ?? "The host"
        let time = duration.map { " for \(($0 / .seconds(1)).formatted()) s" } ?? " for too long"
        let what: String
        switch limit {
        case .connecting: what = "\(host) accepted no connection\(time)"
        case .firstByte: what = "\(host) has sent no response\(time)"
        case .total: what = "\(shown(url)) has been loading\(time), and is still incomplete"
        case .idle, .bytes, .headerBytes: what = "No more of \(shown(url)) has arrived\(time)"
        }
        var result = FetchError(.timedOut, "\(what). Try again later.", underlying: error)
        result.limit = limit
        return result
    }

    static func unexpected(_ url: URL, _ expected: ExpectedType, _ found: SniffedType) -> FetchError {
        var error = FetchError(
            .unexpectedType, "\(shown(url)) is not \(expected.name), but \(found.name). Check the address.")
        error.sniffedType = found
        return error
    }
}

extension FetchError {
    /// Creates the error for a response without a success status; temporary failures take `Retry-After` into account.
    init(status: Int, headers: HTTPFields, url: URL, now: Date) {
        let host = url.host ?? "The server"
        let after = headers[.retryAfter].flatMap { Self.delay($0, now: now) }
        let wait = after.map { "in \(($0 / .seconds(1)).formatted()) s" } ?? "later"
        let (code, message): (Code, String) =
            switch status {
            case 401, 407:
                (.status, "\(shown(url)) requires credentials (status \(status)). Send them with the request.")
            case 403: (.status, "\(host) refuses access to \(shown(url)) (status 403). Ask the owner of the site.")
            case 404, 410: (.status, "\(host) has no \(shown(url)) (status \(status)). Check the address.")
            case 408, 425:
                (.unavailable, "\(host) did not send \(shown(url)) in time (status \(status)). Try again \(wait).")
            case 429: (.unavailable, "\(host) has received too many requests (status 429). Try again \(wait).")
            case 500, 502, 503, 504:
                (.unavailable, "\(host) cannot send \(shown(url)) now (status \(status)). Try again \(wait).")
            default:
                (.status, "\(host) answered with status \(status) for \(shown(url)). Check the address.")
            }
        self.init(code, message)
        self.status = status
        self.retryAfter = code == .unavailable ? after : nil
    }

    /// The longest `Retry-After` that is accepted, in seconds.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-1.2.2
    private static let longestDelay = 2_147_483_648.0

    /// Parses `Retry-After`: a number of seconds, or a date in one of three formats; `nil` if it is neither.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3
    static func delay(_ text: String, now: Date) -> Duration? {
        if HTTPNumber.isDigits(text) { return .seconds(min(Double(text) ?? longestDelay, longestDelay)) }
        // The longest format has 33 characters.
        guard text.utf8.count <= 40, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let reader = DateFormatter()
        reader.locale = Locale(identifier: "en_US_POSIX")
        reader.timeZone = .gmt
        for form in ["EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'", "EEE MMM d HH:mm:ss yyyy"] {
            reader.dateFormat = form
            guard let seconds = reader.date(from: text)?.timeIntervalSince(now) else { continue }
            return .seconds(min(max(0, seconds.rounded(.up)), longestDelay))
        }
        return nil
    }
}
