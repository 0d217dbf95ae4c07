public import Foundation

/// Reads and writes boards and what changes them as JSON, with words for what is wrong.
public enum ArtJSON {
    /// Reads a batch as it is sent: JSON of at most ``BoardLimits/batchBytes``.
    ///
    /// Its id and its name are such as a store takes; its operations may yet be refused.
    public static func batch(from data: Data) throws(ArtJSONError) -> OperationBatch {
        guard data.count <= BoardLimits.batchBytes else {
            throw .tooLarge(bytes: data.count, most: BoardLimits.batchBytes)
        }
        return try read(OperationBatch.self, from: data)
    }

    /// Reads any value.
    public static func read<Value: Decodable>(
        _ type: Value.Type = Value.self, from data: Data
    ) throws(ArtJSONError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw .unreadable(error.words)
        } catch {
            throw .unreadable("\(error)")
        }
    }

    /// Writes any value, its keys in the order of their letters; all of its numbers must be finite.
    public static func data(_ value: some Encodable) throws(ArtJSONError) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return try encoder.encode(value)
        } catch {
            throw .unwritable("\(error)")
        }
    }
}

/// Why JSON cannot be read or written.
public enum ArtJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// There is more of it than is taken.
    case tooLarge(bytes: Int, most: Int)
    /// It is not what it should be: the words say where, and what is wrong.
    case unreadable(String)
    /// There is no JSON for it: the words say why.
    case unwritable(String)

    /// The same for a person: what happened, and what to do now.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let most):
            "That is too much at once: \(bytes) bytes, where \(most) are taken. Do it in several steps."
        case .unreadable(let why): why
        case .unwritable(let why): "It cannot be written: \(why)"
        }
    }
}

/// What an array is to a decoder that expects one, whatever is in it.
private protocol ArtJSONList {}

extension Array: ArtJSONList {}

extension DecodingError {
    /// Where it went wrong and how, such as “operations[3].x: It is missing.”.
    package var words: String {
        switch self {
        case .keyNotFound(let key, let context): Self.place(context.codingPath + [key]) + "It is missing."
        case .valueNotFound(_, let context): Self.place(context.codingPath) + "It is null."
        case .typeMismatch(let type, let context):
            Self.place(context.codingPath) + "It is not \(Self.noun(for: type))."
        case .dataCorrupted(let context):
            context.debugDescription.hasPrefix(Self.noJSON)
                ? "It is no JSON, or cut off, or has a number that is too large."
                : Self.place(context.codingPath) + context.debugDescription
        @unknown default: "It is no JSON of a board."
        }
    }

    /// How Foundation begins what it says of bytes that are no JSON; it does not tell why.
    private static let noJSON = "The given data was not valid JSON"

    private static func place(_ path: [any CodingKey]) -> String {
        let place = path.reduce(into: "") { place, key in
            if let index = key.intValue {
                place += "[\(index)]"
            } else {
                place += (place.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return place.isEmpty ? "" : place + ": "
    }

    private static func noun(for type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Double.Type, is Int.Type: "a number"
        case is any ArtJSONList.Type: "a list"
        default: "an object"
        }
    }
}
