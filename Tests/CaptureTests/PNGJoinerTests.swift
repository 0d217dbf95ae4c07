import CZlib
import Foundation
import SeededChance
import Testing

@testable import Capture

/// A PNG picture as bytes of rows, for tests.
struct TestPicture: Equatable {
    var width: Int
    /// 2 for RGB, 6 for RGBA, by https://www.w3.org/TR/png-3/#11IHDR.
    var kind: UInt8
    /// The rows' samples.
    var rows: [[UInt8]]

    static func random(width: Int, height: Int, kind: UInt8, by chance: inout SeededChance) -> TestPicture {
        let count = width * (kind == 6 ? 4 : 3)
        let rows = (0..<height).map { row in
            // Pages consist of areas, letters and photos.
            switch Int.random(in: 0..<3, using: &chance) {
            case 0: [UInt8](repeating: UInt8(truncatingIfNeeded: row / 7), count: count)
            case 1: (0..<count).map { UInt8(truncatingIfNeeded: $0 / 5 &* row) }
            default: (0..<count).map { _ in UInt8.random(in: 0...255, using: &chance) }
            }
        }
        return TestPicture(width: width, kind: kind, rows: rows)
    }

    func slice(_ range: Range<Int>) -> TestPicture {
        TestPicture(width: width, kind: kind, rows: Array(rows[range]))
    }

    private var bytesPerPixel: Int { kind == 6 ? 4 : 3 }

    // MARK: - Writing

    /// The file, with a random filter for each row and random compression, in one or several chunks.
    func file(by chance: inout SeededChance) -> Data {
        var filtered: [UInt8] = []
        for (index, row) in rows.enumerated() {
            let above = index > 0 ? rows[index - 1] : [UInt8](repeating: 0, count: row.count)
            let filter = UInt8.random(in: 0...4, using: &chance)
            filtered.append(filter)
            for position in row.indices {
                filtered.append(row[position] &- prediction(filter, position, row, above))
            }
        }
        let level = Int32.random(in: 0...9, using: &chance)
        var size = compressBound(UInt(filtered.count))
        var compressed = [UInt8](repeating: 0, count: Int(size))
        compress2(&compressed, &size, filtered, UInt(filtered.count), level)
        var data = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
        data += Self.chunk("IHDR", number(width) + number(rows.count) + [8, kind, 0, 0, 0])
        data += Self.chunk("sRGB", [0])
        var rest = compressed[..<Int(size)]
        while !rest.isEmpty {
            let length = Int.random(in: 1...max(1, rest.count), using: &chance)
            data += Self.chunk("IDAT", Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return data + Self.chunk("IEND", [])
    }

    /// The value that a filter predicts, by https://www.w3.org/TR/png-3/#9Filters.
    private func prediction(_ filter: UInt8, _ position: Int, _ row: [UInt8], _ above: [UInt8]) -> UInt8 {
        let left = position >= bytesPerPixel ? Int(row[position - bytesPerPixel]) : 0
        let up = Int(above[position])
        let corner = position >= bytesPerPixel ? Int(above[position - bytesPerPixel]) : 0
        switch filter {
        case 1: return UInt8(left)
        case 2: return UInt8(up)
        case 3: return UInt8((left + up) / 2)
        case 4:
            let distances = (abs(up - corner), abs(left - corner), abs(left + up - 2 * corner))
            if distances.0 <= distances.1, distances.0 <= distances.2 { return UInt8(left) }
            return UInt8(distances.1 <= distances.2 ? up : corner)
        default: return 0
        }
    }

    private func number(_ value: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(value).bigEndian) { Array($0) } }

    private static func chunk(_ type: String, _ content: [UInt8]) -> Data {
        let typed = Array(type.utf8) + content
        let sum = UInt32(crc32(0, typed, UInt32(typed.count)))
        return withUnsafeBytes(of: UInt32(content.count).bigEndian) { Data($0) } + Data(typed)
            + withUnsafeBytes(of: sum.bigEndian) { Data($0) }
    }

    // MARK: - Reading

    /// Reads a file, checking all its checksums.
    init(_ file: Data) throws {
        var (rest, compressed, header) = (Array(file.dropFirst(8))[...], [UInt8](), [UInt8]())
        func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        while !rest.isEmpty {
            let length = number(rest)
            let typed = Array(rest.dropFirst(4).prefix(4 + length))
            try #require(number(rest.dropFirst(8 + length)) == Int(crc32(0, typed, UInt32(typed.count))))
            switch String(decoding: typed.prefix(4), as: UTF8.self) {
            case "IHDR": header = Array(typed.dropFirst(4))
            case "IDAT": compressed += typed.dropFirst(4)
            default: break
            }
            rest = rest.dropFirst(12 + length)
        }
        (width, kind, rows) = (number(header[0...]), header[9], [])
        let (height, rowLength) = (number(header[4...]), 1 + width * (kind == 6 ? 4 : 3))
        var (filtered, size) = ([UInt8](repeating: 0, count: height * rowLength), UInt(height * rowLength))
        // Also checks the checksum of the rows.
        try #require(uncompress(&filtered, &size, compressed, UInt(compressed.count)) == Z_OK)
        try #require(Int(size) == filtered.count)
        for index in 0..<height {
            var row = Array(filtered[index * rowLength + 1..<(index + 1) * rowLength])
            let above = rows.last ?? [UInt8](repeating: 0, count: row.count)
            for position in row.indices {
                row[position] &+= prediction(filtered[index * rowLength], position, row, above)
            }
            rows.append(row)
        }
    }

    private init(width: Int, kind: UInt8, rows: [[UInt8]]) { (self.width, self.kind, self.rows) = (width, kind, rows) }
}

@Suite struct PNGJoinerTests {
    private static func joined(_ files: [Data]) throws(PNGJoiningError) -> Data {
        var (joiner, data) = (PNGJoiner(), Data())
        for (index, file) in files.enumerated() {
            data += try joiner.append(try PNGStripe(file, isTop: index == 0))
        }
        let (end, header) = joiner.finish()
        data += end
        data.replaceSubrange(0..<PNGJoiner.headerSize, with: header)
        return data
    }

