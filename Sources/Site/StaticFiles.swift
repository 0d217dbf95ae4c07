import Crypto
import HTTPTypes
public import Hummingbird
import NIOCore

/// Files that are part of the program, served from memory.
///
/// A browser asks each time whether its copy is still the right one (`no-cache`), and is answered 304 if so: no page
/// ever meets the script of an older version.
public struct StaticFiles: Sendable {
    private let folder: String
    private let files: [String: [UInt8]]

    /// Creates a folder of files.
    ///
    /// - Parameters:
    ///   - folder: The path that they are served under: `/library/files`.
    ///   - files: Their contents by name; the end of the name says what type they are of.
    public init(at folder: String, _ files: [String: [UInt8]]) {
        self.folder = folder
        self.files = files
    }
}

extension StaticFiles {
    /// Adds a route for each file.
    ///
    /// - Parameter router: What to add them to.
    public func addRoutes(to router: SiteRouter) {
        for (name, bytes) in files {
            let body = ByteBuffer(bytes: bytes)
            let entityTag = Self.entityTag(of: bytes)
            let headers: HTTPFields = [
                .contentType: Self.contentType(of: name), .cacheControl: "no-cache", .eTag: entityTag,
            ]
            router.get(RouterPath("\(folder)/\(name)")) { request, _ in
                guard Self.matches(request.headers[values: .ifNoneMatch], entityTag) else {
                    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
                }
                // Without a length: that of the empty body would be taken for the file's.
                var response = Response(status: .notModified, headers: headers)
                response.headers[.contentLength] = nil
                return response
            }
        }
    }

    /// A strong entity tag: half a SHA-256 of the content.
    private static func entityTag(of bytes: [UInt8]) -> String {
        let digits = SHA256.hash(data: bytes).prefix(16).map { byte in
            let text = String(byte, radix: 16)
            return text.count == 2 ? text : "0\(text)"
        }
        return "\"\(digits.joined())\""
    }

    /// Whether a browser has this version, by weak comparison, as RFC 9110 has it for `If-None-Match`.
    private static func matches(_ fields: [String], _ entityTag: String) -> Bool {
        fields.joined(separator: ",").split(separator: ",").contains { tag in
            let tag = tag.trimming { $0 == " " || $0 == "\t" }
            return tag == "*" || tag == entityTag || tag == "W/\(entityTag)"
        }
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "ico": "image/vnd.microsoft.icon"
        case "jpg", "jpeg": "image/jpeg"
        case "js", "mjs": "text/javascript; charset=utf-8"
        case "json": "application/json"
        case "pdf": "application/pdf"
        case "png": "image/png"
        case "svg": "image/svg+xml"
        case "txt": "text/plain; charset=utf-8"
        case "webmanifest": "application/manifest+json"
        case "webp": "image/webp"
        case "woff2": "font/woff2"
        default: "application/octet-stream"
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
