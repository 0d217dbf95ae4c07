import Hummingbird
import Persistence

/// The site's own routes: the home page with its sample data.
struct HomePage {
    /// The number of pages that an app's card links to.
    private static let entryCount = 3

    private let layout: Layout
    private let apps: [SiteApp]
    private let modules: SiteModules?
    private let templates: Templates

    /// Creates the page; without modules it lists the apps and shows nothing else.
    init(layout: Layout, apps: [SiteApp], modules: SiteModules?) throws {
        self.layout = layout
        self.apps = apps
        self.modules = modules
        self.templates = try Self.parsed.get()
    }

    private static let parsed = Result {
        try Templates(["home": PackageResources.home_mustache], words: SiteWords.homeTemplates)
    }

    func addRoutes(to router: SiteRouter) {
        router.get("/") { _, context in await page(of: context.owner) }
        if let modules {
            router.post("/samples") { _, context in
                try await modules.addSamples(of: context.owner)
                return Response.redirect(to: "/", type: .normal)
            }
            router.post("/samples/remove") { _, context in
                try await modules.removeSamples(of: context.owner)
                return Response.redirect(to: "/", type: .normal)
            }
        }
    }

    private func page(of owner: OwnerID) async -> Response {
        let overviews = await modules?.overviews(of: owner) ?? [:]
        let steps = apps.compactMap { app in overviews[app.path].map { StepView($0.step) } }
        let hasOpenSteps = steps.contains { !$0.isDone }
        let samples = await modules?.sampleState(of: owner) ?? .unavailable
        let view = HomeView(
            hasSteps: hasOpenSteps, steps: steps,
            apps: apps.map { CardView($0, overviews[$0.path], entryCount: Self.entryCount) },
            offersSamples: samples == .absent && hasOpenSteps, hasSamples: samples == .present,
            samples: modules?.sampleSummary(of: owner) ?? "")
        return layout.page(title: SiteWords.name, heading: nil, content: templates.render("home", view))
    }
}

// MARK: - Values of the template

private struct HomeView {
    let hasSteps: Bool
    let steps: [StepView]
    let apps: [CardView]
    let offersSamples: Bool
    let hasSamples: Bool
    let samples: String
}

private struct StepView {
    let text: String
    let path: Link
    let isDone: Bool

    init(_ step: AppOverview.Step) {
        text = step.text
        path = Link(step.path)
        isDone = step.isDone
    }
}

private struct CardView {
    struct Entry {
        let name: String
        let path: Link
        let detail: String?
    }

    let name: String
    let path: Link
    let summary: String
    let isReady: Bool
    let status: String?
    let hasEntries: Bool
    let entries: [Entry]

    init(_ app: SiteApp, _ overview: AppOverview?, entryCount: Int) {
        name = app.name
        path = Link(app.path)
        summary = app.summary
        isReady = app.isReady
        status = overview?.status
        entries = (overview?.entries.prefix(entryCount) ?? []).map {
            Entry(name: $0.name, path: Link($0.path), detail: $0.detail)
        }
        hasEntries = !entries.isEmpty
    }
}
