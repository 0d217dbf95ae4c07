import Crypto
import Digests
import HTTPTypes
import Hummingbird
import NIOCore

/// The site's static files, such as scripts and styles, embedded in the program and served from memory.
///
/// Their path contains a hash of all files, so that browsers cache them without revalidation, and a page always loads
/// the scripts of its own version. Files refer to each other by relative paths. A script is served together with the
/// modules that it imports, as one module, and a file is compressed once for all clients.
public struct StaticFiles: Sendable {
    /// The path of all files: `/files/` and a hash of all names and contents.
    public let path: String
    /// The contents by folder and name, such as `art/board.js`.
    private let files: PreparedFiles

    /// Collects the files of a site.
    ///
    /// - Parameter apps: The apps whose files are served in addition to the site's own. An app's folder is named
    ///   after its path: the files of `/art/` are in `art`.
    public init(of apps: [SiteApp]) {
        let files = Self.contents(of: apps)
        var hash = SHA256()
        for (name, bytes) in files.sorted(by: { $0.key < $1.key }) {
            hash.update(data: Array("\(name) \(bytes.count) ".utf8))
            hash.update(data: bytes)
        }
        self.path = "/files/\(hash.finalize().prefix(8).hexadecimal)"
        self.files = PreparedFiles(files, at: path)
    }

    /// The contents of a site's files by folder and name.
    package static func contents(of apps: [SiteApp]) -> [String: [UInt8]] {
        var files = own
        for app in apps {
            let folder = app.path.split(separator: "/").joined(separator: "/")
            for (name, bytes) in app.files { files["\(folder)/\(name)"] = bytes }
        }
        return files
    }

    private static let own: [String: [UInt8]] = [
        "site/account.js": PackageResources.account_js,
        "site/backoff.js": PackageResources.backoff_js,
        "site/bridge.js": PackageResources.bridge_js,
        "site/event-stream.js": PackageResources.event_stream_js,
        "site/expiring.js": PackageResources.expiring_js,
        "site/icon.svg": PackageResources.icon_svg,
        "site/live.js": PackageResources.live_js,
        "site/menus.js": PackageResources.menus_js,
        "site/morph.js": PackageResources.morph_js,
        "site/sharing.js": PackageResources.sharing_js,
        "site/site.css": PackageResources.site_css,
        "site/storage.js": PackageResources.storage_js,
        "site/tokens.js": PackageResources.tokens_js,
        "site/uploads.js": PackageResources.uploads_js,
        "site/words.js": ScriptWords.module(SiteWords.scripts),
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
                headers: [
                    .contentType: PreparedFile.contentType(of: "icon.svg"), .cacheControl: "public, max-age=86400",
                ],
                body: ResponseBody(byteBuffer: icon))
        }
        for name in files.names {
            let files = files
            router.get(RouterPath(path(of: name))) { request, _ in files[name].response(to: request) }
        }
    }

    /// Returns why scripts can't be combined with the modules that they import, and which words no script uses; tests
    /// expect none.
    ///
    /// - Parameter apps: The apps whose scripts are checked in addition to the site's own.
    /// - Returns: A sentence for each script that can't be combined, and for each ``ScriptWords`` with unused ones.
    package static func scriptProblems(of apps: [SiteApp]) -> [String] {
        scriptProblems(in: contents(of: apps))
    }

    static func scriptProblems(in files: [String: [UInt8]]) -> [String] {
        let names = files.keys.filter { $0.hasSuffix(".js") }.sorted()
        let problems = names.compactMap { name -> String? in
            do throws(ScriptProblem) {
                _ = try ScriptBundle.source(of: name, in: files)
                return nil
            } catch {
                return "\(name): \(error)"
            }
        }
        return problems + names.filter { $0.hasSuffix("/words.js") }.flatMap { unusedWords(of: $0, in: files) }
    }

    /// A sentence for each word of a module that no script of its app imports.
    private static func unusedWords(of name: String, in files: [String: [UInt8]]) -> [String] {
        let folder = name.dropLast("words.js".count)
        var unused = Set(module(name, in: files)?.exports ?? [])
        for script in files.keys where script.hasPrefix(folder) && script.hasSuffix(".js") {
            for statement in module(script, in: files)?.imports ?? [] where statement.path.hasSuffix("/words.js") {
                unused.subtract(statement.names.map { $0.exported })
            }
        }
        return unused.sorted().map { "\(name): no script imports \($0)" }
    }

    private static func module(_ name: String, in files: [String: [UInt8]]) -> ScriptModule? {
        files[name].flatMap { try? ScriptModule($0) }
    }
}
