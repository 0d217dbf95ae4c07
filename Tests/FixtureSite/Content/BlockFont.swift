/// A TrueType font that draws every ASCII character as the same filled square, one em wide.
///
/// Its width and its look distinguish it from any other font.
/// https://learn.microsoft.com/typography/opentype/spec/otff
enum BlockFont {
    private static let unitsPerEm: UInt16 = 1000
    private static let characters: ClosedRange<UInt16> = 0x20...0x7E

    /// The font file.
    static let file: [UInt8] = {
        // The table directory must be sorted by tag.
        let tables: [(tag: String, data: [UInt8])] = [
            ("OS/2", os2), ("cmap", cmap), ("glyf", glyf), ("head", head), ("hhea", hhea), ("hmtx", hmtx),
            ("loca", loca), ("maxp", maxp), ("name", name), ("post", post),
        ]
        var directory = long(0x0001_0000) + words(UInt16(tables.count), 128, 3, UInt16(tables.count) * 16 - 128)
        var body: [UInt8] = []
        let start = directory.count + tables.count * 16
        for table in tables {
            directory += Array(table.tag.utf8) + long(checksum(table.data)) + long(UInt32(start + body.count))
            directory += long(UInt32(table.data.count))
            body += table.data
            body += [UInt8](repeating: 0, count: (4 - table.data.count % 4) % 4)
        }
        return directory + body
    }()
}

extension BlockFont {
    /// The square, 800 units a side, standing on the baseline: one contour of four points.
    private static let glyf: [UInt8] = {
        let square =
            words(1, 100, 0, 900, 800, 3, 0)
            + [0x01, 0x01, 0x01, 0x01]  // on the curve, coordinates of two bytes
            + words(100, 0, 800, 0)  // x, each from the one before
            + words(0, 800, 0, UInt16(bitPattern: -800))  // y
        return square + [UInt8](repeating: 0, count: (4 - square.count % 4) % 4)
    }()

    /// The offsets of three glyphs, halved: the missing glyph and the space are empty, then follows the square.
    private static let loca = words(0, 0, 0, UInt16(glyf.count / 2))

    /// Format 4 with one segment and a glyph array: the space, then the square for every other character.
    private static let cmap: [UInt8] = {
        let glyphs = [1] + [UInt16](repeating: 2, count: characters.count - 1)
        var segments = words(4, 4, 1, 0)
        segments += words(characters.upperBound, 0xFFFF, 0, characters.lowerBound, 0xFFFF)
        segments += words(0, 1, 4, 0)
        for glyph in glyphs {
            segments.append(bigEndian: glyph)
        }
        let table = words(4, UInt16(segments.count + 6), 0) + segments
        return words(0, 1, 3, 1) + long(12) + table
    }()

    private static let head: [UInt8] =
        long(0x0001_0000) + long(0x0001_0000) + long(0) + long(0x5F0F_3CF5)
        + words(0x000B, unitsPerEm) + long(0) + long(0) + long(0) + long(0)
        + words(100, 0, 900, 800, 0, 8, 2, 0, 0)

    private static let hhea: [UInt8] =
        long(0x0001_0000) + words(800, UInt16(bitPattern: -200), 0, unitsPerEm, 100, 100, 900)
        + words(1, 0, 0, 0, 0, 0, 0, 0, 3)

    private static let hmtx = words(unitsPerEm, 0, unitsPerEm, 0, unitsPerEm, 100)

    private static let maxp = long(0x0001_0000) + words(3, 4, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0)

    private static let os2: [UInt8] = {
        var table = words(4, unitsPerEm, 400, 5, 0)
        table += words(650, 600, 0, 75, 650, 600, 0, 350, 50, 250, 0)
        table += [UInt8](repeating: 0, count: 10)
        table += long(1) + long(0) + long(0) + long(0) + Array("NONE".utf8)
        table += words(0x40, characters.lowerBound, characters.upperBound)
        table += words(800, UInt16(bitPattern: -200), 0, 800, 200)
        table += long(1) + long(0) + words(800, 800, 0, 0x20, 1)
        return table
    }()

    /// Family, style, identifier, full name, version and PostScript name.
    private static let name: [UInt8] = {
        let names: [(id: UInt16, text: String)] = [
            (1, "Fixture Block"), (2, "Regular"), (3, "Fixture Block 1"), (4, "Fixture Block"), (5, "Version 1.0"),
            (6, "FixtureBlock"),
        ]
        var records: [UInt8] = []
        var strings: [UInt8] = []
        for name in names {
            let text = name.text.utf16.flatMap { words($0) }
            records += words(3, 1, 0x409, name.id, UInt16(text.count), UInt16(strings.count))
            strings += text
        }
        return words(0, UInt16(names.count), UInt16(6 + records.count)) + records + strings
    }()

    private static let post =
        long(0x0003_0000) + long(0) + words(UInt16(bitPattern: -100), 50) + long(1) + long(0) + long(0) + long(0)
        + long(0)
}

private func words(_ values: UInt16...) -> [UInt8] {
    var bytes: [UInt8] = []
    for value in values {
        bytes.append(bigEndian: value)
    }
    return bytes
}

private func long(_ value: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(bigEndian: value)
    return bytes
}

/// The sum of a table's 32-bit words, as the font's table directory stores it.
private func checksum(_ data: [UInt8]) -> UInt32 {
    stride(from: 0, to: data.count, by: 4).reduce(0) { sum, index in
        let long = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(index + $1 < data.count ? data[index + $1] : 0) }
        return sum &+ long
    }
}
