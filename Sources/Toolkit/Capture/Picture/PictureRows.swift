import CZlib
package import Foundation

/// Reads the rows of pixels of a PNG picture, one after another, so that a picture of any height takes little memory.
///
/// It reads the pictures that Chromium makes: 8 bits in each of 3 or 4 channels, not interlaced. The format is
/// https://www.w3.org/TR/png-3/.
package struct PictureRows: ~Copyable {
    /// Why a picture can't be read.
    package enum Problem: Error, Hashable {
        /// The file isn't a whole PNG picture.
        case damaged
        /// The picture has another kind of pixels, or is too wide or too tall.
        case unsupported
    }

    /// The maximum width and height, in pixels.
    private static let (maximumWidth, maximumHeight) = (32_768, 2_000_000)

    /// The width, in pixels.
    package let width: Int
    /// The height, in pixels.
    package let height: Int
    /// The number of bytes of a pixel: 3, or 4 if it has an alpha channel.
    package let bytesPerPixel: Int
    /// The current row, after the filter was undone.
    package private(set) var row: [UInt8]

    private let stream: Inflater
    private var filtered: [UInt8]
    /// The number of rows that were read.
    private var count = 0

    /// - Parameter png: The picture.
    /// - Throws: ``Problem``.
    package init(_ png: Data) throws(Problem) {
        let png = png.startIndex == 0 ? png : Data(png)
        guard png.count > PNGJoiner.headerSize, png.starts(with: PNGChunk.signature),
            png[12..<16].elementsEqual("IHDR".utf8)
        else { throw .damaged }
        let (width, height) = (Int(png.bigEndian(at: 16)), Int(png.bigEndian(at: 20)))
        guard width > 0, height > 0 else { throw .damaged }
        guard width <= Self.maximumWidth, height <= Self.maximumHeight, png[24] == 8, [2, 6].contains(png[25]),
            png[26] == 0, png[27] == 0, png[28] == 0
        else { throw .unsupported }
        let stream = try Inflater(png)
        (self.width, self.height) = (width, height)
        self.stream = stream
        bytesPerPixel = png[25] == 2 ? 3 : 4
        row = [UInt8](repeating: 0, count: width * bytesPerPixel)
        filtered = [UInt8](repeating: 0, count: width * bytesPerPixel + 1)
    }

    /// Reads the next row into ``row``.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``Problem/damaged`` if the picture ends too early, or its data is damaged.
    package mutating func next() throws(Problem) -> Bool {
        guard count < height else { return false }
        try stream.read(into: &filtered)
        guard filtered[0] <= 4 else { throw .damaged }
        Self.unfilter(&row, filtered, step: bytesPerPixel)
        count += 1
        return true
    }

    /// Undoes the filter of a row (https://www.w3.org/TR/png-3/#9Filters).
    ///
    /// - Parameters:
    ///   - row: The row above, which becomes this row.
    ///   - filtered: The filter, and the bytes of the row.
    ///   - step: The number of bytes of a pixel.
    private static func unfilter(_ row: inout [UInt8], _ filtered: [UInt8], step: Int) {
        let filter = filtered[0]
        if filter == 0 {
            row.replaceSubrange(row.indices, with: filtered.dropFirst())
            return
        }
        var corners: [UInt8] = Array(repeating: 0, count: step)
        row.withUnsafeMutableBufferPointer { row in
            filtered.withUnsafeBufferPointer { filtered in
                // A loop for each filter takes less time than a choice for each byte.
                switch filter {
                case 1:
                    for index in 0..<step { row[index] = filtered[index + 1] }
                    for index in step..<row.count { row[index] = filtered[index + 1] &+ row[index - step] }
                case 2:
                    for index in 0..<row.count { row[index] = filtered[index + 1] &+ row[index] }
                case 3:
                    for index in 0..<row.count {
                        let left = index >= step ? row[index - step] : 0
                        row[index] = filtered[index + 1] &+ UInt8((Int(left) + Int(row[index])) / 2)
                    }
                default:
                    var channel = 0
                    for index in 0..<row.count {
                        let left = index >= step ? row[index - step] : 0
                        let above = row[index]
                        row[index] = filtered[index + 1] &+ paeth(left, above, corners[channel])
                        corners[channel] = above
                        channel = channel + 1 == step ? 0 : channel + 1
                    }
                }
            }
        }
    }

    private static func paeth(_ left: UInt8, _ above: UInt8, _ upperLeft: UInt8) -> UInt8 {
        let estimate = Int(left) + Int(above) - Int(upperLeft)
        let (a, b, c) = (abs(estimate - Int(left)), abs(estimate - Int(above)), abs(estimate - Int(upperLeft)))
        return a <= b && a <= c ? left : b <= c ? above : upperLeft
    }

    /// Inflates the contents of a picture's `IDAT` chunks.
    private final class Inflater {
        private let png: Data
        /// The position of the next chunk.
        private var position = PNGChunk.signature.count
        private var input: [UInt8] = []
        private var inputOffset = 0
        /// At an address that doesn't change, which zlib checks.
        private let zlib = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

        init(_ png: Data) throws(Problem) {
            self.png = png
            zlib.initialize(to: z_stream())
            guard czlib_inflate_init(zlib) == Z_OK else { throw .damaged }
        }

        deinit {
            inflateEnd(zlib)
            zlib.deallocate()
        }

        /// Fills a buffer.
        func read(into buffer: inout [UInt8]) throws(Problem) {
            var filled = 0
            while filled < buffer.count {
                if inputOffset == input.count { try nextChunk() }
                let (start, offset) = (filled, inputOffset)
                let (status, consumed, produced) = buffer.withUnsafeMutableBufferPointer { output in
                    input.withUnsafeMutableBufferPointer { input in
                        zlib.pointee.next_in = input.baseAddress.map { $0 + offset }
                        zlib.pointee.avail_in = UInt32(clamping: input.count - offset)
                        zlib.pointee.next_out = output.baseAddress.map { $0 + start }
                        zlib.pointee.avail_out = UInt32(clamping: output.count - start)
                        let before = (zlib.pointee.avail_in, zlib.pointee.avail_out)
                        let status = inflate(zlib, Z_NO_FLUSH)
                        return (status, Int(before.0 - zlib.pointee.avail_in), Int(before.1 - zlib.pointee.avail_out))
                    }
                }
                guard status == Z_OK || status == Z_BUF_ERROR || status == Z_STREAM_END else { throw .damaged }
                inputOffset += consumed
                filled += produced
                if status == Z_STREAM_END, filled < buffer.count { throw .damaged }
                if consumed == 0, produced == 0, inputOffset < input.count { throw .damaged }
            }
        }

        /// Reads the next chunk of pixels.
        private func nextChunk() throws(Problem) {
            while png.count - position >= 12 {
                let length = Int(png.bigEndian(at: position))
                guard length <= png.count - position - 12 else { throw .damaged }
                let (content, type) = (position + 8, png[position + 4..<position + 8])
                position += 12 + length
                guard type.elementsEqual("IDAT".utf8) else { continue }
                if length == 0 { continue }
                input = [UInt8](png[content..<content + length])
                inputOffset = 0
                return
            }
            throw .damaged
        }
    }
}
