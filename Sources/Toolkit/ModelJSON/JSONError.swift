/// Why a text isn't JSON, or exceeds a limit.
public struct JSONError: Error, Hashable, Sendable {
    /// The kind of a ``JSONError``.
    public enum Code: Hashable, Sendable {
        /// The text isn't JSON.
        case syntax
        /// The text isn't UTF-8.
        case encoding
        /// Lists and objects are nested deeper than the limit.
        case depth
        /// An object has two members of one name.
        case duplicateName
        /// A number is beyond the range of `Double`.
        case number
    }

    /// The kind of failure.
    public let code: Code
    /// The offset of the byte at which reading failed.
    public let offset: Int

    init(_ code: Code, at offset: Int) {
        (self.code, self.offset) = (code, offset)
    }
}

extension JSONError: CustomStringConvertible {
    /// What is wrong, and where.
    public var description: String {
        let what =
            switch code {
            case .syntax: "The text is no JSON"
            case .encoding: "The text is no UTF-8"
            case .depth: "The JSON is nested too deeply"
            case .duplicateName: "An object has two members of one name"
            case .number: "A number is too large"
            }
        return "\(what), from byte \(offset) on."
    }
}
