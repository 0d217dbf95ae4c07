import Foundation

/// Checks whether a file is complete and of the type that its name says.
enum CompleteFile {
    /// - Returns: What is wrong with the file; `nil` if it is complete.
    static func problem(of data: Data, named name: String) -> String? {
        switch name.split(separator: ".").last {
        case "png":
            // https://www.w3.org/TR/png-3/#5PNG-file-signature, and the empty last chunk with its checksum.
            check(
                data, begins: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
                ends: [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])
        case "pdf":
            check(data, begins: Array("%PDF-".utf8), ends: Array("%%EOF".utf8))
        case "webarchive":
            check(data, begins: Array("bplist00".utf8), ends: [])
                ?? ((try? PropertyListDecoder().decode(Archive.self, from: data)) == nil
                    ? "It isn't a web archive." : nil)
        case "wacz":
            // A ZIP file without a comment, which ends with its record of 22 bytes.
            check(data, begins: Array("PK\u{3}\u{4}".utf8), ends: [])
                ?? (data.suffix(22).starts(with: Data("PK\u{5}\u{6}".utf8)) ? nil : "Its end is missing.")
        default:
            "\(name) has an unknown extension."
        }
    }

    /// Returns the width and height in a PNG's header, in pixels.
    static func size(ofPNG data: Data) -> [Int] {
        // https://www.w3.org/TR/png-3/#11IHDR: the header is the first chunk.
        [16, 20].map { offset in data.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
    }

    private static func check(_ data: Data, begins: [UInt8], ends: [UInt8]) -> String? {
        if !data.starts(with: begins) { return "It begins with \(Array(data.prefix(8)))." }
        let end = data.last == UInt8(ascii: "\n") ? data.dropLast() : data
        return end.suffix(ends.count).elementsEqual(ends) ? nil : "It ends with \(Array(data.suffix(8)))."
    }

    private struct Archive: Decodable {
        struct Resource: Decodable {
            var url: String
            var data: Data

            enum CodingKeys: String, CodingKey {
                case url = "WebResourceURL"
                case data = "WebResourceData"
            }
        }

        var mainResource: Resource

        enum CodingKeys: String, CodingKey {
            case mainResource = "WebMainResource"
        }
    }
}
