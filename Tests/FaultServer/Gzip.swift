public import Foundation

/// Creates gzip data.
///
/// https://www.rfc-editor.org/rfc/rfc1952, https://www.rfc-editor.org/rfc/rfc1951
public enum Gzip {
    /// Wraps content in gzip without compressing it.
    public static func stored(_ content: Data) -> Data {
        var bytes = header
        var rest = content[...]
        repeat {
            let block = rest.prefix(65_535)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            bytes.append(rest.isEmpty ? 1 : 0)
            bytes += [UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)]
            bytes += block
        } while !rest.isEmpty
        return bytes + littleEndian(checksum(content)) + littleEndian(UInt32(content.count))
    }

    /// Creates a decompression bomb of zeros, which expands to 158 times its size.
    ///
    /// - Parameter count: The minimum number of zeros.
    /// - Returns: The gzip data, whose checksum is wrong.
    public static func bomb(_ count: Int) -> Data {
        var bits = Bits()
        // The last block, with fixed codes.
        bits.add([1, 1, 0])
        // A zero, followed by repeated copies of 258 bytes from distance 1: codes 285 and 0.
        bits.add([0, 0, 1, 1, 0, 0, 0, 0])
        for _ in 0..<(count / 258 + 1) { bits.add([1, 1, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0]) }
        bits.add([0, 0, 0, 0, 0, 0, 0])
        return header + bits.bytes + Data(count: 8)
    }

    private struct Bits {
        var bytes: [UInt8] = []
        private var count = 0

        mutating func add(_ bits: [UInt8]) {
            for bit in bits {
                if count % 8 == 0 { bytes.append(0) }
                bytes[count / 8] |= bit << (count % 8)
                count += 1
            }
        }
    }

    private static let header = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])

    private static func littleEndian(_ number: UInt32) -> Data {
        Data((0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) })
    }

    private static func checksum(_ content: Data) -> UInt32 {
        ~content.reduce(UInt32.max) { checksum, byte in
            (0..<8).reduce(checksum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1
            }
        }
    }
}
