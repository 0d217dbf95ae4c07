// Texts are compared by their bytes: “é” as one scalar and as two are different texts, in each language that stores or
// sends them. Also, Swift's own comparison needs Unicode's tables, which a WebAssembly module doesn't have.

#if canImport(ModelJSON)
    import ModelJSON
#endif

extension String {
    /// Whether two texts have the same bytes in UTF-8.
    @inline(never)
    package func isSame(as other: String) -> Bool {
        utf8.count == other.utf8.count && compareBytes(self, other) == 0
    }
}

/// A text as a key, compared by its bytes.
struct TextKey: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: TextKey, right: TextKey) -> Bool { left.text.isSame(as: right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension ArtIdentifier {
    /// Whether two identifiers have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.isSame(as: right.rawValue) }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { TextKey(rawValue).hash(into: &hasher) }
}

extension CaseIterable where Self: RawRepresentable, RawValue == String {
    /// The case of a raw value; `nil` if there is none.
    static func named(_ text: String) -> Self? { allCases.first { $0.rawValue.isSame(as: text) } }
}
