import ArgumentParser

/// The environment, in which each option can be given as a variable: `MEANWHILE_MAX_PAGES` for `--max-pages`.
extension [String: String] {
    /// Parses the value of an option or, if it isn't given, of its variable; `nil` if neither is given.
    ///
    /// - Parameters:
    ///   - option: The option's name, such as `--port`.
    ///   - given: The option's value.
    ///   - form: The values that the option accepts, for the error's message.
    ///   - parse: Parses a text; returns `nil` if the option doesn't accept it.
    /// - Returns: The value.
    /// - Throws: `ValidationError` if the option doesn't accept the text.
    func value<Parsed>(
        of option: String, _ given: (some Any)?, takes form: String, parse: (String) -> Parsed?
    ) throws -> Parsed? {
        let variable = "MEANWHILE_" + option.dropFirst(2).uppercased().replacing("-", with: "_")
        guard let text = given.map({ "\($0)" }) ?? self[variable], given != nil || !text.isEmpty else { return nil }
        if let value = parse(text) { return value }
        throw ValidationError(
            CommandWords.wrongValue(of: given == nil ? variable : option, takes: form, given: text))
    }

    /// Parses the number of an option or of its variable; `nil` if neither is given.
    func number<Number: Comparable & LosslessStringConvertible>(
        of option: String, _ given: Number?, in range: ClosedRange<Number>
    ) throws -> Number? {
        let form = CommandWords.number(from: "\(range.lowerBound)", to: "\(range.upperBound)")
        return try value(of: option, given, takes: form) { text in
            Number(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }
}
