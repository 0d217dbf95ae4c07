#if canImport(ModelJSON)
    import ModelJSON
#endif

/// The reason why JSON isn't a valid drink, settings, or argument of a function.
package struct CaffeineFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The path of the invalid value, such as `[0].milligrams`; empty for the outermost value.
    package let place: String
    /// What is wrong, as a sentence for developers.
    package let words: String

    init(_ words: String, at place: String = "") {
        (self.place, self.words) = (place, words)
    }

    /// The same error, with a path that begins at an outer value.
    func within(_ outer: String) -> CaffeineFormatError {
        let isIndex = place.utf8.first == UInt8(ascii: "[")
        return CaffeineFormatError(words, at: place.isEmpty ? outer : outer + (isIndex ? "" : ".") + place)
    }

    /// The path and the reason.
    package var description: String { place.isEmpty ? words : "\(place): \(words)" }
}

// MARK: - Reading members

extension JSON {
    /// A member that isn't missing or null.
    private func present(_ name: StaticString) throws(CaffeineFormatError) -> JSON {
        guard case .object = self else { throw CaffeineFormatError("It is not an object.") }
        guard let value = self[name], !value.isNull else {
            throw CaffeineFormatError("It is missing.", at: name.description)
        }
        return value
    }

    func text(_ name: StaticString) throws(CaffeineFormatError) -> String {
        guard let text = try present(name).string else {
            throw CaffeineFormatError("It is not a text.", at: name.description)
        }
        return text
    }

    /// A number within a range; `nil` if it is missing or null.
    func optionalDouble(
        _ name: StaticString, in range: ClosedRange<Double>
    ) throws(CaffeineFormatError) -> Double? {
        guard let value = self[name], !value.isNull else { return nil }
        guard let number = value.number, range.contains(number) else {
            throw CaffeineFormatError(Self.expectation(of: range), at: name.description)
        }
        return number
    }

    /// A number within a range.
    func double(_ name: StaticString, in range: ClosedRange<Double>) throws(CaffeineFormatError) -> Double {
        guard let number = try optionalDouble(name, in: range) else {
            throw CaffeineFormatError("It is missing.", at: name.description)
        }
        return number
    }

    /// An integer within a range.
    func int(_ name: StaticString, in range: Range<Int>) throws(CaffeineFormatError) -> Int {
        guard let integer = try present(name).integer, range.contains(integer) else {
            throw CaffeineFormatError(
                "It is not an integer from \(range.lowerBound) to \(range.upperBound - 1).", at: name.description)
        }
        return integer
    }

    /// A boolean; `false` if it is missing.
    func flag(_ name: StaticString) -> Bool { self[name]?.bool ?? false }

    /// Reads each element of a list.
    func list<Value>(
        _ read: (JSON) throws(CaffeineFormatError) -> Value
    ) throws(CaffeineFormatError) -> [Value] {
        guard case .array(let elements) = self else { throw CaffeineFormatError("It is not a list.") }
        var values: [Value] = []
        for (index, element) in elements.enumerated() {
            do throws(CaffeineFormatError) {
                values.append(try read(element))
            } catch {
                throw error.within("[\(index)]")
            }
        }
        return values
    }

    static func expectation(of range: ClosedRange<Double>) -> String {
        // `Int` has 32 bits in a browser.
        func text(_ bound: Double) -> String { String(Int64(bound)) }
        return "It is not a number from \(text(range.lowerBound)) to \(text(range.upperBound))."
    }
}
