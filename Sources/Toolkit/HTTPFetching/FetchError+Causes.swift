import AsyncHTTPClient
import Egress
import Foundation
import ImageInfo
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOSSL

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension FetchError {
    /// What something that went wrong on the way means for a person.
    ///
    /// - Parameters:
    ///   - error: A ``FetchError`` stays what it is.
    ///   - url: What was asked for.
    init(_ error: any Error, fetching url: URL) {
        let host = url.host ?? "the host"
        switch error {
        case let error as FetchError: self = error
        case let error as EgressError: self.init(error)
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError: self.init(error, fetching: url)
        case let error as HTTPParserError: self.init(error, fetching: url)
        case let error as IOError: self.init(errno: error.errnoCode, error, fetching: url)
        case let error as ChannelError: self.init(error, fetching: url)
        case NIOHTTPDecompression.DecompressionError.limit: self = .tooLarge(url, nil)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            self = .garbled(url, "it cannot be decompressed", error)
        case NIOSSLError.uncleanShutdown: self = .cutOff(url, error)
        case is NIOSSLError, is BoringSSLError, is NIOSSLExtraError:
            self.init(
                .insecureConnection,
                "\(host) could not prove that it is \(host), so nothing was sent to it. Check the address and this "
                    + "machine's clock; if it is right, its owner must mend its certificate. (\(error))",
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
            self = .garbled(url, "it is no HTTP (\(error))", error)
        }
    }

    private init(_ error: ChannelError, fetching url: URL) {
        switch error {
        case .connectTimeout: self = .timedOut(url, .connecting, nil, error)
        default: self = .cutOff(url, error)
        }
    }

    private init(errno: CInt, _ error: any Error, fetching url: URL) {
        let host = url.host ?? "the host"
        switch errno {
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL:
            self.init(
                .noNetwork, "There is no way to \(host). Check that this machine is online. (\(error))",
                underlying: error)
        case ETIMEDOUT:
            self = .timedOut(url, .connecting, nil, error)
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN:
            self = .cutOff(url, error)
        case ECONNREFUSED:
            self.init(
                .connectionFailed,
                "\(host) takes no connections at port \(WebOrigin(url)?.port ?? 0). Check the address, or try again later.",
                underlying: error)
        default:
            self.init(
                .connectionFailed, "\(host) could not be connected to: \(error). Try again later.", underlying: error)
        }
    }

    /// Whether a connection could not be made, so that another address of the host may do.
    var isOfConnecting: Bool {
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
            .garbled, "What came from \(shown(url)) cannot be read: \(why). Try again later, or tell its owner.",
            underlying: error)
    }

    static func tooLarge(_ url: URL, _ limit: Int?) -> FetchError {
        let size = limit.map { " than \($0) bytes" } ?? ", decompressed, than is allowed"
        var error = FetchError(.tooLarge, "\(shown(url)) has more\(size). Allow more if you want it all the same.")
        error.limit = .bytes
        return error
    }

    static func headersTooLarge(_ url: URL) -> FetchError {
        var error = FetchError(
            .tooLarge, "The answer of \(shown(url)) has more header fields than are taken. Tell its owner.")
        error.limit = .headerBytes
        return error
    }

    static func timedOut(_ url: URL, _ limit: FetchLimit, _ duration: Duration?, _ error: (any Error)? = nil)
        -> FetchError
    {
        let host = url.host ?? "The host"
        let time = duration.map { " for \($0 / .seconds(1)) s" } ?? " for too long"
        let what: String
        switch limit {
        case .connecting: what = "\(host) took no connection\(time)"
        case .firstByte: what = "\(host) has not begun to answer\(time)"
        case .whole: what = "\(shown(url)) has been on its way\(time) and is not whole yet"
        case .idle, .bytes, .headerBytes: what = "Nothing more came of \(shown(url))\(time)"
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