    @Test(arguments: 0..<60) func joinedStripesAreTheWholePicture(seed: Int) throws {
        var chance = SeededChance(seed: seed)
        let picture = TestPicture.random(
            width: .random(in: 1...200, using: &chance), height: .random(in: 1...90, using: &chance),
            kind: Bool.random(using: &chance) ? 6 : 2, by: &chance)
        var (files, slices, top) = ([Data](), [TestPicture](), 0)
        while top < picture.rows.count {
            let bottom = Int.random(in: top + 1...picture.rows.count, using: &chance)
            slices.append(picture.slice(top..<bottom))
            files.append(picture.slice(top..<bottom).file(by: &chance))
            top = bottom
        }
        let joined = try Self.joined(files)
        #expect(try TestPicture(joined) == picture)
        // Each tile is the picture of a stripe.
        guard files.count > 1 else {
            #expect(PictureTiles(joined) == nil)
            return
        }
        let tiles = try #require(PictureTiles(joined))
        #expect(tiles.width == picture.width)
        #expect(tiles.heights == slices.map(\.rows.count))
        for (index, slice) in slices.enumerated() {
            #expect(try TestPicture(try #require(tiles.png(of: index))) == slice)
        }
        #expect(tiles.png(of: -1) == nil && tiles.png(of: slices.count) == nil)
    }

    /// A damaged table has no tiles or damaged ones, but nothing traps.
    @Test func damagedTablesAreIgnored() throws {
        var chance = SeededChance(seed: 3)
        let file = TestPicture.random(width: 9, height: 5, kind: 2, by: &chance).file(by: &chance)
        let joined = try Self.joined([file, file, file])
        try #require(PictureTiles(joined)?.heights == [5, 5, 5])
        for length in 0..<joined.count { #expect(PictureTiles(joined.prefix(length)) == nil) }
        for index in joined.indices {
            for change in [UInt8(1), 0x80, 0xff] {
                var changed = joined
                changed[index] ^= change
                let tiles = PictureTiles(changed)
                for tile in tiles?.heights.indices ?? 0..<0 { _ = tiles?.png(of: tile) }
            }
        }
        #expect(PictureTiles(file) == nil)
    }

    @Test func stripesOfAnotherWidthOrKindAreRefused() throws {
        var chance = SeededChance(seed: 1)
        let first = TestPicture.random(width: 8, height: 3, kind: 2, by: &chance).file(by: &chance)
        let wider = TestPicture.random(width: 9, height: 3, kind: 2, by: &chance).file(by: &chance)
        let transparent = TestPicture.random(width: 8, height: 3, kind: 6, by: &chance).file(by: &chance)
        for other in [wider, transparent] {
            #expect(throws: PNGJoiningError.different) { try Self.joined([first, other]) }
        }
    }

    @Test func damagedFilesAreRefused() throws {
        var chance = SeededChance(seed: 2)
        let file = TestPicture.random(width: 40, height: 30, kind: 2, by: &chance).file(by: &chance)
        for length in 0..<file.count {
            #expect(throws: PNGJoiningError.damaged) { try PNGStripe(file.prefix(length), isTop: false) }
        }
        // A changed byte either is refused, or doesn't matter to a stripe; nothing traps.
        for index in file.indices {
            var changed = file
            changed[index] ^= .random(in: 1...255, using: &chance)
            _ = try? Self.joined([file, changed])
        }
    }

    @Test func tallPicturesAreDividedBetweenDevicePixels() {
        #expect(PictureStripes.tops(height: 900, tallest: 900, scale: 1) == [0])
        #expect(PictureStripes.tops(height: 10_001, tallest: 2_500, scale: 1) == [0, 2_500, 5_000, 7_500, 10_000])
        for scale in [1.0 / 3, 1.25, 1.5, 2, 3] {
            let tops = PictureStripes.tops(height: 9_999.5, tallest: 2_501, scale: scale)
            #expect(tops.count == (scale == 1.0 / 3 ? 5 : 4))
            #expect(tops.allSatisfy { ($0 * scale).rounded() == $0 * scale && $0 < 9_999.5 })
        }
    }
}
