import HTTPTypes

/// The part of a representation that a 206 response carries: `bytes 100-199/200`.
///
/// https://www.rfc-editor.org/rfc/rfc9110#section-14.4. A range that contradicts itself cannot exist: `first` is at most
/// `last`, and `last` is less than `total`.
struct ContentRange: Sendable, Hashable {
    let first: Int64
    let last: Int64
    /// The length of the whole representation; `nil` where the server does not know it and writes `*`.
    let total: Int64?

    /// Reads the value of a `Content-Range` field.
    ///
    /// - Parameter field: The value. Makes `nil` of any other unit, of an unsatisfied range, and of numbers that are not
    ///   digits alone, do not fit or contradict each other.
    init?(_ field: String) {
        let parts = field.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
        guard numbers.count == 2 else { return nil }
        let ends = numbers[0].split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = HTTPNumber.parse(ends[0]), let last = HTTPNumber.parse(ends[1]),
            first <= last
        else { return nil }
        var total: Int64?
        if numbers[1] != "*" {
            guard let number = HTTPNumber.parse(numbers[1]), last < number else { return nil }
            total = number
        }
        self.first = first
        self.last = last
        self.total = total
    }
}

extension ContentRange {
    /// Whether it ends where the representation does, as far as the server says.
    var reachesEnd: Bool { total.map { last == $0 - 1 } ?? true }
}

/// A whole number as HTTP writes it: `1*DIGIT`.
///
/// `Int64(_:)` accepts a sign too, which no number of HTTP has.
enum HTTPNumber {
    /// Whether a text is digits alone, at least one.
    static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Reads a number; `nil` if the text is anything but digits, or the number does not fit.
    static func parse(_ text: some StringProtocol) -> Int64? {
        isDigits(text) ? Int64(text) : nil
    }
}

extension HTTPFields {
    /// The length that `Content-Length` gives; `nil` without one, or if it is not a number.
    var announcedLength: Int64? { self[.contentLength].flatMap { HTTPNumber.parse($0) } }
}
