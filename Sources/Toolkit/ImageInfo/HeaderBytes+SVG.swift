// Markup: SVG, or a page that isn't an image. Scanned once, from the front, up to the end of the first element's name and
// attributes. Entities are neither declared nor expanded: an attribute whose value contains one is ignored.
// https://www.w3.org/TR/SVG2/struct.html#SVGElement
// https://mimesniff.spec.whatwg.org/#identifying-a-resource-with-an-unknown-mime-type

extension HeaderBytes {
    /// Reads the header of an SVG image; rejects other content with an error that names it.
    func markup() throws(HeaderStop) -> ImageHeader {
        // The UTF-8 byte order mark.
        var offset = peek(0) == 0xEF && peek(1) == 0xBB && peek(2) == 0xBF ? 3 : 0
        while true {
            offset = try skipSpace(offset)
            guard try byte(offset) == UInt8(ascii: "<") else { throw .refused(notMarkup()) }
            switch try byte(offset + 1) {
            case UInt8(ascii: "?"):
                offset = try end(of: "?>", from: offset + 2)
            case UInt8(ascii: "!"):
                if try byte(offset + 2) == UInt8(ascii: "-") {
                    offset = try end(of: "-->", from: offset + 4)
                } else {
                    offset = try doctype(offset + 2)
                }
            case let character where Self.isLetter(character):
                return try element(offset + 1)
            default:
                throw .refused(notMarkup())
            }
        }
    }

    /// The error for content that is neither a known signature nor markup.
    private func notMarkup() -> ImageError {
        let isText = (0..<min(count, 512)).allSatisfy { index in
            peek(index).map { $0 >= 0x20 && $0 != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains($0) } ?? true
        }
        return .unexpected(isText ? .text : .binary)
    }

    /// The names of elements that many HTML pages begin with, even without `<html>`, and that no SVG begins with.
    private static let pageElements: Set<String> = [
        "html", "head", "body", "title", "meta", "link", "script", "style", "base", "iframe", "div", "span", "p", "a",
        "b", "br", "center", "font", "form", "h1", "h2", "h3", "img", "table", "pre", "ul", "noscript",
    ]

    private func element(_ start: Int) throws(HeaderStop) -> ImageHeader {
        let (name, end) = try name(start)
        // An SVG's name may have a namespace prefix.
        let local = name.split(separator: ":").last.map(String.init) ?? name
        if local == "svg" { return try svg(end) }
        throw .refused(.unexpected(Self.pageElements.contains(local.lowercased()) ? .html : .xml))
    }

    /// Returns the offset after a document type declaration, skipping its internal subset.
    private func doctype(_ start: Int) throws(HeaderStop) -> Int {
        let (keyword, keywordEnd) = try name(start)
        guard keyword.uppercased() == "DOCTYPE" else { throw .refused(notMarkup()) }
        var (type, offset) = try name(try skipSpace(keywordEnd))
        if type.lowercased() == "html" { throw .refused(.unexpected(.html)) }
        var depth = 0
        while true {
            switch try byte(offset) {
            case UInt8(ascii: "["):
                depth += 1
            case UInt8(ascii: "]"):
                depth -= 1
            case UInt8(ascii: ">") where depth <= 0:
                return offset + 1
            case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
                offset = try end(of: quote, from: offset + 1)
                continue
            case UInt8(ascii: "<") where peek(offset + 1) == UInt8(ascii: "!") && peek(offset + 2) == UInt8(ascii: "-"):
                // An apostrophe in a comment doesn't begin a quotation.
                offset = try end(of: "-->", from: offset + 4)
                continue
            default:
                break
            }
            offset += 1
        }
    }
}

// MARK: - Size

extension HeaderBytes {
    // CSS gives this size to an image without one: https://www.w3.org/TR/CSS22/visudet.html#inline-replaced-width
    private static let defaultSize = (width: 300.0, height: 150.0)

    private func svg(_ start: Int) throws(HeaderStop) -> ImageHeader {
        let attributes = try attributes(start)
        let width = attributes["width"].flatMap(Self.length)
        let height = attributes["height"].flatMap(Self.length)
        let box = attributes["viewBox"].flatMap(Self.viewBox)
        let size: (width: Double, height: Double) =
            switch (width, height, box) {
            case (let width?, let height?, _): (width, height)
            case (let width?, nil, let box?): (width, width * box.height / box.width)
            case (nil, let height?, let box?): (height * box.width / box.height, height)
            case (nil, nil, let box?): box
            case (let width?, nil, nil): (width, Self.defaultSize.height)
            case (nil, let height?, nil): (Self.defaultSize.width, height)
            case (nil, nil, nil): Self.defaultSize
            }
        // No pixels are decoded, but a page can't lay out a larger image.
        let longest = 1e6
        guard size.width <= longest, size.height <= longest else {
            throw .refused(
                ImageError(
                    .tooLarge,
                    "This is an SVG image that is more than \(Int(longest)) pixels wide or high. Give it a "
                        + "smaller width and height. The viewBox needn't change.", found: "an SVG image"))
        }
        return ImageHeader(
            .svg, width: max(Int(size.width.rounded()), 1), height: max(Int(size.height.rounded()), 1))
    }

