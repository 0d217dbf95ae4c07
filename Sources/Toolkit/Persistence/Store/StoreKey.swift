import Digests

/// The key of a stored value, such as `palettes/Main`.
public struct StoreKey: Hashable, Sendable {
    /// The maximum length in UTF-8 bytes: a file name may have 255, and escaping turns some bytes into three.
    static let maximumBytes = 80

    /// The key's text.
    public let name: String

    /// Creates a key from text.
    ///
    /// - Parameter name: 1 to 80 bytes of UTF-8, without control characters.
    /// - Throws: ``StoreError`` with the code `invalidName`.
    public init(_ name: String) throws(StoreError) {
        let hasControl = name.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
        guard !name.isEmpty, name.utf8.count <= Self.maximumBytes, !hasControl else {
            throw StoreError(
                .invalidName,
                "“\(name.prefix(Self.maximumBytes))” is not a valid key. Use 1 to \(Self.maximumBytes) bytes without "
                    + "control characters.")
        }
        self.name = name
    }
}

extension StoreKey: Comparable {
    /// Compares bytes: two Unicode spellings of one letter are two keys, as they are in file names and databases.
    public static func == (first: StoreKey, second: StoreKey) -> Bool {
        first.name.utf8.elementsEqual(second.name.utf8)
    }

    /// Hashes the bytes of the name.
    public func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// Orders keys by the bytes of their names.
    public static func < (first: StoreKey, second: StoreKey) -> Bool {
        first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
    }
}

extension StoreKey {
    /// Whether the bytes of the key begin with those of a prefix.
    func hasPrefix(_ prefix: String) -> Bool {
        name.utf8.starts(with: prefix.utf8)
    }

    /// The name with each byte percent-encoded, except for the given ASCII bytes.
    func escaped(keeping kept: Set<UInt8>) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            if kept.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += "%\(CollectionOfOne(byte).hexadecimal.uppercased())".utf8
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension StoreKey: ExpressibleByStringLiteral {
    /// Creates a key from a literal, which must be valid.
    public init(stringLiteral name: String) {
        do {
            try self.init(name)
        } catch {
            // A literal is written by the programmer; it isn't input.
            preconditionFailure(error.message)
        }
    }
}

extension StoreKey: CustomStringConvertible {
    /// The key's text.
    public var description: String { name }
}
