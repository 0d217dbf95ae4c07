/// The text of a document or style sheet, with placeholders for references.
struct ViewerTemplate: Sendable {
    /// The kind of a placeholder, by the letter that the scripts write for it.
    enum Kind: UInt8, Sendable {
        /// The `data:` URL of a resource.
        case resource = 0x72
        /// The `data:` URL of a style sheet.
        case styleSheet = 0x73
        /// A complete `url()` in a declaration, which a variable may replace.
        case urlValue = 0x76
        /// The picture of an image element that shows its picture as CSS content, usually through a CSS variable.
        case sharedPicture = 0x63
        /// The beginning of a head element.
        case head = 0x68
        /// The attribute that contains a frame's document.
        case frame = 0x66
        /// The attribute of an element that accepts a frame's document only as a URL.
        case frameAddress = 0x64
        /// The URL of a link to another page.
        case link = 0x6C
        /// The document's own URL before the fragment of a link within the document; usually empty.
        case ownAddress = 0x62
    }

    enum Piece: Sendable {
        case text(ArraySlice<UInt8>)
        case placeholder(Kind, String)
    }

    let pieces: [Piece]

    /// Parses tokens, which consist of the mark starting with U+0001, a letter, the index of a reference, and `z`.
    init(_ text: String, references: [String], mark: String) {
        let bytes = Array(text.utf8)
        let mark = Array(mark.utf8)
        var pieces: [Piece] = []
        var (start, position) = (0, 0)
        while let found = bytes[position...].firstIndex(of: 1) {
            position = found + 1
            guard let end = Self.endOfToken(at: found, in: bytes, mark: mark) else { continue }
            let kind = bytes[found + mark.count]
            let digits = bytes[(found + mark.count + 1)..<end]
            guard let kind = Kind(rawValue: kind), digits.allSatisfy({ (0x30...0x39).contains($0) }),
                let number = Int(String(decoding: digits, as: UTF8.self))
            else { continue }
            if found > start { pieces.append(.text(bytes[start..<found])) }
            pieces.append(.placeholder(kind, references.indices.contains(number) ? references[number] : ""))
            start = end + 1
            position = start
        }
        if start < bytes.count { pieces.append(.text(bytes[start...])) }
        self.pieces = pieces
    }

    /// - Returns: The position of the token's last letter; `nil` if it isn't a token.
    private static func endOfToken(at start: Int, in bytes: [UInt8], mark: [UInt8]) -> Int? {
        let number = start + mark.count + 1
        guard number < bytes.count, bytes[start..<(start + mark.count)].elementsEqual(mark) else { return nil }
        return bytes[number..<min(number + 12, bytes.count)].firstIndex(of: UInt8(ascii: "z"))
    }

    /// The references at placeholders of a kind.
    func references(_ kind: Kind) -> [String] {
        pieces.compactMap { if case .placeholder(kind, let reference) = $0 { reference } else { nil } }
    }

    /// The numbers that follow a text, limited to nine digits.
    func numbers(after text: String) -> Set<Int> {
        let text = Array(text.utf8)
        var numbers: Set<Int> = []
        for case .text(let bytes) in pieces {
            var position = bytes.startIndex
            while let found = bytes[position...].firstIndex(of: text[0]) {
                position = found + 1
                guard bytes[found...].starts(with: text) else { continue }
                let digits = bytes[(found + text.count)...].prefix(9).prefix { $0 >= 0x30 && $0 <= 0x39 }
                if let number = Int(String(decoding: digits, as: UTF8.self)) { numbers.insert(number) }
            }
        }
        return numbers
    }
}
