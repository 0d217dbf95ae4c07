// Formats that store the image's dimensions near the beginning, at a fixed offset or after a few blocks.

extension HeaderBytes {
    // https://www.w3.org/TR/png-3/#11IHDR
    func png() throws(HeaderStop) -> ImageHeader {
        guard try bigEndian(8, bytes: 4) == 13, try has("IHDR", at: 12) else {
            throw .refused(.damaged("a PNG image", "it does not begin with its size"))
        }
        return try pixels(
            .png, "a PNG image", width: try bigEndian(16, bytes: 4), height: try bigEndian(20, bytes: 4))
    }

    // https://www.w3.org/Graphics/GIF/spec-gif89a.txt
    // The first frame may extend beyond the screen, and some browsers then enlarge the screen: the limit applies to
    // both.
    func gif() throws(HeaderStop) -> ImageHeader {
        let screen = (width: try littleEndian(6, bytes: 2), height: try littleEndian(8, bytes: 2))
        var offset = 13 + Self.colourTableLength(flags: try byte(10))
        while true {
            switch try byte(offset) {
            case 0x21:
                offset = try endOfBlocks(offset + 2)
            case 0x2C:
                let right = try littleEndian(offset + 1, bytes: 2) + littleEndian(offset + 5, bytes: 2)
                let bottom = try littleEndian(offset + 3, bytes: 2) + littleEndian(offset + 7, bytes: 2)
                try limit("a GIF image", width: max(screen.width, right), height: max(screen.height, bottom))
                return try pixels(
                    .gif, "a GIF image", width: screen.width > 0 ? screen.width : right,
                    height: screen.height > 0 ? screen.height : bottom)
            case 0x3B:
                throw .refused(.damaged("a GIF image", "it contains no picture"))
            default:
                throw .refused(.damaged("a GIF image", "it has a block of an unknown type"))
            }
        }
    }

    private static func colourTableLength(flags: UInt8) -> Int {
        flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1)
    }

    /// The offset after a sequence of sub-blocks, each preceded by its length; a length of 0 ends the sequence.
    private func endOfBlocks(_ start: Int) throws(HeaderStop) -> Int {
        var offset = start
        while true {
            let length = Int(try byte(offset))
            offset += 1 + length
            if length == 0 { return offset }
        }
    }

    // The container: https://developers.google.com/speed/webp/docs/riff_container
    // Lossy images: https://datatracker.ietf.org/doc/html/rfc6386#section-9.1
    // Lossless images: https://developers.google.com/speed/webp/docs/webp_lossless_bitstream_specification
    func webP() throws(HeaderStop) -> ImageHeader {
        let found = "a WebP image"
        if try has("VP8 ", at: 12) {
            guard try byte(20) & 1 == 0, try bigEndian(23, bytes: 3) == 0x9D012A else {
                throw .refused(.damaged(found, "it does not begin with a whole frame"))
            }
            return try pixels(
                .webP, found, width: try littleEndian(26, bytes: 2) & 0x3FFF,
                height: try littleEndian(28, bytes: 2) & 0x3FFF)
        }
        if try has("VP8L", at: 12) {
            guard try byte(20) == 0x2F else {
                throw .refused(.damaged(found, "its lossless picture has no signature"))
            }
            let bits = try littleEndian(21, bytes: 4)
            return try pixels(.webP, found, width: bits & 0x3FFF + 1, height: bits >> 14 & 0x3FFF + 1)
        }
        if try has("VP8X", at: 12) {
            return try pixels(
                .webP, found, width: try littleEndian(24, bytes: 3) + 1, height: try littleEndian(27, bytes: 3) + 1)
        }
        throw .refused(.damaged(found, "its first chunk has an unknown type"))
    }

    // https://learn.microsoft.com/windows/win32/gdi/bitmap-header-types
    func bmp() throws(HeaderStop) -> ImageHeader {
        let found = "a BMP image"
        switch try littleEndian(14, bytes: 4) {
        case 12:
            return try pixels(
                .bmp, found, width: try littleEndian(18, bytes: 2), height: try littleEndian(20, bytes: 2))
        case 40...124:
            // A negative height means that the rows are stored from the top down.
            let height = Int32(truncatingIfNeeded: try littleEndian(22, bytes: 4))
            let width = Int32(truncatingIfNeeded: try littleEndian(18, bytes: 4))
            return try pixels(.bmp, found, width: Int(width), height: Int(height.magnitude))
        default:
            throw .refused(
                .notAnImage("unknown data", "Check whether it is the right file."))
        }
    }
}
