import CoffeeTrackerModel
import Foundation
import Testing

@testable import CoffeeTrackerWeb

/// Tests the positions in the chart.
@Suite struct LevelChartTests {
    private func chart(
        from start: String = "2026-11-21T14:30:00+01:00", levels: [Double] = Array(repeating: 10, count: 193),
        marks: [LevelChart.Mark] = [], zone: String = "Europe/Vienna"
    ) throws -> LevelChart {
        let start = try Date(start, strategy: .iso8601)
        return LevelChart(
            start: start, step: 900,
            points: levels.map { LevelChart.Point(milligrams: $0, low: $0 / 2, high: $0 * 2) }, marks: marks,
            now: start + 24 * 3600, bedtimes: [], threshold: 35,
            zone: try #require(TimeZone(identifier: zone)))
    }

    private func view(of chart: LevelChart) -> ChartView {
        let settings = CoffeeSettings(zone: chart.zone.identifier)
        return ChartView(chart, CaffeineAnswers(drinks: [], settings: settings, at: chart.now), settings)
    }

    private func mark(at start: Date, shares: [Double] = [0, 0]) -> LevelChart.Mark {
        LevelChart.Mark(id: "1", emoji: "☕️", name: "Espresso", start: start, text: "", shares: shares)
    }

    @Test(arguments: [0.0, 30, 74, 75, 149, 200, 480, 5_000, 100_000])
    func levelsStayInsideTheChartAndGridLinesAreRound(highest: Double) throws {
        let chart = try chart(levels: [0, highest / 2, highest])
        #expect(chart.ceiling >= highest)
        for level in [0, highest / 2, highest] {
            #expect((LevelChart.top...LevelChart.top + LevelChart.plotHeight).contains(chart.pixels(level)))
        }
        #expect(chart.gridLevels.allSatisfy { $0 > 0 && $0 <= chart.ceiling })
        #expect(chart.gridLevels.allSatisfy { $0.truncatingRemainder(dividingBy: 5) == 0 })
        #expect((1...4).contains(chart.gridLevels.count))
    }

    @Test(arguments: [Double.infinity, -.infinity, .nan, 1e308, -1e308, 1e19, -1e19])
    func impossibleLevelIsStillDrawn(level: Double) throws {
        let chart = try chart(levels: [0, level, 10], marks: [mark(at: try chart().start, shares: [0, level, level])])
        #expect(view(of: chart).rows.count > 0)
        #expect(!chart.line.isEmpty && !chart.band.isEmpty && !chart.pointList.isEmpty)
        #expect(chart.gridLevels.count <= 4)
    }

    @Test func currentTimeIsInTheMiddle() throws {
        let chart = try chart()
        #expect(chart.nowPoint == 96)
        #expect(chart.percent(chart.now) == 50)
        #expect(chart.percent(chart.start - 1) == nil)
    }

    @Test func hoursAreInLocalTime() throws {
        #expect(try chart().hours.map(\.hour) == [15, 18, 21, 0, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12])
    }

    @Test func skippedHourIsNotLabelled() throws {
        // In Beirut the clock went from 00:00 to 01:00 on 31 March 2024.
        let hours = try chart(from: "2024-03-30T12:00:00+02:00", zone: "Asia/Beirut").hours
        #expect(hours.map(\.hour) == [12, 15, 18, 21, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12])
        #expect(hours[4].date.timeIntervalSince(hours[3].date) == 5 * 3600)
    }

    @Test func repeatedHourIsLabelledOnce() throws {
        // In Vienna the clock showed 02:00 to 03:00 twice on 25 October 2026.
        let hours = try chart(from: "2026-10-24T15:00:00+02:00").hours
        #expect(hours.map(\.hour) == [15, 18, 21, 0, 3, 6, 9, 12, 15, 18, 21, 0, 3, 6, 9, 12])
        #expect(hours[4].date.timeIntervalSince(hours[3].date) == 4 * 3600)
    }

    @Test func marksOfCloseDrinksAreStacked() throws {
        let start = try chart().start
        let minutes = [0.0, 10, 20, 90, 91, 300]
        let marks = minutes.map { mark(at: start + $0 * 60) }
        #expect(try chart(marks: marks).lifts == [0, 1, 2, 0, 1, 0])
        // Any number of marks stays inside.
        let many = (0..<30).map { mark(at: start + Double($0)) }
        #expect(try chart(marks: many).lifts.allSatisfy { $0 <= 4 })
    }

    @Test func chartPathsSpanTheFullWidth() throws {
        let chart = try chart(levels: [0, 75, 37.5])
        #expect(chart.ceiling == 150)
        #expect(chart.viewBox == "0 0 2 1000")
        #expect(chart.line == "M0 1000L1 500L2 750")
        #expect(chart.area([0, 75, 37.5]) == "M0 1000L1 500L2 750V1000H0Z")
        #expect(chart.band == "M0 1000L1 0L2 500L2 875L1 750L0 1000Z")
        #expect(chart.pointList == "0 0 0;75 38 150;38 19 75")
    }

    @Test func shareIsAnAreaFromTheStartOfItsDrink() throws {
        let chart = try chart(levels: [0, 75, 75, 75])
        #expect(chart.share(of: mark(at: chart.start, shares: [0, 0, 75, 0])) == "M1 1000L2 500V1000H1Z")
        #expect(chart.share(of: mark(at: chart.start, shares: [0, 0, 0, 0])) == "")
        #expect(LevelChart.list([0, 1.4, 12.6]) == "0 1 13")
    }

    @Test func nowAndBedtimeLabelsDoNotOverlap() throws {
        var chart = try chart()
        chart.bedtimes = [chart.now - 3600, chart.now + 3600]
        let moments = view(of: chart).moments
        #expect(moments.map(\.kind) == ["bedtime", "now", "bedtime"])
        #expect(moments.first?.side == "side-end")
        #expect(moments.last?.side == "side-start")
    }

    @Test func tableShowsTheChartsFigures() throws {
        let marks = [mark(at: try chart().start, shares: Array(repeating: 8, count: 193))]
        let chart = try chart(marks: marks)
        let rows = view(of: chart).rows
        #expect(rows.count == 25)
        let now = try #require(rows.first { $0.isNow })
        #expect(now.time == "14:30" && now.level == "10 mg" && now.range == "5 to 20" && now.shares == "Espresso 8")
    }
}
