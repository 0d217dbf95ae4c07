#if canImport(ModelJSON)
    import ModelJSON
#endif

/// Why JSON isn't a valid board, batch or operation.
public struct BoardFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where it is wrong, such as `operations[3].x`; empty for the whole.
    public private(set) var place: String
    /// What is wrong, as a sentence for developers.
    public let words: String

    @inline(never)
    init(_ words: String, at place: String = "") {
        (self.place, self.words) = (place, words)
    }

    /// The same error, with a place that begins with the enclosing member or index.
    @inline(never)
    func within(_ outer: String) -> BoardFormatError {
        let isIndex = place.utf8.first == UInt8(ascii: "[")
        return BoardFormatError(words, at: place.isEmpty ? outer : outer + (isIndex ? "" : ".") + place)
    }

    /// The place of an element of a list.
    @inline(never)
    static func place(_ index: Int) -> String { "[\(index)]" }

    /// The place, if any, and what is wrong.
    public var description: String { place.isEmpty ? words : "\(place): \(words)" }
}

/// Reads the members of an object.
struct ObjectReader {
    private let members: [JSON.Member]

    init(_ json: JSON) throws(BoardFormatError) {
        guard case .object(let members) = json else { throw BoardFormatError("It is not an object.") }
        self.members = members
    }

    /// An object has few members: they are searched one by one.
    @inline(never)
    private func member(_ name: String) -> JSON? { members.first { $0.name.isSame(as: name) }?.value }

    /// A member that may be missing or `null`.
    func optional(_ name: String) -> JSON? {
        guard let value = member(name), !value.isNull else { return nil }
        return value
    }

    /// A member that may be `null`, but not missing.
    @inline(never)
    func present(_ name: String) throws(BoardFormatError) -> JSON {
        guard let value = member(name) else { throw BoardFormatError("It is missing.", at: name) }
        return value
    }

    func value<Value>(
        _ name: String, _ read: (JSON) throws(BoardFormatError) -> Value
    ) throws(BoardFormatError) -> Value {
        let json = try present(name)
        if json.isNull { throw BoardFormatError("It is null.", at: name) }
        do throws(BoardFormatError) {
            return try read(json)
        } catch {
            throw error.within(name)
        }
    }

    @inline(never)
    func string(_ name: String) throws(BoardFormatError) -> String {
        guard case .string(let text) = try present(name) else { throw BoardFormatError("It is not a text.", at: name) }
        return text
    }

    @inline(never)
    func number(_ name: String) throws(BoardFormatError) -> Double {
        guard case .number(let number) = try present(name) else {
            throw BoardFormatError("It is not a number.", at: name)
        }
        return number
    }

    /// A number that may be missing or `null`.
    @inline(never)
    func number(_ name: String, default missing: Double) throws(BoardFormatError) -> Double {
        try optional(name) == nil ? missing : number(name)
    }

    @inline(never)
    func bool(_ name: String) throws(BoardFormatError) -> Bool {
        guard case .bool(let bool) = try present(name) else {
            throw BoardFormatError("It is not true or false.", at: name)
        }
        return bool
    }

    /// A boolean that may be missing or `null`.
    @inline(never)
    func bool(_ name: String, default missing: Bool) throws(BoardFormatError) -> Bool {
        try optional(name) == nil ? missing : bool(name)
    }

    @inline(never)
    func integer(_ name: String) throws(BoardFormatError) -> Int {
        guard let integer = try present(name).integer else { throw BoardFormatError("It is not a number.", at: name) }
        return integer
    }

    func list<Value>(
        _ name: String, _ read: (JSON) throws(BoardFormatError) -> Value
    ) throws(BoardFormatError) -> [Value] {
        try value(name) { json throws(BoardFormatError) in try json.list(read) }
    }

    func identifier<ID: ArtIdentifier>(_ name: String) throws(BoardFormatError) -> ID {
        guard let id = ID(try string(name)) else { throw BoardFormatError("It is not an ID.", at: name) }
        return id
    }
}

extension JSON {
    /// Reads each element of a list.
    func list<Value>(_ read: (JSON) throws(BoardFormatError) -> Value) throws(BoardFormatError) -> [Value] {
        guard case .array(let elements) = self else { throw BoardFormatError("It is not a list.") }
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for (index, element) in elements.enumerated() {
            do throws(BoardFormatError) {
                values.append(try read(element))
            } catch {
                throw error.within(BoardFormatError.place(index))
            }
        }
        return values
    }
}
