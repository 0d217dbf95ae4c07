import CZlib
import Foundation

/// Checks that a PNG file is whole.
///
/// https://www.w3.org/TR/png-3/
enum PNGCheck {
    /// The size of a picture in pixels.
    struct Size: Hashable {
        var width: Int
        var height: Int
    }

    /// Reads the size of a picture; `nil` if the file isn't a PNG.
    static func size(of png: Data) -> Size? {
        let bytes = [UInt8](png.prefix(24))
        guard bytes.count == 24, bytes.starts(with: signature), bytes[12..<16].elementsEqual("IHDR".utf8) else {
            return nil
        }
        let (width, height) = (number(bytes[16..<20]), number(bytes[20..<24]))
        return width > 0 && height > 0 ? Size(width: width, height: height) : nil
    }

    /// The fault of a file; `nil` if it's whole.
    static func problem(with png: Data) -> String? {
        guard size(of: png) != nil else { return "The file isn't a PNG picture." }
        return png.withUnsafeBytes { bytes in
            var position = signature.count
            var hasPixels = false
            while position < bytes.count {
                guard bytes.count - position >= 12 else { return "The picture ends in the middle of a part." }
                let length = number(bytes[position..<(position + 4)])
                guard length <= bytes.count - position - 12 else { return "The picture ends in the middle of a part." }
                let content = UnsafeRawBufferPointer(rebasing: bytes[(position + 4)..<(position + 8 + length)])
                let sum = number(bytes[(position + 8 + length)..<(position + 12 + length)])
                guard checksum(of: content) == sum else {
                    return "A part of the picture has changed: its checksum is wrong."
                }
                let type = content.prefix(4)
                hasPixels = hasPixels || type.elementsEqual("IDAT".utf8)
                position += 12 + length
                if type.elementsEqual("IEND".utf8) {
                    return hasPixels ? nil : "The picture has no pixels."
                }
            }
            return "The picture's end is missing."
        }
    }

    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    private static func number(_ bytes: some Sequence<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

    private static func checksum(of bytes: UnsafeRawBufferPointer) -> Int {
        Int(crc32_z(0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count))
    }
}
