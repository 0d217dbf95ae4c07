import Foundation
import HTTPTypes
package import Hummingbird
package import NIOCore

// Receives request bodies up to a limit.

extension Request {
    /// The bearer token of the header `Authorization`; `nil` if there is none.
    package var bearerToken: String? {
        guard let value = headers[.authorization], value.lowercased().hasPrefix("bearer ") else { return nil }
        let token = value.dropFirst("bearer ".count).trimmingCharacters(in: .whitespaces)
        return token.isEmpty ? nil : token
    }

    /// The length of the body that its headers declare; it can be any number.
    package var declaredLength: Int? { headers[.contentLength].flatMap { Int($0) } }

    /// Receives the body in pieces.
    ///
    /// A body over the limit is refused as soon as that is known: at once, if the request has a content length.
    ///
    /// - Parameters:
    ///   - limit: The maximum length, in bytes.
    ///   - problem: The problem if the body exceeds the limit.
    ///   - expect: Called before the first piece with the declared length, if there is one.
    ///   - append: Called with each piece.
    /// - Throws: The problem, an error of `expect` or `append`, or the connection's error.
    package func receive(
        upTo limit: Int, orElse problem: Problem, expecting expect: (Int) throws -> Void = { _ in },
        _ append: (ByteBuffer) throws -> Void
    ) async throws {
        if let declaredLength {
            if declaredLength > limit { throw problem }
            try expect(declaredLength)
        }
        var count = 0
        for try await piece in body {
            count += piece.readableBytes
            guard count <= limit else { throw problem }
            try append(piece)
        }
    }
}
