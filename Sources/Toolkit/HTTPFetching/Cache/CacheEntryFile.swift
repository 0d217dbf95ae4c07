import Digests
import Foundation

/// A file with the records of one address.
///
/// One line that says what it is, its version and the checksum of the rest; then JSON. The whole address is in it, so that
/// two that have the same name as a file are told apart.
struct CacheEntryFile: Codable, Hashable {
    var key: String
    var records: [CacheRecord]
}

extension CacheEntryFile {
    /// The version of the format; what has another is not understood, and dropped.
    private static let title = "meanwhile-http-cache 1 "

    /// - Returns: The bytes; `nil` if a date or number in it cannot be written.
    var encoded: Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(self) else { return nil }
        return Data("\(Self.title)\(XXH64.hash(json))\n".utf8) + json
    }

    /// - Returns: `nil` if the bytes are not what was once written.
    init?(decoding data: Data) {
        guard let end = data.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = String(decoding: data[..<end], as: UTF8.self)
        guard line.hasPrefix(Self.title), let checksum = UInt64(line.dropFirst(Self.title.count)) else { return nil }
        let json = Data(data[(end + 1)...])
        guard XXH64.hash(json) == checksum, let file = try? JSONDecoder().decode(Self.self, from: json) else {
            return nil
        }
        self = file
    }
}
