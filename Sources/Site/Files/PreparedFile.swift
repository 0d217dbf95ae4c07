import Futures
import HTTPTypes
import Hummingbird
import NIOCore

/// A static file as it is sent: a script combined with the modules that it imports, and compressed if that helps.
struct PreparedFile: Sendable {
    private let headers: HTTPFields
    private let plain: ByteBuffer
    private let gzipped: ByteBuffer?

    /// Combines and compresses a file.
    ///
    /// - Parameters:
    ///   - name: The file's folder and name.
    ///   - files: The contents of all files by folder and name.
    init(_ name: String, in files: [String: [UInt8]]) {
        var bytes = files[name] ?? []
        if name.hasSuffix(".js") {
            do throws(ScriptProblem) {
                bytes = try ScriptBundle.source(of: name, in: files)
            } catch {
                // The browser can still load each module by itself.
                assertionFailure("\(name) can't be combined: \(error)")
            }
        }
        let gzipped = GzippedBytes.ifSmaller(bytes)
        var headers: HTTPFields = [
            .contentType: Self.contentType(of: name), .cacheControl: "public, max-age=31536000, immutable",
        ]
        if gzipped != nil { headers[.vary] = "Accept-Encoding" }
        self.headers = headers
        self.plain = ByteBuffer(bytes: bytes)
        self.gzipped = gzipped
    }

    /// The file as a response, compressed if the client accepts that.
    func response(to request: Request) -> Response {
        var headers = headers
        var body = plain
        if let gzipped, Self.acceptsGzip(request.headers[values: .acceptEncoding]) {
            headers[.contentEncoding] = "gzip"
            body = gzipped
        }
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: body))
    }

    static func contentType(of name: String) -> String {
        switch name.split(separator: ".").last {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        case "wasm": "application/wasm"
        default: "application/octet-stream"
        }
    }

    /// Returns whether an `Accept-Encoding` header names gzip, or any encoding, with a weight above zero.
    static func acceptsGzip(_ accepted: [String]) -> Bool {
        var isAccepted = false
        for coding in accepted.joined(separator: ",").lowercased().split(separator: ",") {
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            switch parts.first {
            case "gzip", "x-gzip": return weight > 0
            case "*": isAccepted = weight > 0
            default: continue
            }
        }
        return isAccepted
    }
}

/// The prepared files of a site, each prepared when it is first requested.
///
/// A program without web pages open does no work for them, and a page's first load waits a few milliseconds.
struct PreparedFiles: Sendable {
    /// The files of all sites of the process by their paths, which contain a hash of the site's files.
    private static let prepared = Lock<[String: PreparedFile]>([:])

    private let path: String
    private let files: [String: [UInt8]]

    /// Creates files that aren't prepared yet.
    ///
    /// - Parameters:
    ///   - files: The contents of all files by folder and name.
    ///   - path: Their path, which differs for other contents.
    init(_ files: [String: [UInt8]], at path: String) {
        (self.files, self.path) = (files, path)
    }

    /// The names of all files.
    var names: [String] { Array(files.keys) }

    /// Returns a file as it is sent.
    subscript(name: String) -> PreparedFile {
        let key = "\(path)/\(name)"
        if let file = Self.prepared.withLock({ $0[key] }) { return file }
        // Not under the lock: compressing takes milliseconds. If two requests prepare a file, the results are equal.
        let file = PreparedFile(name, in: files)
        Self.prepared.withLock { $0[key] = file }
        return file
    }
}
