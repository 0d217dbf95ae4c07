/// A pharmacokinetic model of caffeine: an estimate, not medical advice.
///
/// One compartment with first-order absorption and elimination (Bonati et al. 1982, “Caffeine disposition after oral doses”); a
/// sipped drink enters the gut at a constant rate.
public struct CaffeineLevel: Hashable, Sendable {
    /// The mean half-life of caffeine in adults, in hours, as in the sample application (Institute of Medicine 2001, “Caffeine
    /// for the Sustainment of Mental Task Performance”: about 5 h, ranging from 1.5 to 9.5).
    public static let usualHalfLife = 5.0
    /// The absorption rate, per hour (population model of PMC8489039); the level peaks after 45 minutes.
    public static let usualAbsorption = 4.94

    /// The elimination half-life, in hours.
    public var halfLife: Double
    /// The rate of absorption from the gut into the body, per hour; `nil` for immediate absorption, as in the sample application.
    public var absorption: Double?

    /// Creates a model from a half-life and an absorption rate, which must both be positive.
    public init(halfLife: Double = usualHalfLife, absorption: Double? = usualAbsorption) {
        self.halfLife = halfLife
        self.absorption = absorption
    }

    /// The elimination rate, per hour.
    package var elimination: Double { Elementary.ln2 / halfLife }
}

extension CaffeineLevel {
    /// The caffeine in the body, in milligrams, from all drinks that have been started; the time is in seconds since 1970.
    package func milligrams(at time: Double, of intakes: some Sequence<DrinkIntake>) -> Double {
        intakes.reduce(0) { sum, intake in sum + milligrams(at: time, of: intake) }
    }

    /// The remaining caffeine of a drink in the body, in milligrams; the time is in seconds since 1970.
    package func milligrams(at time: Double, of intake: DrinkIntake) -> Double {
        compartments(of: intake, at: time).body
    }

    /// The time, in hours, after which at most a ten-thousandth of a drink remains; older drinks need not be read.
    public var hoursUntilNegligible: Double {
        // The binary and the natural logarithm of 10,000.
        halfLife * 13.287712379549449 + (absorption.map { 9.210340371976184 / $0 } ?? 0)
    }
}

/// The distribution of caffeine between gut and body, in milligrams.
package struct Compartments: Hashable, Sendable {
    /// Drunk but not yet absorbed.
    package var gut = 0.0
    /// Absorbed but not yet eliminated.
    package var body = 0.0
}

extension CaffeineLevel {
    /// The distribution of a drink's caffeine at a time, in seconds since 1970.
    @inline(never)
    func compartments(of drink: DrinkIntake, at time: Double) -> Compartments {
        let hours = (time - drink.start) / 3600
        guard hours >= 0 else { return Compartments() }
        let sipping = drink.sipping / 3600
        guard sipping > 0 else { return advance(arrival(of: drink.milligrams), by: hours) }
        let sipped = min(hours, sipping)
        let afterSipping = advance(Compartments(), by: sipped, drinking: drink.milligrams / sipping)
        return hours > sipped ? advance(afterSipping, by: hours - sipped) : afterSipping
    }

    /// The distribution of a dose just after it was drunk at once.
    func arrival(of milligrams: Double) -> Compartments {
        absorption == nil ? Compartments(body: milligrams) : Compartments(gut: milligrams)
    }

    /// The distribution some hours later, with a constant intake in milligrams per hour meanwhile.
    @inline(never)
    func advance(_ state: Compartments, by hours: Double, drinking rate: Double = 0) -> Compartments {
        guard hours > 0 else { return state }
        let left = Elementary.exp(-elimination * hours)
        guard let absorption else {
            return Compartments(body: state.body * left + rate * Self.exponentialIntegral(elimination, hours))
        }
        return Compartments(
            gut: state.gut * Elementary.exp(-absorption * hours) + rate * Self.exponentialIntegral(absorption, hours),
            body: state.body * left + state.gut * bodyShare(absorption, after: hours)
                + (rate == 0 ? 0 : rate * bodyShareIntegral(absorption, after: hours)))
    }
}

extension CaffeineLevel {
    /// `∫ e^(−k·s) ds` from 0 to the time, with `k` the rate per hour.
    private static func exponentialIntegral(_ rate: Double, _ hours: Double) -> Double {
        -Elementary.expm1(-rate * hours) / rate
    }

    /// The amount in the body per milligram that was in the gut: `ka/(ka−ke)·(e^(−ke·t) − e^(−ka·t))`.
    ///
    /// Rearranged to avoid dividing zero by zero when the rates are equal: `ka·t·e^(−k·t)·(1−e^(−x))/x`, with `k` the lower rate
    /// and `x` their difference times `t`.
    private func bodyShare(_ absorption: Double, after hours: Double) -> Double {
        let difference = abs(absorption - elimination) * hours
        let shape = difference == 0 ? 1 : -Elementary.expm1(-difference) / difference
        return absorption * hours * Elementary.exp(-min(absorption, elimination) * hours) * shape
    }

    /// The integral of ``bodyShare(_:after:)``: `ka/(ka−ke)·[(1−e^(−ke·t))/ke − (1−e^(−ka·t))/ka]`.
    private func bodyShareIntegral(_ absorption: Double, after hours: Double) -> Double {
        let difference = absorption - elimination
        // With nearly equal rates, the quotient of the differences would lose precision. The formula below takes the
        // mean of such rates: its relative error is about x²/24, where x is the rates' difference times the hours.
        guard abs(difference) * hours < 1e-4 else {
            let terms = Self.exponentialIntegral(elimination, hours) - Self.exponentialIntegral(absorption, hours)
            return absorption / difference * terms
        }
        let rate = (absorption + elimination) / 2
        // `∫ s·e^(−k·s) ds` from 0 to the time, as a power series where the closed form would lose too much precision.
        let reach = rate * hours
        let moment =
            reach < 1e-3
            ? hours * hours * (0.5 - reach / 3 + reach * reach / 8)
            : (1 - Elementary.exp(-reach) * (1 + reach)) / (rate * rate)
        return absorption * moment
    }
}
