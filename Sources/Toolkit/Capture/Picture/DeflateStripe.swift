import CZlib
import Foundation

/// The pixels of one picture as a part of a longer deflate stream.
///
/// A stream that another one follows must not contain a final block, and must end at a full byte. Inflating it finds
/// where its blocks begin; nothing is compressed again: see `gzjoin.c` in zlib's examples.
struct DeflateStripe: Sendable {
    /// The compressed rows, without the header and checksum of zlib, without a final block, and with full bytes.
    let bytes: Data
    /// The Adler-32 checksum of the rows.
    let checksum: UInt
    /// The number of bytes of the rows.
    let length: Int

    /// The size of the buffer for inflated rows, in bytes.
    private static let bufferSize = 256 << 10

    /// Reads a picture's zlib stream.
    ///
    /// - Parameters:
    ///   - stream: The stream, with its header and checksum.
    ///   - length: The number of bytes that it must inflate to.
    ///   - rowLength: The number of bytes of a row, with the byte that names its filter.
    ///   - bytesPerPixel: The number of bytes of a pixel.
    ///   - isTop: Whether it is the first stripe, above which there is none.
    /// - Throws: `damaged`, if it isn't such a stream.
    init(
        _ stream: Data, length: Int, rowLength: Int, bytesPerPixel: Int, isTop: Bool
    ) throws(PNGJoiningError) {
        let inflated = try Self.inflate(stream, length: length, rowLength: rowLength)
        let filter = inflated.firstRow.first ?? 0
        // The filters “none” and “sub” don't refer to the row above, which another stripe now ends with.
        if isTop || filter <= 1 {
            (bytes, checksum, self.length) = (inflated.deflate, inflated.checksum, length)
            return
        }
        let row = try Self.unfiltered(inflated.firstRow, bytesPerPixel: bytesPerPixel)
        let changed = try Self.deflate(stream, replacingFirstRowWith: row)
        (bytes, checksum, self.length) = (changed.deflate, changed.checksum, length)
    }

    // MARK: - Finding the end

    private struct Inflated {
        var deflate: Data
        var firstRow: [UInt8]
        var checksum: UInt
    }

    /// Inflates a stream to find its blocks; returns its bytes without a final block.
    private static func inflate(_ stream: Data, length: Int, rowLength: Int) throws(PNGJoiningError) -> Inflated {
        let headerSize = 2
        var bytes = [UInt8](stream)
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        var firstRow: [UInt8] = []
        firstRow.reserveCapacity(rowLength)
        var zlib = z_stream()
        guard czlib_inflate_init(&zlib) == Z_OK else { throw .damaged }
        defer { inflateEnd(&zlib) }
        var inflatedLength = 0
        // The first bit of the current block's header, counted from the start of the stream.
        var blockStart = headerSize * 8
        var end: (size: Int, unusedBits: Int)?
        let isWhole = bytes.withUnsafeMutableBufferPointer { input -> Bool in
            buffer.withUnsafeMutableBufferPointer { output -> Bool in
                zlib.next_in = input.baseAddress
                zlib.avail_in = UInt32(clamping: input.count)
                while true {
                    zlib.next_out = output.baseAddress
                    zlib.avail_out = UInt32(output.count)
                    let status = CZlib.inflate(&zlib, Z_BLOCK)
                    guard status == Z_OK || status == Z_STREAM_END else { return false }
                    let produced = output.count - Int(zlib.avail_out)
                    inflatedLength += produced
                    guard inflatedLength <= length else { return false }
                    if firstRow.count < rowLength {
                        firstRow += output.prefix(min(produced, rowLength - firstRow.count))
                    }
                    let isAtBlockEnd = zlib.data_type & 128 != 0
                    let isLastBlock = zlib.data_type & 64 != 0
                    let size = input.count - Int(zlib.avail_in)
                    let unusedBits = Int(zlib.data_type & 7)
                    if isAtBlockEnd, end == nil {
                        if isLastBlock {
                            // Clear the bit that calls the block the last one.
                            input[blockStart / 8] &= ~(1 << UInt8(blockStart % 8))
                            end = (size, unusedBits)
                        } else {
                            blockStart = size * 8 - unusedBits
                        }
                    }
                    if status == Z_STREAM_END { return inflatedLength == length }
                    if produced == 0, zlib.avail_in == 0 { return false }
                }
            }
        }
        guard isWhole, let end, end.size > headerSize else { throw .damaged }
        var deflate = Data(bytes[headerSize..<end.size])
        if end.unusedBits > 0 {
            // An empty stored block: three bits for its header, zeros up to a full byte, and its length of 0 twice.
            if let last = deflate.popLast() { deflate.append(last & UInt8((1 << (8 - end.unusedBits)) - 1)) }
            if end.unusedBits < 3 { deflate.append(0) }
            deflate.append(contentsOf: [0, 0, 0xff, 0xff])
        }
        return Inflated(deflate: deflate, firstRow: firstRow, checksum: zlib.adler)
    }

