import Capture
import Foundation
import OfflineLibraryModel

/// The pages in a ZIP file of a folder, each with the files that it refers to.
struct ZIPPages: Sendable {
    /// The files by path.
    private let files: [String: Data]

    /// The maximum number of files, and their maximum size together, in bytes.
    private static let (maximumFiles, unpackedBytes) = (20_000, 512_000_000)
    /// The maximum number of files that a page refers to, and their maximum size together, in bytes.
    private static let (maximumResources, pageBytes) = (2_000, ImportLimits.pageBytes)

    /// - Parameter zip: The ZIP file.
    /// - Throws: ``LibraryFileError/damaged(_:)`` if it can't be read.
    init(_ zip: Data) throws(LibraryFileError) {
        do throws(WACZError) {
            files = try ZipReader.files(in: zip, limit: Self.unpackedBytes, maximumFiles: Self.maximumFiles)
        } catch {
            throw .damaged(LibraryWords.zipProblem)
        }
    }

    /// The paths of the pages, in order; a file that only another page shows in a frame is no page.
    ///
    /// Browsers save the frames and resources of `page.html` in the folder `page_files`.
    var paths: [String] {
        files.keys.filter { path in
            let name = path.lowercased()
            let isPage = name.hasSuffix(".html") || name.hasSuffix(".htm") || name.hasSuffix(".xhtml")
            // macOS adds its own files to ZIP files.
            return isPage && !path.hasPrefix("__MACOSX/")
                && !path.split(separator: "/").dropLast().contains {
                    $0.hasSuffix("_files") || $0.hasSuffix("-Dateien")
                }
        }.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
    }

    /// The address of a page.
    func url(of path: String) -> URL { PageURL.find(in: Array(files[path] ?? Data())) ?? PageURL.fallback(path) }

    /// A page as a web archive.
    ///
    /// - Parameter path: The path of the page.
    /// - Returns: The page with all files that it refers to, directly or by its style sheets and frames.
    func archive(of path: String) -> WebArchive {
        let (html, url) = (files[path] ?? Data(), url(of: path))
        var main = Self.resource(html, at: url.absoluteString, path: path)
        main.frameName = ""
        var archive = WebArchive(mainResource: main)
        var (rest, count) = (Self.pageBytes - html.count, 0)
        // Each file once, with the address to which the references in its context lead.
        var waiting = [(path: path, url: url)]
        var seen: Set = [path]
        while let next = waiting.popLast() {
            for reference in References(in: files[next.path] ?? Data(), path: next.path).all {
                guard count < Self.maximumResources, let address = URL(string: reference, relativeTo: next.url),
                    let target = Self.path(reference, from: next.path), let data = files[target],
                    data.count <= rest, seen.insert(target).inserted
                else { continue }
                rest -= data.count
                count += 1
                let resource = Self.resource(data, at: Self.withoutFragment(address.absoluteString), path: target)
                if resource.mediaType == "text/html" {
                    archive.subframes.append(WebArchive(mainResource: resource))
                } else {
                    archive.subresources.append(resource)
                }
                if ["text/html", "text/css"].contains(resource.mediaType) {
                    waiting.append((target, address.absoluteURL))
                }
            }
        }
        return archive
    }

    private static func withoutFragment(_ url: String) -> String { String(url.prefix { $0 != "#" }) }

    /// The path of the file to which a relative reference leads; `nil` if it leads out of the folder.
    private static func path(_ reference: String, from path: String) -> String? {
        let plain = String(reference.prefix { $0 != "#" && $0 != "?" })
        guard !plain.isEmpty, !plain.hasPrefix("/"), !plain.contains(":"), let decoded = plain.removingPercentEncoding
        else {
            return nil
        }
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in decoded.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": if parts.popLast() == nil { return nil }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }

    private static func resource(_ data: Data, at url: String, path: String) -> WebArchive.Resource {
        let type = types[path.split(separator: ".").last?.lowercased() ?? ""] ?? "application/octet-stream"
        let isText = type.hasPrefix("text/")
        return WebArchive.Resource(
            data: data, url: url, mediaType: type,
            textEncodingName: isText && String(validating: data, as: UTF8.self) != nil ? "UTF-8" : nil)
    }

    private static let types: [String: String] = [
        "html": "text/html", "htm": "text/html", "xhtml": "application/xhtml+xml", "css": "text/css",
        "js": "text/javascript", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif",
        "webp": "image/webp", "avif": "image/avif", "svg": "image/svg+xml", "ico": "image/x-icon", "woff": "font/woff",
        "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
    ]
}

/// The references of a page or a style sheet to other files.
private struct References {
    private(set) var all: [String] = []

    /// The maximum number of references.
    private static let limit = 5_000

    init(in data: Data, path: String) {
        let bytes = Array(data)
        if path.lowercased().hasSuffix(".css") {
            addStyles(bytes[...])
            return
        }
        var scanner = HTMLScanner(
            bytes, attributes: ["src", "href", "srcset", "poster", "data", "style", "background"])
        while let tag = scanner.nextTag(), all.count < Self.limit {
            for name in ["src", "poster", "data", "background"] { tag.attributes[name].map { all.append($0) } }
            if tag.name == "link", let href = tag.attributes["href"] { all.append(href) }
            for candidate in (tag.attributes["srcset"] ?? "").split(separator: ",") {
                candidate.split(separator: " ").first.map { all.append(String($0)) }
            }
            if let style = tag.attributes["style"] { addStyles(Array(style.utf8)[...]) }
            if tag.name == "style" { addStyles(Array(scanner.text().utf8)[...]) }
        }
    }

    /// Adds the addresses in `url(…)` and `@import "…"`.
    private mutating func addStyles(_ css: ArraySlice<UInt8>) {
        var rest = css
        while all.count < Self.limit,
            let start = rest.firstIndex(where: { $0 == UInt8(ascii: "(") || $0 == UInt8(ascii: "@") })
        {
            let isFunction =
                rest[start] == UInt8(ascii: "(") && rest[..<start].suffix(3).elementsEqual(Array("url".utf8))
            let isImport = rest[start...].starts(with: Array("@import".utf8))
            rest = rest[(start + (isImport ? 7 : 1))...]
            guard isFunction || isImport else { continue }
            var value = rest.drop { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }
            guard let first = value.first else { break }
            let end: Int?
            if first == 0x22 || first == 0x27 {
                value = value.dropFirst()
                end = value.prefix(2_000).firstIndex(of: first)
            } else if isFunction {
                end = value.prefix(2_000).firstIndex(of: UInt8(ascii: ")"))
            } else {
                continue
            }
            guard let end else { continue }
            all.append(String(decoding: value[..<end], as: UTF8.self).trimmingCharacters(in: .whitespaces))
            rest = rest[end...]
        }
    }
}
