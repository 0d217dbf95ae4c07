/// What a sample measures, such as dietary caffeine.
public struct SampleType: Hashable, Sendable {
    /// The stored name: HealthKit's identifier without its prefix.
    public let rawValue: String
    /// The dimension of its values.
    public let dimension: SampleUnit.Dimension

    /// The maximum length of a name, in bytes.
    static let maximumNameLength = 64

    private init(_ rawValue: String, _ dimension: SampleUnit.Dimension) {
        self.rawValue = rawValue
        self.dimension = dimension
    }

    /// A type with a name, predefined or not; `nil` if the name is invalid, or predefined with another dimension.
    ///
    /// - Parameters:
    ///   - rawValue: 1 to 64 bytes of letters, digits, dots, hyphens and underscores.
    ///   - dimension: The dimension of its values.
    public init?(rawValue: String, dimension: SampleUnit.Dimension) {
        let isName = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isName, (1...Self.maximumNameLength).contains(rawValue.utf8.count),
            Self.known[rawValue].map({ $0.type.dimension == dimension }) ?? true
        else { return nil }
        self.init(rawValue, dimension)
    }
}

extension SampleType {
    /// Consumed caffeine.
    public static let dietaryCaffeine = SampleType("dietaryCaffeine", .mass)
    /// Consumed water.
    public static let dietaryWater = SampleType("dietaryWater", .volume)
    /// Consumed energy.
    public static let dietaryEnergyConsumed = SampleType("dietaryEnergyConsumed", .energy)
    /// The number of steps.
    public static let stepCount = SampleType("stepCount", .count)
    /// The body's mass.
    public static let bodyMass = SampleType("bodyMass", .mass)
    /// The body's height.
    public static let height = SampleType("height", .length)
    /// The heart rate.
    public static let heartRate = SampleType("heartRate", .frequency)

    /// The plausible values of one sample, in base units; a value outside is a wrong unit or a typing error.
    private static let known: [String: (type: SampleType, plausible: ClosedRange<Double>)] = [
        // A lethal dose is about 10 g (EFSA Journal 2015;13(5):4102, section 3.3).
        "dietaryCaffeine": (dietaryCaffeine, 0...100),
        "dietaryWater": (dietaryWater, 0...100),
        "dietaryEnergyConsumed": (dietaryEnergyConsumed, 0...1e8),
        "stepCount": (stepCount, 0...1e7),
        "bodyMass": (bodyMass, 0...1e6),
        "height": (height, 0...10),
        "heartRate": (heartRate, 0...20),
    ]

    /// The plausible values of one sample, in the dimension's base unit.
    public var plausible: ClosedRange<Double> { Self.known[rawValue]?.plausible ?? 0...1e12 }
}

extension SampleType {
    /// Throws if a quantity can't be a value of this type.
    ///
    /// - Throws: ``QuantityError``: `notFinite`, `otherDimension`, `outOfRange`.
    public func check(_ quantity: Quantity) throws(QuantityError) {
        guard quantity.value.isFinite else {
            throw QuantityError(.notFinite, "\(quantity) isn't a valid value of \(rawValue): it isn't a finite number.")
        }
        guard quantity.unit.dimension == dimension else {
            throw QuantityError(
                .otherDimension,
                "\(quantity) isn't a valid value of \(rawValue), which is a \(dimension.rawValue). Choose another unit."
            )
        }
        guard plausible.contains(quantity.inBaseUnit) else {
            throw QuantityError(
                .outOfRange,
                quantity.value < 0
                    ? "\(quantity) isn't a valid value of \(rawValue): it is negative."
                    : "\(quantity) isn't a valid value of \(rawValue): it is too large. Check the unit.")
        }
    }
}

extension SampleType: CustomStringConvertible {
    /// The name.
    public var description: String { rawValue }
}
