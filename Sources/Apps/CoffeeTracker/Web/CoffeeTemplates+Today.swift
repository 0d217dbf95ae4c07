import CoffeeTrackerModel
import Formats
import Foundation
import Site

// The first page and its parts, each of which is replaced when it changes.

/// The parts of the first page.
struct TodayParts: Sendable {
    let now, quick, chart, answers, drinks: HTML

    init(_ view: CoffeeView, _ templates: CoffeeTemplates) {
        let answers = CaffeineAnswers(drinks: view.drinks, settings: view.settings, at: view.now)
        now = templates.html(NowView(view, answers))
        quick = templates.html(QuickView(view))
        chart = templates.html(ChartView(view.chart, answers, view.settings))
        self.answers = templates.html(AnswersView(view, answers))
        drinks = templates.html(DrinksView(view))
    }
}

/// The whole page.
struct TodayView: PageView {
    static let template = "today"
    var pageTitle: String { CoffeeWords.name }

    let head: PageHead
    let parts: TodayParts
    let lastPoint = CoffeeView.pointCount - 1
    let nowPoint = CoffeeView.pointCount / 2
    let kinds: [KindView]
    let isAddOpen: Bool
    let timeHint: String
    let form: FilledForm
    /// For a browser without scripts: the action that has just been performed.
    let toast: UndoView?

    /// Creates the page, with the submitted text if the form for adding a drink was rejected.
    init(_ view: CoffeeView, _ templates: CoffeeTemplates, form: FilledForm? = nil, head: PageHead) {
        self.head = head
        parts = TodayParts(view, templates)
        let chosen = form?.fields["kind"] ?? view.quick.first?.id
        kinds = view.settings.listed.map { KindView($0, isChosen: $0.id == chosen) }
        isAddOpen = form != nil
        toast = view.undo.flatMap { UndoView($0, view).ifFresh }
        timeHint = Self.timeHint(view.settings, empty: CoffeeWords.emptyTimeIsNow)
        // A tab can stay open for hours, so an empty time means the time of submission.
        self.form = form ?? FilledForm()
    }

    /// The hint below a day and a time: the meaning of empty fields, and which moment counts if the clock shows a time
    /// twice.
    static func timeHint(
        _ settings: CoffeeSettings, empty: String, twice: String = CoffeeWords.firstOne
    ) -> String {
        CoffeeWords.timeHint(empty: empty, zone: settings.zone, twice: twice)
    }
}

// MARK: - Now

/// The current level, and today's total.
struct NowView: TemplateView {
    static let template = "now"

    let number, word, badge, text, drinks, todayText: String
    /// The word for the highest level to come, unless it is the same as the current word.
    let laterWord: String?
    /// The CSS class of that word's badge.
    let laterBadge: String
    let colour, cupsColour: CaffeineColour
    let gauge: HTML
    let time, shownTime, zone: String
    let failure, problem: String?

    init(_ view: CoffeeView, _ answers: CaffeineAnswers) {
        let level = answers.level
        let today = view.today
        let total = answers.guidance.today
        number = level.number
        word = level.word
        badge = level.colour.badge
        let later = answers.peak?.level ?? level
        laterWord = later.word == level.word ? nil : later.word
        laterBadge = later.colour.badge
        text = Self.text(view, answers)
        colour = level.colour
        gauge = GaugeDrawing(level: level).bar
        drinks =
            today.isEmpty
            ? CoffeeWords.noDrinksYet
            : CoffeeWords.total(drinks: today.count, amount: CoffeeFormatter.amount(total))
        // The guidance has the same limit, so the day's total is never in a milder colour than its text.
        cupsColour = answers.guidance.isOverDaily ? .red : CaffeineColour(cups: total / Cups.milligrams)
        let limit = answers.guidance.isOverDaily ? CoffeeFormatter.amount(answers.guidance.daily) : nil
        todayText =
            today.isEmpty
            ? "" : CoffeeWords.cupsOfCoffee(CoffeeFormatter.cups(total / Cups.milligrams), overLimit: limit)
        time = view.now.formatted(.iso8601)
        shownTime = view.formatter.clock(view.now)
        zone = view.settings.zone
        failure = view.failure
        problem = view.problem
    }

