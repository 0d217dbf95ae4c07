import Digests
import Foundation
public import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Why a request could not be answered as asked, made to be read: what happened, to what, and what to do now.
///
/// Thrown by a route, it becomes a page for a browser, and `application/problem+json` (RFC 9457) for who prefers that.
public struct Problem: Error, Sendable, Equatable {
    /// The status of the answer.
    public var status: HTTPResponse.Status
    /// What happened, in a few words: the page's heading.
    public var title: String
    /// What happened to what, and what to do now, in plain text.
    public var detail: String
    /// Headers of the answer.
    public var headers: HTTPFields

    /// Creates a problem.
    ///
    /// - Parameters:
    ///   - status: The status of the answer.
    ///   - title: What happened, in a few words.
    ///   - detail: What happened to what, and what to do now.
    ///   - headers: Headers of the answer, as `Retry-After`.
    public init(_ status: HTTPResponse.Status, title: String, detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = headers
    }
}

/// An error that knows how to be shown; an app's errors conform to it.
public protocol PresentableError: Error {
    /// What to show.
    var problem: Problem { get }
}

extension Problem: PresentableError {
    /// The problem itself.
    public var problem: Problem { self }
}

extension Problem {
    /// What to show for an error.
    ///
    /// - Parameters:
    ///   - error: What was thrown.
    ///   - request: The request that it happened in.
    ///   - context: The request's context.
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

    /// The problem of a body that is larger than allowed.
    ///
    /// - Parameter limit: How many bytes are, where that is known.
    /// - Returns: The problem.
    static func tooLarge(limit: Int?) -> Problem {
        Problem(
            .contentTooLarge, title: "That is too much",
            detail: """
                What was sent is larger than \(limit.map { "\($0.formatted()) bytes" } ?? "is allowed here"), and was not \
                kept. Send less at once.
                """)
    }

    /// The words for a status that comes without any.
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
    /// The problem as RFC 9457 has it.
    var json: [UInt8] {
        let members = Members(title: title, status: status.code, detail: detail)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Three members of plain text cannot fail to be encoded.
        return (try? encoder.encode(members)).map(Array.init) ?? Array(#"{"title":"The request failed"}"#.utf8)
    }

    private struct Members: Encodable {
        var type = "about:blank"
        let title: String
        let status: Int
        let detail: String
    }
}
