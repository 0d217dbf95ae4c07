/// A value with its unit: 95 mg.
public struct Quantity: Hashable, Sendable, Codable {
    /// How many of the unit.
    public var value: Double
    /// What it is counted in.
    public var unit: SampleUnit

    /// Creates a quantity; whether it makes sense, what takes it says.
    public init(_ value: Double, _ unit: SampleUnit) {
        self.value = value
        self.unit = unit
    }
}

/// Why a quantity cannot be used.
public struct QuantityError: Error, Hashable, Sendable {
    /// The kind of failure.
    public struct Code: Hashable, Sendable {
        private enum Kind: String, Hashable, Sendable {
            case notFinite, otherDimension, outOfRange, notAQuantity
        }

        private let kind: Kind

        /// It is no number, or an infinite one.
        public static let notFinite = Code(kind: .notFinite)
        /// The unit measures something else.
        public static let otherDimension = Code(kind: .otherDimension)
        /// It is negative where that has no meaning, or absurdly large.
        public static let outOfRange = Code(kind: .outOfRange)
        /// The text is no number with a unit.
        public static let notAQuantity = Code(kind: .notAQuantity)
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
}

extension QuantityError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}

extension QuantityError.Code: CustomStringConvertible {
    /// The code's name, stable across versions.
    public var description: String { kind.rawValue }
}

extension Quantity {
    /// The same in another unit.
    ///
    /// - Parameter unit: One of the same dimension.
    /// - Returns: The quantity; itself, to the last bit, in its own unit.
    /// - Throws: ``QuantityError``: `otherDimension`; `notFinite` if it is none that could be converted, or becomes one.
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

    /// Reads a number and a unit, with or without a space between.
    ///
    /// - Parameter description: `95 mg`; `nil` comes of anything else, a number alone for one.
    public init?(_ description: String) {
        guard let quantity = try? Quantity(parsing: description) else { return nil }
        self = quantity
    }

    /// Reads what a person has written: a number and a unit, with or without a space between.
    ///
    /// - Parameter text: `95 mg` or `1.5e-2g`.
    /// - Throws: ``QuantityError``: `notAQuantity`, `notFinite`.
    public init(parsing text: String) throws(QuantityError) {
        let text = Substring(text).trimmed
        // The longest symbol first: `g` ends `mg` too.
        for symbol in SampleUnit.all.map(\.symbol).sorted(by: { $0.count > $1.count }) where text.hasSuffix(symbol) {
            guard let unit = SampleUnit(symbol: symbol), let value = Double(text.dropLast(symbol.count).trimmed) else {
                continue
            }
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
    /// Without the spaces around it.
    fileprivate var trimmed: Substring {
        var text = self.drop { $0.isWhitespace }
        while text.last?.isWhitespace == true { text.removeLast() }
        return text
    }
}
