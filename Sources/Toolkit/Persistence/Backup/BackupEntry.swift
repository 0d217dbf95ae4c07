import Foundation

/// One file in a backup, and the header block before its content.
///
/// A backup is a tar archive, so that it can be unpacked without this program. The headers are those of POSIX.1-1988
/// (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06); sizes from 8 GiB on are binary, as GNU
/// tar writes them.
enum BackupEntry: Hashable {
    /// The first entry, which is empty and identifies the file as a backup of this format.
    case signature
    case blob(BlobStore.ID)
    case database
    /// The last entry; its name contains the SHA-256 of its content.
    case manifest(BlobStore.ID)

    /// The size of a header; contents are padded to a multiple of it.
    static let blockSize = 512

    private static let manifestName = (prefix: "manifest-", suffix: ".json")

    var name: String {
        switch self {
        case .signature: Backup.firstName
        case .blob(let id): "blobs/\(id.description.prefix(2))/\(id)"
        case .database: "meanwhile.sqlite"
        case .manifest(let digest): Self.manifestName.prefix + digest.description + Self.manifestName.suffix
        }
    }

    /// Parses an entry's name; `nil` if a backup contains no such entry.
    init?(name: String) {
        if name == Self.signature.name {
            self = .signature
        } else if name == Self.database.name {
            self = .database
        } else if name.hasPrefix(Self.manifestName.prefix), name.hasSuffix(Self.manifestName.suffix) {
            let digest = name.dropFirst(Self.manifestName.prefix.count).dropLast(Self.manifestName.suffix.count)
            guard let digest = BlobStore.ID(String(digest)) else { return nil }
            self = .manifest(digest)
        } else {
            guard let id = BlobStore.ID(String(name.suffix(64))) else { return nil }
            self = .blob(id)
        }
        // Accept only the spelling that `name` returns.
        guard self.name == name else { return nil }
    }

    /// The number of padding bytes after a content of a given size.
    static func padding(after size: Int64) -> Int {
        let rest = Int(size % Int64(blockSize))
        return rest == 0 ? 0 : blockSize - rest
    }
}

// MARK: - Headers

extension BackupEntry {
    /// The fields of the size and of the checksum.
    private static let (sizeField, sumField) = (124..<136, 148..<156)
    /// The first size that does not fit into eleven octal digits.
    private static let firstBinarySize = Int64(1) << 33

    /// The 512 bytes of the entry's header.
    func header(size: Int64) -> [UInt8] {
        Self.header(of: name, size: size)
    }

    /// The 512 bytes of a file's header; the file's path within the archive may have at most 100 bytes.
    static func header(of name: String, size: Int64) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: blockSize)
        func put(_ text: String, at offset: Int) {
            for (index, byte) in text.utf8.enumerated() { block[offset + index] = byte }
        }
        func octal(_ number: Int64, digits: Int) -> String {
            let text = String(number, radix: 8)
            return String(repeating: "0", count: max(0, digits - text.count)) + text
        }
        put(String(decoding: name.utf8.prefix(100), as: UTF8.self), at: 0)
        put(octal(0o600, digits: 7), at: 100)
        put(octal(0, digits: 7), at: 108)
        put(octal(0, digits: 7), at: 116)
        if size < firstBinarySize {
            put(octal(size, digits: 11), at: sizeField.lowerBound)
        } else {
            block[sizeField.lowerBound] = 0x80
            for index in 0..<8 {
                block[sizeField.upperBound - 1 - index] = UInt8(truncatingIfNeeded: size >> (8 * Int64(index)))
            }
        }
        put(octal(0, digits: 11), at: 136)
        put("0", at: 156)
        put("ustar", at: 257)
        put("00", at: 263)
        // The checksum is computed with spaces in its own field.
        put(String(repeating: " ", count: sumField.count), at: sumField.lowerBound)
        let sum = block.reduce(Int64(0)) { $0 + Int64($1) }
        put(octal(sum, digits: 6), at: sumField.lowerBound)
        block[sumField.upperBound - 2] = 0
        return block
    }

    /// Parses a header into the entry and its size; `nil` if it differs from what ``header(size:)`` returns.
    static func parse(_ block: [UInt8]) -> (entry: BackupEntry, size: Int64)? {
        guard block.count == blockSize,
            let name = String(validating: block.prefix(100).prefix { $0 != 0 }, as: UTF8.self),
            let entry = BackupEntry(name: name)
        else { return nil }
        let field = block[sizeField]
        var size: Int64 = 0
        if field.first == 0x80 {
            guard field.dropFirst().prefix(3).allSatisfy({ $0 == 0 }) else { return nil }
            for byte in field.suffix(8) { size = size << 8 | Int64(byte) }
        } else {
            for byte in field.dropLast() {
                guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { return nil }
                size = size << 3 | Int64(byte - UInt8(ascii: "0"))
            }
        }
        guard size >= 0, entry.header(size: size) == block else { return nil }
        return (entry, size)
    }
}
