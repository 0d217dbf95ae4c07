import HTTPTypes

/// The range of a representation that a 206 response carries: `bytes 100-199/200`.
///
/// https://www.rfc-editor.org/rfc/rfc9110#section-14.4. Always consistent: `first` is at most `last`, and `last` is
/// less than `total`.
struct ContentRange: Sendable, Hashable {
    let first: Int64
    let last: Int64
    /// The length of the whole representation; `nil` if the server doesn't know it and sends `*`.
    let total: Int64?

    /// Parses the value of a `Content-Range` field.
    ///
    /// - Parameter field: The value. Returns `nil` for another unit, for an unsatisfied range, and for numbers that
    ///   contain anything but digits, overflow or contradict each other.
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
    /// Whether the range extends to the end of the representation; also `true` if the total is unknown.
    var reachesEnd: Bool { total.map { last == $0 - 1 } ?? true }
}

/// Parses whole numbers in HTTP's syntax, `1*DIGIT`.
///
/// `Int64(_:)` also accepts a sign, which HTTP doesn't.
enum HTTPNumber {
    /// Whether the text consists of one or more ASCII digits.
    static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    /// Parses a number; `nil` if the text contains anything but digits, or the number overflows.
    static func parse(_ text: some StringProtocol) -> Int64? {
        isDigits(text) ? Int64(text) : nil
    }
}

extension HTTPFields {
    /// The value of `Content-Length`; `nil` if it's missing or not a number.
    var announcedLength: Int64? { self[.contentLength].flatMap { HTTPNumber.parse($0) } }
}
