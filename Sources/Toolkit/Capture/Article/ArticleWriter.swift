import Foundation
import Markup

/// Writes an article as an HTML document, from the texts that the script describes it by.
///
/// The script runs in the process of an untrusted page, so nothing that it returns is trusted: this writes only elements,
/// attributes and addresses that it knows, closes each element, and embeds only pictures of the archive.
struct ArticleWriter {
    /// Restricts the document to its own content and to a style sheet of the site that shows it.
    static let policy = "default-src 'none'; img-src data:; style-src 'self'; form-action 'none'; base-uri 'none'"

    /// The elements that an article may have, with their attributes in addition to ``commonAttributes``.
    static let elements: [String: Set<String>] = {
        var elements: [String: Set<String>] = [
            "a": ["href"], "img": ["src", "alt", "width"], "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"],
            "ol": ["start"], "li": ["value"], "col": ["span"],
        ]
        let plain = """
            p div h1 h2 h3 h4 h5 h6 ul dl dt dd blockquote pre code kbd samp var em strong i b u s del ins mark small q \
            cite abbr dfn time bdi bdo figure figcaption table caption colgroup thead tbody tfoot tr ruby rt rp sub sup \
            span br wbr hr
            """
        for name in plain.split(separator: " ") { elements[String(name)] = [] }
        return elements
    }()
    private static let commonAttributes: Set<String> = ["id", "lang", "dir"]
    private static let leaves: Set<String> = ["img", "br", "wbr", "hr", "col"]
    /// The deepest nesting of elements.
    private static let deepest = 120
    /// The longest path of a link that leads into the library; a longer one leads to its address.
    private static let longestLink = 8_000

    /// Why no document was written.
    enum Failure: Error {
        case tooLarge
        case cancelled
    }

    private let article: PageScripts.Article
    private let resources: [String: WebArchive.Resource]
    private let linkPath: String?
    private let stylePath: String?
    private let limit: Int
    private let isCancelled: () -> Bool
    private var body = ""
    /// The elements that are open, from the outermost one.
    private var open: [String] = []
    /// The element that has begun, and whose attributes follow.
    private var beginning: (name: String, attributes: [(name: String, value: String)])?
    /// The number of elements that aren't written, but whose end follows.
    private var ignored = 0
    private var reading = ReadingTime()

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - article: The article.
    ///   - resources: The archive's resources by URL without fragment.
    ///   - linkPath: The path to which links lead, followed by their percent-encoded URL; `nil` for the URL itself.
    ///   - stylePath: The path of the style sheet; `nil` for none.
    ///   - limit: The maximum size of the document, in bytes.
    ///   - isCancelled: Whether to stop.
    init(
        _ article: PageScripts.Article, resources: [String: WebArchive.Resource], linkPath: String?,
        stylePath: String?, limit: Int, isCancelled: @escaping () -> Bool = { false }
    ) {
        (self.article, self.resources, self.linkPath, self.stylePath) = (article, resources, linkPath, stylePath)
        (self.limit, self.isCancelled) = (limit, isCancelled)
    }

    /// Writes the document; an empty one if the page has no article.
    mutating func document() throws(Failure) -> Data {
        if article.isTooLarge == true { throw .tooLarge }
        guard !article.texts.isEmpty else { return Data() }
        for (index, text) in article.texts.enumerated() {
            if index % 1_000 == 0, isCancelled() { throw .cancelled }
            try write(text)
        }
        try begin()
        for name in open.reversed() { body += "</\(name)>" }
        return Data((head() + body + "</article></body></html>\n").utf8)
    }
}

// MARK: - The head

extension ArticleWriter {
    private func head() -> String {
        let title = Markup.html(String(article.title.prefix(1_000)))
        let source = [article.byline, article.site].map { String($0.prefix(300)) }.filter { !$0.isEmpty }
        var html = "<!doctype html><html"
        if let language = Self.language(article.language) { html += " lang=\"\(language)\"" }
        if ["ltr", "rtl"].contains(article.direction.lowercased()) {
            html += " dir=\"\(article.direction.lowercased())\""
        }
        html += " data-minutes=\"\(reading.minutes)\"><head><meta charset=\"utf-8\">"
        html += "<meta http-equiv=\"Content-Security-Policy\" content=\"\(Markup.html(Self.policy))\">"
        html += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        html += "<meta name=\"color-scheme\" content=\"light dark\"><title>\(title)</title>"
        if let stylePath { html += "<link rel=\"stylesheet\" href=\"\(Markup.html(stylePath))\">" }
        html += "</head><body><article>"
        if !title.isEmpty { html += "<h1 dir=\"auto\">\(title)</h1>" }
        if !source.isEmpty {
            html += "<p class=\"source\" dir=\"auto\">\(Markup.html(source.joined(separator: " · ")))</p>"
        }
        return html
    }

    private static func language(_ text: String) -> String? {
        text.wholeMatch(of: /[A-Za-z0-9-]{1,35}/).map { String($0.output) }
    }
}

// MARK: - Texts

