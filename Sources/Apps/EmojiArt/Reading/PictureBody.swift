import EmojiArtModel
import Foundation
import ImageInfo

/// Validates the structure after an image's header, without decoding any pixels.
///
/// It finds truncated images and PNGs with wrong checksums. Whether the pixels can be decoded is up to the browser that
/// shows them. SVG has no such structure and isn't checked.
///
/// A JPEG without its end marker is refused like a truncated one: the two can't be distinguished. A GIF without its
/// trailer is accepted if its first frame is complete, and so are bytes after the end of an image.
struct PictureBody {
    private let bytes: UnsafeRawBufferPointer

    /// Validates an image whose header has been read.
    ///
    /// - Complexity: Linear in the bytes of a PNG, and in the number of parts of other formats.
    /// - Throws: ``ImageError/Code/truncated`` or ``ImageError/Code/damaged``.
    static func check(_ data: Data, format: ImageFormat) throws(ImageError) {
        let flaw = data.withUnsafeBytes { PictureBody(bytes: $0).flaw(format) }
        switch flaw {
        case nil: break
        case .truncated:
            throw ImageError(.truncated, ArtWords.imageCutOff, found: ArtWords.partOfImage)
        case .checksum:
            throw ImageError(.damaged, ArtWords.imageChecksum, found: ArtWords.damagedImage)
        case .noPixels:
            throw ImageError(.damaged, ArtWords.imageWithoutPixels, found: ArtWords.damagedImage)
        }
    }
}

extension PictureBody {
    private enum Flaw {
        /// The image is truncated.
        case truncated
        /// A checksum is wrong.
        case checksum
        /// The image is complete, but has no pixels.
        case noPixels
    }

    private func flaw(_ format: ImageFormat) -> Flaw? {
        switch format {
        case .png: png()
        case .jpeg: jpeg()
        case .gif: gif()
        case .webP: webP()
        case .avif: avif()
        case .bmp: bmp()
        case .svg: nil
        }
    }

    /// A big-endian unsigned number at an offset; 0 beyond the end, which callers check where it matters.
    private func bigEndian(_ place: Int, _ count: Int = 4) -> Int {
        guard place >= 0, place <= bytes.count - count else { return 0 }
        return bytes[place..<(place + count)].reduce(0) { $0 << 8 | Int($1) }
    }

    private func littleEndian(_ place: Int, _ count: Int = 4) -> Int {
        guard place >= 0, place <= bytes.count - count else { return 0 }
        return bytes[place..<(place + count)].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func isType(_ type: StaticString, at place: Int) -> Bool {
        bigEndian(place) == type.withUTF8Buffer { $0.reduce(0) { $0 << 8 | Int($1) } }
    }
}

// MARK: - PNG

extension PictureBody {
    /// Walks the chunks up to IEND, and verifies the checksums of critical ones (PNG, third edition, section 5).
    ///
    /// Decoders skip damaged chunks that aren't critical.
    private func png() -> Flaw? {
        var (place, hasPixels) = (8, false)
        while bytes.count - place >= 12 {
            let length = bigEndian(place)
            guard length <= bytes.count - place - 12 else { return .truncated }
            let isCritical = bytes[place + 4] & 0x20 == 0
            if isCritical, Self.checksum(bytes[(place + 4)..<(place + 8 + length)]) != bigEndian(place + 8 + length) {
                return .checksum
            }
            if isType("IEND", at: place + 4) { return hasPixels ? nil : .noPixels }
            if isType("IDAT", at: place + 4), length > 0 { hasPixels = true }
            place += 12 + length
        }
        return .truncated
    }

    /// The CRC-32 of ISO 3309 (PNG, annex D).
    private static func checksum(_ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in UnsafeRawBufferPointer(rebasing: bytes) {
            sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8
        }
        return Int(~sum)
    }

    private static let table: [UInt32] = (0..<256).map { (number: UInt32) in
        (0..<8).reduce(number) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
}

// MARK: - Other formats

extension PictureBody {
    /// Looks for a scan, and the end marker after it (ITU-T T.81, annex B).
    ///
    /// Thumbnails with end markers of their own precede the scan.
    private func jpeg() -> Flaw? {
        var place = 2
        while place <= bytes.count - 4 {
            guard bytes[place] == 0xFF else { return .truncated }
            let marker = bytes[place + 1]
            if marker == 0xFF {
                place += 1
            } else if marker == 0x01 || (0xD0...0xD8).contains(marker) {
                place += 2
            } else if marker == 0xDA {
                let first = place + 2 + bigEndian(place + 2, 2)
                guard first < bytes.count - 2 else { return .truncated }
                // Searches backwards, because the end marker is usually last.
                let end = stride(from: bytes.count - 2, to: first, by: -1).first {
                    bytes[$0] == 0xFF && bytes[$0 + 1] == 0xD9
                }
                return end == nil ? .truncated : nil
            } else {
                place += 2 + max(2, bigEndian(place + 2, 2))
            }
        }
        return .truncated
    }

