import CoffeeTrackerModel
import Foundation
import Site

// The first page, and its parts, each of which is replaced when it changes.

extension CoffeeTemplates {
    /// The whole page.
    ///
    /// - Parameters:
    ///   - view: What it shows.
    ///   - form: What was typed into the form that adds a drink, where that could not be done.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: The HTML.
    func today(_ view: CoffeeView, form: FilledForm? = nil, notice: String?) -> HTML {
        var values = Self.head(.today, notice: notice)
        for (name, html) in html(view) { values[name] = html }
        values["lastPoint"] = "\(CoffeeView.pointCount - 1)"
        values["nowPoint"] = "\(CoffeeView.pointCount / 2)"
        let chosen = form?.fields["kind"] ?? view.quick.first?.id
        values["kinds"] = view.settings.shown.map { kind -> [String: Any] in
            var values = Self.values(of: kind)
            values["isChosen"] = kind.id == chosen
            return values
        }
        values["isAddOpen"] = form != nil
        values["timeHint"] = Self.timeHint(view.settings, empty: "today, now")
        // A tab can be open for hours: what time it is, is known when the form is sent.
        (form ?? FilledForm()).add(to: &values)
        return render("today", values)
    }

    /// The parts that change, by the names of their events.
    func parts(_ view: CoffeeView) -> [String: String] {
        var parts = html(view).mapValues(\.markup)
        parts["version"] = view.version
        return parts
    }

    private func html(_ view: CoffeeView) -> [String: HTML] {
        let answers = CaffeineAnswers(drinks: view.drinks, settings: view.settings, at: view.now)
        return [
            "now": now(view, answers), "quick": quick(view), "chart": chart(view, answers),
            "answers": self.answers(view, answers), "drinks": drinks(view),
        ]
    }

    /// A day and a time, as the fields of a form hold them.
    static func fields(of date: Date, settings: CoffeeSettings) -> [String: String] {
        let time = LocalTime(date, in: settings.timeZone)
        return ["date": "\(time.day)", "time": LocalTime.text(time.minutes)]
    }

    /// What stands below a day and a time.
    ///
    /// - Parameters:
    ///   - settings: The owner's.
    ///   - empty: What is meant by fields in which nothing is.
    ///   - twice: Which of two times that the clock shows alike is taken.
    /// - Returns: The text.
    static func timeHint(_ settings: CoffeeSettings, empty: String, twice: String = "the first") -> String {
        "Empty: \(empty). As the clock in \(settings.zone) shows it; of a time that it shows twice, \(twice) is taken."
    }
}

// MARK: - Now

extension CoffeeTemplates {
    private func now(_ view: CoffeeView, _ answers: CaffeineAnswers) -> HTML {
        let level = answers.level
        let today = view.today
        let total = today.reduce(0) { $0 + $1.milligrams }
        let cups = total / Cups.milligrams
        var values: [String: Any] = [
            "number": level.number, "colour": level.colour.rawValue, "word": level.word,
            "badge": level.colour.badge, "text": levelText(view, answers), "gauge": GaugeDrawing(level: level).bar,
            "cups": CoffeeWords.cups(cups), "cupsColour": CaffeineColour(cups: cups).rawValue,
            "time": view.now.formatted(.iso8601), "shownTime": view.words.clock(view.now),
            "zone": view.settings.zone,
        ]
        values["todayText"] =
            today.isEmpty
            ? "nothing yet" : "\(CoffeeWords.amount(total)) in \(Self.count(today.count, "drink", "drinks"))"
        values["failure"] = view.failure
        values["problem"] = view.problem
        if view.withheld > 0 { values["withheld"] = Self.count(view.withheld, "drink waits", "drinks wait") }
        return render("now", values)
    }

    /// What stands beside the number: between what it is, and where it goes.
    private func levelText(_ view: CoffeeView, _ answers: CaffeineAnswers) -> String {
        var text = "in you now"
        if answers.high - answers.low >= 1 {
            text += ", probably \(CoffeeWords.number(answers.low)) to \(CoffeeWords.number(answers.high))"
        }
        // What was just drunk is not in the body yet: without a word it would look as if it had not been counted.
        let ahead = Timeline(
            drinks: view.drinks, settings: view.settings, from: view.now, length: 6 * 3600)
        let peak = ahead.entries.max { $0.milligrams < $1.milligrams }
        if let peak, peak.milligrams >= answers.now + 2 {
            text +=
                "; rising to \(CoffeeWords.number(peak.milligrams)) by \(view.words.when(peak.date))"
        }
        return text + "."
    }

