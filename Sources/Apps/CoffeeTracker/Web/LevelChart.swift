import CoffeeTrackerModel
import Foundation

/// The chart of a level over time, as plain values: what it shows is decided elsewhere, how it looks in the stylesheet.
///
/// All that is placed across is placed in percent, and all that is placed upright in pixels: so the curve stretches with
/// the window, and words and dots do not.
struct LevelChart: Sendable, Equatable {
    /// The level at one moment, in milligrams.
    struct Point: Sendable, Equatable {
        var milligrams: Double
        /// The least that it may be.
        var low: Double
        /// The most that it may be.
        var high: Double
    }

    /// One drink, and what it has of each point.
    struct Mark: Sendable, Equatable {
        var id: String
        var emoji: String
        var name: String
        var start: Date
        /// What is said of it on hover and to who listens: name, time, amount, and what is left.
        var text: String
        /// Its milligrams at each point.
        var shares: [Double]
    }

    /// When the first point is.
    var start: Date
    /// From each point to the next, in seconds.
    var step: TimeInterval
    /// At least two.
    var points: [Point]
    var marks: [Mark]
    var now: Date
    /// The bedtimes in its days.
    var bedtimes: [Date]
    /// Below this, in milligrams, sleep comes.
    var threshold: Double
    /// The levels at which the colour changes.
    var stops: [LevelScale.Stop] = []
    /// Where the clock on the wall is.
    var zone: TimeZone
}

// MARK: - Where things are

extension LevelChart {
    /// From the upper edge to where the curve may reach, in pixels: words stand there.
    static let top = 44.0
    /// How tall the curve's place is.
    static let plotHeight = 190.0
    /// The whole, with the hours below.
    static let height = 268.0

    private var end: Date { start + step * Double(max(points.count - 1, 1)) }

    /// What the upper edge of the curve's place stands for: a round number that all of it is below.
    var ceiling: Double {
        let highest = max(points.map(\.high).max() ?? 0, threshold * 1.5, 60)
        let rounding: Double =
            switch highest {
            case ..<150: 25
            case ..<600: 50
            case ..<2_000: 200
            default: 1_000
            }
        return (highest / rounding).rounded(.up) * rounding
    }

    /// Where a moment is, in percent; `nil` beyond the edges.
    func percent(_ date: Date) -> Double? {
        let share = date.timeIntervalSince(start) / end.timeIntervalSince(start)
        return (0...1).contains(share) ? share * 100 : nil
    }

    /// How far below the upper edge a level is, in pixels.
    func pixels(_ milligrams: Double) -> Double {
        Self.top + (1 - milligrams / ceiling) * Self.plotHeight
    }

    /// The levels that have a line: three or four, round.
    var gridLevels: [Double] {
        let parts = ceiling.truncatingRemainder(dividingBy: 4) == 0 && ceiling >= 200 ? 4 : ceiling >= 150 ? 3 : 2
        let step = (ceiling / Double(parts) / 5).rounded() * 5
        return (1...parts).map { Double($0) * step }.filter { $0 <= ceiling }
    }

    /// The hours that are written below: each that three divide, by the clock on the wall.
    var hours: [(date: Date, hour: Int)] {
        let (first, last) = (LocalTime(start, in: zone).day, LocalTime(end, in: zone).day)
        return (first.number...last.number).flatMap { number in
            stride(from: 0, to: 24, by: 3).compactMap { hour -> (date: Date, hour: Int)? in
                let time = LocalTime(day: LocalDay(number: number), minutes: hour * 60)
                // An hour that the clock skips is not written; of one that comes twice, the first is.
                if case .skipped = time.resolved(in: zone) { return nil }
                let date = time.resolved(in: zone).date
                return percent(date) == nil ? nil : (date, hour)
            }
        }
    }

    /// How many rows above the curve's foot each mark is lifted, so that those close together do not cover each other.
    var lifts: [Int] {
        let room: TimeInterval = 75 * 60
        var newest: [Date] = []
        return marks.map { mark in
            let row = newest.firstIndex { mark.start.timeIntervalSince($0) >= room } ?? newest.count
            if row < newest.count { newest[row] = mark.start } else { newest.append(mark.start) }
            return min(row, 4)
        }
    }
}

// MARK: - Paths

extension LevelChart {
    /// The curve's place in its own measure: a point is 1 wide, and all is 1,000 high.
    var viewBox: String { "0 0 \(points.count - 1) 1000" }

    /// The line through all points.
    var line: String { path(points.map(\.milligrams)) }

    /// What lies below the line, for so many points from the first.
    func area(_ values: some Sequence<Double>) -> String {
        let values = Array(values)
        guard values.count > 1 else { return "" }
        return path(values) + "V1000H0Z"
    }

    /// What lies between the least and the most that it may be.
    var band: String {
        let back = points.indices.reversed().map { "L\($0) \(height(points[$0].low))" }.joined()
        return path(points.map(\.high)) + back + "Z"
    }

    /// A drink's share as an area, from where it begins to count.
    func share(of mark: Mark) -> String {
        guard let first = mark.shares.firstIndex(where: { $0 > 0 }) else { return "" }
        let from = max(first - 1, 0)
        let last = mark.shares.lastIndex { $0 > 0.05 } ?? first
        guard last > from else { return "" }
        let line = (from...last).map { "\($0 == from ? "M" : "L")\($0) \(height(mark.shares[$0]))" }.joined()
        return line + "V1000H\(from)Z"
    }

    private func path(_ values: [Double]) -> String {
        values.indices.map { "\($0 == 0 ? "M" : "L")\($0) \(height(values[$0]))" }.joined()
    }

    private func height(_ milligrams: Double) -> Int {
        let height = ((1 - milligrams / ceiling) * 1_000).rounded()
        // No more than a screen has, whatever the level is.
        return height.isNaN ? 1_000 : Int(max(-100_000, min(100_000, height)))
    }
}

// MARK: - For the script

extension LevelChart {
    /// Every point as `mg low high`, with semicolons between: what the page reads to whoever follows the curve.
    var pointList: String {
        points.map { Self.list([$0.milligrams, $0.low, $0.high]) }.joined(separator: ";")
    }

    /// Whole numbers of milligrams, with blanks between.
    static func list(_ amounts: [Double]) -> String {
        amounts.map(short).joined(separator: " ")
    }

    /// A whole number of milligrams.
    static func short(_ milligrams: Double) -> String {
        CoffeeWords.trimmed(milligrams.rounded())
    }
}