    /// The text beside the number: its likely range, and whether it is rising.
    private static func text(_ view: CoffeeView, _ answers: CaffeineAnswers) -> String {
        // The badge beside the number already shows the word.
        CoffeeWords.inBodyNow(
            range: CoffeeFormatter.range(answers), rise: view.formatter.rise(answers, hasWord: false))
    }
}

// MARK: - Kinds and drinks

/// The form for adding a drink: buttons for favourite and recent kinds, and a list of all kinds.
struct QuickView: TemplateView {
    static let template = "quick"

    struct Size: Sendable {
        let size, label: String
        let isChosen: Bool
    }

    let kinds, all: [KindView]
    let hasSizes: Bool
    let sizes: [Size]

    init(_ view: CoffeeView) {
        kinds = view.quick.map { KindView($0) }
        all = view.settings.listed.map { KindView($0) }
        hasSizes = view.quick.contains(where: \.hasSizes)
        sizes = DrinkSize.allCases.map { Size(size: $0.rawValue, label: $0.name, isChosen: $0 == .medium) }
    }
}

/// A kind of drink.
struct KindView: Sendable {
    struct Amount: Sendable {
        let size, text: String
    }

    let id, emoji, name, amount: String
    /// The amount of each size; empty for a kind of one size.
    let amounts: [Amount]
    let isChosen: Bool

    init(_ kind: DrinkKind, isChosen: Bool = false) {
        id = kind.id
        emoji = kind.emoji
        name = kind.name
        amount = CoffeeFormatter.amount(kind.milligrams)
        amounts =
            kind.hasSizes
            ? DrinkSize.allCases.map {
                Amount(size: $0.rawValue, text: CoffeeFormatter.amount(kind.sized($0).milligrams))
            } : []
        self.isChosen = isChosen
    }
}

/// Today's drinks.
struct DrinksView: TemplateView {
    static let template = "drinks"

    let isEmpty: Bool
    let drinks: [DrinkView]
    let emptyText: String
    let undo: UndoView?
    /// Whether to say that drinks can be shared.
    let hasSharingHint: Bool

    init(_ view: CoffeeView) {
        drinks = view.today.map { DrinkView($0, view) }
        isEmpty = drinks.isEmpty
        emptyText =
            view.drinks.isEmpty
            ? CoffeeWords.tapADrink : CoffeeWords.earlierDrinks
        undo = view.undo.map { UndoView($0, view) }
        hasSharingHint = view.withheld >= CoffeeView.sharingHintCount && !view.settings.knowsSharing
    }
}

/// The last action, with the button that undoes it.
struct UndoView: Sendable {
    /// For how long an action counts as just performed, in seconds: a page offers to undo it near the tapped button.
    static let freshDuration: TimeInterval = 8

    let step, text: String
    /// Whether the action has just been performed.
    let isFresh: Bool
    /// The day's total, if a drink has just been added.
    ///
    /// On a phone, both the level and the list may be off screen when a drink is added.
    let result: String?
    /// The added drink in the history, if the page doesn't show its day.
    let place: Link?

    /// Describes an action, for a page that also shows the given drinks of other days.
    init(_ undo: CoffeeData.Undo, _ view: CoffeeView, beside drinks: [Drink] = []) {
        let days = view.settings.days
        let day = undo.added.map { days.day(of: $0.start) }
        let isOnAnotherDay = day.map { $0 != days.day(of: view.now) } ?? false
        step = undo.id
        isFresh = view.now.timeIntervalSince(undo.date) < Self.freshDuration
        if let drink = undo.added, let day, isOnAnotherDay {
            text = CoffeeWords.added(
                undo.name, to: view.formatter.day(drink.start), view.formatter.clock(drink.start))
            let isShown = drinks.contains { $0.id == drink.id }
            place = isShown ? nil : Link("/coffee/history?until=\(day)#drink-\(drink.id.uuidString)")
        } else {
            text = undo.name
            place = nil
        }
        result = undo.added != nil && isFresh && !isOnAnotherDay ? Self.total(of: view.today) : nil
    }
}

extension UndoView {
    private static func total(of drinks: [Drink]) -> String {
        CoffeeWords.todaysTotal(
            drinks: drinks.count, amount: CoffeeFormatter.amount(drinks.reduce(0) { $0 + $1.milligrams }))
    }

    /// The action, if it has just been performed.
    var ifFresh: UndoView? { isFresh ? self : nil }
}

