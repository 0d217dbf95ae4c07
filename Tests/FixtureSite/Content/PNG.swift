/// A PNG picture of one colour.
///
/// https://www.w3.org/TR/png-3/
enum PNG {
    /// The file of a picture; its size does not depend on the colour.
    static func picture(_ colour: Colour, width: Int = 64, height: Int = 48) -> [UInt8] {
        // One bit a pixel and a palette of one colour: every row is a filter byte and zeros.
        let rows = [UInt8](repeating: 0, count: (1 + (width + 7) / 8) * height)

        var header: [UInt8] = []
        header.append(bigEndian: UInt32(width))
        header.append(bigEndian: UInt32(height))
        header += [1, 3, 0, 0, 0]

        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += Self.chunk("IHDR", header)
        file += Self.chunk("PLTE", [colour.red, colour.green, colour.blue])
        file += Self.chunk("IDAT", Self.zlib(rows))
        file += Self.chunk("IEND", [])
        return file
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        var chunk: [UInt8] = []
        chunk.append(bigEndian: UInt32(data.count))
        chunk += Array(type.utf8) + data
        chunk.append(bigEndian: Self.crc(chunk.dropFirst(4)))
        return chunk
    }

    /// Wraps data in zlib's format without compressing it.
    ///
    /// https://www.rfc-editor.org/rfc/rfc1950
    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = data[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            stream.append(littleEndian: UInt16(block.count))
            stream.append(littleEndian: ~UInt16(block.count))
            stream += block
        } while !rest.isEmpty
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in data {
            low = (low + UInt32(byte)) % 65521
            high = (high + low) % 65521
        }
        stream.append(bigEndian: high << 16 | low)
        return stream
    }

    /// The checksum of a chunk, bit by bit.
    ///
    /// https://www.w3.org/TR/png-3/#D-CRCAppendix
    private static func crc(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 {
                crc = crc & 1 == 1 ? (crc >> 1) ^ 0xEDB8_8320 : crc >> 1
            }
        }
        return ~crc
    }
}
