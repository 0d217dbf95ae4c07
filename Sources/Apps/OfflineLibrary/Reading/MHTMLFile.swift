import Capture
import Foundation
import OfflineLibraryModel

/// A page with its resources in one MIME message, as browsers save it (RFC 2557): `.mht` or `.mhtml`.
struct MHTMLFile {
    /// The page as a web archive.
    let archive: WebArchive
    /// When it was saved; `nil` if the file doesn't say it.
    let savedAt: Date?

    /// The maximum number of parts: Chromium writes one for each resource.
    private static let maximumParts = 5_000
    /// The prefix of the addresses of parts that have only an identifier.
    private static let identifiers = "https://cid.invalid/"

    /// Whether bytes begin like a MIME message with a page.
    static func matches(_ bytes: [UInt8]) -> Bool {
        let head = String(decoding: bytes.prefix(8_192), as: UTF8.self).lowercased()
        return head.contains("mime-version:") && head.contains("multipart/related")
    }

    /// Reads a file.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - fallback: The address of a page that has none.
    /// - Throws: ``LibraryFileError/damaged(_:)`` if it has no page.
    init(_ bytes: [UInt8], fallback: URL) throws(LibraryFileError) {
        guard let message = MIMEMessage(bytes[...]), message.mediaType == "multipart/related" else {
            throw .damaged(LibraryWords.mhtmlProblem)
        }
        let parts = message.parts(upTo: Self.maximumParts)
        let start = message.parameter("start").map(Self.identifier)
        let main = parts.firstIndex { $0.identifier != nil && $0.identifier == start } ?? parts.indices.first
        guard let main, ["text/html", "application/xhtml+xml"].contains(parts[main].mediaType) else {
            throw .damaged(LibraryWords.mhtmlProblem)
        }
        let location = message.headers["snapshot-content-location"] ?? parts[main].headers["content-location"]
        let page = location.flatMap { PageURL.url($0) } ?? fallback
        let known = Set(parts.compactMap(\.identifier))
        var (subresources, subframes): ([WebArchive.Resource], [WebArchive]) = ([], [])
        var seen: Set<String> = []
        for (index, part) in parts.enumerated() where index != main {
            // A part may have an address and an identifier, and be referred to by either.
            for address in part.addresses(in: page, prefix: Self.identifiers) where seen.insert(address).inserted {
                let resource = part.resource(at: address, known: known, prefix: Self.identifiers)
                if ["text/html", "application/xhtml+xml"].contains(part.mediaType) {
                    subframes.append(WebArchive(mainResource: resource))
                } else {
                    subresources.append(resource)
                }
            }
        }
        var mainResource = parts[main].resource(at: page.absoluteString, known: known, prefix: Self.identifiers)
        mainResource.frameName = ""
        archive = WebArchive(mainResource: mainResource, subresources: subresources, subframes: subframes)
        savedAt = message.headers["date"].flatMap(Self.date)
    }

    /// An identifier without its angle brackets.
    fileprivate static func identifier(_ text: String) -> String {
        text.trimmingCharacters(in: CharacterSet(charactersIn: "<> "))
    }

    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.dateFormat = "EEE, d MMM yyyy HH:mm:ss Z"
        return format.date(from: text)
    }
}

extension MIMEMessage {
    fileprivate var identifier: String? { headers["content-id"].map(MHTMLFile.identifier) }

    /// The addresses of a part.
    fileprivate func addresses(in page: URL, prefix: String) -> [String] {
        var addresses: [String] = []
        if let location = headers["content-location"] {
            if let identifier = location.lowercased().hasPrefix("cid:") ? location.dropFirst(4) : nil {
                addresses.append(prefix + identifier)
            } else if let url = URL(string: location, relativeTo: page)?.absoluteString {
                addresses.append(url)
            }
        }
        if let identifier { addresses.append(prefix + identifier) }
        return addresses
    }

    /// A part as a resource; references by an identifier become addresses, which a browser can request.
    fileprivate func resource(at address: String, known: Set<String>, prefix: String) -> WebArchive.Resource {
        var data = content
        if mediaType.hasPrefix("text/") || mediaType.hasSuffix("+xml") {
            data = Self.replacingIdentifiers(in: data, known: known, prefix: prefix)
        }
        return WebArchive.Resource(
            data: data, url: address, mediaType: mediaType.isEmpty ? "application/octet-stream" : mediaType,
            textEncodingName: parameter("charset"))
    }

    /// Replaces `cid:` before each known identifier.
    private static func replacingIdentifiers(in data: Data, known: Set<String>, prefix: String) -> Data {
        let (bytes, mark) = (Array(data), Array("cid:".utf8))
        // The longest identifier bounds the time that each `cid:` takes.
        let longest = min(known.map(\.utf8.count).max() ?? 0, 500)
        guard longest > 0 else { return data }
        var (result, copied, offset) = (Data(), 0, 0)
        while let start = bytes[offset...].firstIndex(of: mark[0]) {
            offset = start + 1
            guard bytes[start...].starts(with: mark) else { continue }
            let rest = bytes[(start + mark.count)...].prefix(longest)
            let end =
                rest.firstIndex { [0x22, 0x27, 0x29, 0x20, 0x3C, 0x3E, 0x0A, 0x0D].contains($0) } ?? rest.endIndex
            guard known.contains(String(decoding: rest[..<end], as: UTF8.self)) else { continue }
            result += bytes[copied..<start]
            result += prefix.utf8
            copied = start + mark.count
            offset = end
        }
        return copied == 0 ? data : result + bytes[copied...]
    }
}
