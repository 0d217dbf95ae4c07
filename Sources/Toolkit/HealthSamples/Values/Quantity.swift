/// A value with its unit, such as 95 mg.
public struct Quantity: Hashable, Sendable, Codable {
    /// How many of the unit.
    public var value: Double
    /// What it is counted in.
    public var unit: SampleUnit

    /// Creates a quantity, unchecked: ``SampleType/check(_:)`` says whether a sample can have it.
    public init(_ value: Double, _ unit: SampleUnit) {
        self.value = value
        self.unit = unit
    }
}

/// Why a quantity cannot be used.
public struct QuantityError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let description: String

        /// The value is no finite number.
        public static let notFinite = Code(description: "notFinite")
        /// The unit measures something else.
        public static let otherDimension = Code(description: "otherDimension")
        /// The value is negative where that has no meaning, or absurdly large.
        public static let outOfRange = Code(description: "outOfRange")
        /// The text is no number with a unit.
        public static let notAQuantity = Code(description: "notAQuantity")
    }

    /// The kind of failure.
    public var code: Code
    /// What is wrong with what, and what to do now.
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
    /// - Returns: The quantity; unchanged, to the last bit, in its own unit.
    /// - Throws: ``QuantityError``: `otherDimension`; `notFinite` for a value before or after the conversion.
    public func converted(to unit: SampleUnit) throws(QuantityError) -> Quantity {
        guard unit.dimension == self.unit.dimension else {
            throw QuantityError(
                .otherDimension,
                "\(self) is a \(self.unit.dimension.rawValue), and \(unit) measures \(unit.dimension.rawValue). Choose "
                    + "another unit.")
        }
        let converted = unit == self.unit ? value : value * self.unit.factor / unit.factor
        guard value.isFinite, converted.isFinite else {
            throw QuantityError(.notFinite, "\(self) cannot be converted to \(unit): it is no finite number.")
        }
        return Quantity(converted, unit)
    }

    /// The value in the dimension's base unit.
    var inBaseUnit: Double { value * unit.factor }
}

extension Quantity: LosslessStringConvertible {
    /// The value and the unit's symbol: `95.0 mg`.
    public var description: String { "\(value) \(unit.symbol)" }

    /// Reads a text that ``init(parsing:)`` accepts.
    public init?(_ description: String) {
        guard let quantity = try? Quantity(parsing: description) else { return nil }
        self = quantity
    }

    /// Reads a number and a unit, with or without a space between.
    ///
    /// - Parameter text: `95 mg` or `1.5e-2g`.
    /// - Throws: ``QuantityError``: `notAQuantity`, `notFinite`.
    public init(parsing text: String) throws(QuantityError) {
        let text = Substring(text).trimmed
        // The longest symbol first: `g` ends `mg` too.
        for unit in SampleUnit.all.sorted(by: { $0.symbol.count > $1.symbol.count }) where text.hasSuffix(unit.symbol) {
            guard let value = Double(text.dropLast(unit.symbol.count).trimmed) else { continue }
            guard value.isFinite else {
                throw QuantityError(.notFinite, "“\(text.prefix(40))” is no finite number.")
            }
            self.init(value, unit)
            return
        }
        throw QuantityError(
            .notAQuantity, "“\(text.prefix(40))” is no quantity. Write a number and its unit, such as 95 mg.")
    }
}

extension Substring {
    /// The text without the spaces around it.
    fileprivate var trimmed: Substring {
        var text = self.drop(while: \.isWhitespace)
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
