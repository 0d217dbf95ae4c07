import CZlib
import Foundation

/// A member of a gzip file: WARC files have one for each record, so that each can be read alone.
enum GzipMember {
    /// The size of the buffer for compressed bytes.
    private static let bufferSize = 256 << 10
    /// zlib's compromise between size and time.
    private static let level: CInt = 6

    /// Compresses data into one member.
    ///
    /// - Parameters:
    ///   - parts: The parts of the data.
    ///   - isCancelled: Checked for every buffer.
    /// - Returns: The member.
    /// - Throws: `cancelled`, or `failed` if there is no memory.
    static func compress(_ parts: [Data], isCancelled: () -> Bool = { false }) throws(WACZError) -> Data {
        var stream = z_stream()
        guard czlib_gzip_init(&stream, level) == Z_OK else { throw .failed("no memory") }
        defer { deflateEnd(&stream) }
        var result = Data()
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            var isCancelledInside = false
            part.withUnsafeBytes { bytes in
                var rest = UnsafeMutableRawBufferPointer(mutating: bytes)[...]
                repeat {
                    if isCancelled() {
                        isCancelledInside = true
                        return
                    }
                    // zlib counts in 32 bits.
                    let piece = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(bufferSize))
                    rest = rest.dropFirst(bufferSize)
                    stream.next_in = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    stream.avail_in = UInt32(piece.count)
                    let flush = isLast && rest.isEmpty ? Z_FINISH : Z_NO_FLUSH
                    repeat {
                        buffer.withUnsafeMutableBufferPointer { output in
                            stream.next_out = output.baseAddress
                            stream.avail_out = UInt32(output.count)
                            _ = deflate(&stream, flush)
                        }
                        result.append(contentsOf: buffer[..<(bufferSize - Int(stream.avail_out))])
                    } while stream.avail_out == 0
                } while !rest.isEmpty
            }
            if isCancelledInside { throw .cancelled }
        }
        return result
    }
}
