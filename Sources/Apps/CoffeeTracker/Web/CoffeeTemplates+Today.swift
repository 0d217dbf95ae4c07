import CoffeeTrackerModel
import Foundation
import Site

// The first page and its parts, each of which is replaced when it changes.

/// The parts of the first page.
struct TodayParts: Sendable {
    let now, quick, chart, answers, drinks: HTML

    init(_ view: CoffeeView, _ templates: CoffeeTemplates) {
        let answers = CaffeineAnswers(drinks: view.drinks, settings: view.settings, at: view.now)
        now = templates.html(NowView(view, answers))
        quick = templates.html(
            QuickView(kinds: view.quick.map { KindView($0) }, all: view.settings.shown.map { KindView($0) }))
        chart = templates.html(ChartView(view.chart, answers, view.settings))
        self.answers = templates.html(AnswersView(view, answers))
        drinks = templates.html(DrinksView(view))
    }
}

/// The whole page.
struct TodayView: PageView {
    static let template = "today"
    var pageTitle: String { "Coffee Tracker" }

    let head: PageHead
    let parts: TodayParts
    let lastPoint = CoffeeView.pointCount - 1
    let nowPoint = CoffeeView.pointCount / 2
    let kinds: [KindView]
    let isAddOpen: Bool
    let timeHint: String
    let form: FilledForm

    /// Creates the page, with the submitted text if the form for adding a drink was rejected.
    init(_ view: CoffeeView, _ templates: CoffeeTemplates, form: FilledForm? = nil, head: PageHead) {
        self.head = head
        parts = TodayParts(view, templates)
        let chosen = form?.fields["kind"] ?? view.quick.first?.id
        kinds = view.settings.shown.map { KindView($0, isChosen: $0.id == chosen) }
        isAddOpen = form != nil
        timeHint = Self.timeHint(view.settings, empty: "today, now")
        // A tab can stay open for hours, so an empty time means the time of submission.
        self.form = form ?? FilledForm()
    }

    /// The hint below a day and a time: the meaning of empty fields, and which moment counts if the clock shows a time twice.
    static func timeHint(_ settings: CoffeeSettings, empty: String, twice: String = "the first") -> String {
        "Empty: \(empty). As the clock in \(settings.zone) shows it; of a time that it shows twice, \(twice) is taken."
    }
}

// MARK: - Now

/// The level.
struct NowView: TemplateView {
    static let template = "now"

    let number, word, badge, text, cups, todayText: String
    let colour, cupsColour: CaffeineColour
    let gauge: HTML
    let time, shownTime, zone: String
    let failure, problem, withheld: String?

    init(_ view: CoffeeView, _ answers: CaffeineAnswers) {
        let level = answers.level
        let today = view.today
        let total = today.reduce(0) { $0 + $1.milligrams }
        number = level.number
        word = level.word
        badge = level.colour.badge
        text = Self.text(view, answers)
        colour = level.colour
        gauge = GaugeDrawing(level: level).bar
        cups = CoffeeWords.cups(total / Cups.milligrams)
        // The guidance has the same limit, so the day's total is never in a milder colour than its text.
        cupsColour = answers.guidance.isOverDaily ? .red : CaffeineColour(cups: total / Cups.milligrams)
        let limit = answers.guidance.isOverDaily ? ", over \(CoffeeWords.amount(answers.guidance.daily))" : ""
        todayText =
            today.isEmpty
            ? "nothing yet" : "\(CoffeeWords.amount(total)) in \(today.count.counted("drink"))\(limit)"
        time = view.now.formatted(.iso8601)
        shownTime = view.words.clock(view.now)
        zone = view.settings.zone
        failure = view.failure
        problem = view.problem
        withheld = view.withheld > 0 ? view.withheld.counted("drink waits", "drinks wait") : nil
    }

    /// The text beside the number: its likely range, and whether it is rising.
    private static func text(_ view: CoffeeView, _ answers: CaffeineAnswers) -> String {
        var text = "in you now"
        if answers.high - answers.low >= 1 {
            text += ", probably \(CoffeeWords.number(answers.low)) to \(CoffeeWords.number(answers.high))"
        }
        // A drink of a minute ago isn't absorbed yet; without this text, it would seem not to have been counted.
        let ahead = Timeline(drinks: view.drinks, settings: view.settings, from: view.now, length: 6 * 3600)
        let peak = ahead.entries.max { $0.milligrams < $1.milligrams }
        if let peak, peak.milligrams >= answers.now + 2 {
            let highest = view.settings.levelState(milligrams: peak.milligrams)
            text += "; rising to \(highest.number)"
            // The badge has the level of now, so another word is part of the text.
            if highest.word != answers.level.word { text += " (\(highest.word))" }
            text += " by \(view.words.when(peak.date))"
        }
        return text + "."
    }
}

