import Crypto
import Digests
public import HTTPTypes
public import Hummingbird
public import NIOCore

/// A strong entity tag: the first half of the SHA-256 hash of a response's content.
public struct EntityTag: Sendable, Hashable {
    /// The hash, as 32 hexadecimal digits.
    public let digits: String

    /// Computes the tag of the content.
    public init(of bytes: [UInt8]) {
        digits = SHA256.hash(data: bytes).prefix(16).hexadecimal
    }

    /// The quoted tag, as it appears in a header.
    public var text: String { "\"\(digits)\"" }
}

extension EntityTag {
    /// Responds with the content, or with status 304 if the client already has it.
    ///
    /// - Parameters:
    ///   - request: The request; its `If-None-Match` is compared weakly, as RFC 9110 requires.
    ///   - headers: The response's headers, without the tag.
    ///   - body: The content.
    /// - Returns: The response, with the tag.
    public func response(to request: Request, headers: HTTPFields, body: ByteBuffer) -> Response {
        var headers = headers
        headers[.eTag] = text
        guard matches(request.headers[values: .ifNoneMatch]) else {
            return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
        }
        // Without a length: a client would take that of the empty body for the content's.
        var response = Response(status: .notModified, headers: headers)
        response.headers[.contentLength] = nil
        return response
    }

    private func matches(_ fields: [String]) -> Bool {
        fields.joined(separator: ",").split(separator: ",").contains { tag in
            let tag = tag.trimming { $0 == " " || $0 == "\t" }
            return tag == "*" || tag == text || tag == "W/\(text)"
        }
    }
}

extension Substring {
    fileprivate func trimming(_ isBlank: (Character) -> Bool) -> Substring {
        var rest = drop(while: isBlank)
        while let last = rest.last, isBlank(last) { rest.removeLast() }
        return rest
    }
}
