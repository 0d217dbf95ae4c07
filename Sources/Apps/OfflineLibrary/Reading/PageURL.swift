import Capture
import Foundation

/// Finds the address from which an HTML file was saved.
enum PageURL {
    /// The maximum length of an address, in bytes, and of the beginning of a file that is searched for it.
    private static let (longest, searched) = (20_000, 256_000)

    /// A web address in a text; `nil` if it isn't one.
    static func url(_ text: some StringProtocol) -> URL? {
        let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard text.utf8.count <= longest, let url = URL(string: text), (try? PageCapturer.validate(url)) != nil else {
            return nil
        }
        return url
    }

    /// The address in an HTML file, as SingleFile and browsers write it, or as the page itself names it; `nil` if it
    /// has none.
    static func find(in html: [UInt8]) -> URL? {
        let start = Array(html.prefix(searched))
        let text = String(decoding: start, as: UTF8.self)
        // `<!-- … url: https://a.example/ … -->` of SingleFile, in a line of its own.
        if text.contains("SingleFile") {
            for line in text.split(whereSeparator: \.isNewline) {
                let line = line.drop { $0 == " " }
                if line.hasPrefix("url: "), let url = url(line.dropFirst("url: ".count)) { return url }
            }
        }
        // `<!-- saved from url=(0018)https://a.example/ -->` of browsers.
        if let mark = text.range(of: "saved from url=("), let end = text[mark.upperBound...].firstIndex(of: ")"),
            let url = url(text[text.index(after: end)...].prefix(longest).prefix { !$0.isWhitespace })
        {
            return url
        }
        var scanner = HTMLScanner(start, attributes: ["rel", "href", "property", "content"])
        while let tag = scanner.nextTag() {
            let attributes = tag.attributes
            if tag.name == "link", attributes["rel"]?.lowercased() == "canonical",
                let url = attributes["href"].flatMap({ url($0) })
            {
                return url
            }
            if tag.name == "meta", attributes["property"]?.lowercased() == "og:url",
                let url = attributes["content"].flatMap({ url($0) })
            {
                return url
            }
        }
        return nil
    }

    /// An address for a file without one; nothing is ever requested from it.
    static func fallback(_ name: String) -> URL {
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
        let path =
            String(name.unicodeScalars.prefix(200).map(Character.init))
            .addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
        return URL(string: "http://file.invalid/\(path)") ?? URL(filePath: "/")
    }
}
