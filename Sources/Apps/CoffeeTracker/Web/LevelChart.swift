import CoffeeTrackerModel
import Foundation

/// The chart of a level over time, as plain values.
///
/// Positions are percent horizontally and pixels vertically, so that the curve stretches with the window, and text and dots
/// don't.
struct LevelChart: Sendable, Equatable {
    /// The level at one moment, in milligrams.
    struct Point: Sendable, Equatable {
        var milligrams: Double
        /// The lower and upper bound of the likely range.
        var low: Double
        var high: Double
    }

    /// One drink.
    struct Mark: Sendable, Equatable {
        var id: String
        var emoji: String
        var name: String
        var start: Date
        /// The text for tooltips and screen readers: time, amount and remaining amount.
        var text: String
        /// Its milligrams at each point.
        var shares: [Double]
    }

    /// The time of the first point.
    var start: Date
    /// The seconds between two points.
    var step: TimeInterval
    /// At least two points.
    var points: [Point]
    var marks: [Mark]
    var now: Date
    var bedtimes: [Date]
    /// The level below which the owner sleeps well, in milligrams.
    var threshold: Double
    /// The levels at which the colour changes.
    var stops: [LevelScale.Stop] = []
    /// The time zone of the displayed times.
    var zone: TimeZone
}

// MARK: - Positions

extension LevelChart {
    /// The space for labels above the curve, in pixels.
    static let top = 44.0
    /// The height of the plot area.
    static let plotHeight = 190.0
    /// The total height, including the hours below.
    static let height = 268.0
    /// The lower edge of the plot area.
    static let foot = top + plotHeight

    /// The index of the point nearest to now.
    var nowPoint: Int {
        min(max(Int((now.timeIntervalSince(start) / step).rounded()), 0), points.count - 1)
    }

    private var end: Date { start + step * Double(max(points.count - 1, 1)) }

    /// The level at the upper edge of the plot area: a round number above the curve.
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

    /// The horizontal position of a moment, in percent; `nil` outside the chart.
    func percent(_ date: Date) -> Double? {
        let share = date.timeIntervalSince(start) / end.timeIntervalSince(start)
        return (0...1).contains(share) ? share * 100 : nil
    }

    /// The vertical position of a level, in pixels from the top.
    func pixels(_ milligrams: Double) -> Double {
        Self.top + (1 - milligrams / ceiling) * Self.plotHeight
    }

    /// The levels with a grid line: two to four multiples of 5.
    var gridLevels: [Double] {
        // Low ceilings are divided by a fixed step, because half of 75, for example, isn't round.
        if ceiling < 150 {
            let step: Double = ceiling == 75 ? 25 : 50
            return Array(stride(from: step, through: ceiling, by: step))
        }
        let parts = ceiling.truncatingRemainder(dividingBy: 4) == 0 && ceiling >= 200 ? 4 : 3
        let step = (ceiling / Double(parts) / 5).rounded() * 5
        return (1...parts).map { Double($0) * step }.filter { $0 <= ceiling }
    }

    /// The hours with a label: every third one.
    var hours: [(date: Date, hour: Int)] {
        let (first, last) = (LocalTime(start, in: zone).day, LocalTime(end, in: zone).day)
        return (first.number...last.number).flatMap { number in
            stride(from: 0, to: 24, by: 3).compactMap { hour -> (date: Date, hour: Int)? in
                let time = LocalTime(day: LocalDay(number: number), minutes: hour * 60)
                // The clock never shows a skipped hour.
                if case .skipped = time.resolved(in: zone) { return nil }
                let date = time.resolved(in: zone).date
                return percent(date) == nil ? nil : (date, hour)
            }
        }
    }

    /// The row of each mark, so that marks close in time don't overlap; the last of five rows takes all further marks.
    var markRows: [Int] {
        let minimumGap: TimeInterval = 75 * 60
        var newest: [Date] = []
        return marks.map { mark in
            let row = newest.firstIndex { mark.start.timeIntervalSince($0) >= minimumGap } ?? newest.count
            if row < newest.count { newest[row] = mark.start } else { newest.append(mark.start) }
            return min(row, 4)
        }
    }
}

// MARK: - Paths

extension LevelChart {
    /// The view box of the curve: points are 1 apart, and the height is 1,000.
    var viewBox: String { "0 0 \(points.count - 1) 1000" }

    var line: String { path(points.map(\.milligrams)) }

    /// The area below a line through values.
    func area(_ values: some Sequence<Double>) -> String {
        let values = Array(values)
        guard values.count > 1 else { return "" }
        return path(values) + "V1000H0Z"
    }

    /// The area between the lower and upper bound of the level.
    var band: String {
        let ceiling = ceiling
        let back = points.indices.reversed().map { "L\($0) \(Self.height(points[$0].low, below: ceiling))" }.joined()
        return path(points.map(\.high)) + back + "Z"
    }

    /// The area of a drink's share.
    func share(of mark: Mark) -> String {
        guard let first = mark.shares.firstIndex(where: { $0 > 0 }) else { return "" }
        let from = max(first - 1, 0)
        let last = mark.shares.lastIndex { $0 > 0.05 } ?? first
        guard last > from else { return "" }
        let ceiling = ceiling
        let line = (from...last).map {
            "\($0 == from ? "M" : "L")\($0) \(Self.height(mark.shares[$0], below: ceiling))"
        }.joined()
        return line + "V1000H\(from)Z"
    }

    private func path(_ values: [Double]) -> String {
        let ceiling = ceiling
        return values.indices.map { "\($0 == 0 ? "M" : "L")\($0) \(Self.height(values[$0], below: ceiling))" }.joined()
    }

    private static func height(_ milligrams: Double, below ceiling: Double) -> Int {
        let height = ((1 - milligrams / ceiling) * 1_000).rounded()
        // Clamped to what a browser can draw.
        return height.isNaN ? 1_000 : Int(max(-100_000, min(100_000, height)))
    }
}

// MARK: - For the script

extension LevelChart {
    /// All points as `mg low high`, separated by semicolons, for the page's script.
    var pointList: String {
        points.map { Self.list([$0.milligrams, $0.low, $0.high]) }.joined(separator: ";")
    }

    /// Amounts in milligrams, rounded as on the page, separated by spaces.
    static func list(_ amounts: [Double]) -> String {
        amounts.map(short).joined(separator: " ")
    }

    /// An amount in milligrams, rounded as on the page, so that the slider doesn't contradict the number.
    static func short(_ milligrams: Double) -> String {
        CoffeeFormatter.trimmed(milligrams.roundedForDisplay)
    }
}
