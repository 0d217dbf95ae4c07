extension JSON {
    /// Reads a text in UTF-8.
    ///
    /// Takes O(*n*) in the number of bytes; for objects with more than a few members, O(*n* log *n*).
    ///
    /// - Parameters:
    ///   - bytes: The text, with nothing before or after the value but white space.
    ///   - depth: How deep lists and objects may be nested.
    /// - Throws: ``JSONError``.
    public init(_ bytes: [UInt8], depth: Int = 16) throws(JSONError) {
        var reader = JSONReader(bytes)
        self = try reader.document(depth: depth)
    }
}

/// Reads JSON from the first byte to the last.
struct JSONReader {
    private let bytes: [UInt8]
    private var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func document(depth: Int) throws(JSONError) -> JSON {
        let value = try value(depth: depth)
        skipWhiteSpace()
        guard offset == bytes.count else { throw failure() }
        return value
    }

    private func failure(_ code: JSONError.Code = .syntax) -> JSONError { JSONError(code, at: offset) }

    private var next: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    private mutating func skipWhiteSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { offset += 1 }
    }

    /// Skips a byte if it is the next one.
    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: byte) else { return false }
        offset += 1
        return true
    }

    private mutating func expectByte(_ byte: Unicode.Scalar) throws(JSONError) {
        guard skip(byte) else { throw failure() }
    }

    private mutating func expect(_ word: StaticString) throws(JSONError) {
        for index in 0..<word.utf8CodeUnitCount {
            guard next == word.withUTF8Buffer({ $0[index] }) else { throw failure() }
            offset += 1
        }
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSON {
        skipWhiteSpace()
        switch next {
        case UInt8(ascii: "{"): return .object(try members(depth: depth))
        case UInt8(ascii: "["): return .array(try elements(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"):
            try expect("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try expect("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try expect("null")
            return .null
        default: return .number(try number())
        }
    }
}

// MARK: - Lists and objects

extension JSONReader {
    private mutating func elements(depth: Int) throws(JSONError) -> [JSON] {
        guard depth > 0 else { throw failure(.depth) }
        try expectByte("[")
        skipWhiteSpace()
        var elements: [JSON] = []
        if skip("]") { return elements }
        repeat {
            elements.append(try value(depth: depth - 1))
            skipWhiteSpace()
        } while skip(",")
        try expectByte("]")
        return elements
    }

    private mutating func members(depth: Int) throws(JSONError) -> [JSON.Member] {
        guard depth > 0 else { throw failure(.depth) }
        try expectByte("{")
        skipWhiteSpace()
        var members: [JSON.Member] = []
        if skip("}") { return members }
        repeat {
            skipWhiteSpace()
            let name = try string()
            skipWhiteSpace()
            try expectByte(":")
            members.append(JSON.Member(name, try value(depth: depth - 1)))
            skipWhiteSpace()
        } while skip(",")
        try expectByte("}")
        guard Self.areUnique(members) else { throw failure(.duplicateName) }
        return members
    }
}

extension JSONReader {
    /// Whether all names differ as bytes: two names that are only equivalent in Unicode are different names.
    private static func areUnique(_ members: [JSON.Member]) -> Bool {
        let few = 16
        guard members.count > few else {
            return members.indices.allSatisfy { index in
                let name = members[index].name
                return !members[..<index].contains {
                    $0.name.utf8.count == name.utf8.count && compareBytes($0.name, name) == 0
                }
            }
        }
        let sorted = sortedIndices(members.count) { first, second in
            compareBytes(members[first].name, members[second].name) < 0
        }
        return zip(sorted, sorted.dropFirst()).allSatisfy { first, second in
            compareBytes(members[first].name, members[second].name) != 0
        }
    }
}

// MARK: - Texts

extension JSONReader {
    private mutating func string() throws(JSONError) -> String {
        try expectByte("\"")
        let start = offset
        // Most texts have no escape: they are taken as they are.
        while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 0x20 { offset += 1 }
        guard next != UInt8(ascii: "\"") else {
            defer { offset += 1 }
            return try text(bytes[start..<offset], from: start)
        }
        var content = Array(bytes[start..<offset])
        while let byte = next {
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return try text(content[...], from: start)
            case UInt8(ascii: "\\"): content += try escape()
            case 0..<0x20: throw JSONError(.syntax, at: offset - 1)
            default: content.append(byte)
            }
        }
        throw failure()
    }

    private func text(_ bytes: ArraySlice<UInt8>, from start: Int) throws(JSONError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw JSONError(.encoding, at: start) }
        return text
    }

    /// The bytes for what follows a backslash.
    private mutating func escape() throws(JSONError) -> [UInt8] {
        guard let byte = next else { throw failure() }
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "u"): return Array(String(try escapedScalar()).utf8)
        default: throw JSONError(.syntax, at: offset - 1)
        }
    }

    /// A scalar that is escaped as `\uXXXX`, or as a pair of surrogates; throws for half of a pair.
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = offset
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00, skip("\\"), skip("u") else { throw JSONError(.encoding, at: start) }
        let second = try codeUnit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x1_0000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw JSONError(.encoding, at: start) }
        return scalar
    }

    private mutating func codeUnit() throws(JSONError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = next, let digit = Self.hexDigit(byte) else { throw failure() }
            unit = unit << 4 + UInt32(digit)
            offset += 1
        }
        return unit
    }

    /// The value of a digit: by its byte, because a `Character` needs Unicode's tables.
    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

// MARK: - Numbers

extension JSONReader {
    private mutating func digits() -> Int {
        let start = offset
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { offset += 1 }
        return offset - start
    }

    private mutating func number() throws(JSONError) -> Double {
        let start = offset
        let isNegative = skip("-")
        let firstDigit = offset
        guard digits() > 0 else { throw failure() }
        // A number has no leading zeros.
        if bytes[firstDigit] == UInt8(ascii: "0"), offset > firstDigit + 1 {
            throw JSONError(.syntax, at: firstDigit + 1)
        }
        // 15 digits are exact in a Double.
        var isShort = offset - firstDigit <= 15
        if skip(".") {
            isShort = false
            guard digits() > 0 else { throw failure() }
        }
        if skip("e") || skip("E") {
            isShort = false
            if !skip("+") { _ = skip("-") }
            guard digits() > 0 else { throw failure() }
        }
        if isShort {
            // `Int` has 32 bits in a browser.
            let magnitude = bytes[firstDigit..<offset].reduce(Int64(0)) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
            return isNegative ? -Double(magnitude) : Double(magnitude)
        }
        guard let number = Double(String(decoding: bytes[start..<offset], as: UTF8.self)), number.isFinite else {
            throw JSONError(.number, at: start)
        }
        return number
    }
}
