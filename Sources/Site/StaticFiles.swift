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
            let entityTag = EntityTag(of: bytes)
            let headers: HTTPFields = [.contentType: Self.contentType(of: name), .cacheControl: "no-cache"]
            router.get(RouterPath("\(folder)/\(name)")) { request, _ in
                entityTag.response(to: request, headers: headers, body: body)
            }
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
