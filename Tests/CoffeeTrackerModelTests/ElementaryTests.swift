import CaffeineModel
import Foundation
import SeededChance
import Testing

/// Compares Elementary's functions, which pages and servers share, to those of the C library.
@Suite struct ElementaryTests {
    private var chance = SeededChance(seed: 24)

    /// How many numbers are between two results, plus one; 0 if they are equal.
    private func distance(_ first: Double, _ second: Double) -> UInt64 {
        func rank(_ value: Double) -> Int64 {
            let bits = Int64(bitPattern: value.bitPattern)
            return bits < 0 ? Int64.min &- bits : bits
        }
        return (rank(first) &- rank(second)).magnitude
    }

    /// The largest distance for random arguments, and the argument.
    private func largestDistance(
        in range: ClosedRange<Double>, _ function: (Double) -> Double, _ reference: (Double) -> Double
    ) -> (distance: UInt64, argument: Double) {
        var chance = chance
        var largest: (distance: UInt64, argument: Double) = (0, 0)
        for index in 0..<20_000 {
            var argument = Double.random(in: range, using: &chance)
            // Every fourth argument is near zero, where the functions switch to another formula.
            if index.isMultiple(of: 4) { argument *= exp2(Double.random(in: -60...0, using: &chance)) }
            let distance = distance(function(argument), reference(argument))
            if distance > largest.distance { largest = (distance, argument) }
        }
        return largest
    }

    @Test(arguments: [-745.2...709.8, -40.0...40, -1.0...1])
    func exponentialIsWithinOneUnitInTheLastPlace(range: ClosedRange<Double>) {
        let largest = largestDistance(in: range, { Elementary.exp($0) }, { exp($0) })
        #expect(largest.distance <= 1, "exp(\(largest.argument))")
    }

    @Test(arguments: [-745.2...709.8, -45.0...45, -1.0...1])
    func exponentialMinusOneIsWithinOneUnitInTheLastPlace(range: ClosedRange<Double>) {
        let largest = largestDistance(in: range, { Elementary.expm1($0) }, { expm1($0) })
        #expect(largest.distance <= 1, "expm1(\(largest.argument))")
    }

    @Test(arguments: [0...1e308, 0...1e6, 0.5...2, 0...1e-300])
    func logarithmIsWithinOneUnitInTheLastPlace(range: ClosedRange<Double>) {
        let largest = largestDistance(in: range, { Elementary.log($0) }, { log($0) })
        #expect(largest.distance <= 1, "log(\(largest.argument))")
    }

    @Test func extremeAndSpecialArgumentsHaveExactResults() {
        #expect(Elementary.exp(0) == 1)
        #expect(Elementary.exp(-.infinity) == 0)
        #expect(Elementary.exp(.infinity) == .infinity)
        #expect(Elementary.exp(.nan).isNaN)
        #expect(Elementary.exp(709.782712893384).isFinite)
        #expect(Elementary.exp(709.7827128933841) == .infinity)
        #expect(Elementary.exp(-745.1332191019411) == .leastNonzeroMagnitude)
        #expect(Elementary.exp(-745.1332191019412) == 0)
        #expect(Elementary.expm1(0) == 0)
        #expect(Elementary.expm1(-.infinity) == -1)
        #expect(Elementary.expm1(.infinity) == .infinity)
        #expect(Elementary.expm1(.nan).isNaN)
        #expect(Elementary.expm1(1e-300) == 1e-300)
        #expect(Elementary.log(1) == 0)
        #expect(Elementary.log(0) == -.infinity)
        #expect(Elementary.log(.infinity) == .infinity)
        #expect(Elementary.log(-1).isNaN)
        #expect(Elementary.log(.nan).isNaN)
        #expect(Elementary.ln2 == log(2))
    }

    @Test func nearestWholeNumberIsThatOfTheStandardLibrary() {
        var chance = chance
        let numbers = [0, 0.5, 1.5, 2.5, 0.49999999999999994, 4_503_599_627_370_495.5, 9e15, 1e300, .infinity]
        for number in numbers + (0..<10_000).map({ _ in Double.random(in: -1000...1000, using: &chance) }) {
            for value in [number, -number] { #expect(value.nearestWhole == value.rounded()) }
        }
        #expect(Double.nan.nearestWhole.isNaN)
    }
}
