import Foundation

/// Encodes values as bytes, and decodes the bytes of this and every older version.
///
///     let palettes = StoredFormat<[Palette]>("palettes", version: 2)
///         .migrating(from: 1) { (names: [String]) in names.map { Palette(name: $0, emojis: "") } }
///
/// Values are written as JSON.
public struct StoredFormat<Value>: Sendable {
    /// The format's name: letters, digits, dots and hyphens.
    public let name: String
    /// The version that is written, starting at 1.
    public let version: Int
    let encode: @Sendable (Value) throws -> Data
    let decode: @Sendable (Data) throws -> Value
    /// Closures that convert a payload to the next version; the key is the version that they convert from.
    let migrations: [Int: @Sendable (Data) throws -> Data]
}

extension StoredFormat {
    /// Creates a format that writes JSON, with a version starting at 1.
    public init(_ name: String, version: Int = 1) where Value: Codable & SendableMetatype {
        self.init(
            name: name, version: version, encode: { try StoredJSON.encode($0) },
            decode: { try StoredJSON.decode(Value.self, from: $0) }, migrations: [:])
    }

    /// Returns a copy of the format that also reads an older version.
    ///
    /// - Parameters:
    ///   - version: The older version.
    ///   - step: Converts a value to the version after it. The result is encoded, and passed to the next migration.
    /// - Returns: The extended format.
    public func migrating<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        from version: Int, _ step: @escaping @Sendable (Old) throws -> New
    ) -> StoredFormat {
        var migrations = migrations
        migrations[version] = { try StoredJSON.encode(step(StoredJSON.decode(Old.self, from: $0))) }
        return StoredFormat(
            name: name, version: self.version, encode: encode, decode: decode, migrations: migrations)
    }
}

extension StoredFormat {
    /// Encodes a value.
    ///
    /// - Throws: ``StoreError`` with the code `notEncodable`.
    public func content(of value: Value) throws(StoreError) -> StoredContent {
        do {
            return StoredContent(format: name, version: version, payload: try encode(value))
        } catch {
            throw StoreError(
                .notEncodable, "A value of the format \(name) cannot be written as JSON: \(error)", cause: error)
        }
    }

    /// Decodes content of this or an older version.
    ///
    /// - Throws: ``StoreError``: `newerVersion` if the content has a newer version; `notDecodable` if it can't be
    ///   decoded, has another format, or no migration from its version exists.
    public func value(of content: StoredContent) throws(StoreError) -> Value {
        guard content.format == name else {
            throw StoreError(.notDecodable, "The format is \(content.format), but \(name) was expected.")
        }
        guard content.version <= version else {
            throw StoreError(
                .newerVersion,
                "This was written by a newer version of this program (\(name) \(content.version); this version reads "
                    + "\(version)). It was not changed. Use the newer version.")
        }
        do {
            var payload = content.payload
            for older in content.version..<version {
                guard let step = migrations[older] else {
                    throw StoreError(
                        .notDecodable, "\(name) has no migration from version \(older) to version \(older + 1).")
                }
                payload = try step(payload)
            }
            return try decode(payload)
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(
                .notDecodable, "Version \(content.version) of \(name) can't be decoded: \(Self.reason(error))",
                cause: error)
        }
    }
}

extension StoredFormat {
    /// Describes a decoding error for people.
    private static func reason(_ error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .dataCorrupted(let context):
            let words = context.debugDescription
            return place(context.codingPath) + (words.hasSuffix(".") ? String(words.dropLast()) : words)
        case .keyNotFound(let key, let context):
            return place(context.codingPath) + "“\(key.stringValue)” is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            return place(context.codingPath) + "the type is wrong"
        @unknown default:
            return "\(error)"
        }
    }

    private static func place(_ path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        return "at “\(path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."))”, "
    }
}

/// JSON with sorted keys, so that equal values have equal bytes.
enum StoredJSON {
    static func encode<Value: Encodable>(_ value: Value) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(value)
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        try JSONDecoder().decode(type, from: data)
    }
}
