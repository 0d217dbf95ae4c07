import CoffeeTrackerModel
import Foundation
import Site

/// What was drunk in some days, weeks or months.
struct HistoryView: Sendable {
    var span: DrinkHistory.Span
    var history: DrinkHistory
    /// The last day that is shown, as an address names it; `nil` for today.
    var until: LocalDay?
    /// The drinks of these days; for the days alone.
    var drinks: [Drink]

    /// How many periods are shown at once.
    static func count(_ span: DrinkHistory.Span) -> Int {
        switch span {
        case .day: 14
        case .week: 13
        case .month: 12
        }
    }
}

extension CoffeeTemplates {
    /// The page of what was.
    func history(_ shown: HistoryView, _ view: CoffeeView, notice: String?) -> HTML {
        var values = Self.head(.history, notice: notice)
        values["version"] = view.version
        values["spans"] = DrinkHistory.Span.allCases.map {
            ["path": Link("/coffee/history?by=\($0.rawValue)"), "label": $0.label, "isCurrent": $0 == shown.span]
                as [String: Any]
        }
        let periods = shown.history.periods
        if let first = periods.first {
            values["earlier"] = Link("/coffee/history?by=\(shown.span.rawValue)&until=\(first.first + -1)")
        }
        if shown.until != nil { values["later"] = later(shown, view) }
        values["title"] = title(shown, view)
        values["summary"] = summary(shown)
        values["column"] = shown.span.column
        addBars(shown, view, to: &values)
        values["rows"] = periods.reversed().map { period in
            [
                "label": name(of: period, shown.span, view), "milligrams": CoffeeWords.amount(period.milligrams),
                "cups": CoffeeWords.cups(period.cups), "count": "\(period.count)",
            ]
        }
        values["days"] = days(shown, view)
        values["hasDrinks"] = !shown.drinks.isEmpty
        return render("history", values)
    }

    private func later(_ shown: HistoryView, _ view: CoffeeView) -> Link {
        let path = "/coffee/history?by=\(shown.span.rawValue)"
        guard let last = shown.history.periods.last else { return Link(path) }
        let count = HistoryView.count(shown.span)
        let days = shown.span == .day ? count : shown.span == .week ? 7 * count : 365
        let until = last.last + days
        return Link(until >= view.settings.days.day(of: view.now) ? path : "\(path)&until=\(until)")
    }

    private func title(_ shown: HistoryView, _ view: CoffeeView) -> String {
        guard let first = shown.history.periods.first, let last = shown.history.periods.last else { return "Nothing" }
        let today = view.settings.days.day(of: view.now)
        let end = min(last.last, max(today, last.first))
        return
            "\(CoffeeWords.name(of: first.first, comparedTo: today)) to \(CoffeeWords.name(of: end, comparedTo: today))"
    }

    private func summary(_ shown: HistoryView) -> String {
        let periods = shown.history.periods
        let total = periods.reduce(0) { $0 + $1.milligrams }
        let count = periods.reduce(0) { $0 + $1.count }
        guard count > 0 else { return "Nothing was logged in this time." }
        // Days before the first drink were not without caffeine: nobody had written it down yet.
        let counted = periods.drop { $0.count == 0 }.reduce(0) { $0 + $1.countedDays }
        return
            "\(Self.count(count, "drink", "drinks")), \(CoffeeWords.amount(total)): "
            + "\(CoffeeWords.amount(total / Double(max(counted, 1)))) a day since the first of them."
    }
}

// MARK: - Bars

