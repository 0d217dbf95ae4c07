import CoffeeTrackerModel
import Foundation
import Site

/// The chart of the caffeine level over two days: the last one and the next one.
struct ChartView: TemplateView {
    static let template = "chart"

    struct Level: Sendable {
        let y, textY, label: String
    }

    struct Hour: Sendable {
        let x, label, kind: String
    }

    struct Stop: Sendable {
        let colour: CaffeineColour
        let y, label: String
    }

    struct Moment: Sendable {
        let x, kind, label, side: String
    }

    struct Mark: Sendable {
        let id, emoji, name, detail, shares, share, x, y: String
    }

    struct Row: Sendable {
        let time, level, range, shares: String
        let isNow: Bool
    }

    let height = GaugeDrawing.number(LevelChart.height)
    let top = GaugeDrawing.number(LevelChart.top)
    let plot = GaugeDrawing.number(LevelChart.plotHeight)
    let foot = GaugeDrawing.number(LevelChart.foot)
    let tick = GaugeDrawing.number(LevelChart.foot + 5)
    let hourY = GaugeDrawing.number(LevelChart.foot + 18)
    let momentY = GaugeDrawing.number(LevelChart.foot + 33)
    let viewBox, band, area, line, points, start, step, zone, ceiling: String
    let nowPoint: Int
    let nowX, nowY, thresholdY, thresholdTextY, thresholdLabel, bandLabel, text: String
    let colour: CaffeineColour
    let levels: [Level]
    let hours: [Hour]
    let stops: [Stop]
    let moments: [Moment]
    let marks: [Mark]
    let rows: [Row]

    init(_ chart: LevelChart, _ answers: CaffeineAnswers, _ settings: CoffeeSettings) {
        let words = CoffeeWords(zone: chart.zone, now: chart.now)
        let number = GaugeDrawing.number
        viewBox = chart.viewBox
        band = chart.band
        area = chart.area(chart.points.map(\.milligrams))
        line = chart.line
        points = chart.pointList
        start = "\(Int(chart.start.timeIntervalSince1970))"
        step = number(chart.step)
        zone = chart.zone.identifier
        ceiling = number(chart.ceiling)
        nowPoint = chart.nowPoint
        nowX = number(chart.percent(chart.now) ?? 50)
        nowY = number(chart.pixels(chart.points[chart.nowPoint].milligrams))
        thresholdY = number(chart.pixels(chart.threshold))
        thresholdTextY = number(chart.pixels(chart.threshold) - 4)
        thresholdLabel = CoffeeWords.amount(chart.threshold)
        let halfLives = settings.levelBand
        bandLabel =
            "If half is gone after \(CoffeeWords.number(halfLives.low.halfLife)) to "
            + "\(CoffeeWords.number(halfLives.high.halfLife)) hours"
        text = Self.text(words, answers)
        colour = answers.level.colour
        levels = chart.gridLevels.map { level in
            Level(
                y: number(chart.pixels(level)), textY: number(chart.pixels(level) - 4),
                label: level == chart.gridLevels.last ? "\(LevelChart.short(level)) mg" : LevelChart.short(level))
        }
        hours = chart.hours.map { date, hour in
            let place = chart.percent(date) ?? 0
            // Labels at the edges get a class of their own: centred, they would be cut off.
            let edge = place < 2 ? " first" : place > 98 ? " last" : ""
            return Hour(
                x: number(place), label: LocalTime.text(hour * 60),
                kind: (hour.isMultiple(of: 12) ? "often" : hour.isMultiple(of: 6) ? "seldom" : "rare") + edge)
        }
        stops = chart.stops.filter { $0.milligrams <= chart.ceiling }.map { stop in
            Stop(
                colour: stop.colour, y: number(chart.pixels(stop.milligrams)),
                label: "\(stop.colour.word.capitalized) from \(CoffeeWords.amount(stop.milligrams))")
        }
        moments = Self.moments(chart)
        marks = zip(chart.marks, chart.lifts).map { mark, lift in
            Mark(
                id: mark.id, emoji: mark.emoji, name: mark.name, detail: mark.text,
                shares: LevelChart.list(mark.shares),
                share: chart.share(of: mark), x: number(chart.percent(mark.start) ?? 0),
                y: number(LevelChart.foot - 14 - Double(lift) * 26))
        }
        rows = Self.rows(chart, words)
    }

    /// A summary of the chart in sentences.
    private static func text(_ words: CoffeeWords, _ answers: CaffeineAnswers) -> String {
        let threshold = CoffeeWords.amount(answers.threshold)
        let asleep = CoffeeWords.amount(answers.highestAsleep)
        let sleep =
            answers.isBelowThreshold
            ? "That is below your threshold of \(threshold)."
            : "Below your threshold of \(threshold) \(words.when(answers.belowThresholdAt))."
        let night =
            answers.bedtime <= answers.date
            ? "Up to \(asleep) if you go to bed now." : "\(asleep) at bedtime, \(words.when(answers.bedtime))."
        return "\(answers.level.amount) now, \(answers.level.word), at \(words.clock(words.now)). \(sleep) \(night) "
            + "Each drink can be reached with the Tab key; the table below has all figures."
    }

    /// The current time and the bedtimes; labels that would overlap are placed on opposite sides of their lines.
    private static func moments(_ chart: LevelChart) -> [Moment] {
        var moments = chart.bedtimes.compactMap { date in
            chart.percent(date).map { (place: $0, kind: "bedtime", label: "bed") }
        }
        moments.append((chart.percent(chart.now) ?? 50, "now", "now"))
        moments.sort { $0.place < $1.place }
        let room = 12.0
        return moments.indices.map { index in
            let (place, kind, label) = moments[index]
            let isTightBefore = index > 0 && place - moments[index - 1].place < room || place < 4
            let isTightAfter = index + 1 < moments.count && moments[index + 1].place - place < room || place > 96
            return Moment(
                x: GaugeDrawing.number(place), kind: kind, label: label,
                side: isTightBefore ? "side-start" : isTightAfter ? "side-end" : "side-middle")
        }
    }

    /// The chart as a table, with a row every two hours.
    private static func rows(_ chart: LevelChart, _ words: CoffeeWords) -> [Row] {
        let stride = max(Int(7200 / chart.step), 1)
        return chart.points.indices.filter { ($0 - chart.nowPoint).isMultiple(of: stride) }.map { index in
            let point = chart.points[index]
            let shares = chart.marks.filter { $0.shares[index] >= 0.5 }
                .map { "\($0.name) \(LevelChart.short($0.shares[index]))" }
            return Row(
                time: words.when(chart.start + chart.step * Double(index)),
                level: "\(LevelChart.short(point.milligrams)) mg",
                range: "\(LevelChart.short(point.low)) to \(LevelChart.short(point.high))",
                shares: shares.isEmpty ? "–" : shares.joined(separator: ", "), isNow: index == chart.nowPoint)
        }
    }
}