/// A drink in a list.
struct DrinkView: Sendable {
    let id, name, emoji, amount, time, shownTime, label, left: String
    let path, editing: Link
    let sipping, source: String?
    let isOwn: Bool
    /// The page with the drink, if it isn't the first one.
    let back: String?

    init(_ drink: Drink, _ view: CoffeeView, back: String? = nil) {
        let formatter = view.formatter
        id = drink.id.uuidString
        path = Link("/coffee/drinks/\(id)")
        let query = back?.addingPercentEncoding(withAllowedCharacters: .alphanumerics).map { "?back=\($0)" }
        editing = Link("/coffee/drinks/\(id)\(query ?? "")")
        self.back = back
        name = drink.name
        emoji = drink.emoji
        amount = view.settings.amount(drink.milligrams, drink.millilitres)
        time = drink.start.formatted(.iso8601)
        shownTime = Self.shownTime(of: drink, formatter)
        label = CoffeeWords.drink(drink.name, at: formatter.when(drink.start))
        sipping = drink.sipping > 0 ? CoffeeWords.took(CoffeeFormatter.duration(drink.sipping)) : nil
        left = CoffeeWords.inBodyNow(
            CoffeeFormatter.amount(view.settings.level.milligrams(at: view.now, of: drink)))
        isOwn = drink.source == .own
        source = isOwn ? nil : CoffeeWords.from(drink.source.name)
    }

    /// The time, with its UTC offset if the clock shows it twice.
    private static func shownTime(of drink: Drink, _ formatter: CoffeeFormatter) -> String {
        guard case .twice = LocalTime(drink.start, in: formatter.zone).resolved(in: formatter.zone) else {
            return formatter.when(drink.start)
        }
        let hours = Double(formatter.zone.secondsFromGMT(for: drink.start)) / 3600
        return CoffeeWords.time(
            formatter.when(drink.start),
            offset: "\(hours < 0 ? "−" : "+")\(ReaderFormats.current.number(abs(hours)))")
    }
}

extension CoffeeSettings {
    /// The caffeine, and the volume if it is known: `80 mg · 60 ml`.
    func amount(_ milligrams: Double, _ millilitres: Double?) -> String {
        let caffeine = CoffeeFormatter.amount(milligrams)
        return millilitres.map { "\(caffeine) · \(volumeUnit.text($0))" } ?? caffeine
    }
}

// MARK: - Editing a drink

/// The field of a volume, in the unit of the submitted text or in the owner's.
struct VolumeField: Sendable {
    let symbol, label: String

    init(_ form: FilledForm, _ settings: CoffeeSettings) {
        let unit = form.fields["unit"].flatMap(VolumeUnit.init(rawValue:)) ?? settings.volumeUnit
        symbol = unit.rawValue
        label = unit.label
    }
}

/// The page for editing a drink.
struct EditView: PageView {
    static let template = "edit"
    var pageTitle: String { CoffeeWords.editing(name) }

    let head: PageHead
    let name: String
    let path, cancel: Link
    let timeHint: String
    let unit: VolumeField
    let form: FilledForm

    init(_ drink: Drink, _ settings: CoffeeSettings, form: FilledForm, head: PageHead) {
        self.head = head
        name = drink.name
        path = Link("/coffee/drinks/\(drink.id.uuidString)")
        cancel = Link(CoffeePages.returnPath(form.fields["back"]))
        timeHint = TodayView.timeHint(
            settings, empty: CoffeeWords.emptyTimeIsUnchanged, twice: CoffeeWords.closerOne)
        unit = VolumeField(form, settings)
        self.form = form
    }

    /// The values of the form's fields.
    static func fields(of drink: Drink, _ settings: CoffeeSettings) -> [String: String] {
        let start = LocalTime(drink.start, in: settings.timeZone)
        return [
            "date": "\(start.day)", "time": LocalTime.text(start.minutes), "name": drink.name, "emoji": drink.emoji,
            "milligrams": CoffeeFormatter.trimmed(drink.milligrams),
            "millilitres": drink.millilitres.map(settings.volumeUnit.field) ?? "",
            "unit": settings.volumeUnit.rawValue,
            "sip": drink.sipping > 0 ? CoffeeFormatter.trimmed(drink.sipping / 60) : "", "from": drink.fingerprint,
        ]
    }
}
