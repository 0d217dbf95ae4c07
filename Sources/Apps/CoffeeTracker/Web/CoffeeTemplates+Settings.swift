import CoffeeTrackerModel
import Foundation
import Site

struct SettingsView: PageView {
    static let template = "settings"
    var pageTitle: String { CoffeeWords.settings }

    struct Field: Sendable {
        let name, value: String
    }

    struct Choice: Sendable {
        let id: String
        let label: String
        var detail = ""
        let isChosen: Bool
    }

    let head: PageHead
    let form: FilledForm
    let shown: [Field]
    let zones, groups, clocks, units, decays, catalogues: [Choice]
    let halfLifeHint: String

    /// Creates the page; if the form was rejected, it shows the submitted values.
    init(_ settings: CoffeeSettings, form: FilledForm? = nil, head: PageHead) {
        self.head = head
        let known = Self.fields(of: settings)
        let form = form ?? FilledForm(fields: known)
        self.form = form
        // Always includes these two, so that a value entered for the first time counts as a change.
        shown = (form.shown ?? known.merging(["weight": "", "dailyLimit": ""]) { known, _ in known })
            .sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
        halfLifeHint = Self.halfLifeHint
        func choices(_ name: String, _ choices: [(id: String, label: String, detail: String)]) -> [Choice] {
            let chosen = form.fields[name] ?? known[name]
            return choices.map { Choice(id: $0.id, label: $0.label, detail: $0.detail, isChosen: $0.id == chosen) }
        }
        zones = choices("zone", Self.zones(with: settings.zone).map { ($0, $0, "") })
        groups = choices(
            "group",
            [
                ("adult", CoffeeWords.adults, ""), ("pregnant", CoffeeWords.pregnancy, ""),
                ("nursing", CoffeeWords.breastfeeding, ""), ("child", CoffeeWords.child, ""),
            ])
        let afternoon = 15 * 60 + 30
        clocks = choices(
            "clockFormat",
            ClockFormat.allCases.map { format in
                let name = format == .automatic ? CoffeeWords.likeBrowser : CoffeeWords.hours(format.rawValue)
                return (format.rawValue, "\(name), \(format.text(afternoon))", "")
            })
        units = choices("volumeUnit", [("ml", CoffeeWords.millilitres, ""), ("oz", CoffeeWords.ounces, "")])
        decays = choices(
            "decay",
            [
                (
                    "absorption", CoffeeWords.absorptionModel,
                    CoffeeWords.absorptionDetail(LevelScale.absorption.sentence)
                ),
                (
                    "simple", CoffeeWords.simpleModel, CoffeeWords.simpleDetail(LevelScale.simple.sentence)
                ),
            ])
        catalogues = choices(
            "catalogue",
            [
                ("sourced", CoffeeWords.publishedAmounts, CoffeeWords.publishedAmountsDetail),
                ("sample", CoffeeWords.sampleAmounts, CoffeeWords.sampleAmountsDetail),
            ])
    }

    /// A hint with the usual half-lives; the chart shows the same range, and the model names the sources.
    private static var halfLifeHint: String {
        let usual = CoffeeSettings()
        let number = CoffeeFormatter.number
        let (low, high) = (usual.levelBand.low.halfLife, usual.levelBand.high.halfLife)
        return CoffeeWords.halfLifeHint(
            average: number(usual.halfLife), low: number(low), high: number(high), withContraceptives: number(7.9),
            inPregnancy: number(8.3))
    }

    /// The values of the form's fields.
    private static func fields(of settings: CoffeeSettings) -> [String: String] {
        var fields = [
            "zone": settings.zone, "dayStart": LocalTime.text(settings.dayStart),
            "bedtime": LocalTime.text(settings.bedtime), "threshold": CoffeeFormatter.trimmed(settings.threshold),
            "halfLife": CoffeeFormatter.trimmed(settings.halfLife), "group": settings.group.name,
            "clockFormat": settings.clockFormat.rawValue, "volumeUnit": settings.volumeUnit.rawValue,
            "decay": settings.usesSimpleDecay ? "simple" : "absorption", "catalogue": settings.catalogue.rawValue,
        ]
        if let limit = settings.dailyLimit { fields["dailyLimit"] = CoffeeFormatter.trimmed(limit) }
        if case .child(let kilograms) = settings.group { fields["weight"] = CoffeeFormatter.trimmed(kilograms) }
        return fields
    }

    /// The time zones to choose from, including the one in the settings.
    private static func zones(with own: String) -> [String] {
        let known = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") || $0 == "UTC" || $0 == "GMT" }
        return Set(known + ["UTC", own]).sorted()
    }
}

// MARK: - Kinds of drinks

/// The page with all kinds of drinks.
struct CatalogueView: PageView {
    static let template = "catalogue"
    var pageTitle: String { CoffeeWords.drinks }

    struct Kind: Sendable {
        let id, emoji, name, amount, source: String
        let isFavourite, isOwn: Bool
        let editing: Link

        private static func sizes(of kind: DrinkKind) -> String {
            let (small, large) = (kind.sized(.small).milligrams, kind.sized(.large).milligrams)
            return CoffeeWords.sizes(small: CoffeeFormatter.amount(small), large: CoffeeFormatter.amount(large))
        }

        init(_ kind: DrinkKind, _ settings: CoffeeSettings) {
            id = kind.id
            emoji = kind.emoji
            name = kind.name
            amount = settings.amount(kind.milligrams, kind.millilitres)
            isFavourite = settings.favourites.contains(kind.id)
            isOwn = kind.origin == .own
            let query = kind.id.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
            editing = Link("\(CoffeeTab.catalogue.path)?edit=\(query)#own")
            let origin =
                switch kind.origin {
                case .own: CoffeeWords.ownKind
                case .sample: CoffeeWords.sampleKind
                case .sourced(let source): source
                }
            source = kind.hasSizes ? "\(Self.sizes(of: kind)). \(origin)" : origin
        }
    }

    let head: PageHead
    let version, title: String
    let isOwnFormOpen, isEditing: Bool
    let unit: VolumeField
    let form: FilledForm
    let kinds: [Kind]
    let undo, toast: UndoView?
    let back = CoffeeTab.catalogue.path

    /// Creates the page.
    ///
    /// The form for the owner's own drink is open if it has values: those of a rejected form, of the drink to edit,
    /// or a name.
    init(_ view: CoffeeView, form: FilledForm? = nil, head: PageHead) {
        self.head = head
        version = view.version
        isOwnFormOpen = form != nil
        self.form = form ?? FilledForm()
        let edited = self.form.fields["kind"].flatMap { id in view.settings.kinds.first { $0.id == id } }
        isEditing = edited != nil
        title = edited.map { CoffeeWords.editing($0.name) } ?? CoffeeWords.addOwnKind
        unit = VolumeField(self.form, view.settings)
        kinds = view.settings.shown.map { Kind($0, view.settings) }
        undo = view.undo.flatMap { $0.isOfKind ? UndoView($0, view) : nil }
        toast = undo?.ifFresh
    }

    /// The values of the form's fields for a kind of the owner's own.
    static func fields(of kind: DrinkKind, _ settings: CoffeeSettings) -> [String: String] {
        [
            "kind": kind.id, "name": kind.name, "emoji": kind.emoji,
            "milligrams": CoffeeFormatter.trimmed(kind.milligrams),
            "millilitres": kind.millilitres.map(settings.volumeUnit.field) ?? "",
            "unit": settings.volumeUnit.rawValue,
        ]
    }
}
