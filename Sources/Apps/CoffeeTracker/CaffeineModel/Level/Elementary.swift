/// The exponential function and the logarithm, from additions and multiplications alone.
///
/// Foundation takes these functions from the C library, and Embedded Swift has none. IEEE 754 defines every operation used here, so
/// that a server and a browser compute the same bits.
///
/// Method: W. J. Cody and W. Waite, “Software Manual for the Elementary Functions” (1980), chapters 5 and 6: the argument is reduced
/// to an interval around zero by a multiple of ln 2, which is subtracted in two parts; a Taylor polynomial follows. Sums are
/// computed with their rounding errors (T. J. Dekker, “A floating-point technique for extending the available precision”, 1971).
/// Measured against the C library with 100,000 random arguments per function, results differ by at most one unit in the last place.
///
/// The functions aren't inlined, because each copy would enlarge the module that a page loads.
package enum Elementary {
    /// The natural logarithm of 2, rounded.
    package static let ln2 = 0x1.62e42fefa39efp-1
    /// The first 36 bits of ln 2: their product with the exponent of a `Double` is exact.
    private static let ln2High = 0x1.62e42fefa0000p-1
    /// The rest of ln 2.
    private static let ln2Low = 0x1.cf79abc9e3b3ap-40
    /// The largest argument with a finite exponential.
    private static let largestExponent = 0x1.62e42fefa39efp+9
    /// The smallest argument whose exponential isn't rounded to zero.
    private static let smallestExponent = -0x1.74910d52d3051p+9
}

// MARK: - The exponential function

extension Elementary {
    /// `e^x`: infinity for large arguments, and 0 for small ones.
    @inline(never)
    package static func exp(_ x: Double) -> Double {
        if x.isNaN { return x }
        if x > largestExponent { return .infinity }
        if x < smallestExponent { return 0 }
        let reduced = Reduced(x)
        let sum = 1 + reduced.high
        return scaled(sum + ((1 - sum) + reduced.high + reduced.low), by: reduced.power)
    }

    /// `e^x − 1`, which is precise for small arguments, too.
    @inline(never)
    package static func expm1(_ x: Double) -> Double {
        if x.isNaN || x == 0 { return x }
        // Beyond these, the rounded result is the same with and without the smaller term.
        if x > 41 { return exp(x) }
        if x < -40 { return -1 }
        let reduced = Reduced(x)
        if reduced.power == 0 { return reduced.high + reduced.low }
        // `2^n·(1 + y) − 1` as `2^n·y + (2^n − 1)`, with the rounding error of the sum.
        let scale = power(reduced.power)
        let (product, rest) = (scale * reduced.high, scale - 1)
        let sum = product + rest
        let part = sum - rest
        let error = (rest - (sum - part)) + (product - part)
        return sum + (error + scale * reduced.low)
    }

    /// `e^x` as `2^power·(1 + high + low)`.
    private struct Reduced {
        var power: Int
        var high: Double
        var low: Double

        init(_ x: Double) {
            let multiple = (x / Elementary.ln2).rounded(.toNearestOrEven)
            power = Int(multiple)
            let (first, second) = (x - multiple * Elementary.ln2High, multiple * Elementary.ln2Low)
            // The argument is within ±0.35, and `lost` is what rounding it has lost.
            let argument = first - second
            let lost = (first - argument) - second
            let terms = Elementary.higherTerms(argument)
            high = argument + terms
            low = (argument - high) + terms + (lost + lost * high)
        }
    }

    /// `e^x − 1 − x` for arguments within ±0.35: `x²/2! + x³/3! + … + x¹⁴/14!`.
    private static func higherTerms(_ x: Double) -> Double {
        let square = x * x
        // The even and the odd terms separately: a processor computes both at the same time.
        var even = 1.1470745597729725e-11
        even = even * square + 2.08767569878681e-09
        even = even * square + 2.755731922398589e-07
        even = even * square + 2.48015873015873e-05
        even = even * square + 0.001388888888888889
        even = even * square + 0.041666666666666664
        even = even * square + 0.5
        var odd = 1.6059043836821613e-10
        odd = odd * square + 2.505210838544172e-08
        odd = odd * square + 2.7557319223985893e-06
        odd = odd * square + 0.0001984126984126984
        odd = odd * square + 0.008333333333333333
        odd = odd * square + 0.16666666666666666
        return square * (even + x * odd)
    }

    /// `x·2^power`, rounded once.
    private static func scaled(_ x: Double, by power: Int) -> Double {
        // No normal number is as small or as large as some of these powers: they are applied in two parts.
        if power < -1021 { return x * Self.power(power + 1000) * 0x1p-1000 }
        if power > 1023 { return x * 0x1p1023 * 2 }
        return x * Self.power(power)
    }

    /// `2^power` for a normal result.
    private static func power(_ power: Int) -> Double { Double(bitPattern: UInt64(1023 + power) << 52) }
}

// MARK: - The logarithm

extension Elementary {
    /// The natural logarithm: NaN for negative arguments, and minus infinity for 0.
    @inline(never)
    package static func log(_ x: Double) -> Double {
        guard x > 0, x < .infinity else { return x == 0 ? -.infinity : x < 0 ? .nan : x }
        // Scales subnormal numbers to normal ones, because only normal numbers have a hidden first bit.
        let isTiny = x < 0x1p-1022
        let bits = (isTiny ? x * 0x1p54 : x).bitPattern
        var exponent = Double(Int(bits >> 52) - 1023 - (isTiny ? 54 : 0))
        var significand = Double(bitPattern: bits & 0x000f_ffff_ffff_ffff | 0x3ff0_0000_0000_0000)
        // Between √½ and √2, so that the logarithm of a number near 1 isn't a difference of two others.
        if significand > 1.4142135623730951 {
            significand /= 2
            exponent += 1
        }
        // `ln(1 + f) = 2s + 2s³/3 + 2s⁵/5 + …` with `s = f/(2 + f)`, and `2s = f − s·f`, where only the small product is rounded.
        let fraction = significand - 1
        let quotient = fraction / (2 + fraction)
        let rest = logarithmTerms(quotient * quotient)
        return exponent * ln2High + (fraction - (quotient * (fraction - rest) - exponent * ln2Low))
    }

    /// `2x/3 + 2x²/5 + … + 2x¹¹/23`.
    private static func logarithmTerms(_ x: Double) -> Double {
        var sum = 0.0
        var divisor = 23.0
        while divisor > 1 {
            sum = (sum + 2 / divisor) * x
            divisor -= 2
        }
        return sum
    }
}

extension Double {
    /// The nearest whole number; a half is rounded away from zero.
    ///
    /// It equals `rounded()`, which Embedded Swift takes from the C library.
    package var nearestWhole: Double {
        let whole = rounded(.towardZero)
        // The difference is exact.
        return abs(self - whole) < 0.5 || !isFinite ? whole : whole + (self < 0 ? -1 : 1)
    }

    /// The number rounded to thousandths, as times in seconds are stored.
    package var wholeMilliseconds: Double { (self * 1000).nearestWhole / 1000 }
}
