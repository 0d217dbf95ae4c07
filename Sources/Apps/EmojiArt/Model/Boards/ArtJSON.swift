public import Foundation

/// Encodes and decodes boards and operations as JSON, with readable error messages.
public enum ArtJSON {
    /// Decodes a batch that a client sent: JSON of at most ``BoardLimits/batchBytes``.
    ///
    /// The batch's id and name are validated; its operations may still be refused.
    public static func batch(from data: Data) throws(ArtJSONError) -> OperationBatch {
        guard data.count <= BoardLimits.batchBytes else {
            throw .tooLarge(bytes: data.count, limit: BoardLimits.batchBytes)
        }
        return try read(OperationBatch.self, from: data)
    }

    /// Decodes any value.
    public static func read<Value: Decodable>(
        _ type: Value.Type = Value.self, from data: Data
    ) throws(ArtJSONError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: data)
        } catch let error as DecodingError {
            throw .unreadable(error.message)
        } catch {
            throw .unreadable("\(error)")
        }
    }

    /// Encodes any value with sorted keys; all of its numbers must be finite.
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

/// Why JSON can't be encoded or decoded.
public enum ArtJSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The JSON has more bytes than the limit.
    case tooLarge(bytes: Int, limit: Int)
    /// The JSON has another shape than expected; the text says where, and what is wrong.
    case unreadable(String)
    /// The value can't be encoded; the text says why.
    case unwritable(String)

    /// A message for the user: what happened, and what to do now.
    public var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            ArtWords.changesTooLarge(bytes: bytes, limit: limit)
        case .unreadable(let why): why
        case .unwritable(let why): ArtWords.notWritable(why)
        }
    }
}

/// Marks arrays, whatever their elements, so that a type mismatch can be described as “a list”.
private protocol ArtJSONList {}

extension Array: ArtJSONList {}

extension DecodingError {
    /// A message that says where decoding failed and why, such as “operations[3].x: It is missing.”.
    package var message: String {
        switch self {
        case .keyNotFound(let key, let context): Self.place(context.codingPath + [key]) + ArtWords.isMissing
        case .valueNotFound(_, let context): Self.place(context.codingPath) + ArtWords.isNull
        case .typeMismatch(let type, let context):
            Self.place(context.codingPath) + ArtWords.isNot(Self.noun(for: type))
        case .dataCorrupted(let context):
            context.debugDescription.hasPrefix(Self.noJSON)
                ? ArtWords.noJSON
                : Self.place(context.codingPath) + context.debugDescription
        @unknown default: ArtWords.notABoard
        }
    }

    /// The start of Foundation's description of bytes that aren't JSON, which doesn't tell why.
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
        case is String.Type: ArtWords.text
        case is Double.Type, is Int.Type: ArtWords.number
        case is Bool.Type: ArtWords.trueOrFalse
        case is any ArtJSONList.Type: ArtWords.list
        default: ArtWords.object
        }
    }
}
