import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Persistence

/// Why a request has failed.
enum S3Failure: Error, Sendable {
    /// No connection, or none that TLS trusts.
    case unreachable(String)
    /// The connection ended before the answer was complete.
    case cutOff
    case late(Duration)
    /// The service refused the request; the code and the message are those of its answer.
    case refused(Int, code: String, message: String)
    /// The answer isn't one of S3.
    case garbled(String)
    /// The object has another size.
    case changed(expected: Int)
    /// A local file can't be read or written.
    case disk(StoreError)
    case cancelled
}

extension S3Failure {
    /// The failure of an answer without a success status.
    init(_ response: HTTPClientResponse, content: Data) {
        let root = S3XML.root(of: content)
        let error = root?.name == "Error" ? root : root?.first("Error")
        var code = error?["Code"] ?? ""
        // Answers to HEAD have no content.
        if code.isEmpty, response.status == .notFound { code = "NotFound" }
        var message = error?["Message"] ?? ""
        if let region = error?["Region"] ?? response.headers.first(name: "x-amz-bucket-region") {
            message += " (region \(region))"
        }
        self = .refused(Int(response.status.code), code: code, message: message)
    }

    /// Any error of a request.
    init(_ error: any Error) {
        switch error {
        case let error as S3Failure: self = error
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError where error == .cancelled: self = .cancelled
        case let error as HTTPClientError where error == .remoteConnectionClosed: self = .cutOff
        case let error as HTTPClientError where error == .connectTimeout: self = .unreachable("it doesn't answer")
        case let error as HTTPClientError: self = .unreachable(error.shortDescription)
        case is NIOConnectionError: self = .unreachable("nothing listens there")
        case let error as NIOSSLError: self = .unreachable("TLS failed: \(error)")
        case let error as NIOSSLExtraError: self = .unreachable("TLS failed: \(error)")
        case is HTTPParserError: self = .cutOff
        default: self = .unreachable("the connection failed: \(error)")
        }
    }

    /// Whether the same request may succeed later.
    var isTransient: Bool {
        switch self {
        case .unreachable, .cutOff, .late: true
        case .refused(let status, let code, _):
            [408, 429, 500, 502, 503, 504].contains(status)
                || ["InternalError", "RequestTimeout", "ServiceUnavailable", "SlowDown"].contains(code)
        case .garbled, .changed, .disk, .cancelled: false
        }
    }

    /// Whether the object doesn't exist.
    var isMissing: Bool {
        if case .refused(404, let code, _) = self { return code == "NoSuchKey" || code == "NotFound" }
        return false
    }

    /// The error for callers, which says what to do.
    func storeError(at address: S3Address) -> StoreError {
        switch self {
        case .unreachable(let reason):
            StoreError(
                .inputOutput,
                "The blobs' store \(address) can't be reached: \(reason). Check its endpoint and the network, then try "
                    + "again.", cause: self)
        case .cutOff:
            StoreError(
                .inputOutput,
                "The blobs' store \(address) closed the connection before its answer was complete. Try again.",
                cause: self)
        case .late(let limit):
            StoreError(
                .timedOut,
                "The blobs' store \(address) didn't answer completely within \(limit.components.seconds) s. Try again.",
                cause: self)
        case .refused(let status, let code, let message): refusal(status, code, message, at: address)
        case .garbled(let problem):
            StoreError(
                .inputOutput,
                "The blobs' store \(address) doesn't answer like S3: \(problem). Check that its endpoint is that of an "
                    + "S3-compatible service.", cause: self)
        case .changed(let expected):
            StoreError(
                .corrupt,
                "An object in \(address) doesn't have the \(expected) bytes that were stored. Restore it from a "
                    + "backup, or add its content again.", cause: self)
        case .disk(let error): error
        case .cancelled:
            StoreError(.cancelled, "The task was cancelled before the blobs' store \(address) answered.", cause: self)
        }
    }

    private func refusal(_ status: Int, _ code: String, _ message: String, at address: S3Address) -> StoreError {
        let answer = "status \(status)" + Self.shown(code) + Self.shown(message)
        let (kind, advice): (StoreError.Code, String) =
            switch (status, code) {
            case (404, "NoSuchBucket"): (.invalidName, "Create the bucket, or correct the address.")
            case (404, _): (.missing, "The object doesn't exist.")
            case (403, "RequestTimeTooSkewed"):
                (.notWritable, "Set the clock of this machine.")
            case (401, _), (403, _):
                (
                    .notWritable,
                    "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and that this key may read, write, list and "
                        + "delete the bucket's objects."
                )
            case (300..<400, _), (400, "AuthorizationHeaderMalformed"):
                (.invalidName, "Correct the region or the endpoint of the address.")
            case (507, _), (_, "XMinioStorageFull"): (.diskFull, "Make room in the store, then try again.")
            default: (.inputOutput, "Try again, or ask the operator of the store.")
            }
        return StoreError(kind, "The blobs' store \(address) refused a request (\(answer)). \(advice)", cause: self)
    }

    /// What an answer says, for a message: one short line of printable characters.
    private static func shown(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(200).map { (0x20..<0x7f).contains($0.value) ? $0 : "?" }
        var line = String.UnicodeScalarView()
        line.append(contentsOf: scalars)
        return line.isEmpty ? "" : ", \(String(line))"
    }
}