    // MARK: - Replacing the first row

    /// Undoes the filter of a picture's first row, above which all bytes count as 0.
    ///
    /// The filters are those of the PNG specification: https://www.w3.org/TR/png-3/#9Filters
    private static func unfiltered(_ row: [UInt8], bytesPerPixel: Int) throws(PNGJoiningError) -> [UInt8] {
        guard let filter = row.first, filter <= 4 else { throw .damaged }
        var row = row
        row[0] = 0
        for index in row.indices.dropFirst(1 + bytesPerPixel) {
            let left = row[index - bytesPerPixel]
            switch filter {
            case 3: row[index] &+= left / 2
            // “Paeth” predicts the byte to the left, because the two above are 0.
            case 4: row[index] &+= left
            // “Up” adds 0.
            default: break
            }
        }
        return row
    }

    /// Compresses a stream's rows again, with another first row.
    private static func deflate(
        _ stream: Data, replacingFirstRowWith row: [UInt8]
    ) throws(PNGJoiningError) -> (deflate: Data, checksum: UInt) {
        var input = [UInt8](stream)
        var (rows, compressed) = ([UInt8](repeating: 0, count: bufferSize), [UInt8](repeating: 0, count: bufferSize))
        var (reader, writer) = (z_stream(), z_stream())
        guard czlib_inflate_init(&reader) == Z_OK else { throw .damaged }
        defer { inflateEnd(&reader) }
        guard czlib_deflate_init(&writer, Z_BEST_SPEED) == Z_OK else { throw .damaged }
        defer { deflateEnd(&writer) }
        var (result, checksum, offset) = (Data(), adler32(0, nil, 0), 0)
        let isWhole = input.withUnsafeMutableBufferPointer { input -> Bool in
            rows.withUnsafeMutableBufferPointer { rows -> Bool in
                compressed.withUnsafeMutableBufferPointer { compressed -> Bool in
                    reader.next_in = input.baseAddress
                    reader.avail_in = UInt32(clamping: input.count)
                    while true {
                        reader.next_out = rows.baseAddress
                        reader.avail_out = UInt32(rows.count)
                        let status = CZlib.inflate(&reader, Z_NO_FLUSH)
                        guard status == Z_OK || status == Z_STREAM_END else { return false }
                        let produced = rows.count - Int(reader.avail_out)
                        for index in 0..<max(0, min(produced, row.count - offset)) { rows[index] = row[offset + index] }
                        offset += produced
                        checksum = adler32(checksum, rows.baseAddress, UInt32(produced))
                        writer.next_in = rows.baseAddress
                        writer.avail_in = UInt32(produced)
                        // A synchronising flush ends at a full byte, without a final block.
                        let flush = status == Z_STREAM_END ? Z_SYNC_FLUSH : Z_NO_FLUSH
                        repeat {
                            writer.next_out = compressed.baseAddress
                            writer.avail_out = UInt32(compressed.count)
                            let outcome = CZlib.deflate(&writer, flush)
                            guard outcome == Z_OK || outcome == Z_BUF_ERROR else { return false }
                            result.append(contentsOf: compressed.prefix(compressed.count - Int(writer.avail_out)))
                        } while writer.avail_out == 0
                        if status == Z_STREAM_END { return true }
                        if produced == 0, reader.avail_in == 0 { return false }
                    }
                }
            }
        }
        guard isWhole else { throw .damaged }
        return (result, checksum)
    }
}
