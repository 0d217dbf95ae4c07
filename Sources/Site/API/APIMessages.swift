public import Foundation
public import HTTPTypes
public import Hummingbird
import NIOCore

/// Reads and writes the JSON of the API.
public enum APIJSON {
    /// Decodes the body of a request.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - request: The request.
    ///   - context: The request's context, which limits the size of the body.
    /// - Returns: The value.
    /// - Throws: A ``Problem``: 415 for another content type, 413 for a body that is too large, 400 for one that isn't JSON, 422 for
    ///   JSON of another shape; or an error in reading the body.
    public static func decode<Value: Decodable>(
        _ type: Value.Type, from request: Request, _ context: SiteContext
    ) async throws -> Value {
        let contentType = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard contentType == "application/json" else {
            throw Problem(
                .unsupportedMediaType, title: SiteWords.notJSON, detail: SiteWords.notJSONDetail)
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: context.maxUploadSize)
        } catch is NIOTooManyBytesError {
            throw Problem.tooLarge(limit: context.maxUploadSize)
        }
        return try decode(type, from: Data(body.readableBytesView))
    }

    /// Decodes JSON.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - data: The JSON.
    /// - Returns: The value.
    /// - Throws: A ``Problem``: 400 for anything but JSON, 422 for JSON of another shape.
    public static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws(Problem) -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = Self.date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: SiteWords.notADate)
            }
            return date
        }
        do {
            return try decoder.decode(type, from: data)
        } catch let error as Problem {
            throw error
        } catch let error as DecodingError {
            throw Self.problem(error)
        } catch {
            throw Problem(.badRequest, title: SiteWords.notJSON, detail: SiteWords.notJSONDetail)
        }
    }

    private static func problem(_ error: DecodingError) -> Problem {
        func wrong(_ path: [any CodingKey], _ detail: String) -> Problem {
            let field = path.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }.joined(separator: ".")
            return Problem(
                .unprocessableContent, title: SiteWords.wrongJSON,
                detail: field.isEmpty ? detail : SiteWords.field("\(field.prefix(200))", detail),
                field: field.isEmpty ? nil : "\(field.prefix(200))")
        }
        switch error {
        case .keyNotFound(let key, let context): return wrong(context.codingPath + [key], SiteWords.valueMissing)
        case .valueNotFound(_, let context): return wrong(context.codingPath, SiteWords.valueMissing)
        case .typeMismatch(_, let context): return wrong(context.codingPath, SiteWords.wrongType)
        case .dataCorrupted(let context):
            guard context.debugDescription.hasPrefix(notValid) else {
                return wrong(context.codingPath, context.debugDescription)
            }
            return Problem(.badRequest, title: SiteWords.notJSON, detail: SiteWords.notJSONDetail)
        @unknown default: return wrong([], SiteWords.wrongType)
        }
    }

    /// The start of Foundation's description of bytes that aren't JSON.
    private static let notValid = "The given data was not valid JSON"

    /// The moment of a text such as `2026-11-28T08:30:00Z`, with or without a fraction of a second; `nil` for anything else.
    public static func date(_ text: String) -> Date? {
        // Foundation's parser accepts more than RFC 3339, such as a date alone, and 99 minutes.
        let form =
            /([0-9]{4})-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])[Tt]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,9})?([Zz]|[+-]([01][0-9]|2[0-3]):[0-5][0-9])/
        guard let parts = text.wholeMatch(of: form)?.output,
            DateComponents(
                calendar: Calendar(identifier: .gregorian), year: Int(parts.1), month: Int(parts.2), day: Int(parts.3)
            ).isValidDate
        else { return nil }
        let text = text.uppercased()
        return (try? Date(text, strategy: .iso8601.time(includingFractionalSeconds: true)))
            ?? (try? Date(text, strategy: .iso8601))
    }

    /// The text of a moment: `2026-11-28T08:30:00.000Z`.
    public static func text(_ date: Date) -> String {
        date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Encodes a value.
    ///
    /// - Parameter value: The value; all of its numbers must be finite.
    /// - Returns: The JSON, with sorted keys.
    /// - Throws: An encoding error.
    public static func data(_ value: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Self.text(date))
        }
        return try encoder.encode(value)
    }

    /// A response with JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status.
    ///   - headers: Additional headers.
    /// - Returns: The response, which isn't cached.
    /// - Throws: An encoding error.
    public static func response(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) throws -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: try data(value))))
    }
}

/// A version of a thing that a script has read, so that it doesn't overwrite what others have changed since.
public struct APIVersion: Sendable, Hashable {
    /// The tag, without quotation marks.
    public let tag: String

    /// Creates the version of what a response contains.
    public init(of value: some Encodable) throws {
        tag = EntityTag(of: Array(try APIJSON.data(value))).digits
    }

    /// Creates a version from an identifier of it: letters, digits and hyphens.
    public init(tag: String) { self.tag = tag }

    /// The value of the header `ETag`.
    public var text: String { "\"\(tag)\"" }

    /// The response with a value of this version, or with the status 304 if the script has it already.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - value: The value.
    /// - Returns: The response.
    /// - Throws: An encoding error.
    public func response(to request: Request, with value: some Encodable) throws -> Response {
        guard !Self.isListed(text, in: request.headers[values: .ifNoneMatch]) else {
            var response = Response(status: .notModified, headers: [.eTag: text, .cacheControl: "no-store"])
            response.headers[.contentLength] = nil
            return response
        }
        return try APIJSON.response(value, headers: [.eTag: text])
    }

    /// Refuses a change that is based on another version, according to the header `If-Match`.
    ///
    /// - Parameter request: The request.
    /// - Throws: A ``Problem`` with the status 412.
    public func check(_ request: Request) throws(Problem) {
        let fields = request.headers[values: .ifMatch]
        guard !fields.isEmpty, !Self.isListed(text, in: fields) else { return }
        throw Problem(
            .preconditionFailed, title: SiteWords.changedMeanwhileTitle, detail: SiteWords.changedMeanwhile,
            headers: [.eTag: text])
    }

    private static func isListed(_ text: String, in fields: [String]) -> Bool {
        fields.joined(separator: ",").split(separator: ",").contains { tag in
            let tag = tag.trimmingCharacters(in: .whitespaces)
            return tag == "*" || tag == text || tag == "W/\(text)"
        }
    }
}

// MARK: - Properties of requests

extension APIJSON {
    /// Says that a property is one of a few texts.
    package static func oneOf(_ values: [String]) -> String { SiteWords.oneOf(values) }
}

extension KeyedDecodingContainer {
    /// A value that may be missing, and isn't `null`.
    package func value<Value: Decodable>(_ key: Key) throws -> Value? {
        contains(key) ? try decode(Value.self, forKey: key) : nil
    }

    /// A value that may be missing, and is one of a few texts.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: Key) throws -> Choice? {
        guard let text: String = try value(key) else { return nil }
        guard let choice = Choice(rawValue: text) else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: SiteWords.oneOf(Choice.allCases.map(\.rawValue)))
        }
        return choice
    }
}
