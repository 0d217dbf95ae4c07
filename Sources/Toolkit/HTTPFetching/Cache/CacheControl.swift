import HTTPTypes

/// The directives of `Cache-Control`.
///
/// https://www.rfc-editor.org/rfc/rfc9111#section-5.2. Names are told apart without regard to case; what is in quotes is a
/// value; a number that is none is 0, because what cannot be understood is to be taken for stale (section 4.2.1); of
/// several numbers of one name the least holds.
struct CacheControl: Sendable, Hashable {
    private var values: [String: [String?]] = [:]

    init(_ headers: HTTPFields) {
        self.init(headers[values: .cacheControl])
    }

    init(_ lines: [String]) {
        for line in lines {
            for directive in FieldList.split(line) {
                let (name, value) = Self.parse(directive)
                values[name.lowercased(), default: []].append(value)
            }
        }
    }

    /// Whether there is no directive.
    var isEmpty: Bool { values.isEmpty }

    /// Whether there is a directive of that name, with or without a value.
    func contains(_ name: String) -> Bool { values[name] != nil }

    /// The seconds of a directive; `nil` if there is none of that name, 0 if it says nothing that is a number.
    func seconds(_ name: String) -> Int? {
        values[name]?.map { $0.flatMap(DeltaSeconds.parse) ?? 0 }.min()
    }

    /// The seconds of a directive that may have none, as `max-stale`: any number then.
    func secondsIfAny(_ name: String) -> Int? {
        values[name]?.map { $0.map { DeltaSeconds.parse($0) ?? 0 } ?? .max }.min()
    }

    /// A name and what is behind `=`, unless there is space around that: then it is all name, of no directive that is known.
    private static func parse(_ directive: Substring) -> (Substring, String?) {
        guard let equals = directive.firstIndex(of: "=") else { return (directive, nil) }
        let name = directive[..<equals]
        let value = directive[directive.index(after: equals)...]
        guard name.last?.isWhitespace != true, value.first?.isWhitespace != true else { return (directive, nil) }
        guard value.utf8.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return (name, String(value)) }
        return (name, String(value.dropFirst().dropLast()))
    }
}

/// A number of seconds as HTTP writes it.
enum DeltaSeconds {
    /// The most that is told apart.
    ///
    /// https://www.rfc-editor.org/rfc/rfc9111#section-1.2.2
    static let most = 2_147_483_648

    /// Reads digits, and nothing else.
    static func parse(_ text: some StringProtocol) -> Int? {
        guard HTTPNumber.isDigits(text) else { return nil }
        return min(Int(text) ?? most, most)
    }
}

/// A list as HTTP writes it: elements between commas, of which some may be empty.
enum FieldList {
    /// The elements, without the space around them; a comma in quotes is none.
    static func split(_ text: String) -> [Substring] {
        guard text.utf8.contains(UInt8(ascii: "\"")) else {
            return text.split(separator: ",").map(trimmed).filter { !$0.isEmpty }
        }
        var elements: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                elements.append(text[start..<index])
                start = text.index(after: index)
            }
        }
        elements.append(text[start...])
        return elements.map(trimmed).filter { !$0.isEmpty }
    }

    /// The elements of several lines.
    static func split(_ lines: [String]) -> [Substring] {
        lines.flatMap { split($0) }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var text = text
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
