import HTTPTypes
import Hummingbird

extension Response {
    /// A response of a given type, which no client caches.
    static func text(_ text: String, type: String, status: HTTPResponse.Status = .ok) -> Response {
        .bytes(Array(text.utf8), type: type, status: status)
    }

    /// An HTML page in UTF-8.
    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        .text(text, type: "text/html; charset=utf-8", status: status)
    }

    /// Bytes of a given type.
    static func bytes(_ bytes: [UInt8], type: String, status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status,
            headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// A redirect that no client caches.
    static func found(_ location: String) -> Response {
        Response(status: .found, headers: [.location: location, .cacheControl: "no-store"])
    }

    /// A response that supports range requests.
    static func ranged(_ bytes: [UInt8], type: String, for request: Request) -> Response {
        guard let header = request.headers[.range] else {
            var whole = Response.bytes(bytes, type: type)
            whole.headers[.acceptRanges] = "bytes"
            return whole
        }
        guard let range = byteRange(header, of: bytes.count) else {
            return Response(status: .rangeNotSatisfiable, headers: [.contentRange: "bytes */\(bytes.count)"])
        }
        var part = Response.bytes(Array(bytes[range]), type: type, status: .partialContent)
        part.headers[.acceptRanges] = "bytes"
        part.headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        return part
    }

    /// The same response with another header.
    func with(_ name: HTTPField.Name, _ value: String) -> Response {
        var response = self
        response.headers[name] = value
        return response
    }
}

/// Reads a range header that asks for one range of bytes.
///
/// https://www.rfc-editor.org/rfc/rfc9110#section-14.1.2
///
/// - Returns: The part of the range that exists; nil if there is none, or if the header is malformed.
private func byteRange(_ header: String, of count: Int) -> Range<Int>? {
    guard header.hasPrefix("bytes=") else { return nil }
    let ends = header.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    switch (Int(ends[0]), Int(ends[1])) {
    case (let first?, let last?) where first <= last && first < count:
        return first..<(min(last, count - 1) + 1)
    case (let first?, nil) where ends[1].isEmpty && first < count:
        return first..<count
    case (nil, let length?) where ends[0].isEmpty && length > 0 && count > 0:
        return max(0, count - length)..<count
    case (.some, .some), (.some, nil), (nil, .some), (nil, nil):
        return nil
    }
}