extension CoffeeTemplates {
    private func addBars(_ shown: HistoryView, _ view: CoffeeView, to values: inout [String: Any]) {
        let (top, height) = (20.0, 170.0)
        let periods = shown.history.periods
        let amounts = periods.map { shown.span == .day ? $0.milligrams : $0.milligramsPerDay }
        let limit = CoffeeGuidance(for: view.settings.group, today: []).daily
        let highest = max(amounts.max() ?? 0, limit * 1.1)
        let step: Double =
            highest < 300
            ? 100 : highest < 1_000 ? 200 : highest < 3_000 ? 500 : (highest / 20_000).rounded(.up) * 2_000
        let ceiling = (highest / step).rounded(.up) * step
        func y(_ milligrams: Double) -> Double { top + height * (1 - milligrams / ceiling) }
        func text(_ value: Double) -> String { CoffeeWords.trimmed((value * 100).rounded() / 100) }
        values["levels"] = stride(from: 0, through: ceiling, by: step).map { level in
            [
                "y": text(y(level)), "textY": text(y(level) - 4),
                "label": level == 0
                    ? "" : level == ceiling ? CoffeeWords.amount(level) : CoffeeWords.number(level),
            ]
        }
        values["limit"] = text(y(limit))
        values["limitText"] =
            "The dashed line is \(CoffeeWords.amount(limit)) a day, which raises no concern \(view.settings.group.phrase) "
            + "(\(CoffeeGuidance.citation))." + (shown.span == .day ? "" : " Bars are the mean of a day.")
        let slot = 100 / Double(max(periods.count, 1))
        values["bars"] = zip(periods, amounts).enumerated().map { index, bar in
            let (period, amount) = bar
            var bar: [String: Any] = [
                "x": text(Double(index) * slot + slot * 0.14), "width": text(slot * 0.72), "y": text(y(amount)),
                "height": text(max(0, height * amount / ceiling)), "middle": text((Double(index) + 0.5) * slot),
                "colour": CaffeineColour(cups: amount / Cups.milligrams).rawValue,
                "text": "\(name(of: period, shown.span, view)): \(CoffeeWords.amount(period.milligrams)), "
                    + Self.count(period.count, "drink", "drinks"),
            ]
            if (periods.count - 1 - index).isMultiple(of: 2) { bar["label"] = shown.span.tick(period.first) }
            return bar
        }
    }

    private func name(
        of period: DrinkHistory.Period, _ span: DrinkHistory.Span, _ view: CoffeeView
    ) -> String {
        let today = view.settings.days.day(of: view.now)
        let first = CoffeeWords.name(of: period.first, comparedTo: today)
        switch span {
        case .day: return "\(CoffeeWords.weekdays[period.first.weekday - 1].prefix(3)) \(first)"
        case .week: return "\(first) to \(CoffeeWords.name(of: period.last, comparedTo: today))"
        case .month: return "\(CoffeeWords.months[period.first.date.month - 1]) \(period.first.date.year)"
        }
    }

    /// The drinks by day, the newest first.
    private func days(_ shown: HistoryView, _ view: CoffeeView) -> [[String: Any]] {
        let counting = view.settings.days
        let byDay = Dictionary(grouping: shown.drinks) { counting.day(of: $0.start) }
        let today = counting.day(of: view.now)
        return byDay.keys.sorted(by: >).map { day in
            let drinks = (byDay[day] ?? []).sorted { $0.start > $1.start }
            return [
                "label": "\(CoffeeWords.weekdays[day.weekday - 1]), \(CoffeeWords.name(of: day, comparedTo: today))",
                "drinks": drinks.map { Self.values(of: $0, view) },
            ]
        }
    }
}

extension DrinkHistory.Span {
    var label: String {
        switch self {
        case .day: "Days"
        case .week: "Weeks"
        case .month: "Months"
        }
    }

    /// What its periods are, as the head of a column.
    var column: String {
        switch self {
        case .day: "Day"
        case .week: "Week"
        case .month: "Month"
        }
    }

    /// What stands below a bar, for which there is little room.
    func tick(_ day: LocalDay) -> String {
        let date = day.date
        switch self {
        case .day, .week: return "\(date.day) \(CoffeeWords.months[date.month - 1])"
        case .month: return CoffeeWords.months[date.month - 1]
        }
    }
}
