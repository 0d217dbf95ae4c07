import Digests

/// The name that something is kept under: `palettes/Main`.
public struct StoreKey: Hashable, Sendable {
    /// How long a name may be, in bytes of UTF-8: a file name may have 255, and some are written as three.
    static let longest = 80

    /// The name.
    public let name: String

    /// Checks a name.
    ///
    /// - Parameter name: Up to 80 bytes of UTF-8, without control characters.
    /// - Throws: ``StoreError`` with the code `invalidName`.
    public init(_ name: String) throws(StoreError) {
        let hasControl = name.unicodeScalars.contains { $0.value < 0x20 || (0x7f...0x9f).contains($0.value) }
        guard !name.isEmpty, name.utf8.count <= Self.longest, !hasControl else {
            throw StoreError(
                .invalidName,
                "“\(name.prefix(Self.longest))” cannot name a kept value. Use 1 to \(Self.longest) bytes without control "
                    + "characters.")
        }
        self.name = name
    }
}

extension StoreKey: Comparable {
    /// By the bytes of the names: two ways to write one letter make two names, in a file's name and a database as here.
    public static func == (first: StoreKey, second: StoreKey) -> Bool {
        first.name.utf8.elementsEqual(second.name.utf8)
    }

    /// The bytes of the name.
    public func hash(into hasher: inout Hasher) {
        var name = name
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }

    /// By the bytes of the names.
    public static func < (first: StoreKey, second: StoreKey) -> Bool {
        first.name.utf8.lexicographicallyPrecedes(second.name.utf8)
    }
}

extension StoreKey {
    /// Whether its bytes begin with those of a prefix; an empty one begins all.
    func hasPrefix(_ prefix: String) -> Bool {
        name.utf8.starts(with: prefix.utf8)
    }
}

extension StoreKey {
    /// The name with every byte as `%` and two digits, but for those that are kept.
    ///
    /// - Parameters:
    ///   - kept: The bytes of ASCII that stay as they are.
    ///   - first: Those that do at the beginning of the name; `nil` for the same.
    /// - Returns: ASCII.
    func escaped(keeping kept: Set<UInt8>, alsoAtBeginning first: Set<UInt8>? = nil) -> String {
        name.utf8.enumerated().map { position, byte in
            (position == 0 ? first ?? kept : kept).contains(byte)
                ? String(UnicodeScalar(byte)) : "%" + CollectionOfOne(byte).hexadecimal.uppercased()
        }.joined()
    }
}

extension StoreKey: ExpressibleByStringLiteral {
    /// The name that stands in the program.
    public init(stringLiteral name: String) {
        do {
            try self.init(name)
        } catch {
            // A literal is the programmer's, not input.
            preconditionFailure(error.message)
        }
    }
}

extension StoreKey: CustomStringConvertible {
    /// The name.
    public var description: String { name }
}