extension ArticleWriter {
    private mutating func write(_ text: String) throws(Failure) {
        guard let kind = text.unicodeScalars.first else { return }
        let rest = String(text.unicodeScalars.dropFirst())
        switch kind {
        case "<":
            try begin()
            guard ignored == 0, Self.elements[rest] != nil, open.count < Self.deepest else {
                ignored += 1
                return
            }
            beginning = (rest, [])
        case "@":
            let parts = rest.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, parts.count == 2 else { return }
            beginning?.attributes.append((String(name), String(parts[1])))
        case "=":
            try begin()
            reading.add(rest)
            try append(Markup.html(rest))
        case ">":
            try begin()
            if ignored > 0 {
                ignored -= 1
            } else if let name = open.popLast() {
                try append("</\(name)>")
            }
        default: return
        }
    }

    /// Writes the start of the element that has begun.
    private mutating func begin() throws(Failure) {
        guard let (name, attributes) = beginning else { return }
        beginning = nil
        var html = "<\(name)"
        var written: Set<String> = []
        for (attribute, value) in attributes where written.insert(attribute).inserted {
            guard let text = self.attribute(attribute, value, of: name) else {
                // A picture that can't be shown is left out.
                if name == "img", attribute == "src" {
                    ignored += 1
                    return
                }
                continue
            }
            html += text
        }
        if name == "img", !written.contains("src") {
            ignored += 1
            return
        }
        try append(html + ">")
        if Self.leaves.contains(name) {
            // Its end follows, too.
            ignored += 1
        } else {
            open.append(name)
        }
    }

    private mutating func append(_ html: String) throws(Failure) {
        guard body.utf8.count + html.utf8.count <= limit else { throw .tooLarge }
        body += html
    }

    /// An attribute with its value, in HTML; `nil` if the element can't have it.
    private func attribute(_ name: String, _ value: String, of element: String) -> String? {
        guard Self.elements[element]?.contains(name) == true || Self.commonAttributes.contains(name) else { return nil }
        switch name {
        case "href": return link(to: value)
        case "src": return picture(value).map { " src=\"\($0)\"" }
        case "lang": return Self.language(value).map { " lang=\"\($0)\"" }
        case "dir":
            let direction = value.lowercased()
            return ["ltr", "rtl", "auto"].contains(direction) ? " dir=\"\(direction)\"" : nil
        case "id":
            // An image's identifier could also name a property of the document.
            guard element != "img", value.utf8.count <= 200, !value.contains(where: \.isWhitespace) else { return nil }
            return " id=\"\(Markup.html(value))\""
        case "alt": return " alt=\"\(Markup.html(String(value.prefix(2_000))))\""
        default:
            guard let number = Int(value), abs(number) < 100_000 else { return nil }
            return " \(name)=\"\(number)\""
        }
    }

    private func link(to address: String) -> String? {
        if address.hasPrefix("#") { return " href=\"\(Markup.html(address))\"" }
        guard address.wholeMatch(of: /(?i)https?:.*/.dotMatchesNewlines()) != nil else { return nil }
        var target = address
        if let linkPath {
            let encoded = address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            if !encoded.isEmpty, linkPath.utf8.count + encoded.utf8.count <= Self.longestLink {
                target = linkPath + encoded
            }
        }
        return " href=\"\(Markup.html(target))\" target=\"_blank\" rel=\"noopener noreferrer\""
    }

    /// The `data:` URL of a picture; `nil` if it isn't in the archive, or doesn't fit.
    private func picture(_ address: String) -> String? {
        let rest = limit - body.utf8.count
        if address.prefix(5).lowercased() == "data:" {
            guard address.utf8.count <= rest, address.prefixMatch(of: /(?i)data:image\/[a-z0-9.+-]+[;,]/) != nil else {
                return nil
            }
            return Markup.html(address)
        }
        guard let resource = resources[String(address.prefix { $0 != "#" })], !resource.data.isEmpty,
            resource.mediaType.lowercased().hasPrefix("image/"), resource.data.count / 3 * 4 + 200 <= rest
        else { return nil }
        return String(decoding: DataAddress.ofResource(resource), as: UTF8.self)
    }
}

/// The time that a person needs to read a text.
struct ReadingTime {
    private var words = 0
    private var characters = 0
    private var isInWord = false

    /// Adds a text, which may begin within a word.
    mutating func add(_ text: String) {
        for scalar in text.unicodeScalars {
            if Self.isWord(scalar) {
                characters += 1
                isInWord = false
            } else if scalar.properties.isWhitespace {
                isInWord = false
            } else if !isInWord {
                words += 1
                isInWord = true
            }
        }
    }

    /// The minutes, at least one: 230 words or 500 Chinese or Japanese characters are read in a minute.
    ///
    /// Trauzettel-Klosinski and Dietz measured 228 words of English a minute (https://doi.org/10.1167/iovs.11-8284).
    var minutes: Int { max(1, Int((Double(words) / 230 + Double(characters) / 500).rounded())) }

    /// Whether a character is read like a word of its own.
    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{3040}"..."\u{30FF}", "\u{3400}"..."\u{9FFF}", "\u{20000}"..."\u{3FFFF}": true
        default: false
        }
    }
}
