import HTTPTypes
public import Hummingbird
import Logging
import NIOCore

/// Decodes the body of a request as a form, `application/x-www-form-urlencoded`.
///
/// Errors are thrown as a ``Problem``: 415 for another content type, 413 for a body that is too large, 400 otherwise.
public struct FormDecoder: RequestDecoder {
    /// The maximum nesting depth of field names, such as `a[b][c]`.
    ///
    /// The decoder recurses once per level, so deep names would overflow the stack.
    private static let maximumDepth = 8

    /// Creates a decoder.
    public init() {}

    /// Decodes the body of a request.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - request: The request.
    ///   - context: The request's context, which limits the size of the body.
    /// - Returns: The form.
    /// - Throws: A ``Problem``, or an error in reading the body.
    public func decode<Form: Decodable>(
        _ type: Form.Type, from request: Request, context: some RequestContext
    ) async throws -> Form {
        let contentType = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
        guard contentType?.filter({ $0 != " " }) == "application/x-www-form-urlencoded" else {
            throw Problem(
                .unsupportedMediaType, title: SiteWords.notAForm, detail: SiteWords.notAFormDetail)
        }
        let text: String
        do {
            text = String(buffer: try await request.body.collect(upTo: context.maxUploadSize))
        } catch is NIOTooManyBytesError {
            throw Problem.tooLarge(limit: context.maxUploadSize)
        }
        do {
            return try Self.form(type, from: text)
        } catch {
            context.logger.debug("Form not understood", metadata: ["error": "\(error)"])
            throw Self.notUnderstood
        }
    }

    /// Decodes a form from text.
    package static func form<Form: Decodable>(_ type: Form.Type, from text: String) throws -> Form {
        guard maximumNesting(in: text) <= maximumDepth else { throw notUnderstood }
        return try URLEncodedFormDecoder().decode(type, from: text)
    }

    private static var notUnderstood: Problem {
        Problem(.badRequest, title: SiteWords.formNotRead, detail: SiteWords.formNotReadDetail)
    }

    /// An upper bound of the nesting depth of all names; brackets may be percent-encoded.
    private static func maximumNesting(in text: String) -> Int {
        text.utf8.split(separator: UInt8(ascii: "&")).lazy
            .map { $0.prefix { $0 != UInt8(ascii: "=") } }
            .map { $0.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "%") } }
            .max() ?? 0
    }
}
