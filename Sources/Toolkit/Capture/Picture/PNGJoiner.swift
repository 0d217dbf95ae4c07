import CZlib
import Foundation

/// Why pictures can't be joined.
enum PNGJoiningError: Error, Hashable {
    /// A picture isn't a PNG file, or its data is damaged.
    case damaged
    /// A picture has another width or another kind of pixels than the one above it, or one that can't be joined.
    case different
}

/// A PNG picture, prepared to be joined with others.
///
/// Joining doesn't decode pixels or compress rows again. The format is https://www.w3.org/TR/png-3/.
struct PNGStripe: Sendable {
    /// What must be the same in all stripes.
    fileprivate struct Pixels: Equatable {
        var width: UInt32
        /// Bits per sample, kind of colour, and the methods of compression, filtering and interlacing.
        var kind: [UInt8]

        /// Bytes of a pixel; `nil` if a pixel isn't made of whole bytes or the rows are interlaced.
        var bytesPerPixel: Int? {
            guard kind.count == 5, kind[0] == 8 || kind[0] == 16, kind[2...] == [0, 0, 0] else { return nil }
            let samples: Int? =
                switch kind[1] {
                case 0: 1
                case 2: 3
                case 4: 2
                case 6: 4
                default: nil
                }
            return samples.map { $0 * Int(kind[0] / 8) }
        }
    }

    fileprivate let pixels: Pixels
    fileprivate let height: Int
    /// The encoded chunks between the header and the pixels.
    fileprivate let others: Data
    fileprivate let rows: DeflateStripe

    /// Reads a picture.
    ///
    /// - Parameters:
    ///   - file: The PNG file.
    ///   - isTop: Whether it is the first stripe, above which there is none.
    /// - Throws: ``PNGJoiningError``.
    init(_ file: Data, isTop: Bool) throws(PNGJoiningError) {
        let chunks = try PNGChunk.read(file)
        guard let header = chunks.first, header.type == "IHDR", header.content.count == 13 else { throw .damaged }
        pixels = Pixels(width: header.content.bigEndian(at: 0), kind: Array(header.content.dropFirst(8)))
        height = Int(header.content.bigEndian(at: 4))
        guard let bytesPerPixel = pixels.bytesPerPixel else { throw .different }
        let (rowLength, rowOverflow) = Int(pixels.width).multipliedReportingOverflow(by: bytesPerPixel)
        let (length, overflow) = (rowLength + 1).multipliedReportingOverflow(by: height)
        guard !rowOverflow, !overflow, pixels.width > 0, height > 0 else { throw .damaged }
        others = chunks.dropFirst().prefix { $0.type != "IDAT" }.reduce(into: Data()) { $0 += $1.encoded }
        let data = chunks.filter { $0.type == "IDAT" }.map(\.content)
        rows = try DeflateStripe(
            data.count == 1 ? data[0] : data.reduce(into: Data()) { $0 += $1 }, length: length,
            rowLength: rowLength + 1, bytesPerPixel: bytesPerPixel, isTop: isTop)
    }
}

/// Joins stripes one below another.
///
/// The joined file may be written while it is made, so that it can be of any height.
struct PNGJoiner {
    /// The size of the signature and the header, which are known only at the end.
    static let headerSize = 33
    /// The header of a zlib stream that uses the largest window.
    static let streamHeader = Data([0x78, 0x01])

    private var pixels: PNGStripe.Pixels?
    private var height = 0
    private var checksum: UInt = 1
    private var size = 0
    private var tiles: [PictureTiles.Entry] = []

    /// Adds a stripe below the others.
    ///
    /// - Returns: The next bytes of the file. The first of them are a placeholder for the header.
    /// - Throws: `different`, in which case the stripes so far can still be continued.
    mutating func append(_ stripe: PNGStripe) throws(PNGJoiningError) -> Data {
        guard stripe.pixels == pixels ?? stripe.pixels, height + stripe.height <= Int32.max else { throw .different }
        var data = Data()
        if pixels == nil {
            data += Data(count: Self.headerSize)
            data += stripe.others
            data += PNGChunk(type: "IDAT", content: Self.streamHeader).encoded
            checksum = stripe.rows.checksum
        } else {
            checksum = adler32_combine(checksum, stripe.rows.checksum, stripe.rows.length)
        }
        pixels = stripe.pixels
        height += stripe.height
        tiles.append(
            PictureTiles.Entry(
                offset: size + data.count, length: stripe.rows.bytes.count, height: stripe.height,
                checksum: UInt32(stripe.rows.checksum)))
        data += PNGChunk(type: "IDAT", content: stripe.rows.bytes).encoded
        size += data.count
        return data
    }

    /// Ends the file.
    ///
    /// - Returns: The last bytes of the file, and the header, which replaces its first ``headerSize`` bytes.
    func finish() -> (end: Data, header: Data) {
        let pixels = pixels ?? PNGStripe.Pixels(width: 0, kind: [])
        let header = Data(bigEndian: pixels.width) + Data(bigEndian: UInt32(height)) + Data(pixels.kind)
        return (
            Self.end(checksum: checksum) + PictureTiles.chunk(tiles) + PNGChunk(type: "IEND", content: Data()).encoded,
            PNGChunk.signature + PNGChunk(type: "IHDR", content: header).encoded
        )
    }
}

extension PNGJoiner {
    /// The end of the pixels: a final block with fixed codes and nothing but its end, and the checksum of all rows.
    static func end(checksum: UInt) -> Data {
        PNGChunk(type: "IDAT", content: Data([0x03, 0x00]) + Data(bigEndian: UInt32(checksum))).encoded
    }
}

/// A chunk of a PNG file.
struct PNGChunk {
    static let signature = Data([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

    var type: String
    var content: Data

    /// The chunk with its length and checksum.
    var encoded: Data {
        var data = Data(bigEndian: UInt32(content.count))
        data.reserveCapacity(content.count + 12)
        data += Data(type.utf8)
        data += content
        let checksum = data.withUnsafeBytes { bytes in
            crc32(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self).advanced(by: 4), UInt32(bytes.count - 4))
        }
        data += Data(bigEndian: UInt32(checksum))
        return data
    }

    /// The chunks of a file.
    static func read(_ file: Data) throws(PNGJoiningError) -> [PNGChunk] {
        guard file.starts(with: signature) else { throw .damaged }
        var chunks: [PNGChunk] = []
        var rest = file.dropFirst(signature.count)
        while rest.count >= 12 {
            let length = Int(rest.bigEndian(at: 0))
            guard length <= rest.count - 12 else { throw .damaged }
            let type = String(decoding: rest.dropFirst(4).prefix(4), as: UTF8.self)
            chunks.append(PNGChunk(type: type, content: rest.dropFirst(8).prefix(length)))
            rest = rest.dropFirst(12 + length)
            if type == "IEND" { return chunks }
        }
        throw .damaged
    }
}

extension Data {
    init(bigEndian number: UInt32) {
        self = Swift.withUnsafeBytes(of: number.bigEndian) { Data($0) }
    }

    /// The number of four bytes at an offset from the start, which must exist.
    func bigEndian(at offset: Int) -> UInt32 {
        dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }
}
