import CoffeeTrackerModel
import Foundation
import Site

/// The history of some days, weeks or months.
struct ShownHistory: Sendable {
    var span: DrinkHistory.Span
    var history: DrinkHistory
    /// The last day, as in the URL; `nil` for today.
    var until: LocalDay?
    /// The drinks of these days; empty for weeks and months.
    var drinks: [Drink]

    /// The number of periods on a page.
    static func count(_ span: DrinkHistory.Span) -> Int {
        switch span {
        case .day: 14
        case .week: 13
        case .month: 12
        }
    }
}

struct HistoryView: PageView {
    static let template = "history"
    var pageTitle: String { "History" }

    struct Span: Sendable {
        let path: Link
        let label: String
        let isCurrent: Bool
    }

    struct Row: Sendable {
        let label, milligrams, cups: String
        let count: Int
    }

    struct Day: Sendable {
        let label: String
        let drinks: [DrinkView]
    }

    let head: PageHead
    let version, title, summary, column: String
    let spans: [Span]
    let earlier, later: Link?
    let bars: HistoryBars
    let rows: [Row]
    let days: [Day]
    let hasDrinks: Bool

    init(_ shown: ShownHistory, _ view: CoffeeView, head: PageHead) {
        let path = "/coffee/history?by=\(shown.span.rawValue)"
        let today = view.settings.days.day(of: view.now)
        let periods = shown.history.periods
        self.head = head
        version = view.version
        spans = DrinkHistory.Span.allCases.map {
            Span(
                path: Link("/coffee/history?by=\($0.rawValue)"), label: "\($0.name)s", isCurrent: $0 == shown.span)
        }
        earlier = periods.first.map { Link("\(path)&until=\($0.first + -1)") }
        later = shown.until == nil ? nil : Link(Self.later(shown, path, today))
        title = Self.title(periods, today)
        summary = Self.summary(periods)
        column = shown.span.name
        bars = HistoryBars(shown, view)
        rows = periods.reversed().map { period in
            Row(
                label: shown.span.name(of: period, today), milligrams: CoffeeWords.amount(period.milligrams),
                cups: CoffeeWords.cups(period.cups), count: period.count)
        }
        let byDay = Dictionary(grouping: shown.drinks) { view.settings.days.day(of: $0.start) }
        days = byDay.sorted { $0.key > $1.key }.map { day, drinks in
            Day(
                label: "\(CoffeeWords.weekdays[day.weekday - 1]), \(CoffeeWords.name(of: day, comparedTo: today))",
                drinks: drinks.sorted { $0.start > $1.start }.map { DrinkView($0, view) })
        }
        hasDrinks = !days.isEmpty
    }

    private static func later(_ shown: ShownHistory, _ path: String, _ today: LocalDay) -> String {
        guard let last = shown.history.periods.last else { return path }
        let count = ShownHistory.count(shown.span)
        let until = last.last + (shown.span == .day ? count : shown.span == .week ? 7 * count : 365)
        return until >= today ? path : "\(path)&until=\(until)"
    }

    private static func title(_ periods: [DrinkHistory.Period], _ today: LocalDay) -> String {
        guard let first = periods.first, let last = periods.last else { return "Nothing" }
        let end = min(last.last, max(today, last.first))
        return
            "\(CoffeeWords.name(of: first.first, comparedTo: today)) to \(CoffeeWords.name(of: end, comparedTo: today))"
    }

    private static func summary(_ periods: [DrinkHistory.Period]) -> String {
        let total = periods.reduce(0) { $0 + $1.milligrams }
        let count = periods.reduce(0) { $0 + $1.count }
        guard count > 0 else { return "Nothing was logged in this time." }
        // The days before the first drink don't count, because the owner hadn't begun to log.
        let counted = periods.drop { $0.count == 0 }.reduce(0) { $0 + $1.countedDays }
        return "\(count.counted("drink")), \(CoffeeWords.amount(total)): "
            + "\(CoffeeWords.amount(total / Double(max(counted, 1)))) a day since the first of them."
    }
}

/// The bars of the history; positions are percent horizontally and pixels vertically.
struct HistoryBars: Sendable {
    struct Level: Sendable {
        let y, textY, label: String
    }

    struct Bar: Sendable {
        let x, width, y, height, middle, text: String
        let colour: CaffeineColour
        let label: String?
        /// The class of the label: a narrow window shows every other one.
        let kind: String
    }

    let levels: [Level]
    let limit, limitText: String
    let bars: [Bar]

    init(_ shown: ShownHistory, _ view: CoffeeView) {
        let (top, height) = (20.0, 170.0)
        let periods = shown.history.periods
        let today = view.settings.days.day(of: view.now)
        let amounts = periods.map { shown.span == .day ? $0.milligrams : $0.milligramsPerDay }
        let limit = CoffeeGuidance(for: view.settings.group, today: []).daily
        let highest = max(amounts.max() ?? 0, limit * 1.1)
        let step: Double =
            highest < 300
            ? 100 : highest < 1_000 ? 200 : highest < 3_000 ? 500 : (highest / 20_000).rounded(.up) * 2_000
        let ceiling = (highest / step).rounded(.up) * step
        func y(_ milligrams: Double) -> Double { top + height * (1 - milligrams / ceiling) }
        let number = GaugeDrawing.number
        levels = stride(from: 0, through: ceiling, by: step).map { level in
            Level(
                y: number(y(level)), textY: number(y(level) - 4),
                label: level == 0 ? "" : level == ceiling ? CoffeeWords.amount(level) : CoffeeWords.number(level))
        }
        self.limit = number(y(limit))
        limitText =
            "The dashed line is \(CoffeeWords.amount(limit)) a day, which raises no concern \(view.settings.group.phrase) "
            + "(\(CoffeeGuidance.citation))." + (shown.span == .day ? "" : " Bars are the mean of a day.")
        let slot = 100 / Double(max(periods.count, 1))
        bars = zip(periods, amounts).enumerated().map { index, bar in
            let (period, amount) = bar
            return Bar(
                x: number(Double(index) * slot + slot * 0.14), width: number(slot * 0.72), y: number(y(amount)),
                height: number(max(0, height * amount / ceiling)), middle: number((Double(index) + 0.5) * slot),
                text: "\(shown.span.name(of: period, today)): \(CoffeeWords.amount(period.milligrams)), "
                    + period.count.counted("drink"),
                colour: amount > limit ? .red : CaffeineColour(cups: amount / Cups.milligrams),
                label: (periods.count - 1 - index).isMultiple(of: 2) ? shown.span.tick(period.first) : nil,
                kind: (periods.count - 1 - index).isMultiple(of: 4) ? "often" : "seldom")
        }
    }
}

extension DrinkHistory.Span {
    /// `Day`, `Week` or `Month`.
    fileprivate var name: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

    fileprivate func name(of period: DrinkHistory.Period, _ today: LocalDay) -> String {
        let first = CoffeeWords.name(of: period.first, comparedTo: today)
        switch self {
        case .day: return "\(CoffeeWords.weekdays[period.first.weekday - 1].prefix(3)) \(first)"
        case .week: return "\(first) to \(CoffeeWords.name(of: period.last, comparedTo: today))"
        case .month: return "\(CoffeeWords.months[period.first.date.month - 1]) \(period.first.date.year)"
        }
    }

    /// A short label below a bar.
    fileprivate func tick(_ day: LocalDay) -> String {
        let month = CoffeeWords.months[day.date.month - 1]
        return self == .month ? month : "\(day.date.day) \(month)"
    }
}