    static func count(_ count: Int, _ one: String, _ many: String) -> String {
        count == 1 ? "1 \(one)" : "\(count) \(many)"
    }
}

// MARK: - Drinks to tap, and drinks that were

extension CoffeeTemplates {
    private func quick(_ view: CoffeeView) -> HTML {
        render(
            "quick",
            [
                "kinds": view.quick.map(Self.values(of:)),
                "all": view.settings.shown.map(Self.values(of:)),
            ])
    }

    static func values(of kind: DrinkKind) -> [String: Any] {
        [
            "id": kind.id, "emoji": kind.emoji, "name": kind.name, "amount": CoffeeWords.amount(kind.milligrams),
        ]
    }

    private func drinks(_ view: CoffeeView) -> HTML {
        let today = view.today
        var values: [String: Any] = [
            "isEmpty": today.isEmpty, "drinks": today.map { Self.values(of: $0, view) },
            "emptyText": view.drinks.isEmpty
                ? "Tap what you had: it is counted from now on, or from the time that you say."
                : "A new day. What you drank before still counts in the curve.",
        ]
        values["undo"] = view.undo
        return render("drinks", values)
    }

    static func values(of drink: Drink, _ view: CoffeeView) -> [String: Any] {
        let words = view.words
        var values: [String: Any] = [
            "id": drink.id.uuidString, "path": Link("/coffee/drinks/\(drink.id.uuidString)"), "name": drink.name,
            "emoji": drink.emoji, "amount": amount(of: drink), "time": drink.start.formatted(.iso8601),
            "shownTime": shownTime(of: drink, words), "label": "\(drink.name) at \(words.when(drink.start))",
        ]
        if drink.sipping > 0 { values["sipping"] = "sipped for \(CoffeeWords.duration(drink.sipping))" }
        let left = view.settings.level.milligrams(at: view.now, of: drink)
        values["left"] = "\(CoffeeWords.amount(left)) in you now"
        switch drink.source {
        case .own: values["isOwn"] = true
        case .other(let name, _): values["source"] = "from \(name)"
        }
        return values
    }

    /// What it holds, and how large it is where that is known.
    private static func amount(of drink: Drink) -> String {
        let caffeine = CoffeeWords.amount(drink.milligrams)
        return drink.millilitres.map { "\(caffeine) · \(CoffeeWords.number($0)) ml" } ?? caffeine
    }

    /// The time; one that the clock shows twice with what tells the two apart.
    private static func shownTime(of drink: Drink, _ words: CoffeeWords) -> String {
        let time = LocalTime(drink.start, in: words.zone)
        guard case .twice = time.resolved(in: words.zone) else { return words.when(drink.start) }
        let hours = Double(words.zone.secondsFromGMT(for: drink.start)) / 3600
        return "\(words.when(drink.start)) (UTC\(hours < 0 ? "−" : "+")\(CoffeeWords.trimmed(abs(hours))))"
    }
}

// MARK: - The chart

extension CoffeeTemplates {
    private func chart(_ view: CoffeeView, _ answers: CaffeineAnswers) -> HTML {
        let chart = view.chart
        var values = chart.values(view.words)
        let band = view.settings.levelBand
        values["bandLabel"] =
            "If half is gone after \(CoffeeWords.number(band.low.halfLife)) to \(CoffeeWords.number(band.high.halfLife)) hours"
        values["text"] = chartText(view, answers)
        values["colour"] = answers.level.colour.rawValue
        return render("chart", values)
    }

    /// The chart in words.
    private func chartText(_ view: CoffeeView, _ answers: CaffeineAnswers) -> String {
        let words = view.words
        var text = "\(answers.level.amount) now, \(answers.level.word), at \(words.clock(view.now)). "
        text +=
            answers.isBelowThreshold
            ? "That is below your threshold of \(CoffeeWords.amount(answers.threshold)). "
            : "Below your threshold of \(CoffeeWords.amount(answers.threshold)) \(words.when(answers.belowThresholdAt)). "
        text += "\(CoffeeWords.amount(answers.atBedtime)) at bedtime, \(words.when(answers.bedtime)). "
        return text + "Each drink can be reached with the Tab key; the table below has all figures."
    }
}
