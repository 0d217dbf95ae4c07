import CoffeeTrackerModel
import Site

/// The data of a template: its stored properties have the names that the template uses.
protocol TemplateView: Sendable {
    static var template: String { get }
}

/// A view of an entire page.
protocol PageView: TemplateView {
    var pageTitle: String { get }
}

/// Coffee Tracker's templates.
struct CoffeeTemplates: Sendable {
    /// Parsed once, because parsing takes longer than rendering a page.
    private static let parsed = Result {
        try Templates(
            [
                "answers": PackageResources.answers_mustache, "back": PackageResources.back_mustache,
                "catalogue": PackageResources.catalogue_mustache, "chart": PackageResources.chart_mustache,
                "complications": PackageResources.complications_mustache, "drink": PackageResources.drink_mustache,
                "drinks": PackageResources.drinks_mustache, "edit": PackageResources.edit_mustache,
                "head": PackageResources.head_mustache, "health": PackageResources.health_mustache,
                "history": PackageResources.history_mustache, "now": PackageResources.now_mustache,
                "problem": PackageResources.problem_mustache, "quick": PackageResources.quick_mustache,
                "offline": PackageResources.offline_mustache,
                "settings": PackageResources.settings_mustache, "today": PackageResources.today_mustache,
                "toast": PackageResources.toast_mustache, "undo": PackageResources.undo_mustache,
                "when": PackageResources.when_mustache, "events": PackageResources.events_mustache,
                "expires": PackageResources.expires_mustache, "revalidation": PackageResources.revalidation_mustache,
                "sharing": PackageResources.sharing_mustache,
            ], words: CoffeeWords.templates)
    }

    private let templates: Templates

    /// Throws an error that describes an invalid template.
    init() throws { templates = try Self.parsed.get() }

    func html<View: TemplateView>(_ view: View) -> HTML { templates.render(View.template, view) }

    /// The changing parts of the first page, by event name.
    func parts(_ view: CoffeeView) -> [String: String] {
        let parts = TodayParts(view, self)
        return [
            "now": parts.now.markup, "quick": parts.quick.markup, "chart": parts.chart.markup,
            "answers": parts.answers.markup, "drinks": parts.drinks.markup, "version": view.version,
        ]
    }
}

/// The head of every page.
struct PageHead: Sendable {
    struct Tab: Sendable {
        let path: Link
        let label: String
        let isCurrent: Bool
    }

    let tabs: [Tab]
    /// A notice shown to every visitor.
    let notice: String?

    init(_ tab: CoffeeTab, notice: String?) {
        tabs = CoffeeTab.allCases.map { Tab(path: Link($0.path), label: $0.label, isCurrent: $0 == tab) }
        self.notice = notice
    }
}

/// The pages with a tab in the app's navigation.
enum CoffeeTab: String, CaseIterable {
    case today = "/coffee/"
    case history = "/coffee/history"
    case catalogue = "/coffee/catalogue"
    case settings = "/coffee/settings"
    case health = "/coffee/health"

    var path: String { rawValue }

    var label: String {
        switch self {
        case .today: CoffeeWords.today
        case .history: CoffeeWords.history
        case .catalogue: CoffeeWords.drinks
        case .settings: CoffeeWords.settings
        case .health: CoffeeWords.health
        }
    }
}

/// The submitted text of a form, and what is wrong with it.
struct FilledForm: Sendable {
    var fields: [String: String]
    /// The fields when the form was loaded, if the server needs them to detect changes.
    let shown: [String: String]?
    let problem: Problem?
    /// Whether the problem is shown beside a field.
    let isBesideField: Bool
    /// By the name of a field, whether the problem is shown beside it.
    let invalid: [String: Bool]

    init(fields: [String: String] = [:], shown: [String: String]? = nil, problem: Problem? = nil) {
        (self.fields, self.shown, self.problem) = (fields, shown, problem)
        // An error in a list of choices is shown at the top of the form: the list may not contain the submitted value.
        let isChoice = problem?.field == "kind" || problem?.field == "zone"
        if let field = problem?.field, fields[field] != nil, !isChoice {
            (isBesideField, invalid) = (true, [field: true])
        } else {
            (isBesideField, invalid) = (false, [:])
        }
    }
}

extension String {
    /// The words of a name such as `dietaryCaffeine`: `Dietary caffeine`.
    var asWords: String {
        let words = reduce(into: "") { words, character in
            words += character.isUppercase ? " \(character.lowercased())" : "\(character)"
        }
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
