/// Times in equal steps.
package struct LevelTimes: Hashable, Sendable {
    /// The first time, in seconds since 1970.
    package let start: Double
    /// The seconds between two times.
    package let step: Double
    /// How many there are.
    package let count: Int

    package init(start: Double, step: Double, count: Int) {
        (self.start, self.step, self.count) = (start, step, count)
    }

    /// The time at an index, in seconds since 1970.
    package subscript(index: Int) -> Double { start + Double(index) * step }
}

extension CaffeineLevel {
    /// The remaining amount of a drink in the body at each time, in milligrams.
    package func curve(of intake: DrinkIntake, at times: LevelTimes) -> [Double] {
        var curve = [Double](repeating: 0, count: times.count)
        add(intake, at: times, to: &curve)
        return curve
    }

    /// The remaining amount of all drinks in the body at each time, in milligrams.
    package func sum(of intakes: [DrinkIntake], at times: LevelTimes) -> [Double] {
        intakes.reduce(into: [Double](repeating: 0, count: times.count)) { add($1, at: times, to: &$0) }
    }

    /// Adds a drink to a curve; once it is finished, each value follows from the previous one by three multiplications.
    private func add(_ intake: DrinkIntake, at times: LevelTimes, to curve: inout [Double]) {
        let hours = times.step / 3600
        let gutStaying = absorption.map { Elementary.exp(-$0 * hours) } ?? 0
        let bodyStaying = Elementary.exp(-elimination * hours)
        let passing = advance(Compartments(gut: 1), by: hours).body
        var state: Compartments?
        for index in 0..<times.count {
            if let before = state {
                state = Compartments(
                    gut: before.gut * gutStaying, body: before.body * bodyStaying + before.gut * passing)
            } else if times[index] >= intake.start {
                let now = compartments(of: intake, at: times[index])
                curve[index] += now.body
                if times[index] >= intake.end { state = now }
                continue
            }
            if let state { curve[index] += state.body }
        }
    }
}

/// Cups of coffee, as the sample application counts them.
public enum Cups {
    /// The caffeine of a cup, in milligrams: the sample application's small coffee.
    public static let milligrams = 96.0
}

extension Cups {
    /// Cups of 96 mg since the start of the owner's day, at a time in seconds since 1970.
    package static func today(_ intakes: [DrinkIntake], days: OwnerDays<some WallClock>, at time: Double) -> Double {
        let today = Today(days: days, at: time)
        return intakes.reduce(0) { today.contains($1.start) ? $0 + $1.milligrams : $0 } / milligrams
    }

    /// The cups at each time since the start of that time's day.
    ///
    /// - Parameters:
    ///   - intakes: Drinks in any order.
    ///   - beginnings: When the days begin, from the one that contains the first time to the one after the last time.
    ///   - times: The times.
    /// - Returns: The cups of 96 mg.
    package static func perDay(_ intakes: [DrinkIntake], beginnings: [Double], at times: LevelTimes) -> [Double] {
        var day = 0
        return (0..<times.count).map { index in
            let time = times[index]
            while day + 2 < beginnings.count, beginnings[day + 1] <= time { day += 1 }
            let drunk = intakes.reduce(0) { sum, intake in
                intake.start >= beginnings[day] && intake.start <= time ? sum + intake.milligrams : sum
            }
            return drunk / milligrams
        }
    }
}
