/// A value with its unit, such as 95 mg.
public struct Quantity: Hashable, Sendable, Codable {
    /// The number of units.
    public var value: Double
    /// The unit of the value.
    public var unit: SampleUnit

    /// Creates a quantity without checking it; ``SampleType/check(_:)`` checks whether a sample can have it.
    public init(_ value: Double, _ unit: SampleUnit) {
        self.value = value
        self.unit = unit
    }
}

/// An error about an unusable quantity.
public struct QuantityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, which is stable across versions.
        public let description: String

        /// The value isn't a finite number.
        public static let notFinite = Code(description: "notFinite")
        /// The unit has another dimension.
        public static let otherDimension = Code(description: "otherDimension")
        /// The value is negative or implausibly large.
        public static let outOfRange = Code(description: "outOfRange")
        /// The text isn't a number followed by a unit.
        public static let notAQuantity = Code(description: "notAQuantity")
    }

    /// The kind of failure.
    public var code: Code
    /// A message for the user: what is wrong, and what to do.
    public var message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The message.
    public var description: String { message }
}

extension Quantity {
    /// Converts the quantity to another unit.
    ///
    /// - Parameter unit: A unit of the same dimension.
    /// - Returns: The converted quantity; in the same unit, its value stays bitwise equal.
    /// - Throws: ``QuantityError``: `otherDimension`; `notFinite` if the value isn't finite before or after the conversion.
    public func converted(to unit: SampleUnit) throws(QuantityError) -> Quantity {
        guard unit.dimension == self.unit.dimension else {
            throw QuantityError(
                .otherDimension,
                "\(self) is a \(self.unit.dimension.rawValue), and \(unit) measures \(unit.dimension.rawValue). Choose "
                    + "another unit.")
        }
        let converted = unit == self.unit ? value : value * self.unit.factor / unit.factor
        guard value.isFinite, converted.isFinite else {
            throw QuantityError(.notFinite, "\(self) can't be converted to \(unit): it isn't a finite number.")
        }
        return Quantity(converted, unit)
    }

    /// The value in the dimension's base unit.
    var inBaseUnit: Double { value * unit.factor }
}

extension Quantity: LosslessStringConvertible {
    /// The value and the unit's symbol: `95.0 mg`.
    public var description: String { "\(value) \(unit.symbol)" }

    /// Parses a text that ``init(parsing:)`` accepts; `nil` for any other.
    public init?(_ description: String) {
        guard let quantity = try? Quantity(parsing: description) else { return nil }
        self = quantity
    }

    /// Parses a number and a unit, with or without white space between them.
    ///
    /// - Parameter text: A text such as `95 mg` or `1.5e-2g`.
    /// - Throws: ``QuantityError``: `notAQuantity`, `notFinite`.
    public init(parsing text: String) throws(QuantityError) {
        let text = Substring(text).trimmed
        // Tries longer symbols first, because `mg` also ends with `g`.
        for unit in SampleUnit.all.sorted(by: { $0.symbol.count > $1.symbol.count }) where text.hasSuffix(unit.symbol) {
            guard let value = Double(text.dropLast(unit.symbol.count).trimmed) else { continue }
            guard value.isFinite else {
                throw QuantityError(.notFinite, "“\(text.prefix(40))” isn't a finite number. Enter one such as 95.")
            }
            self.init(value, unit)
            return
        }
        throw QuantityError(
            .notAQuantity, "“\(text.prefix(40))” isn't a quantity. Enter a number and a unit, such as 95 mg.")
    }
}

extension Substring {
    /// The text without leading and trailing white space.
    fileprivate var trimmed: Substring {
        var text = self.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
