public import Foundation
public import Hummingbird

/// The parameters of a request for a list: each at most once, and none but those that the route knows.
public struct APIQuery: Sendable {
    /// The largest number of entries in a part of a list.
    public static let maximumLimit = 200
    private static let usualLimit = 50

    private let values: [String: String]

    /// Reads the parameters.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - known: The names of the parameters that the route reads.
    /// - Throws: A ``Problem`` with the status 400.
    public init(_ request: Request, known: Set<String> = []) throws(Problem) {
        var values: [String: String] = [:]
        for (name, value) in request.uri.queryParameters {
            guard known.contains(String(name)) else { throw .wrongParameter(name, SiteWords.unknownParameter) }
            guard values.updateValue(String(value), forKey: String(name)) == nil else {
                throw .wrongParameter(name, SiteWords.repeatedParameter)
            }
        }
        self.values = values
    }

    /// The text of a parameter; `nil` if the request doesn't have it.
    public subscript(name: String) -> String? { values[name] }

    /// A parameter, as a function reads it.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - form: What the parameter takes, for people.
    ///   - read: Returns `nil` for a text that isn't of the form.
    /// - Returns: The value; `nil` if the request doesn't have the parameter.
    /// - Throws: A ``Problem`` with the status 400.
    public func value<Value>(
        _ name: String, takes form: String, _ read: (String) -> Value?
    ) throws(Problem) -> Value? {
        guard let text = values[name] else { return nil }
        guard let value = read(text) else { throw .wrongParameter(name, SiteWords.parameterTakes(form)) }
        return value
    }

    /// A parameter that is `true` or `false`; false if the request doesn't have it.
    public func flag(_ name: String) throws(Problem) -> Bool {
        try value(name, takes: SiteWords.trueOrFalse) { ["true": true, "false": false][$0] } ?? false
    }

    /// A parameter that is one of a few texts.
    public func choice<Value: RawRepresentable & CaseIterable>(
        _ name: String, of type: Value.Type
    ) throws(Problem) -> Value? where Value.RawValue == String {
        try value(name, takes: Value.allCases.map(\.rawValue).joined(separator: ", ")) { Value(rawValue: $0) }
    }

    /// A parameter that is a moment.
    public func date(_ name: String) throws(Problem) -> Date? {
        try value(name, takes: SiteWords.moment) { APIJSON.date($0) }
    }

    /// The parameter `limit`: how many entries a part of a list has at most.
    public var limit: Int {
        get throws(Problem) {
            try value("limit", takes: SiteWords.number(to: Self.maximumLimit)) { text in
                guard text.utf8.count <= 4, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
                return Int(text).flatMap { (1...Self.maximumLimit).contains($0) ? $0 : nil }
            } ?? Self.usualLimit
        }
    }

    /// The parameter `cursor`: where a part of a list begins; `nil` for the first part.
    public func cursor<Position: Decodable>(_ type: Position.Type) throws(Problem) -> Position? {
        try value("cursor", takes: SiteWords.cursor) { text in
            guard text.utf8.count <= 1_000 else { return nil }
            let padded = text.replacing("-", with: "+").replacing("_", with: "/")
                .padding(toLength: (text.utf8.count + 3) / 4 * 4, withPad: "=", startingAt: 0)
            return Data(base64Encoded: padded).flatMap { try? JSONDecoder().decode(type, from: $0) }
        }
    }
}

/// A part of a list.
public struct APIList<Item: Encodable & Sendable>: Encodable, Sendable {
    /// The entries.
    public var items: [Item]
    /// The parameter `cursor` of the next part; `null` after the last one.
    public var next: String?

    private enum CodingKeys: CodingKey {
        case items, next
    }

    /// Creates a part of a list.
    ///
    /// - Parameters:
    ///   - items: The entries.
    ///   - next: Where the next part begins; `nil` after the last one.
    /// - Throws: An encoding error.
    public init(_ items: [Item], next: (some Encodable)? = Int?.none) throws {
        self.items = items
        self.next = try next.map { position in
            try JSONEncoder().encode(position).base64EncodedString().replacing("+", with: "-")
                .replacing("/", with: "_").replacing("=", with: "")
        }
    }

    /// Encodes both properties, so that a script needn't ask whether there is a next part.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(items, forKey: .items)
        try container.encode(next, forKey: .next)
    }
}

extension Problem {
    package static func wrongParameter(_ name: some StringProtocol, _ detail: String) -> Problem {
        let name = "\(name.prefix(60))"
        return Problem(
            .badRequest, title: SiteWords.wrongParameterTitle, detail: SiteWords.field(name, detail), field: name)
    }
}
