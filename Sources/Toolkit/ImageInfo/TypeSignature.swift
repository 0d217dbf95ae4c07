/// The bytes with which all content of a type begins.
struct TypeSignature: Sendable {
    /// The type with this signature; `nil` for the ISO base media format, whose brands determine the type.
    let type: SniffedType?
    /// The bytes of the signature; `nil` matches any byte.
    let bytes: [UInt8?]

    private init(_ type: SniffedType?, _ bytes: [UInt8?]) {
        self.type = type
        self.bytes = bytes
    }

    private init(_ type: SniffedType?, _ text: String, _ rest: [UInt8?] = []) {
        self.init(type, Self.letters(text) + rest)
    }
}

extension TypeSignature {
    /// Whether the content begins with this signature.
    ///
    /// - Parameter byte: The byte of the content at an offset; `nil` after its end.
    /// - Returns: Whether it does; `nil` if the content matches so far, but is shorter than the signature.
    func matches(_ byte: (Int) -> UInt8?) -> Bool? {
        for (offset, expected) in bytes.enumerated() {
            guard let found = byte(offset) else { return nil }
            if let expected, found != expected { return false }
        }
        return true
    }

    /// All known signatures; if several match, the first one counts.
    ///
    /// They are those of https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern (sections 6 and 7), and those
    /// of types that are missing there.
    static let all: [TypeSignature] = [
        TypeSignature(.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        TypeSignature(.jpeg, [0xFF, 0xD8, 0xFF]),
        TypeSignature(.gif, "GIF87a"),
        TypeSignature(.gif, "GIF89a"),
        TypeSignature(.webP, "RIFF", any(4) + letters("WEBPVP")),
        TypeSignature(nil, any(4) + letters("ftyp")),
        TypeSignature(.bmp, "BM"),
        TypeSignature(.icon, [0x00, 0x00, 0x01, 0x00]),
        TypeSignature(.cursor, [0x00, 0x00, 0x02, 0x00]),
        TypeSignature(.tiff, "II", [0x2A, 0x00]),
        TypeSignature(.tiff, "MM", [0x00, 0x2A]),
        // BigTIFF.
        TypeSignature(.tiff, "II", [0x2B, 0x00]),
        TypeSignature(.tiff, "MM", [0x00, 0x2B]),
        // A bare codestream, and one in a container of boxes: ISO/IEC 18181-2, 9.
        TypeSignature(.jpegXL, [0xFF, 0x0A]),
        TypeSignature(.jpegXL, [0x00, 0x00, 0x00, 0x0C] + letters("JXL ")),
        TypeSignature(.photoshop, "8BPS"),
        TypeSignature(.pdf, "%PDF-"),
        TypeSignature(.postScript, "%!PS-Adobe-"),
        TypeSignature(.zip, "PK", [0x03, 0x04]),
        // An archive without entries consists only of an end record.
        TypeSignature(.zip, "PK", [0x05, 0x06]),
        TypeSignature(.gzip, [0x1F, 0x8B, 0x08]),
        TypeSignature(.rar, "Rar!", [0x1A, 0x07, 0x00]),
        TypeSignature(.rar, "Rar!", [0x1A, 0x07, 0x01]),
        TypeSignature(.media, "RIFF", any(4) + letters("AVI ")),
        TypeSignature(.media, "RIFF", any(4) + letters("WAVE")),
        TypeSignature(.media, "FORM", any(4) + letters("AIFF")),
        TypeSignature(.media, "ID3"),
        TypeSignature(.media, "OggS", [0x00]),
        TypeSignature(.media, "MThd", [0x00, 0x00, 0x00, 0x06]),
        TypeSignature(.media, [0x1A, 0x45, 0xDF, 0xA3]),
        TypeSignature(.media, "fLaC"),
        TypeSignature(.font, [0x00, 0x01, 0x00, 0x00]),
        TypeSignature(.font, "OTTO"),
        TypeSignature(.font, "ttcf"),
        TypeSignature(.font, "wOFF"),
        TypeSignature(.font, "wOF2"),
        // The UTF-16 byte order marks.
        TypeSignature(.text, [0xFE, 0xFF]),
        TypeSignature(.text, [0xFF, 0xFE]),
    ]

    private static func letters(_ text: String) -> [UInt8?] { text.utf8.map { $0 } }

    private static func any(_ count: Int) -> [UInt8?] { [UInt8?](repeating: nil, count: count) }
}
