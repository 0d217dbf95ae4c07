import CoffeeTrackerModel
import Foundation
import Site

struct SettingsView: PageView {
    static let template = "settings"
    var pageTitle: String { "Settings" }

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
    let zones, groups, decays, catalogues: [Choice]

    /// Creates the page; if the form was rejected, it shows the submitted values.
    init(_ settings: CoffeeSettings, form: FilledForm? = nil, head: PageHead) {
        self.head = head
        let known = Self.fields(of: settings)
        let form = form ?? FilledForm(fields: known)
        self.form = form
        // Always includes the weight, so that a weight entered for the first time counts as a change.
        shown = (form.shown ?? known.merging(["weight": ""]) { known, _ in known })
            .sorted { $0.key < $1.key }.map { Field(name: $0.key, value: $0.value) }
        func choices(_ name: String, _ choices: [(id: String, label: String, detail: String)]) -> [Choice] {
            let chosen = form.fields[name] ?? known[name]
            return choices.map { Choice(id: $0.id, label: $0.label, detail: $0.detail, isChosen: $0.id == chosen) }
        }
        zones = choices("zone", Self.zones(with: settings.zone).map { ($0, $0, "") })
        groups = choices(
            "group",
            [
                ("adult", "Adults", ""), ("pregnant", "Pregnancy", ""), ("nursing", "Nursing", ""),
                ("child", "A child, by weight", ""),
            ])
        decays = choices(
            "decay",
            [
                (
                    "absorption", "Absorption model",
                    "Your body absorbs a drink within about an hour. A level is \(LevelScale.absorption.sentence)."
                ),
                (
                    "simple", "Simple model",
                    "As in the sample application: you have all of a drink at once, then half of it every half-life. "
                        + "A level is \(LevelScale.simple.sentence)."
                ),
            ])
        catalogues = choices(
            "catalogue",
            [
                ("sourced", "Published figures", "Each with its source, EFSA or Mayo Clinic."),
                ("sample", "The sample application’s eleven", "Its figures for energy and soft drinks are low."),
            ])
    }

    /// The values of the form's fields.
    private static func fields(of settings: CoffeeSettings) -> [String: String] {
        var fields = [
            "zone": settings.zone, "dayStart": LocalTime.text(settings.dayStart),
            "bedtime": LocalTime.text(settings.bedtime), "threshold": CoffeeWords.trimmed(settings.threshold),
            "halfLife": CoffeeWords.trimmed(settings.halfLife), "group": settings.group.name,
            "decay": settings.usesSimpleDecay ? "simple" : "absorption", "catalogue": settings.catalogue.rawValue,
        ]
        if case .child(let kilograms) = settings.group { fields["weight"] = CoffeeWords.trimmed(kilograms) }
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
    var pageTitle: String { "Drinks" }

    struct Kind: Sendable {
        let id, emoji, name, amount, source: String
        let isFavourite, isOwn: Bool

        init(_ kind: DrinkKind, _ settings: CoffeeSettings) {
            id = kind.id
            emoji = kind.emoji
            name = kind.name
            amount = CoffeeWords.amount(kind.milligrams, kind.millilitres)
            isFavourite = settings.favourites.contains(kind.id)
            isOwn = kind.origin == .own
            source =
                switch kind.origin {
                case .own: "Your own"
                case .sample: "The sample application’s figure"
                case .sourced(let source): source
                }
        }
    }

    let head: PageHead
    let version: String
    let isOwnOpen: Bool
    let form: FilledForm
    let kinds: [Kind]

    /// Creates the page; if the form that adds the owner's own drink was rejected, it shows the submitted values.
    init(_ view: CoffeeView, form: FilledForm? = nil, head: PageHead) {
        self.head = head
        version = view.version
        isOwnOpen = form != nil
        self.form = form ?? FilledForm()
        kinds = view.settings.shown.map { Kind($0, view.settings) }
    }
}
