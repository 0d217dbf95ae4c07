import EmojiArtModel
import Foundation

/// The binary encoding of a whole board, several times smaller and faster than JSON.
///
/// All numbers are little-endian. The first byte is the background's kind: 0 for none, 1 for an address, 2 for a
/// picture; for the latter two, the length of its UTF-8 follows in four bytes, and then the UTF-8. Then comes the
/// number of emoji in four bytes, and for each emoji, from back to front: its id and its text, each preceded by its
/// length in one byte, and x, y, size and z in eight bytes each.
///
/// Since format 2, the emoji that are rotated, mirrored or locked follow, if there are any: their number in four bytes,
/// and for each its index in four bytes, a byte with 1 for mirrored and 2 for locked, and its angle in eight bytes.
/// Without them, the bytes are those of format 1.
enum ArtSnapshot {
    /// The format that is written; boards of a newer format are left unchanged.
    static let format = 2

    static func bytes(of art: EmojiArt) -> Data {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(300 + art.emojis.count * 64)
        switch art.background {
        case .blank: bytes.append(0)
        case .address(let address):
            bytes.append(1)
            append(UInt32(address.utf8.count), to: &bytes)
            bytes.append(contentsOf: address.utf8)
        case .picture(let picture):
            bytes.append(2)
            append(UInt32(picture.rawValue.utf8.count), to: &bytes)
            bytes.append(contentsOf: picture.rawValue.utf8)
        }
        append(UInt32(art.emojis.count), to: &bytes)
        for emoji in art.emojis {
            // Neither is longer than 64 bytes.
            bytes.append(UInt8(emoji.id.rawValue.utf8.count))
            bytes.append(contentsOf: emoji.id.rawValue.utf8)
            bytes.append(UInt8(emoji.text.utf8.count))
            bytes.append(contentsOf: emoji.text.utf8)
            for number in [emoji.x, emoji.y, emoji.size, emoji.z] { append(number.bitPattern, to: &bytes) }
        }
        appendAttributes(art.emojis, to: &bytes)
        return Data(bytes)
    }

    private static func appendAttributes(_ emojis: [Emoji], to bytes: inout [UInt8]) {
        let indices = emojis.indices.filter { emojis[$0].angle != 0 || emojis[$0].isFlipped || emojis[$0].isLocked }
        guard !indices.isEmpty else { return }
        append(UInt32(indices.count), to: &bytes)
        for index in indices {
            append(UInt32(index), to: &bytes)
            bytes.append((emojis[index].isFlipped ? 1 : 0) | (emojis[index].isLocked ? 2 : 0))
            append(emojis[index].angle.bitPattern, to: &bytes)
        }
    }

    /// Decodes a board; `nil` if the bytes are invalid.
    static func art(from data: Data) -> EmojiArt? {
        data.withUnsafeBytes { bytes in
            var reader = Reader(bytes: bytes)
            guard let background = reader.background(), let count = reader.number(UInt32.self) else { return nil }
            var emojis: [Emoji] = []
            emojis.reserveCapacity(min(Int(count), BoardLimits.emojis))
            for _ in 0..<count {
                guard let emoji = reader.emoji() else { return nil }
                emojis.append(emoji)
            }
            if !reader.isAtEnd {
                guard reader.applyAttributes(to: &emojis), reader.isAtEnd else { return nil }
            }
            return try? EmojiArt(background: background, emojis: emojis)
        }
    }

    private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

extension ArtSnapshot {
    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        private var place = 0

        init(bytes: UnsafeRawBufferPointer) {
            self.bytes = bytes
        }

        var isAtEnd: Bool { place == bytes.count }

        mutating func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type) -> Number? {
            let size = MemoryLayout<Number>.size
            guard bytes.count - place >= size else { return nil }
            defer { place += size }
            return Number(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: type))
        }

        mutating func text(count: Int) -> String? {
            guard bytes.count - place >= count else { return nil }
            defer { place += count }
            return String(validating: bytes[place..<place + count], as: UTF8.self)
        }

        mutating func background() -> Background? {
            switch number(UInt8.self) {
            case 0: .blank
            case 1: number(UInt32.self).flatMap { text(count: Int($0)) }.map { .address($0) }
            case 2: number(UInt32.self).flatMap { text(count: Int($0)) }.flatMap(PictureID.init).map { .picture($0) }
            default: nil
            }
        }

        mutating func emoji() -> Emoji? {
            guard let id = number(UInt8.self).flatMap({ text(count: Int($0)) }).flatMap({ EmojiID($0) }),
                let text = number(UInt8.self).flatMap({ text(count: Int($0)) }),
                let x = double(), let y = double(), let size = double(), let z = double()
            else {
                return nil
            }
            return Emoji(id: id, text: text, x: x, y: y, size: size, z: z)
        }

        /// Rotates, mirrors and locks the emoji that follow; returns whether the bytes are valid.
        mutating func applyAttributes(to emojis: inout [Emoji]) -> Bool {
            guard let count = number(UInt32.self), count > 0 else { return false }
            for _ in 0..<count {
                guard let index = number(UInt32.self).map({ Int($0) }), emojis.indices.contains(index),
                    let flags = number(UInt8.self), flags <= 3, let angle = double()
                else {
                    return false
                }
                emojis[index].angle = angle
                emojis[index].isFlipped = flags & 1 != 0
                emojis[index].isLocked = flags & 2 != 0
            }
            return true
        }

        private mutating func double() -> Double? {
            number(UInt64.self).map { Double(bitPattern: $0) }
        }
    }
}
