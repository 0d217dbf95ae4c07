import CoffeeTrackerModel
import Foundation
import Site

// The pages on which somebody says how it is to be counted, and what there is to drink.

extension CoffeeTemplates {
    /// The page of the settings.
    ///
    /// - Parameters:
    ///   - settings: As they are.
    ///   - form: What was typed, where it could not be saved.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: The HTML.
    func settings(_ settings: CoffeeSettings, form: FilledForm? = nil, notice: String?) -> HTML {
        var values = Self.head(.settings, notice: notice)
        let fields = Self.fields(of: settings)
        let form = form ?? FilledForm(fields: fields)
        form.add(to: &values)
        // With a weight in any case: one that is typed is another one than none.
        let shown = form.shown ?? fields.merging(["weight": ""]) { known, _ in known }
        values["shown"] = shown.sorted { $0.key < $1.key }.map { ["name": $0.key, "value": $0.value] }
        let zone = form.fields["zone"] ?? settings.zone
        values["zones"] = Self.zones(with: settings.zone).map {
            ["name": $0, "isChosen": $0 == zone] as [String: Any]
        }
        let group = form.fields["group"] ?? settings.group.name
        values["groups"] = CoffeeGroup.choices.map {
            ["id": $0.id, "label": $0.label, "isChosen": $0.id == group] as [String: Any]
        }
        values["hasWeight"] = true
        values["thresholdHint"] = "Of caffeine in the body, at bedtime. 30 to 35 mg are usual."
        values["halfLifeHint"] =
            "5 on average; 7.9 with oral contraceptives, 8.3 in pregnancy, 1.5 to 9.5 in most adults."
        let decay = form.fields["decay"] ?? Self.decay(settings)
        values["decays"] = [
            Self.choice(
                "absorption", "Absorption model",
                "Your body absorbs a drink within about an hour. A level is \(LevelScale.absorption.sentence).",
                chosen: decay),
            Self.choice(
                "simple", "Simple model",
                "As in the sample application: you have all of a drink at once, then half of it every half-life. "
                    + "A level is \(LevelScale.simple.sentence).",
                chosen: decay),
        ]
        let catalogue = form.fields["catalogue"] ?? settings.catalogue.rawValue
        values["catalogues"] = [
            Self.choice(
                "sourced", "Published figures", "Each with its source, EFSA or Mayo Clinic.", chosen: catalogue),
            Self.choice(
                "sample", "The sample application’s eleven", "Its figures for energy and soft drinks are low.",
                chosen: catalogue),
        ]
        return render("settings", values)
    }

    private static func choice(
        _ value: String, _ label: String, _ detail: String, chosen: String
    ) -> [String: Any] {
        ["value": value, "label": label, "detail": detail, "isChosen": value == chosen]
    }

    private static func decay(_ settings: CoffeeSettings) -> String {
        settings.usesSimpleDecay ? "simple" : "absorption"
    }

    /// The settings, as the fields of the form hold them.
    private static func fields(of settings: CoffeeSettings) -> [String: String] {
        var fields = [
            "zone": settings.zone, "dayStart": LocalTime.text(settings.dayStart),
            "bedtime": LocalTime.text(settings.bedtime), "threshold": CoffeeWords.trimmed(settings.threshold),
            "halfLife": CoffeeWords.trimmed(settings.halfLife), "group": settings.group.name,
            "decay": decay(settings), "catalogue": settings.catalogue.rawValue,
        ]
        if case .child(let kilograms) = settings.group { fields["weight"] = CoffeeWords.trimmed(kilograms) }
        return fields
    }

    /// The zones that somebody can live in, with the one that they do.
    private static func zones(with own: String) -> [String] {
        let known = TimeZone.knownTimeZoneIdentifiers.filter { $0.contains("/") || $0 == "UTC" || $0 == "GMT" }
        return Set(known + ["UTC", own]).sorted()
    }
}

extension CoffeeGroup {
    /// What can be chosen.
    static let choices: [(id: String, label: String)] = [
        ("adult", "Adults"), ("pregnant", "Pregnancy"), ("nursing", "Nursing"),
        ("child", "A child, by weight"),
    ]

    var name: String {
        switch self {
        case .adult: "adult"
        case .pregnant: "pregnant"
        case .nursing: "nursing"
        case .child: "child"
        }
    }
}

// MARK: - What there is to drink

extension CoffeeTemplates {
    /// The page of all kinds of drinks.
    ///
    /// - Parameters:
    ///   - view: What is shown now.
    ///   - form: What was typed into the form for a kind of one's own, where it could not be kept.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: The HTML.
    func catalogue(_ view: CoffeeView, form: FilledForm? = nil, notice: String?) -> HTML {
        let settings = view.settings
        var values = Self.head(.catalogue, notice: notice)
        values["version"] = view.version
        (form ?? FilledForm()).add(to: &values)
        values["isOwnOpen"] = form != nil
        values["kinds"] = settings.shown.map { kind -> [String: Any] in
            var values = Self.values(of: kind)
            values["amount"] =
                kind.millilitres.map { "\(CoffeeWords.amount(kind.milligrams)) · \(CoffeeWords.number($0)) ml" }
                ?? CoffeeWords.amount(kind.milligrams)
            values["isFavourite"] = settings.favourites.contains(kind.id)
            switch kind.origin {
            case .own:
                values["isOwn"] = true
                values["source"] = "Your own"
            case .sample: values["source"] = "The sample application’s figure"
            case .sourced(let source): values["source"] = source
            }
            return values
        }
        return render("catalogue", values)
    }
}

// MARK: - Changing a drink

extension CoffeeTemplates {
    /// The page on which a drink is changed.
    ///
    /// - Parameters:
    ///   - drink: The drink, as it is.
    ///   - view: What it is among.
    ///   - form: What was typed, where it could not be saved.
    ///   - notice: What everybody who comes should be told.
    /// - Returns: The HTML.
    func edit(_ drink: Drink, _ view: CoffeeView, form: FilledForm? = nil, notice: String?) -> HTML {
        var values = Self.head(.today, notice: notice)
        values["name"] = drink.name
        values["path"] = Link("/coffee/drinks/\(drink.id.uuidString)")
        values["timeHint"] = Self.timeHint(view.settings, empty: "as it was", twice: "the one nearer to what it was")
        (form ?? FilledForm(fields: Self.fields(of: drink, view.settings))).add(to: &values)
        values["back"] = Link(CoffeeTab.today.path)
        return render("edit", values)
    }

    /// A drink, as the fields of the form hold it.
    static func fields(of drink: Drink, _ settings: CoffeeSettings) -> [String: String] {
        var fields = fields(of: drink.start, settings: settings)
        fields["name"] = drink.name
        fields["emoji"] = drink.emoji
        fields["milligrams"] = CoffeeWords.trimmed(drink.milligrams)
        fields["millilitres"] = drink.millilitres.map(CoffeeWords.trimmed) ?? ""
        fields["sip"] = drink.sipping > 0 ? CoffeeWords.trimmed(drink.sipping / 60) : ""
        return fields
    }
}
