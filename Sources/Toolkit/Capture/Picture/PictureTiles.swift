import CZlib
public import Foundation

/// The tiles of a tall picture, from top to bottom; each is a PNG of its own.
///
/// Browsers can't draw a picture of any height, but they can draw its tiles. A picture that was made of stripes has one
/// tile for each; a table in its private chunk `tiLE` names them.
public struct PictureTiles: Sendable {
    /// A tile's pixels in the file.
    struct Entry: Hashable, Sendable {
        /// The position of its chunk.
        var offset: Int
        /// The length of the chunk's content, in bytes.
        var length: Int
        var height: Int
        /// The Adler-32 checksum of its rows.
        var checksum: UInt32
    }

    static let chunkType = "tiLE"
    /// The maximum number of tiles.
    private static let maximumCount = 100_000
    private static let entrySize = 20
    /// The length of a chunk without its content.
    private static let chunkSize = 12

    /// The width of each tile, in pixels.
    public let width: Int
    private let png: Data
    private let entries: [Entry]

    /// Reads the table of a picture; `nil` for a picture without tiles, and for one whose table is damaged.
    ///
    /// - Parameter png: The picture, of which only the beginning and the end are read.
    public init?(_ png: Data) {
        let png = png.startIndex == 0 ? png : Data(png)
        // The file ends with the table's number of tiles, its checksum, and an empty chunk.
        let countPosition = png.count - Self.chunkSize - 8
        guard png.starts(with: PNGChunk.signature), countPosition > PNGJoiner.headerSize else { return nil }
        let count = Int(png.bigEndian(at: countPosition))
        guard (2...Self.maximumCount).contains(count) else { return nil }
        let content = countPosition - count * Self.entrySize
        guard content - 8 > PNGJoiner.headerSize, Self.isChunk(Self.chunkType, at: content - 8, of: png),
            Int(png.bigEndian(at: content - 8)) == count * Self.entrySize + 4
        else { return nil }
        var entries: [Entry] = []
        for index in 0..<count {
            let position = content + index * Self.entrySize
            let entry = Entry(
                offset: Int(png.bigEndian(at: position)) << 32 | Int(png.bigEndian(at: position + 4)),
                length: Int(png.bigEndian(at: position + 8)), height: Int(png.bigEndian(at: position + 12)),
                checksum: png.bigEndian(at: position + 16))
            let end = (entries.last.map { $0.offset + $0.length } ?? 0) + Self.chunkSize
            guard entry.offset >= max(end, PNGJoiner.headerSize), entry.height > 0,
                entry.offset <= content - 8 - Self.chunkSize - entry.length,
                Self.isChunk("IDAT", at: entry.offset, of: png), Int(png.bigEndian(at: entry.offset)) == entry.length
            else { return nil }
            entries.append(entry)
        }
        self.png = png
        self.width = Int(png.bigEndian(at: 16))
        self.entries = entries
    }

    /// The tiles' heights, in pixels.
    public var heights: [Int] { entries.map(\.height) }

    /// The PNG file of a tile; `nil` if there is no such tile.
    public func png(of index: Int) -> Data? {
        guard entries.indices.contains(index), let first = entries.first else { return nil }
        let entry = entries[index]
        // Width, height, and the kind of pixels.
        var header = png.subdata(in: 16..<29)
        header.replaceSubrange(4..<8, with: Data(bigEndian: UInt32(entry.height)))
        var tile = PNGChunk.signature + PNGChunk(type: "IHDR", content: header).encoded
        // Between the header and the first pixels, such as the colour space.
        let start = PNGChunk(type: "IDAT", content: PNGJoiner.streamHeader).encoded
        tile += png.subdata(in: PNGJoiner.headerSize..<max(first.offset - start.count, PNGJoiner.headerSize))
        tile += start
        tile += png.subdata(in: entry.offset..<entry.offset + entry.length + Self.chunkSize)
        tile += PNGJoiner.end(checksum: UInt(entry.checksum))
        return tile + PNGChunk(type: "IEND", content: Data()).encoded
    }

    /// The chunk of a table.
    static func chunk(_ entries: [Entry]) -> Data {
        var content = Data()
        for entry in entries {
            for number in [entry.offset >> 32, entry.offset & 0xffff_ffff, entry.length, entry.height] {
                content += Data(bigEndian: UInt32(truncatingIfNeeded: number))
            }
            content += Data(bigEndian: entry.checksum)
        }
        return PNGChunk(type: chunkType, content: content + Data(bigEndian: UInt32(entries.count))).encoded
    }

    private static func isChunk(_ type: String, at offset: Int, of png: Data) -> Bool {
        png[(offset + 4)..<(offset + 8)].elementsEqual(type.utf8)
    }
}
