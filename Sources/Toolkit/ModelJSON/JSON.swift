/// A JSON value as RFC 8259 describes it; the members of an object keep their order.
///
/// It imports nothing and compiles as Embedded Swift, so a model can be read and written by the same code on a server
/// and in a browser.
public enum JSON: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A finite number: JSON has no others.
    case number(Double)
    /// A text.
    case string(String)
    /// A list.
    case array([JSON])
    /// Members in their order, with unique names.
    case object([Member])

    /// A name and a value of an object.
    public struct Member: Hashable, Sendable {
        /// The name.
        public var name: String
        /// The value.
        public var value: JSON

        /// A member of an object.
        public init(_ name: String, _ value: JSON) {
            (self.name, self.value) = (name, value)
        }
    }
}

// MARK: - Access

extension JSON {
    /// The member with a name; `nil` if this isn't an object, or has no such member.
    ///
    /// Takes O(*n*) in the number of members.
    @inline(never)
    public subscript(name: StaticString) -> JSON? {
        guard case .object(let members) = self else { return nil }
        let name = name.withUTF8Buffer { String(decoding: $0, as: UTF8.self) }
        return members.first { compareBytes($0.name, name) == 0 }?.value
    }

    /// Whether this is `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The number; `nil` if this isn't a number.
    public var number: Double? { if case .number(let number) = self { number } else { nil } }

    /// The number as an integer; `nil` if this isn't a whole number up to 2^53, or doesn't fit into `Int`, which has
    /// 32 bits in a browser.
    public var integer: Int? {
        guard case .number(let number) = self, abs(number) <= 9_007_199_254_740_992 else { return nil }
        return Int(exactly: number)
    }

    /// The text; `nil` if this isn't a text.
    public var string: String? { if case .string(let string) = self { string } else { nil } }

    /// The elements; `nil` if this isn't a list.
    public var array: [JSON]? { if case .array(let array) = self { array } else { nil } }

    /// Whether this is `true`; `nil` if it isn't a boolean.
    public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
}
