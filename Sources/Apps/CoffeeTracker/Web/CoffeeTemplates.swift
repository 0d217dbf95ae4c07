import CoffeeTrackerModel
import Foundation
import Site

/// Coffee Tracker's pages as HTML.
struct CoffeeTemplates: Sendable {
    private let templates: Templates

    init() throws {
        templates = try Templates([
            "answers": PackageResources.answers_mustache, "catalogue": PackageResources.catalogue_mustache,
            "chart": PackageResources.chart_mustache,
            "complications": PackageResources.complications_mustache, "drink": PackageResources.drink_mustache,
            "drinks": PackageResources.drinks_mustache, "edit": PackageResources.edit_mustache,
            "head": PackageResources.head_mustache, "health": PackageResources.health_mustache,
            "history": PackageResources.history_mustache, "now": PackageResources.now_mustache,
            "problem": PackageResources.problem_mustache, "quick": PackageResources.quick_mustache,
            "settings": PackageResources.settings_mustache, "today": PackageResources.today_mustache,
            "when": PackageResources.when_mustache,
        ])
    }

    func render(_ name: String, _ values: [String: Any]) -> HTML {
        templates.render(name, values)
    }

    /// What stands above every page.
    static func head(_ tab: CoffeeTab, notice: String?) -> [String: Any] {
        var values: [String: Any] = [:]
        values["tabs"] = CoffeeTab.allCases.map {
            ["path": Link($0.path), "label": $0.label, "isCurrent": $0 == tab] as [String: Any]
        }
        values["notice"] = notice
        return values
    }
}

/// The app's pages that have a place in its navigation.
enum CoffeeTab: CaseIterable {
    case today
    case history
    case catalogue
    case settings
    case health

    var path: String {
        switch self {
        case .today: "/coffee/"
        case .history: "/coffee/history"
        case .catalogue: "/coffee/catalogue"
        case .settings: "/coffee/settings"
        case .health: "/coffee/health"
        }
    }

    var label: String {
        switch self {
        case .today: "Today"
        case .history: "History"
        case .catalogue: "Drinks"
        case .settings: "Settings"
        case .health: "Health"
        }
    }
}

/// What somebody has typed into a form, and what is wrong with it.
struct FilledForm: Sendable {
    var fields: [String: String] = [:]
    /// What the fields held when the form was loaded, where that tells what was changed.
    var shown: [String: String]?
    var problem: Problem?

    /// As templates have it: `form`, and `problem`.
    func add(to values: inout [String: Any]) {
        values["form"] = fields
        if let problem { values["problem"] = ["title": problem.title, "detail": problem.detail] }
    }
}
