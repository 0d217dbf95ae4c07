import Digests
import Foundation
public import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// A readable error response: what happened, to what, and what the user can do.
///
/// When a route throws it, the client receives a page, or `application/problem+json` (RFC 9457) if it prefers that.
public struct Problem: Error, Sendable, Equatable {
    /// The status of the response.
    public var status: HTTPResponse.Status
    /// A short description of what happened: the page's heading.
    public var title: String
    /// What happened to what, and what the user can do, in plain text.
    public var detail: String
    /// Additional headers of the response.
    public var headers: HTTPFields

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - title: A short description of what happened.
    ///   - detail: What happened to what, and what the user can do.
    ///   - headers: Additional headers of the response, such as `Retry-After`.
    public init(_ status: HTTPResponse.Status, title: String, detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.title = title
        self.detail = detail
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
        case is CancellationError:
            self = .standard(.serviceUnavailable, request: request)
        default:
            let reference = String.randomHexadecimal(bytes: 8)
            context.logger.error(
                "A request failed",
                metadata: [
                    "reference": "\(reference)", "path": "\(request.uri.path)", "error": "\(String(reflecting: error))",
                ])
            self = .standard(.internalServerError, request: request)
            detail += " Its reference is \(reference): the server's log says more beside it."
        }
    }

    /// Returns the problem for a body that is larger than allowed.
    static func tooLarge(limit: Int?) -> Problem {
        Problem(
            .contentTooLarge, title: "That is too much",
            detail: """
                What was sent is larger than \(limit.map { "\($0.formatted()) bytes" } ?? "is allowed here"), and was not \
                kept. Send less at once.
                """)
    }

    /// Returns the problem for a status without a message of its own.
    private static func standard(
        _ status: HTTPResponse.Status, request: Request
    ) -> Problem {
        switch status {
        case .contentTooLarge:
            .tooLarge(limit: nil)
        case .badRequest:
            Problem(
                status, title: "The request was not understood",
                detail: "Go back, reload the page and try again.")
        case .notFound:
            Problem(
                status, title: "There is no such page",
                detail: """
                    Nothing is at \(request.uri.path.prefix(200)). It may have been deleted, or the address may be \
                    mistyped. Go back and choose another one.
                    """)
        case .serviceUnavailable:
            Problem(
                status, title: "The server is stopping",
                detail: "It did not get to answer this. Start it again, then reload the page.")
        case .internalServerError:
            Problem(
                status, title: "Something went wrong in the server",
                detail: "This is a fault of the program. Try again; if it stays, report it.")
        default:
            Problem(
                status, title: status.reasonPhrase.isEmpty ? "The request failed" : status.reasonPhrase,
                detail: "The server answered with the status \(status.code). Go back and try again.")
        }
    }
}

extension Problem {
    /// The problem encoded as in RFC 9457.
    var json: [UInt8] {
        let members = Members(title: title, status: status.code, detail: detail)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding these members, a number and plain text, can't fail.
        return (try? encoder.encode(members)).map(Array.init) ?? Array(#"{"title":"The request failed"}"#.utf8)
    }

    private struct Members: Encodable {
        var type = "about:blank"
        let title: String
        let status: Int
        let detail: String
    }
}
