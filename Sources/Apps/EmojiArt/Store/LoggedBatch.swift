import Digests
import EmojiArtModel
import Foundation

/// What the log has of a batch: its name, and the operations that were applied, as the JSON that pages send.
///
/// It is written by hand: an encoder takes many times as long, once for each step that anybody makes.
struct LoggedBatch: Decodable {
    let name: String
    let operations: [ArtOperation]

    static func bytes(name: String, operations: [ArtOperation]) -> Data {
        var writer = Writer()
        writer.bytes.reserveCapacity(64 + name.utf8.count + operations.count * 80)
        writer.put(#"{"name":"#)
        writer.put(text: name)
        writer.put(#","operations":["#)
        for (index, operation) in operations.enumerated() {
            if index > 0 { writer.put(",") }
            writer.put(operation)
        }
        writer.put("]}")
        return Data(writer.bytes)
    }

    /// What was written; `nil` where the bytes make nothing.
    static func read(_ data: Data) -> LoggedBatch? {
        try? JSONDecoder().decode(LoggedBatch.self, from: data)
    }
}

extension LoggedBatch {
    private struct Writer {
        var bytes: [UInt8] = []

        mutating func put(_ words: StaticString) {
            words.withUTF8Buffer { bytes.append(contentsOf: $0) }
        }

        mutating func put(text: String) {
            bytes.append(UInt8(ascii: "\""))
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                    bytes.append(UInt8(ascii: "\\"))
                    bytes.append(byte)
                case 0..<0x20:
                    bytes.append(contentsOf: "\\u00".utf8)
                    bytes.append(contentsOf: CollectionOfOne(byte).hexadecimal.utf8)
                default: bytes.append(byte)
                }
            }
            bytes.append(UInt8(ascii: "\""))
        }

        /// Applied operations have finite numbers only, which are written as JSON takes them, and read as the same.
        mutating func put(_ number: Double) {
            bytes.append(contentsOf: number.description.utf8)
        }

        mutating func put(_ id: EmojiID) {
            put(text: id.rawValue)
        }

        mutating func put(_ operation: ArtOperation) {
            switch operation {
            case .add(let emoji):
                put(#"{"op":"add","emoji":{"id":"#)
                put(emoji.id)
                put(#","text":"#)
                put(text: emoji.text)
                put(#","x":"#)
                put(emoji.x)
                put(#","y":"#)
                put(emoji.y)
                put(#","size":"#)
                put(emoji.size)
                put(#","z":"#)
                put(emoji.z)
                put("}}")
            case .move(let id, let x, let y):
                put(#"{"op":"move","id":"#)
                put(id)
                put(#","x":"#)
                put(x)
                put(#","y":"#)
                put(y)
                put("}")
            case .resize(let id, let size):
                put(#"{"op":"resize","id":"#)
                put(id)
                put(#","size":"#)
                put(size)
                put("}")
            case .delete(let id):
                put(#"{"op":"delete","id":"#)
                put(id)
                put("}")
            case .reorder(let id, let z):
                put(#"{"op":"reorder","id":"#)
                put(id)
                put(#","z":"#)
                put(z)
                put("}")
            case .setBackground(let background):
                put(#"{"op":"background","background":"#)
                put(background)
                put("}")
            }
        }

        mutating func put(_ background: Background) {
            switch background {
            case .blank: put("null")
            case .address(let address):
                put(#"{"address":"#)
                put(text: address)
                put("}")
            case .picture(let picture):
                put(#"{"picture":"#)
                put(text: picture.rawValue)
                put("}")
            }
        }
    }
}
