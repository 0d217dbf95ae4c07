// How a day is written; its calendar is in CaffeineModel.

extension LocalDay: LosslessStringConvertible, RawRepresentable, Codable {
    /// The date, such as `2026-03-14`; this is also the encoded form.
    public var rawValue: String { description }

    /// Parses a date such as `2026-03-14`.
    public init?(rawValue: String) { self.init(rawValue) }

    /// Parses a date such as `2026-03-14`.
    public init?(_ description: String) {
        let parts = description.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.map(\.count) == [4, 2, 2],
            // `Int` would also accept a sign.
            parts.allSatisfy({ $0.allSatisfy { ("0"..."9").contains($0) } }),
            let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2])
        else { return nil }
        self.init(year: year, month: month, day: day)
    }

    /// The date, such as `2026-03-14`.
    public var description: String {
        let date = date
        func padded(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))"
    }
}
