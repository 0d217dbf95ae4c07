import Capture
import Formats
import Foundation
import Hummingbird
import Loading
import OfflineLibraryModel
import Persistence
import Site

// The pages with the versions of an address, and their comparison.

extension LibraryPages {
    func addVersionRoutes(to library: RouterGroup<SiteContext>, layout: Layout) {
        library.get("/pages/:id/versions") { _, context in try await versions(context, layout: layout) }
        library.post("/pages/:id/schedule") { request, context in
            let form = try await request.decode(as: ScheduleForm.self, context: context)
            let id = try Self.page(in: context)
            let interval = form.interval.flatMap { RecaptureSchedule.Interval(rawValue: $0) }
            try await libraries.use(owner) {
                try await $0.library.schedule(id, interval, zone: ReaderFormats.current.zone.identifier)
            }
            return Response.redirect(to: Self.localPath(form.back) ?? Self.versionsPath(id), type: .normal)
        }
        library.get("/compare") { request, _ in try await comparison(request, layout: layout) }
    }

    private struct ScheduleForm: Decodable {
        var interval: String?
        /// The page that has the form, if it isn't that of the versions.
        var back: String?
    }

    private static func versionsPath(_ id: SavedPage.ID) -> String { "/library/pages/\(id)/versions" }

    /// The page with all versions of an address.
    private func versions(_ context: SiteContext, layout: Layout) async throws -> Response {
        let id = try Self.page(in: context)
        let shown = try await libraries.use(owner) { open in
            let library = open.library
            guard let item = library.item(id) else { throw LibraryError.notFound }
            // Read first: what ends meanwhile makes the page outdated.
            let version = library.versionsVersion
            return ShownVersions(
                item: item, versions: try await library.versions(of: id), schedule: library.schedule(of: item),
                problem: library.schedulingProblem, version: version)
        }
        let name = templates.name(of: shown.item)
        return layout.page(
            title: LibraryWords.versions(of: name), heading: LibraryWords.versionsTitle, app: Self.app,
            content: versionTemplates.versions(shown, templates), styles: Self.styles)
    }

    /// The page that compares two versions.
    private func comparison(_ request: Request, layout: Layout) async throws -> Response {
        let ids = ["old", "new"].compactMap { name in
            request.uri.queryParameters[Substring(name)].flatMap { SavedPage.ID(String($0)) }
        }
        guard ids.count == 2 else { throw LibraryError.notFound }
        if ids[0] == ids[1] { return .redirect(to: Self.versionsPath(ids[0]), type: .normal) }
        let shown = try await comparison(of: ids[0], and: ids[1])
        let content = try await rendered(shown)
        return layout.page(
            title: LibraryWords.comparison(of: templates.name(of: shown.new)), heading: LibraryWords.compareTitle,
            app: Self.app, content: content, styles: Self.styles, scripts: ["library/changes.js"])
    }

    /// Two versions and what is known of their differences; if they weren't compared yet, that begins.
    func comparison(of first: SavedPage.ID, and second: SavedPage.ID) async throws -> ShownComparison {
        try await libraries.use(owner) { open in
            let library = open.library
            guard var old = library.item(first), var new = library.item(second), !old.isDeleted, !new.isDeleted,
                old.state.value != nil, new.state.value != nil
            else { throw LibraryError.notFound }
            if old.versionTime > new.versionTime { swap(&old, &new) }
            let pair = VersionPair(old: old.id, new: new.id)
            // Read first: a comparison that ends meanwhile makes the page outdated.
            let version = library.versionsVersion
            let known = try await library.comparisons(of: [new.id])[pair]
            if known == nil { library.compare(pair) }
            return ShownComparison(
                old: old, new: new, comparison: known,
                texts: (try await library.text(of: old.id), try await library.text(of: new.id)),
                problem: library.comparisonProblems[pair]?.message, version: version)
        }
    }

    /// Compares the texts, which may take seconds; `nil` if a version has none.
    static func changes(of texts: (old: String?, new: String?)) -> TextChanges? {
        guard let old = texts.old, let new = texts.new else { return nil }
        return TextChanges(from: old, to: new)
    }

    /// Compares the texts, and renders the page.
    @concurrent
    private func rendered(_ shown: ShownComparison) async throws -> HTML {
        let changes = Self.changes(of: shown.texts)
        var pictures: [PictureTiles?] = []
        for item in [shown.old, shown.new] {
            let hasPicture = item.state.value?.sizes[.png] != nil
            pictures.append(hasPicture ? try? await picture(of: item.id).tiles : nil)
        }
        return versionTemplates.comparison(shown, changes, tiles: (pictures[0], pictures[1]), templates)
    }
}

/// What the page with versions shows.
struct ShownVersions: Sendable {
    var item: LibraryItem
    var versions: [PageVersion]
    var schedule: RecaptureSchedule?
    var problem: LibraryError?
    var version: String
}

/// What the page with a comparison shows.
struct ShownComparison: Sendable {
    var old: LibraryItem
    var new: LibraryItem
    /// `nil` while they are being compared.
    var comparison: VersionComparison?
    var texts: (old: String?, new: String?)
    /// Why the pictures couldn't be compared.
    var problem: String?
    var version: String
}

extension Library {
    /// A text that changes whenever a comparison, a version or a schedule does.
    var versionsVersion: String {
        var hasher = Hasher()
        hasher.combine(schedules)
        return "\(comparedVersions)-\(newest.savedCount)-\(hasher.finalize())"
    }
}
