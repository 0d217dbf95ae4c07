import Crypto
import Digests
import HTTPTypes
import Hummingbird
import NIOCore

/// The site's static files, such as scripts and styles, embedded in the program and served from memory.
///
/// Their path contains a hash of all files, so that browsers cache them without revalidation, and a page always loads
/// the scripts of its own version. Files refer to each other by relative paths.
public struct StaticFiles: Sendable {
    /// The path of all files: `/files/` and a hash of all names and contents.
    public let path: String
    /// The contents by folder and name, such as `art/board.js`.
    private let files: [String: [UInt8]]

    /// Collects the files of a site.
    ///
    /// - Parameter apps: The apps whose files are served in addition to the site's own. An app's folder is named
    ///   after its path: the files of `/art/` are in `art`.
    public init(of apps: [SiteApp]) {
        var files = Self.own
        for app in apps {
            let folder = app.path.split(separator: "/").joined(separator: "/")
            for (name, bytes) in app.files { files["\(folder)/\(name)"] = bytes }
        }
        var hash = SHA256()
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array("\(name) \(bytes.count) ".utf8))
            hash.update(data: bytes)
        }
        self.files = files
        self.path = "/files/\(hash.finalize().prefix(8).hexadecimal)"
    }

    private static let own: [String: [UInt8]] = [
        "site/backoff.js": PackageResources.backoff_js,
        "site/bridge.js": PackageResources.bridge_js,
        "site/icon.svg": PackageResources.icon_svg,
        "site/live.js": PackageResources.live_js,
        "site/morph.js": PackageResources.morph_js,
        "site/site.css": PackageResources.site_css,
    ]
}

extension StaticFiles {
    /// Returns the path of a file.
    ///
    /// - Returns: The path from the root of the site.
    public func path(of name: String) -> String { "\(path)/\(name)" }

    /// Adds a route for each file, and one for the site's icon at the path where browsers look for it.
    func addRoutes(to router: SiteRouter) {
        let icon = ByteBuffer(bytes: PackageResources.icon_svg)
        // A document that names no icon, such as a picture alone, gets this one.
        router.get("/favicon.ico") { _, _ in
            Response(
                status: .ok,
                headers: [.contentType: Self.contentType(of: "icon.svg"), .cacheControl: "public, max-age=86400"],
                body: ResponseBody(byteBuffer: icon))
        }
        for (name, bytes) in files {
            let body = ByteBuffer(bytes: bytes)
            let headers: HTTPFields = [
                .contentType: Self.contentType(of: name), .cacheControl: "public, max-age=31536000, immutable",
            ]
            router.get(RouterPath(path(of: name))) { _, _ in
                Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
            }
        }
    }

    private static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "wasm": "application/wasm"
        default: "application/octet-stream"
        }
    }
}