extension Int {
    /// `1 drink` or `2 drinks`.
    func counted(_ one: String, _ many: String? = nil) -> String {
        self == 1 ? "1 \(one)" : "\(self) \(many ?? one + "s")"
    }
}

// MARK: - Kinds and drinks

/// The kinds with a button, and all kinds.
struct QuickView: TemplateView {
    static let template = "quick"

    let kinds, all: [KindView]
}

/// A kind of drink.
struct KindView: Sendable {
    let id, emoji, name, amount: String
    let isChosen: Bool

    init(_ kind: DrinkKind, isChosen: Bool = false) {
        id = kind.id
        emoji = kind.emoji
        name = kind.name
        amount = CoffeeWords.amount(kind.milligrams)
        self.isChosen = isChosen
    }
}

/// Today's drinks.
struct DrinksView: TemplateView {
    static let template = "drinks"

    let isEmpty: Bool
    let drinks: [DrinkView]
    let emptyText: String
    let undo: String?

    init(_ view: CoffeeView) {
        drinks = view.today.map { DrinkView($0, view) }
        isEmpty = drinks.isEmpty
        emptyText =
            view.drinks.isEmpty
            ? "Tap what you had: it is counted from now on, or from the time that you say."
            : "A new day. What you drank before still counts in the curve."
        undo = view.undo
    }
}

/// A drink in a list.
struct DrinkView: Sendable {
    let id, name, emoji, amount, time, shownTime, label, left: String
    let path: Link
    let sipping, source: String?
    let isOwn: Bool

    init(_ drink: Drink, _ view: CoffeeView) {
        let words = view.words
        id = drink.id.uuidString
        path = Link("/coffee/drinks/\(id)")
        name = drink.name
        emoji = drink.emoji
        amount = CoffeeWords.amount(drink.milligrams, drink.millilitres)
        time = drink.start.formatted(.iso8601)
        shownTime = Self.shownTime(of: drink, words)
        label = "\(drink.name) at \(words.when(drink.start))"
        sipping = drink.sipping > 0 ? "sipped for \(CoffeeWords.duration(drink.sipping))" : nil
        left = "\(CoffeeWords.amount(view.settings.level.milligrams(at: view.now, of: drink))) in you now"
        isOwn = drink.source == .own
        source = isOwn ? nil : "from \(drink.source.name)"
    }

    /// The time, with its UTC offset if the clock shows it twice.
    private static func shownTime(of drink: Drink, _ words: CoffeeWords) -> String {
        guard case .twice = LocalTime(drink.start, in: words.zone).resolved(in: words.zone) else {
            return words.when(drink.start)
        }
        let hours = Double(words.zone.secondsFromGMT(for: drink.start)) / 3600
        return "\(words.when(drink.start)) (UTC\(hours < 0 ? "−" : "+")\(CoffeeWords.trimmed(abs(hours))))"
    }
}

extension CoffeeWords {
    /// The caffeine, and the volume if it is known: `80 mg · 60 ml`.
    static func amount(_ milligrams: Double, _ millilitres: Double?) -> String {
        millilitres.map { "\(amount(milligrams)) · \(number($0)) ml" } ?? amount(milligrams)
    }
}

// MARK: - Editing a drink

/// The page for editing a drink.
struct EditView: PageView {
    static let template = "edit"
    var pageTitle: String { "Edit \(name)" }

    let head: PageHead
    let name: String
    let path: Link
    let timeHint: String
    let form: FilledForm

    init(_ drink: Drink, _ settings: CoffeeSettings, form: FilledForm, head: PageHead) {
        self.head = head
        name = drink.name
        path = Link("/coffee/drinks/\(drink.id.uuidString)")
        timeHint = TodayView.timeHint(settings, empty: "as it was", twice: "the one nearer to what it was")
        self.form = form
    }

    /// The values of the form's fields.
    static func fields(of drink: Drink, _ settings: CoffeeSettings) -> [String: String] {
        let start = LocalTime(drink.start, in: settings.timeZone)
        return [
            "date": "\(start.day)", "time": LocalTime.text(start.minutes), "name": drink.name, "emoji": drink.emoji,
            "milligrams": CoffeeWords.trimmed(drink.milligrams),
            "millilitres": drink.millilitres.map(CoffeeWords.trimmed) ?? "",
            "sip": drink.sipping > 0 ? CoffeeWords.trimmed(drink.sipping / 60) : "", "from": drink.fingerprint,
        ]
    }
}
