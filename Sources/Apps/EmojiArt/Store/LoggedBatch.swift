import Digests
import EmojiArtModel
import Foundation

/// A batch in the log: its name and the applied operations, in the JSON format that pages send.
///
/// It is encoded by hand, because `JSONEncoder` takes many times as long, and every batch is encoded.
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

    /// Decodes a batch; `nil` if the bytes are invalid.
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

        mutating func put(_ words: StaticString, _ text: String) {
            put(words)
            put(text: text)
        }

        /// Applied operations have only finite numbers, whose descriptions are valid JSON and round-trip exactly.
        mutating func put(_ words: StaticString, _ number: Double) {
            put(words)
            bytes.append(contentsOf: number.description.utf8)
        }

        mutating func put(_ operation: ArtOperation) {
            switch operation {
            case .add(let emoji):
                put(#"{"op":"add","emoji":{"id":"#, emoji.id.rawValue)
                put(#","text":"#, emoji.text)
                put(#","x":"#, emoji.x)
                put(#","y":"#, emoji.y)
                put(#","size":"#, emoji.size)
                put(#","z":"#, emoji.z)
                put("}")
            case .move(let id, let x, let y):
                put(#"{"op":"move","id":"#, id.rawValue)
                put(#","x":"#, x)
                put(#","y":"#, y)
            case .resize(let id, let size):
                put(#"{"op":"resize","id":"#, id.rawValue)
                put(#","size":"#, size)
            case .delete(let id): put(#"{"op":"delete","id":"#, id.rawValue)
            case .reorder(let id, let z):
                put(#"{"op":"reorder","id":"#, id.rawValue)
                put(#","z":"#, z)
            case .setBackground(.blank): put(#"{"op":"background","background":null"#)
            case .setBackground(.address(let address)):
                put(#"{"op":"background","background":{"address":"#, address)
                put("}")
            case .setBackground(.picture(let picture)):
                put(#"{"op":"background","background":{"picture":"#, picture.rawValue)
                put("}")
            }
            put("}")
        }
    }
}