    /// A length in CSS pixels; `nil` if it is relative to something else, or invalid.
    static func length(_ text: String) -> Double? {
        let (number, rest) = leadingNumber(Substring(text).drop { $0.isWhitespace })
        // https://www.w3.org/TR/css-values-4/#absolute-lengths
        let units: [String: Double] = [
            "": 1, "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "q": 96 / 101.6, "pt": 96.0 / 72, "pc": 16,
        ]
        let unit = rest.lowercased().filter { !$0.isWhitespace }
        guard let number, let factor = units[unit] else { return nil }
        let length = number * factor
        return length > 0 && length.isFinite ? length : nil
    }

    /// The width and height of a view box.
    static func viewBox(_ text: String) -> (width: Double, height: Double)? {
        var rest = Substring(text)
        var numbers: [Double] = []
        while numbers.count < 5 {
            rest = rest.drop { $0.isWhitespace || $0 == "," }
            let (number, after) = leadingNumber(rest)
            guard let number else { break }
            numbers.append(number)
            rest = after
        }
        guard numbers.count == 4, rest.isEmpty, numbers[2] > 0, numbers[3] > 0, numbers.allSatisfy(\.isFinite) else {
            return nil
        }
        return (numbers[2], numbers[3])
    }

    /// The number at the beginning of a text, and the rest.
    private static func leadingNumber(_ text: Substring) -> (Double?, Substring) {
        // The pattern accepts an exponent, but not the unit `em`.
        let number = /[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/
        guard let match = text.prefixMatch(of: number) else { return (nil, text) }
        // `Double.init` rejects a leading plus sign and a trailing point, which SVG allows.
        let digits = match.output.trimmingPrefix("+")
        return (Double(digits.last == "." ? digits.dropLast() : digits), text[match.range.upperBound...])
    }
}

// MARK: - Characters

extension HeaderBytes {
    /// The maximum length of names and values that are read: longer ones can't describe a size.
    private static let longestText = 256

    private static let nameEnds = Array(">/=[<".utf8)

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C
    }

    private func skipSpace(_ start: Int) throws(HeaderStop) -> Int {
        var offset = start
        while Self.isSpace(try byte(offset)) { offset += 1 }
        return offset
    }

    /// The offset after the next occurrence of a text.
    private func end(of text: String, from start: Int) throws(HeaderStop) -> Int {
        var offset = start
        while try !has(text, at: offset) { offset += 1 }
        return offset + text.utf8.count
    }

    /// The offset after the closing quote.
    private func end(of quote: UInt8, from start: Int) throws(HeaderStop) -> Int {
        var offset = start
        while try byte(offset) != quote { offset += 1 }
        return offset + 1
    }

    /// The name at an offset, and the offset of its end.
    private func name(_ start: Int) throws(HeaderStop) -> (String, Int) {
        var offset = start
        while true {
            let byte = try byte(offset)
            if Self.isSpace(byte) || Self.nameEnds.contains(byte) { break }
            offset += 1
        }
        return (text(start..<offset), offset)
    }

    /// The attributes of an element that concern its size; of duplicates, the first counts.
    private func attributes(_ start: Int) throws(HeaderStop) -> [String: String] {
        var attributes: [String: String] = [:]
        var offset = start
        while true {
            offset = try skipSpace(offset)
            let first = try byte(offset)
            if first == UInt8(ascii: ">") || first == UInt8(ascii: "/") { return attributes }
            let nameStart = offset
            let (name, nameEnd) = try name(nameStart)
            offset = try skipSpace(nameEnd)
            guard nameEnd > nameStart, try byte(offset) == UInt8(ascii: "=") else {
                throw .refused(.damaged("an SVG image", "its first element has an attribute without a value"))
            }
            offset = try skipSpace(offset + 1)
            let quote = try byte(offset)
            guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
                throw .refused(.damaged("an SVG image", "its first element has a value without quotation marks"))
            }
            let valueEnd = try end(of: quote, from: offset + 1)
            if ["width", "height", "viewBox"].contains(name), attributes[name] == nil {
                let value = text(offset + 1..<valueEnd - 1)
                // Values with entities are ignored: an entity may expand to many others.
                if !value.contains("&") { attributes[name] = value }
            }
            offset = valueEnd
        }
    }

    /// The text in a range, all of which must be available; empty if it is too long.
    private func text(_ range: Range<Int>) -> String {
        guard range.count <= Self.longestText else { return "" }
        return String(decoding: range.compactMap(peek), as: UTF8.self)
    }
}
