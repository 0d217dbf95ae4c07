import Digests
import Foundation
public import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import Persistence

/// A readable error response: what happened, to what, and what the user can do.
///
/// When a route throws it, the client receives a page, or `application/problem+json` (RFC 9457) if it prefers that.
public struct Problem: Error, Sendable, Equatable {
    /// The status of the response.
    public var status: HTTPResponse.Status
    /// A short description of what happened: the page's heading.
    public var title: String
    /// What failed and why, and what the user can do, in plain text.
    public var detail: String
    /// The name of the form field to correct, if there is one: a page shows the problem beside it.
    public var field: String?
    /// Additional headers of the response.
    public var headers: HTTPFields

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - title: A short description of what happened.
    ///   - detail: What failed and why, and what the user can do.
    ///   - field: The name of the form field to correct, if there is one.
    ///   - headers: Additional headers of the response, such as `Retry-After`.
    public init(
        _ status: HTTPResponse.Status, title: String, detail: String, field: String? = nil, headers: HTTPFields = [:]
    ) {
        self.status = status
        self.title = title
        self.detail = detail
        self.field = field
        self.headers = headers
    }
}

/// An error that can be presented to the user; an app's errors conform to it.
public protocol PresentableError: Error {
    /// The problem to present.
    var problem: Problem { get }
}

extension Problem: PresentableError {
    /// The problem itself.
    public var problem: Problem { self }
}

extension Problem {
    /// Creates the problem to present for an error.
    init(_ error: any Error, in request: Request, context: SiteContext) {
        switch error {
        case let error as any PresentableError:
            self = error.problem
        case let error as HTTPError:
            self = .standard(error.status, request: request)
            if let message = error.body { detail = message }
            headers = error.headers
        case is NIOTooManyBytesError:
            self = .tooLarge(limit: nil)
        case let error as any HTTPResponseError:
            self = .standard(error.status, request: request)
        // The client sent a body that isn't HTTP, or disconnected before its end.
        case is HTTPParserError:
            self = .standard(.badRequest, request: request)
        case let error as IOError where error.errnoCode == ECONNRESET:
            self = .standard(.badRequest, request: request)
        case is CancellationError:
            self = .standard(.serviceUnavailable, request: request)
        default:
            let reference = RequestID.current ?? String.randomHexadecimal(bytes: 8)
            context.logger.error(
                "A request failed",
                metadata: [
                    "reference": "\(reference)", "path": "\(SharedPath.redacted(request.uri.path))",
                    "error": "\(String(reflecting: error))",
                ])
            self = .standard(.internalServerError, request: request)
            detail += " \(SiteWords.reference(reference))"
        }
    }

    /// Returns the problem for a body that is larger than allowed.
    static func tooLarge(limit: Int?) -> Problem {
        Problem(
            .contentTooLarge, title: SiteWords.tooMuchData,
            detail: limit.map { SiteWords.dataLargerThan(limit: $0) } ?? SiteWords.tooMuchDataDetail)
    }

    /// Returns the problem for a status without a message of its own.
    private static func standard(
        _ status: HTTPResponse.Status, request: Request
    ) -> Problem {
        switch status {
        case .contentTooLarge:
            .tooLarge(limit: nil)
        case .badRequest:
            Problem(status, title: SiteWords.badRequest, detail: SiteWords.badRequestDetail)
        case .notFound:
            Problem(
                status, title: SiteWords.notFound, detail: SiteWords.notFoundDetail(request.uri.path.prefix(200)))
        case .serviceUnavailable:
            Problem(status, title: SiteWords.stopping, detail: SiteWords.stoppingDetail)
        case .internalServerError:
            Problem(status, title: SiteWords.serverError, detail: SiteWords.serverErrorDetail)
        default:
            Problem(
                status, title: status.reasonPhrase.isEmpty ? SiteWords.requestFailed : status.reasonPhrase,
                detail: SiteWords.requestFailedDetail(status: status.code))
        }
    }
}

extension Problem {
    /// The problem encoded as in RFC 9457, with `field` as an extension member.
    var json: [UInt8] {
        let members = Members(title: title, status: status.code, detail: detail, field: field)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding these members, a number and plain text, can't fail.
        return (try? encoder.encode(members)).map(Array.init) ?? Array(#"{"title":"\#(SiteWords.requestFailed)"}"#.utf8)
    }

    private struct Members: Encodable {
        var type = "about:blank"
        let title: String
        let status: Int
        let detail: String
        /// Omitted if it is `nil`.
        let field: String?
    }
}
