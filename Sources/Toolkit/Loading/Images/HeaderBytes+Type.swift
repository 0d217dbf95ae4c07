extension HeaderBytes {
    /// What something is, as its first bytes say.
    enum Kind: Sendable {
        case png, jpeg, gif, webP, bmp
        /// A box of boxes: AVIF, HEIC, a film.
        case isoMedia
        /// Perhaps SVG.
        case markup
        /// Known, and not wanted.
        case refused(ImageError)
    }

    private struct Signature: Sendable {
        let kind: Kind
        let parts: [(offset: Int, bytes: [UInt8])]
        let end: Int

        init(_ kind: Kind, _ parts: (offset: Int, bytes: [UInt8])...) {
            self.kind = kind
            self.parts = parts
            self.end = parts.map { $0.offset + $0.bytes.count }.max() ?? 0
        }
    }

    // As in https://mimesniff.spec.whatwg.org/#image-type-pattern-matching-algorithm, and beyond it what is worth a name.
    private static let signatures: [Signature] = [
        Signature(.png, (0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])),
        Signature(.jpeg, (0, [0xFF, 0xD8, 0xFF])),
        Signature(.gif, (0, Array("GIF87a".utf8))),
        Signature(.gif, (0, Array("GIF89a".utf8))),
        Signature(.webP, (0, Array("RIFF".utf8)), (8, Array("WEBP".utf8))),
        Signature(.isoMedia, (4, Array("ftyp".utf8))),
        Signature(.bmp, (0, Array("BM".utf8))),
        refused(tiff, Array("II*\0".utf8)),
        refused(tiff, Array("MM\0*".utf8)),
        refused(tiff, Array("II+\0".utf8)),
        refused(tiff, Array("MM\0+".utf8)),
        refused(.unsupported("a JPEG XL image", "Save it as JPEG or WebP."), [0xFF, 0x0A]),
        refused(.unsupported("a JPEG XL image", "Save it as JPEG or WebP."), [0, 0, 0, 12] + Array("JXL ".utf8)),
        refused(.unsupported("a Photoshop document", "Export it as PNG or JPEG."), Array("8BPS".utf8)),
        refused(.unsupported("an icon of several images", "Save the one that is wanted as PNG."), [0, 0, 1, 0]),
        refused(.unsupported("a mouse pointer", "Save it as PNG."), [0, 0, 2, 0]),
        refused(.notAnImage("a PDF document", "Save the page that is wanted as PNG."), Array("%PDF-".utf8)),
        refused(
            .notAnImage("compressed data (gzip)", "Unpack it; what is in an .svgz file is SVG."), [0x1F, 0x8B]),
        refused(.notAnImage("a zip archive", "Unpack it, and take the image out of it."), [0x50, 0x4B, 3, 4]),
        refused(.notAnImage("text in UTF-16", "Save it in UTF-8, if it is SVG."), [0xFE, 0xFF]),
        refused(.notAnImage("text in UTF-16", "Save it in UTF-8, if it is SVG."), [0xFF, 0xFE]),
    ]

    private static let tiff = ImageError.unsupported("a TIFF image", "Convert it to PNG, which loses nothing.")

    private static func refused(_ error: ImageError, _ bytes: [UInt8]) -> Signature {
        Signature(.refused(error), (0, bytes))
    }

    /// What this is, as its first bytes say.
    func kind() throws(HeaderStop) -> Kind {
        var needed: Int?
        for signature in Self.signatures {
            switch match(signature) {
            case true: return signature.kind
            case false: break
            case nil: needed = min(needed ?? signature.end, signature.end)
            }
        }
        if let needed { throw .needs(needed) }
        return .markup
    }

    /// Whether this begins so; `nil` if it is too short to tell.
    private func match(_ signature: Signature) -> Bool? {
        for part in signature.parts {
            for (index, byte) in part.bytes.enumerated() {
                guard let found = peek(part.offset + index) else { return nil }
                if found != byte { return false }
            }
        }
        return true
    }
}