    /// Walks the blocks to the end of the first frame (GIF 89a, sections 15 to 27).
    private func gif() -> Flaw? {
        guard bytes.count > 13 else { return .truncated }
        func colours(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
        var place = 13 + colours(bytes[10])
        while place < bytes.count {
            switch bytes[place] {
            case 0x21:
                guard let end = blocks(place + 2)?.end else { return .truncated }
                place = end
            case 0x2C:
                guard place + 10 < bytes.count else { return .truncated }
                // After the colour table, one byte has the minimum code size.
                guard let found = blocks(place + 11 + colours(bytes[place + 9])) else { return .truncated }
                return found.count > 0 ? nil : .noPixels
            case 0x3B: return .noPixels
            default: return .truncated
            }
        }
        return .truncated
    }

    /// The end and the total data bytes of a GIF's sub-blocks that start at an offset; `nil` if they are truncated.
    private func blocks(_ start: Int) -> (end: Int, count: Int)? {
        var (place, count) = (start, 0)
        while place < bytes.count {
            let length = Int(bytes[place])
            place += 1 + length
            count += length
            if length == 0 { return (place, count) }
        }
        return nil
    }

    /// Checks that the file is as long as its RIFF header says, and has a chunk with pixels (RFC 9649, section 2).
    private func webP() -> Flaw? {
        let end = 8 + littleEndian(4)
        guard end <= bytes.count else { return .truncated }
        var place = 12
        while place <= end - 8 {
            let length = littleEndian(place + 4)
            guard length <= end - place - 8 else { return .truncated }
            // The minimum lengths are the headers of a lossy frame, a lossless image, and an animation frame.
            if isType("VP8 ", at: place), length > 10 { return nil }
            if isType("VP8L", at: place), length > 5 { return nil }
            if isType("ANMF", at: place), length > 24 { return nil }
            place += 8 + length + length & 1
        }
        return .noPixels
    }

    /// Walks the boxes to the end of the first one with coded data (ISO/IEC 14496-12, section 4.2).
    ///
    /// The data may also be inside the `meta` box.
    private func avif() -> Flaw? {
        var (place, hasInnerData) = (0, false)
        while place <= bytes.count - 8 {
            var (length, header) = (bigEndian(place), 8)
            if length == 1 {
                // No picture has 2³² bytes.
                guard bigEndian(place + 8) == 0 else { return .truncated }
                (length, header) = (bigEndian(place + 12), 16)
            } else if length == 0 {
                length = bytes.count - place
            }
            guard length >= header, length <= bytes.count - place else { return hasInnerData ? nil : .truncated }
            if isType("mdat", at: place + 4), length > header { return nil }
            if isType("meta", at: place + 4) {
                hasInnerData = (place..<(place + length - 4)).contains { isType("idat", at: $0) }
            }
            place += length
        }
        return hasInnerData ? nil : .truncated
    }

    /// Checks that there are pixels after the header and, if they aren't compressed, that they are complete.
    private func bmp() -> Flaw? {
        let first = littleEndian(10)
        guard first < bytes.count else { return .truncated }
        // The 12-byte header of OS/2 stores the sides in two bytes each, and its pixels are never compressed.
        let isOld = littleEndian(14) == 12
        guard isOld || littleEndian(30) == 0 else { return nil }
        let width = isOld ? littleEndian(18, 2) : littleEndian(18)
        let height = isOld ? littleEndian(20, 2) : abs(Int(Int32(truncatingIfNeeded: littleEndian(22))))
        let bits = littleEndian(isOld ? 24 : 28, 2)
        // Rows are padded to four bytes. The header's check has limited the product of the sides.
        let (count, isTooLarge) = ((width * bits + 31) / 32 * 4).multipliedReportingOverflow(by: height)
        return isTooLarge || count > bytes.count - first ? .truncated : nil
    }
}
