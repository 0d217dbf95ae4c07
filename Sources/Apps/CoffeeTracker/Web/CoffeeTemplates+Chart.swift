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
    let viewBox, band, area, line, points, start, step, zone, clock, ceiling: String
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
        let formatter = settings.formatter(at: chart.now)
        let number = GaugeDrawing.number
        viewBox = chart.viewBox
        band = chart.band
        area = chart.area(chart.points.map(\.milligrams))
        line = chart.line
        points = chart.pointList
        start = "\(Int(chart.start.timeIntervalSince1970))"
        step = number(chart.step)
        zone = chart.zone.identifier
        clock = settings.clockFormat.usesTwelveHours ? "12" : "24"
        ceiling = number(chart.ceiling)
        nowPoint = chart.nowPoint
        nowX = number(chart.percent(chart.now) ?? 50)
        nowY = number(chart.pixels(chart.points[chart.nowPoint].milligrams))
        thresholdY = number(chart.pixels(chart.threshold))
        thresholdTextY = number(chart.pixels(chart.threshold) - 4)
        thresholdLabel = CoffeeFormatter.amount(chart.threshold)
        let halfLives = settings.levelBand
        bandLabel = CoffeeWords.halfLifeRange(
            CoffeeFormatter.number(halfLives.low.halfLife), to: CoffeeFormatter.number(halfLives.high.halfLife))
        text = Self.text(formatter, answers)
        colour = answers.level.colour
        levels = chart.gridLevels.map { level in
            Level(
                y: number(chart.pixels(level)), textY: number(chart.pixels(level) - 4),
                label: level == chart.gridLevels.last
                    ? CoffeeFormatter.amount(level) : CoffeeFormatter.number(level))
        }
        hours = chart.hours.map { date, hour in
            let place = chart.percent(date) ?? 0
            // Labels at the edges get a class of their own: centred, they would be cut off.
            let edge = place < 2 ? " first" : place > 98 ? " last" : ""
            return Hour(
                x: number(place), label: settings.clockFormat.text(hour: hour),
                kind: (hour.isMultiple(of: 12) ? "often" : hour.isMultiple(of: 6) ? "seldom" : "rare") + edge)
        }
        stops = chart.stops.filter { $0.milligrams <= chart.ceiling }.map { stop in
            Stop(
                colour: stop.colour, y: number(chart.pixels(stop.milligrams)),
                label: CoffeeWords.mark(
                    stop.colour.word.capitalized, from: CoffeeFormatter.amount(stop.milligrams)))
        }
        moments = Self.moments(chart)
        marks = zip(chart.marks, chart.markRows).map { mark, row in
            Mark(
                id: mark.id, emoji: mark.emoji, name: mark.name, detail: mark.text,
                shares: LevelChart.list(mark.shares),
                share: chart.share(of: mark), x: number(chart.percent(mark.start) ?? 0),
                y: number(LevelChart.foot - 14 - Double(row) * 26))
        }
        rows = Self.rows(chart, formatter)
    }

    /// A summary of the chart in sentences.
    private static func text(_ formatter: CoffeeFormatter, _ answers: CaffeineAnswers) -> String {
        let threshold = CoffeeFormatter.amount(answers.threshold)
        let asleep = CoffeeFormatter.amount(answers.highestAsleep)
        let sleep =
            answers.isBelowThreshold
            ? CoffeeWords.belowLimitNow(threshold)
            : CoffeeWords.belowLimit(threshold, from: formatter.when(answers.belowThresholdAt))
        let night =
            answers.bedtime <= answers.date
            ? CoffeeWords.asleepNow(asleep) : CoffeeWords.asleep(asleep, at: formatter.when(answers.bedtime))
        let rise = formatter.rise(answers).map { CoffeeWords.levelIs($0) }
        let now = CoffeeWords.levelAt(
            answers.level.amount, word: answers.level.word, time: formatter.clock(formatter.now))
        return [now, rise, sleep, night, CoffeeWords.tableHint].compactMap(\.self).joined(separator: " ")
    }

    /// The current time and the bedtimes; labels that would overlap are placed on opposite sides of their lines.
    private static func moments(_ chart: LevelChart) -> [Moment] {
        var moments = chart.bedtimes.compactMap { date in
            chart.percent(date).map { (place: $0, kind: "bedtime", label: CoffeeWords.bed) }
        }
        moments.append((chart.percent(chart.now) ?? 50, "now", CoffeeWords.now))
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
    private static func rows(_ chart: LevelChart, _ formatter: CoffeeFormatter) -> [Row] {
        let stride = max(Int(7200 / chart.step), 1)
        return chart.points.indices.filter { ($0 - chart.nowPoint).isMultiple(of: stride) }.map { index in
            let point = chart.points[index]
            let shares = chart.marks.filter { $0.shares[index] >= 0.5 }
                .map { "\($0.name) \(CoffeeFormatter.number($0.shares[index]))" }
            return Row(
                time: formatter.when(chart.start + chart.step * Double(index)),
                level: CoffeeFormatter.amount(point.milligrams),
                range: CoffeeWords.numbers(CoffeeFormatter.number(point.low), to: CoffeeFormatter.number(point.high)),
                shares: shares.isEmpty ? "–" : shares.joined(separator: ", "), isNow: index == chart.nowPoint)
        }
    }
}
