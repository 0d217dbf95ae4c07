public import Foundation

/// How caffeine enters and leaves the body: an estimate, and no medical advice.
///
/// One compartment, with absorption and elimination of the first order (Bonati et al. 1982, “Caffeine disposition after oral
/// doses”); a drink that is sipped enters the gut evenly.
public struct CaffeineLevel: Hashable, Sendable {
    /// The mean half-life of caffeine in adults, in hours (Institute of Medicine 2001, “Caffeine for the Sustainment of
    /// Mental Task Performance”: about 5 h, from 1.5 to 9.5); the sample application's too.
    public static let usualHalfLife = 5.0
    /// The absorption rate, for each hour (population model of PMC8489039); its highest level comes after 45 minutes.
    public static let usualAbsorption = 4.94

    /// The time after which half of it is gone, in hours.
    public var halfLife: Double
    /// The rate at which it goes from the gut into the body, per hour; `nil` for at once, as in the sample application.
    public var absorption: Double?

    /// Creates a model from a half-life and an absorption rate, both more than zero.
    public init(halfLife: Double = usualHalfLife, absorption: Double? = usualAbsorption) {
        self.halfLife = halfLife
        self.absorption = absorption
    }

    /// The elimination rate, per hour.
    var elimination: Double { log(2) / halfLife }
}

extension CaffeineLevel {
    /// The caffeine in the body, in milligrams, from all drinks that have begun.
    public func milligrams(at date: Date, of drinks: some Sequence<Drink>) -> Double {
        drinks.reduce(0) { sum, drink in sum + milligrams(at: date, of: drink) }
    }

    /// The caffeine in the body that is left of a drink, in milligrams.
    public func milligrams(at date: Date, of drink: Drink) -> Double {
        compartments(of: drink, at: date).body
    }

    /// How long, in hours, until at most a ten thousandth of a drink is left: older ones need not be read.
    public var memory: Double { halfLife * log2(10_000) + (absorption.map { log(10_000) / $0 } ?? 0) }
}

/// Where caffeine is, in milligrams.
struct Compartments: Hashable {
    /// Drunk, and not absorbed yet.
    var gut = 0.0
    /// Absorbed, and not eliminated yet.
    var body = 0.0
}

extension CaffeineLevel {
    /// Where the caffeine of a drink is.
    func compartments(of drink: Drink, at date: Date) -> Compartments {
        let hours = date.timeIntervalSince(drink.start) / 3600
        guard hours >= 0 else { return Compartments() }
        let sipping = drink.sipping / 3600
        guard sipping > 0 else { return advance(arrival(of: drink.milligrams), by: hours) }
        let sipped = min(hours, sipping)
        let atItsEnd = advance(Compartments(), by: sipped, drinking: drink.milligrams / sipping)
        return hours > sipped ? advance(atItsEnd, by: hours - sipped) : atItsEnd
    }

    /// Where a dose is that was drunk at once, just now.
    func arrival(of milligrams: Double) -> Compartments {
        absorption == nil ? Compartments(body: milligrams) : Compartments(gut: milligrams)
    }

    /// Where caffeine is some hours later, if meanwhile a rate of milligrams per hour is drunk evenly.
    func advance(_ state: Compartments, by hours: Double, drinking rate: Double = 0) -> Compartments {
        guard hours > 0 else { return state }
        let left = exp(-elimination * hours)
        guard let absorption else {
            return Compartments(body: state.body * left + rate * Self.decayed(elimination, hours))
        }
        return Compartments(
            gut: state.gut * exp(-absorption * hours) + rate * Self.decayed(absorption, hours),
            body: state.body * left + state.gut * absorbed(absorption, after: hours)
                + (rate == 0 ? 0 : rate * absorbedSoFar(absorption, after: hours)))
    }
}

extension CaffeineLevel {
    /// `∫ e^(−k·s) ds` from 0 to the time.
    private static func decayed(_ rate: Double, _ hours: Double) -> Double {
        -expm1(-rate * hours) / rate
    }

    /// What is in the body of one milligram that was in the gut: `ka/(ka−ke)·(e^(−ke·t) − e^(−ka·t))`.
    ///
    /// Written so that nothing is divided by nothing when the rates are the same: `ka·t·e^(−k·t)·(1−e^(−x))/x`, with `k` the
    /// lower rate and `x` their difference times `t`.
    private func absorbed(_ absorption: Double, after hours: Double) -> Double {
        let difference = abs(absorption - elimination) * hours
        let shape = difference == 0 ? 1 : -expm1(-difference) / difference
        return absorption * hours * exp(-min(absorption, elimination) * hours) * shape
    }

    /// The integral of ``absorbed(_:after:)``: `ka/(ka−ke)·[(1−e^(−ke·t))/ke − (1−e^(−ka·t))/ka]`.
    private func absorbedSoFar(_ absorption: Double, after hours: Double) -> Double {
        let difference = absorption - elimination
        // Below that, the midpoint's slope is nearer (a relative error of x²/24) than a difference of two near numbers.
        guard abs(difference) * hours < 1e-4 else {
            let terms = Self.decayed(elimination, hours) - Self.decayed(absorption, hours)
            return absorption / difference * terms
        }
        let rate = (absorption + elimination) / 2
        // `∫ s·e^(−k·s) ds`; its series where the difference would lose too much.
        let reach = rate * hours
        let moment =
            reach < 1e-3
            ? hours * hours * (0.5 - reach / 3 + reach * reach / 8)
            : (1 - exp(-reach) * (1 + reach)) / (rate * rate)
        return absorption * moment
    }
}
