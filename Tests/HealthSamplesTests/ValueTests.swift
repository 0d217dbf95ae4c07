import Foundation
import SeededChance
import Testing

@testable import HealthSamples

@Suite struct ValueTests {
    @Test(arguments: [
        (Quantity(1, .ounce), SampleUnit.gram, 28.349_523_125), (Quantity(16, .ounce), .pound, 1),
        (Quantity(1, .fluidOunceUS), .millilitre, 29.573_529_562_5),
        (Quantity(1, .fluidOunceImperial), .millilitre, 28.413_062_5), (Quantity(95, .milligram), .gram, 0.095),
        (Quantity(0.095, .gram), .milligram, 95), (Quantity(2, .gram), .microgram, 2_000_000),
        (Quantity(70, .kilogram), .gram, 70_000), (Quantity(1, .kilocalorie), .kilojoule, 4.184),
        (Quantity(60, .perMinute), .perSecond, 1), (Quantity(90, .minute), .hour, 1.5),
        (Quantity(5, .count), .count, 5), (Quantity(175, .centimetre), .metre, 1.75),
    ])
    func unitsConvert(quantity: Quantity, unit: SampleUnit, expected: Double) throws {
        let value = try quantity.converted(to: unit).value
        #expect(abs(value - expected) <= expected * 1e-14)
    }

    @Test func failedConversionReportsItsReason() {
        func code(_ quantity: Quantity, _ unit: SampleUnit) -> QuantityError.Code? {
            do throws(QuantityError) {
                _ = try quantity.converted(to: unit)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(Quantity(1, .gram), .litre) == .otherDimension)
        #expect(code(Quantity(.nan, .gram), .milligram) == .notFinite)
        #expect(code(Quantity(-.infinity, .gram), .gram) == .notFinite)
        #expect(code(Quantity(1e308, .kilogram), .microgram) == .notFinite)
        #expect(code(Quantity(0.1 + 0.2, .milligram), .milligram) == nil)
        #expect(SampleUnit(symbol: "") == nil && SampleUnit(symbol: "mgs") == nil)
        #expect(SampleUnit(symbol: "mcg") == .microgram && SampleUnit(symbol: "\u{b5}g") == .microgram)
    }

    @Test func everyUnitIsParsedAsItIsWritten() throws {
        for unit in SampleUnit.all {
            #expect(SampleUnit(symbol: unit.symbol) == unit)
            #expect(Quantity(Quantity(0.1, unit).description) == Quantity(0.1, unit))
            let data = try JSONEncoder().encode(Quantity(1.5, unit))
            #expect(try JSONDecoder().decode(Quantity.self, from: data) == Quantity(1.5, unit))
        }
        #expect(Quantity(" 95mg ") == Quantity(95, .milligram))
        #expect(Quantity("1.5e-2 g") == Quantity(0.015, .gram))
        for text in ["", "95", "mg", "95 m g", "x mg", "nan mg", "inf g", "9,5 mg", "95 mg mg"] {
            #expect(Quantity(text) == nil, "\(text)")
        }
    }

    @Test func typeRefusesOtherDimensionsInvalidNamesAndImplausibleValues() throws {
        #expect(SampleType(rawValue: "dietaryCaffeine", dimension: .mass) == .dietaryCaffeine)
        #expect(SampleType(rawValue: "dietaryCaffeine", dimension: .volume) == nil)
        for name in ["", "a b", "ä", String(repeating: "a", count: 65)] {
            #expect(SampleType(rawValue: name, dimension: .count) == nil)
        }
        let type = try #require(SampleType(rawValue: "x.y-1_", dimension: .count))
        #expect(throws: QuantityError.self) { try type.check(Quantity(-1, .count)) }
        #expect(throws: QuantityError.self) { try type.check(Quantity(1e13, .count)) }
    }

    @Test func metadataIsDecodedExactlyAndDamagedBytesAreHandled() throws {
        let metadata: [String: MetadataValue] = [
            "a": .text("\0 ä ☕️"), "b": .number(-0.0), "c": .flag(false), "d": .date(.noon),
            "e": .quantity(Quantity(1, .fluidOunceUS)), "": .text(""),
        ]
        let bytes = try #require(MetadataCoding.encode(metadata))
        #expect(MetadataCoding.decode(bytes) == metadata)
        #expect(MetadataCoding.encode([:]) == nil)
        for count in 0..<bytes.count where count != 1 {
            // A prefix decodes to a subset of the values or to `nil`, and decoding it never crashes.
            let part = MetadataCoding.decode(bytes.prefix(count))
            #expect(part?.allSatisfy { metadata[$0.key] == $0.value } ?? true)
        }
        var random = SeededChance(seed: 1)
        for _ in 0..<5_000 {
            var bytes = bytes
            for _ in 0..<3 {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            _ = MetadataCoding.decode(bytes)
        }
    }
}
