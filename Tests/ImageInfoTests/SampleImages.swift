/// Small generated images: only the part of each format that gives the size, and a few bytes more.
enum SampleImages {
    typealias Bytes = [UInt8]

    static func big(_ number: Int, _ count: Int) -> Bytes {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    static func little(_ number: Int, _ count: Int) -> Bytes {
        big(number, count).reversed()
    }

    static func png(_ width: Int, _ height: Int) -> Bytes {
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + big(13, 4) + Bytes("IHDR".utf8) + big(width, 4)
            + big(height, 4) + [8, 6, 0, 0, 0, 1, 2, 3, 4]
    }

    // MARK: JPEG

    static func segment(_ marker: UInt8, _ content: Bytes) -> Bytes {
        [0xFF, marker] + big(content.count + 2, 2) + content
    }

    static func exif(_ orientation: Int, isBigEndian: Bool) -> Bytes {
        let number = isBigEndian ? big : little
        // Two entries: an irrelevant one, and the orientation.
        let entries =
            number(0x010F, 2) + number(2, 2) + number(4, 4) + number(0, 4)
            + number(0x0112, 2) + number(3, 2) + number(1, 4) + number(orientation, 2) + [0, 0]
        let order = Bytes((isBigEndian ? "MM" : "II").utf8)
        return segment(
            0xE1, Bytes("Exif\0\0".utf8) + order + number(42, 2) + number(8, 4) + number(2, 2) + entries + number(0, 4))
    }

    static func jpeg(_ width: Int, _ height: Int, frame: UInt8 = 0xC0, before: Bytes = []) -> Bytes {
        [0xFF, 0xD8] + segment(0xE0, Bytes("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0]) + before
            + segment(frame, [8] + big(height, 2) + big(width, 2) + [1, 1, 0x11, 0]) + [0xFF, 0xDA, 0, 8]
    }

    // MARK: GIF

    static func gif(_ width: Int, _ height: Int, frame: (width: Int, height: Int)? = nil) -> Bytes {
        let frame = frame ?? (width, height)
        return Bytes("GIF89a".utf8) + little(width, 2) + little(height, 2) + [0x80, 0, 0] + [0, 0, 0, 255, 255, 255]
            + [0x21, 0xF9, 4, 0, 0, 0, 0, 0] + [0x21, 0xFE, 3, 1, 2, 3, 2, 1, 2, 0]
            + [0x2C, 0, 0, 0, 0] + little(frame.width, 2) + little(frame.height, 2) + [0, 2, 2]
    }

    // MARK: WebP

    static func webP(_ type: String, _ content: Bytes) -> Bytes {
        Bytes("RIFF".utf8) + little(content.count + 12, 4) + Bytes("WEBP".utf8) + Bytes(type.utf8)
            + little(content.count, 4) + content
    }

    static func lossyWebP(_ width: Int, _ height: Int) -> Bytes {
        // The upper two bits are a scale, which only affects the display.
        webP("VP8 ", [0x50, 1, 0, 0x9D, 1, 0x2A] + little(width | 0x4000, 2) + little(height | 0x8000, 2) + [0, 0])
    }

    static func losslessWebP(_ width: Int, _ height: Int) -> Bytes {
        webP("VP8L", [0x2F] + little(width - 1 | (height - 1) << 14 | 1 << 28, 4) + [0, 0])
    }

    static func extendedWebP(_ width: Int, _ height: Int) -> Bytes {
        webP("VP8X", [0x10, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    // MARK: AVIF

    static func box(_ type: String, _ content: Bytes) -> Bytes {
        big(content.count + 8, 4) + Bytes(type.utf8) + content
    }

    static func fullBox(_ type: String, version: Int = 0, flags: Int = 0, _ content: Bytes) -> Bytes {
        box(type, [UInt8(version)] + big(flags, 3) + content)
    }

    static func size(_ width: Int, _ height: Int) -> Bytes {
        fullBox("ispe", big(width, 4) + big(height, 4))
    }

    static let avifType = box("ftyp", Bytes("avif".utf8) + big(0, 4) + Bytes("avifmif1miaf".utf8))

    /// An image with a thumbnail: the main item is the second one, and its size is the third property.
    static func avif(
        _ width: Int, _ height: Int, clap: [Int]? = nil, quarters: UInt8? = nil, isWide: Bool = false
    ) -> Bytes {
        let changes = [clap.map { box("clap", $0.flatMap { big($0, 4) }) }, quarters.map { box("irot", [$0]) }]
        let properties =
            [size(16, 9), fullBox("pixi", [3, 8, 8, 8]), size(width, height)] + changes.compactMap(\.self)
        let main = Array(2...properties.count)
        func association(_ item: Int, _ numbers: [Int]) -> Bytes {
            big(item, isWide ? 4 : 2) + [UInt8(numbers.count)]
                + numbers.flatMap { isWide ? big($0 | 0x8000, 2) : [UInt8($0 | 0x80)] }
        }
        let associations = fullBox(
            "ipma", version: isWide ? 1 : 0, flags: isWide ? 1 : 0,
            big(2, 4) + association(1, [1, 2]) + association(7, main))
        let meta = fullBox(
            "meta",
            fullBox("hdlr", big(0, 4) + Bytes("pict".utf8) + Bytes(repeating: 0, count: 13))
                + fullBox("pitm", version: isWide ? 1 : 0, big(7, isWide ? 4 : 2))
                + box("iprp", box("ipco", properties.flatMap { $0 }) + associations))
        return avifType + meta + box("mdat", [1, 2, 3])
    }

    // MARK: Others

    static func bmp(_ width: Int, _ height: Int) -> Bytes {
        Bytes("BM".utf8) + little(100, 4) + [0, 0, 0, 0] + little(54, 4) + little(40, 4) + little(width, 4)
            + little(height, 4) + [1, 0, 24, 0]
    }

    static func oldBMP(_ width: Int, _ height: Int) -> Bytes {
        Bytes("BM".utf8) + little(100, 4) + [0, 0, 0, 0] + little(26, 4) + little(12, 4) + little(width, 2)
            + little(height, 2) + [1, 0, 24, 0]
    }

    static let svg = Bytes(
        """
        \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
        <!-- it's <svg width="1" height="1"> -->
        <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
            <!-- don't --> <!ENTITY size "1000">
        ]>
        <svg xmlns="http://www.w3.org/2000/svg" width='640px' height = "480" viewBox="0 0 4 3"><rect/></svg>
        """.utf8)

    /// Every format, with 640 by 480 pixels.
    static let all: [(name: String, bytes: Bytes)] = [
        ("PNG", png(640, 480)), ("JPEG", jpeg(640, 480)), ("progressive JPEG", jpeg(640, 480, frame: 0xC2)),
        ("JPEG on its side", jpeg(480, 640, before: exif(6, isBigEndian: true))),
        ("upright JPEG", jpeg(640, 480, before: exif(3, isBigEndian: false))), ("GIF", gif(640, 480)),
        ("lossy WebP", lossyWebP(640, 480)), ("lossless WebP", losslessWebP(640, 480)),
        ("extended WebP", extendedWebP(640, 480)), ("AVIF", avif(640, 480)),
        ("AVIF on its side", avif(480, 640, quarters: 1)), ("AVIF with wide numbers", avif(640, 480, isWide: true)),
        ("BMP", bmp(640, 480)), ("top-down BMP", bmp(640, -480)), ("old BMP", oldBMP(640, 480)), ("SVG", svg),
    ]
}
