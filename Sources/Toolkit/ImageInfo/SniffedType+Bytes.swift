extension SniffedType {
    /// The number of bytes that are examined.
    ///
    /// https://mimesniff.spec.whatwg.org/#reading-the-resource-header
    public static let headerLength = 1445

    /// Detects the type of some content.
    ///
    /// - Parameter bytes: The content, or its first ``headerLength`` bytes.
    public init(sniffing bytes: some Collection<UInt8>) {
        let header = Array(bytes.prefix(Self.headerLength))
        self = Self.bySignature(header) ?? Self.byText(header)
    }

    private static func bySignature(_ header: [UInt8]) -> SniffedType? {
        let signature = TypeSignature.all.first { signature in
            signature.matches { header.indices.contains($0) ? header[$0] : nil } == true
        }
        guard let signature else { return nil }
        return signature.type ?? byBrands(header)
    }

    /// The type of an ISO base media file by its `ftyp` box, which lists brands of four letters each (ISO/IEC 14496-12, 4.3).
    private static func byBrands(_ header: [UInt8]) -> SniffedType? {
        guard header.count >= 12 else { return nil }
        let size = header[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard size >= 12, size.isMultiple(of: 4) else { return nil }
        var brands: [String] = []
        // The second word of the box's content is a version, not a brand.
        for start in stride(from: 8, to: min(size, header.count - 3), by: 4) where start != 12 {
            brands.append(String(decoding: header[start..<start + 4], as: UTF8.self))
        }
        return SniffedType(brands: brands)
    }

    /// The type of an ISO base media file with these brands.
    ///
    /// https://mp4ra.org/registered-types/brands
    init(brands: [String]) {
        if brands.contains(where: ["avif", "avis"].contains) {
            self = .avif
        } else if brands.contains(where: ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].contains) {
            self = .heif
        } else if brands.contains("jxl ") {
            self = .jpegXL
        } else {
            self = .media
        }
    }

    private static let pageTags = [
        "<!doctype html", "<html", "<head", "<script", "<iframe", "<h1", "<div", "<font", "<table", "<a", "<style",
        "<title", "<b", "<body", "<br", "<p", "<!--",
    ].map { Array($0.utf8) }

    private static func byText(_ header: [UInt8]) -> SniffedType {
        if header.isEmpty { return .nothing }
        // The UTF-8 byte order mark.
        let header = header.starts(with: [0xEF, 0xBB, 0xBF]) ? header.dropFirst(3) : header[...]
        if header.contains(where: isBinary) { return .binary }
        let text = header.drop { [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }.map(lowercased)
        if text.starts(with: "<svg".utf8) { return .svg }
        if text.starts(with: "<?xml".utf8) || text.starts(with: "<!doctype svg".utf8) {
            return isRootSVG(text) ? .svg : .xml
        }
        if isPage(text) { return text.starts(with: "<!--".utf8) && isRootSVG(text) ? .svg : .html }
        if isJSON(text) { return .json }
        return .text
    }

    /// Whether the byte occurs only in binary data.
    ///
    /// https://mimesniff.spec.whatwg.org/#binary-data-byte
    private static func isBinary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x08, 0x0B, 0x0E...0x1A, 0x1C...0x1F: true
        default: false
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 0x20 : byte
    }

    private static func isPage(_ text: [UInt8]) -> Bool {
        pageTags.contains { tag in
            guard text.starts(with: tag) else { return false }
            // The start of a comment needs no delimiter after it, unlike a tag's name.
            if tag.last == UInt8(ascii: "-") || text.count == tag.count { return true }
            return [0x20, 0x3E].contains(text[tag.count]) || [0x09, 0x0A, 0x0C, 0x0D, 0x2F].contains(text[tag.count])
        }
    }

    /// Whether the first element, after declarations and comments, is `svg`.
    private static func isRootSVG(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[start...]
            if rest.starts(with: "<svg".utf8) { return true }
            if rest.starts(with: "<!--".utf8) {
                guard let end = endOfComment(rest) else { return false }
                rest = rest[end...]
            } else if rest.starts(with: "<!".utf8) || rest.starts(with: "<?".utf8) {
                rest = rest.dropFirst(2)
            } else {
                return false
            }
        }
        return false
    }

    private static func endOfComment(_ text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex + 4
        while index + 2 < text.endIndex {
            if text[index...].starts(with: "-->".utf8) { return index + 3 }
            index += 1
        }
        return nil
    }

    /// Whether the text begins like a JSON object or array; a first bracket alone isn't enough, because text may begin with one.
    private static func isJSON(_ text: [UInt8]) -> Bool {
        guard let first = text.first else { return false }
        let second = text.dropFirst().first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
        switch first {
        case UInt8(ascii: "{"): return second.map { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "}") } ?? false
        case UInt8(ascii: "["): return second.map { "[{\"-0123456789tfn]".utf8.contains($0) } ?? false
        default: return false
        }
    }
}
