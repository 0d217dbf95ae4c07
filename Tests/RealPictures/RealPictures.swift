public import Foundation

/// Decodable pictures, and damaged variants of them.
public enum RealPictures {
    /// A black PNG of one bit a pixel, as PNG (W3C, third edition) and RFC 1950 and 1951 define it.
    ///
    /// - Parameters:
    ///   - width: The width, in pixels.
    ///   - height: The height, in pixels.
    ///   - padding: The number of zero bytes after the end, which decoders ignore.
    /// - Returns: The PNG.
    public static func png(_ width: Int, _ height: Int, padding: Int = 0) -> Data {
        let count = height * (1 + (width + 7) / 8)
        let pixels = [0x78, 0x9C] + deflatedZeros(count) + bigEndian((count % 65_521) << 16 | 1)
        return start(width, height) + chunk("IDAT", pixels) + chunk("IEND", []) + Data(count: padding)
    }

    /// The header of a PNG, and no body.
    public static func pngHeader(_ width: Int, _ height: Int) -> Data { start(width, height) }

    /// A PNG whose pixels have the wrong checksum.
    public static func pngWithWrongChecksum(_ width: Int, _ height: Int) -> Data {
        var data = png(width, height)
        // The last byte before the 12 bytes of IEND belongs to the checksum of IDAT.
        data[data.count - 13] ^= 0xFF
        return data
    }

    /// A PNG whose chunks and checksums are right, and whose pixels no decoder can inflate.
    public static func pngWithBadPixels(_ width: Int, _ height: Int) -> Data {
        start(width, height) + chunk("IDAT", [UInt8](repeating: 0xFF, count: 40)) + chunk("IEND", [])
    }

    /// A chunk of a PNG.
    public static func chunk(_ type: String, _ content: [UInt8]) -> Data {
        let body = Array(type.utf8) + content
        return Data(bigEndian(content.count) + body + bigEndian(checksum(body)))
    }

    private static func start(_ width: Int, _ height: Int) -> Data {
        Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
            + chunk("IHDR", bigEndian(width) + bigEndian(height) + [1, 0, 0, 0, 0])
    }

    private static func bigEndian(_ number: Int) -> [UInt8] {
        (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// CRC-32 of ISO 3309, bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> Int {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
        }
        return Int(~sum)
    }

    /// Zeros in one block with the fixed codes of RFC 1951, section 3.2.6: a literal, then repetitions of 258.
    private static func deflatedZeros(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        var (pending, used) = (0, 0)
        func write(_ bits: String) {
            for bit in bits.utf8 {
                if bit == UInt8(ascii: "1") { pending |= 1 << used }
                used += 1
                if used == 8 {
                    bytes.append(UInt8(pending))
                    (pending, used) = (0, 0)
                }
            }
        }
        // The last block, with fixed codes; 00110000 is a zero, 11000101 and 00000 repeat the last byte 258 times.
        write("110")
        write("00110000")
        for _ in 0..<((count - 1) / 258) { write("1100010100000") }
        for _ in 0..<((count - 1) % 258) { write("00110000") }
        write("0000000")
        if used > 0 { bytes.append(UInt8(pending)) }
        return bytes
    }
}
