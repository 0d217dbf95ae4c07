import Foundation
import OfflineLibraryModel
import Testing

@testable import Capture

/// The comparison of the pictures of two versions.
@Suite(.timeLimit(.minutes(5))) struct PictureChangesTests {
    @Test func equalPicturesAreUnchanged() throws {
        let picture = Data.png(rows: Data.stripes(20, width: 4), width: 4)
        let changes = try PictureChanges(from: picture, to: picture)
        #expect(changes.isUnchanged && changes.old.isEmpty && changes.new.isEmpty)
        #expect(changes.newSize == .init(x: 0, y: 0, width: 4, height: 20))
    }

    @Test func changedPixelsAreFramed() throws {
        let rows = Data.stripes(100, width: 10)
        var changed = rows
        for row in 40..<44 {
            for column in 3..<5 { changed[row].replaceSubrange(column * 3..<column * 3 + 3, with: [9, 250, 9]) }
        }
        let changes = try PictureChanges(from: .png(rows: rows, width: 10), to: .png(rows: changed, width: 10))
        let region = PictureChanges.Region(x: 3, y: 40, width: 2, height: 4)
        #expect(changes.old == [region] && changes.new == [region])
        #expect(changes.share == 8.0 / 1_000)
    }

    /// All that is below an inserted part has moved, and is still the same.
    @Test func movedContentIsUnchanged() throws {
        let rows = Data.stripes(100, width: 10)
        let new = rows[..<30] + Array(repeating: Data(repeating: 7, count: 30), count: 25) + rows[30...]
        let changes = try PictureChanges(from: .png(rows: rows, width: 10), to: .png(rows: Array(new), width: 10))
        #expect(changes.old == [])
        #expect(changes.new == [.init(x: 0, y: 30, width: 10, height: 25)])
        #expect(changes.share == 25.0 / 125)
    }

    @Test func smallDifferencesOfColourAreInvisible() throws {
        let old = [Data](repeating: Data(repeating: 100, count: 30), count: 4)
        let new = [Data](repeating: Data(repeating: 105, count: 30), count: 4)
        let changes = try PictureChanges(from: .png(rows: old, width: 10), to: .png(rows: new, width: 10))
        #expect(changes.isUnchanged)
    }

    @Test func picturesOfDifferentWidthsChangeAsAWhole() throws {
        let changes = try PictureChanges(
            from: .png(rows: Data.stripes(5, width: 4), width: 4), to: .png(rows: Data.stripes(9, width: 5), width: 5))
        #expect(changes.share == 1)
        #expect(changes.old == [changes.oldSize] && changes.new == [changes.newSize])
    }

    @Test func manyChangesAreJoinedIntoFewRegions() throws {
        let rows = Data.stripes(40_000, width: 1)
        var changed = rows
        for row in stride(from: 0, to: rows.count, by: 20) { changed[row] = Data([255, 255, 255]) }
        let changes = try PictureChanges(from: .png(rows: rows, width: 1), to: .png(rows: changed, width: 1))
        #expect((1...PictureChanges.maximumRegions).contains(changes.new.count))
    }

    /// Each filter refers to other neighbours of a pixel.
    @Test(arguments: 0...4) func everyFilterIsUndone(filter: UInt8) throws {
        let rows = Data.stripes(30, width: 7)
        var picture = try PictureRows(.png(rows: rows, width: 7, filter: filter))
        var read: [Data] = []
        while try picture.next() { read.append(Data(picture.row)) }
        #expect(read == rows)
    }

    @Test func damagedPicturesAreRefused() throws {
        let whole = Data.png(rows: Data.stripes(20, width: 4), width: 4)
        for damaged in [Data(), Data("A page".utf8), whole.prefix(60), Data(whole.prefix(40) + Data(count: 200))] {
            #expect(throws: PictureRows.Problem.damaged) { try PictureChanges(from: whole, to: damaged) }
        }
        var wide = whole
        wide.replaceSubrange(16..<20, with: [0x7F, 0xFF, 0xFF, 0xFF])
        #expect(throws: PictureRows.Problem.unsupported) { try PictureChanges(from: wide, to: whole) }
        var tall = whole
        tall.replaceSubrange(20..<24, with: [0, 1, 0, 0])
        #expect(throws: PictureRows.Problem.damaged) { try PictureChanges(from: tall, to: whole) }
    }

    @Test func tallPictureOfStripesIsRead() throws {
        let rows = Data.stripes(12, width: 8)
        var (joiner, file) = (PNGJoiner(), Data())
        for index in 0..<3 {
            file += try joiner.append(PNGStripe(.png(rows: rows, width: 8), isTop: index == 0))
        }
        let (end, header) = joiner.finish()
        var picture = try PictureRows(header + file.dropFirst(PNGJoiner.headerSize) + end)
        var count = 0
        while try picture.next() {
            #expect(Data(picture.row) == rows[count % 12])
            count += 1
        }
        #expect(count == 36)
    }
}

extension Data {
    /// Rows of different colours, with 3 bytes for each pixel.
    static func stripes(_ count: Int, width: Int) -> [Data] {
        (0..<count).map { row in
            Data(
                (0..<width * 3).map {
                    UInt8(truncatingIfNeeded: ($0 % 3 == 0 ? row : row / 256) &* 37 &+ $0 * 11 &+ row)
                })
        }
    }

    /// A PNG picture whose rows aren't compressed.
    static func png(rows: [Data], width: Int, filter: UInt8 = 0) -> Data {
        var content = Data()
        var above = [UInt8](repeating: 0, count: width * 3)
        for row in rows {
            let row = [UInt8](row)
            content.append(filter)
            for index in row.indices {
                let left = index >= 3 ? row[index - 3] : 0
                let corner = index >= 3 ? above[index - 3] : 0
                let estimate = Int(left) + Int(above[index]) - Int(corner)
                let nearest = [left, above[index], corner].min {
                    Swift.abs(estimate - Int($0)) < Swift.abs(estimate - Int($1))
                }
                let predicted: UInt8 =
                    switch filter {
                    case 1: left
                    case 2: above[index]
                    case 3: UInt8((Int(left) + Int(above[index])) / 2)
                    case 4: nearest ?? 0
                    default: 0
                    }
                content.append(row[index] &- predicted)
            }
            above = row
        }
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in content {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        var stream = Data([0x78, 0x01])
        var rest = content[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let (low, high) = (UInt8(block.count & 255), UInt8(block.count >> 8))
            stream += [rest.isEmpty ? 1 : 0, low, high, ~low, ~high] + block
        } while !rest.isEmpty
        stream += Data(bigEndian: b << 16 | a)
        let header = Data(bigEndian: UInt32(width)) + Data(bigEndian: UInt32(rows.count)) + Data([8, 2, 0, 0, 0])
        return PNGChunk.signature + PNGChunk(type: "IHDR", content: header).encoded
            + PNGChunk(type: "IDAT", content: stream).encoded + PNGChunk(type: "IEND", content: Data()).encoded
    }
}
