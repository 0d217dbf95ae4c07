import CZlib
import Foundation

/// Reads the members of a gzip file, which isn't trusted.
enum GzipReader {
    /// A member and its place in the file.
    struct Member {
        var place: WARCWriter.Place
        var content: Data
    }

    private static let bufferSize = 256 << 10

    /// Decompresses all members.
    ///
    /// - Parameters:
    ///   - data: The file.
    ///   - limit: The maximum size of all contents together, in bytes; reduced by what is read.
    ///   - isCancelled: Checked for every buffer.
    ///   - body: Receives each member.
    /// - Throws: `cancelled`, or `failed` with the reason.
    static func readMembers(
        of data: Data, limit: inout Int, isCancelled: () -> Bool, _ body: (Member) -> Void
    ) throws(WACZError) {
        let bytes = [UInt8](data)
        var buffer = [UInt8](repeating: 0, count: bufferSize)
        var position = 0
        while position < bytes.count {
            var stream = z_stream()
            guard czlib_gunzip_init(&stream) == Z_OK else { throw .failed("no memory") }
            defer { inflateEnd(&stream) }
            var content = Data()
            var consumed = 0
            while true {
                if isCancelled() { throw .cancelled }
                let input = min(bytes.count - position - consumed, bufferSize)
                var status = Z_OK
                bytes.withUnsafeBufferPointer { source in
                    buffer.withUnsafeMutableBufferPointer { output in
                        stream.next_in = UnsafeMutablePointer(
                            mutating: source.baseAddress.map { $0 + position + consumed })
                        stream.avail_in = UInt32(input)
                        stream.next_out = output.baseAddress
                        stream.avail_out = UInt32(output.count)
                        status = inflate(&stream, Z_NO_FLUSH)
                    }
                }
                consumed += input - Int(stream.avail_in)
                let produced = bufferSize - Int(stream.avail_out)
                guard produced <= limit else { throw .failed("its content is too large") }
                limit -= produced
                content.append(contentsOf: buffer[..<produced])
                if status == Z_STREAM_END { break }
                guard status == Z_OK, produced > 0 || input > Int(stream.avail_in) else {
                    throw .failed("it's damaged at byte \(position)")
                }
            }
            body(Member(place: WARCWriter.Place(offset: position, length: consumed), content: content))
            position += consumed
        }
    }
}
