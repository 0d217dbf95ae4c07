import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Site

/// Renders the library's pages as HTML.
struct LibraryTemplates: Sendable {
    /// The number of pages that the list shows at a time.
    static let listLength = 50

    /// Orders the list.
    let ordering = LibraryOrdering()
    private let templates: Templates

    init() throws {
        templates = try Templates([
            "library": PackageResources.library_mustache, "list": PackageResources.list_mustache,
            "item": PackageResources.item_mustache, "progress": PackageResources.progress_mustache,
            "archive": PackageResources.archive_mustache,
            "older": PackageResources.older_mustache,
        ])
    }

    /// The entire page, with the newest pages and an optional notice to every visitor.
    func page(_ snapshot: LibrarySnapshot, notice: String?) -> HTML {
        let formats = PageFormat.allCases.map {
            FormatView(name: $0.rawValue, label: $0.label, isChosen: snapshot.formats.contains($0))
        }
        return templates.render("library", LibraryView(list: list(snapshot), notice: notice, formats: formats))
    }

    /// The first pages of the list, and its order.
    func list(_ snapshot: LibrarySnapshot) -> HTML {
        let first = Array(snapshot.items.prefix(Self.listLength))
        var view = view(of: first, hasMore: snapshot.items.count > first.count)
        view.problem = snapshot.problem
        if snapshot.items.count > 1 {
            view.isOrdered = true
            view.orders = LibrarySettings.Order.allCases.map {
                OrderView(value: $0.rawValue, label: $0.label, isChosen: $0 == snapshot.order)
            }
        }
        return templates.render("list", view)
    }

    /// A later part of the list.
    func olderPages(_ items: [LibraryItem], hasMore: Bool) -> HTML {
        var view = view(of: items, hasMore: hasMore)
        view.isOlder = true
        return templates.render("older", ["list": templates.render("list", view)])
    }

    private func view(of items: [LibraryItem], hasMore: Bool) -> ListView {
        ListView(
            items: items.map(view(of:)), isEmpty: items.isEmpty,
            after: hasMore ? items.last.map { Link("/library/?after=\($0.id)") } : nil)
    }

    /// The progress of each running capture.
    func progress(of items: [LibraryItem]) -> [KeptPage.ID: HTML] {
        var progress: [KeptPage.ID: HTML] = [:]
        for item in items where item.state.isFetching && !item.isDeleted {
            progress[item.id] = self.progress(item.phase)
        }
        return progress
    }

    /// The page that displays an archive in a frame.
    func archive(_ item: LibraryItem) -> HTML {
        templates.render("archive", view(of: item))
    }

    private func progress(_ phase: CapturePhase?) -> HTML {
        let shown = phase ?? .capturing(.starting)
        return templates.render("progress", ProgressView(text: shown.text, share: shown.share))
    }
}

// MARK: - Items of the list

extension LibraryTemplates {
    /// The name of a page: its title, or its URL without a title.
    func name(of item: LibraryItem) -> String {
        let title = item.state.value?.title ?? ""
        guard title.isEmpty else { return title.shortened(to: 160) }
        return (item.state.value?.url ?? item.request.url).absoluteString.withoutScheme.shortened(to: 160)
    }

    private func view(of item: LibraryItem) -> ItemView {
        let content = item.state.value
        let url = content?.url ?? item.request.url
        let time = content?.capturedAt ?? item.requestedAt
        var view = ItemView(
            id: item.id, path: Link("/library/pages/\(item.id)"), name: name(of: item), address: Link(url),
            shownAddress: url.absoluteString.withoutScheme.shortened(to: 120), isDeleted: item.isDeleted,
            time: time.formatted(.iso8601), shownTime: time.formatted(Self.timeFormat))
        if !item.isDeleted {
            switch item.state {
            case .idle, .fetching:
                view.isFetching = true
                view.progress = progress(item.phase)
            case .found: view.isFound = true
            case .failed(let failure, _):
                view.isFailed = true
                view.isStopped = failure.code == CaptureFailure.stopped.code
                view.reason = failure.message
                view.canRetry = failure.canRetry
            }
        }
        if let content { add(content, to: &view) }
        return view
    }

    private func add(_ content: PageContent, to view: inout ItemView) {
        view.files = PageFormat.allCases.compactMap { format in
            content.sizes[FileKind(format)].map { size in
                FileView(
                    label: format.label, size: size.formatted(.byteCount(style: .file)),
                    file: "page.\(format.rawValue)", opens: format.opens)
            }
        }
        view.hasThumbnail = content.sizes[.thumbnail] != nil
        view.warnings = content.warnings
        view.hasWarnings = !content.warnings.isEmpty
        view.warningCount = content.warnings.count == 1 ? "1 note" : "\(content.warnings.count) notes"
        if let status = content.httpStatus, status >= 400 { view.status = status }
        view.opens = [PageFormat.webArchive, .png, .pdf].first { content.sizes[FileKind($0)] != nil }?.opens
    }

    private static let timeFormat = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: .current)
        .day().month(.abbreviated).year().hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
}

// MARK: - Template data

private struct LibraryView {
    let list: HTML
    let notice: String?
    let formats: [FormatView]
}

private struct FormatView {
    let name: String
    let label: String
    let isChosen: Bool
}

private struct ListView {
    let items: [ItemView]
    let isEmpty: Bool
    /// The URL of the next part of the list; `nil` if there is none.
    let after: Link?
    var problem: String?
    var isOrdered = false
    var orders: [OrderView] = []
    var isOlder = false
}

private struct OrderView {
    let value: String
    let label: String
    let isChosen: Bool
}

private struct ItemView {
    let id: KeptPage.ID
    let path: Link
    let name: String
    let address: Link?
    let shownAddress: String
    let isDeleted: Bool
    let time: String
    let shownTime: String
    var isFetching = false
    var progress: HTML?
    var isFound = false
    var isFailed = false
    /// Whether the user has stopped the capture, which counts as failed.
    var isStopped = false
    var reason: String?
    var canRetry = false
    var files: [FileView] = []
    var hasThumbnail = false
    var warnings: [String] = []
    var hasWarnings = false
    var warningCount = ""
    /// The HTTP status if it is an error.
    var status: Int?
    /// The path that the page's title links to.
    var opens: String?
}

private struct FileView {
    let label: String
    let size: String
    let file: String
    let opens: String
}

private struct ProgressView {
    let text: String
    let share: Double
}

extension PageFormat {
    /// The path, relative to the page's, that displays the format.
    fileprivate var opens: String { self == .webArchive ? "archive" : "page.\(rawValue)" }

    /// The display name.
    var label: String {
        switch self {
        case .png: "Picture"
        case .pdf: "PDF"
        case .webArchive: "Web archive"
        }
    }
}

extension LibrarySettings.Order {
    /// The display name.
    var label: String {
        switch self {
        case .newest: "Newest first"
        case .oldest: "Oldest first"
        case .title: "By title"
        }
    }
}

extension CapturePhase {
    /// A description of the phase.
    var text: String {
        switch self {
        case .capturing(.starting): "Waiting for the browser"
        case .capturing(.loading(_, started: 0, _)): "Asking for the page"
        case .capturing(.loading(finished: 0, _, _)): "Loading the page"
        case .capturing(.loading(let finished, let started, let bytes)):
            "Loading: \(finished) of \(started) parts, "
                + bytes.formatted(.byteCount(style: .file, spellsOutZero: false))
        case .capturing(.settling): "Waiting until the page has come to rest"
        case .capturing(.rendering(.png)): "Making the picture"
        case .capturing(.rendering(.pdf)): "Making the PDF"
        case .capturing(.rendering(.webArchive)): "Making the web archive"
        case .keeping: "Writing it to the disk"
        }
    }

    /// The estimated fraction of the capture that is done.
    var share: Double {
        switch self {
        case .capturing(.starting): 0.02
        case .capturing(.loading(let finished, let started, _)):
            started == 0 ? 0.05 : 0.05 + 0.3 * Double(finished) / Double(started)
        case .capturing(.settling): 0.4
        case .capturing(.rendering(.webArchive)): 0.6
        case .capturing(.rendering(.png)): 0.65
        case .capturing(.rendering(.pdf)): 0.85
        case .keeping: 0.95
        }
    }
}

extension String {
    /// A URL as browsers display it.
    var withoutScheme: String {
        let rest = hasPrefix("https://") ? dropFirst(8) : hasPrefix("http://") ? dropFirst(7) : self[...]
        return rest.hasSuffix("/") && rest.dropLast().contains("/") == false ? String(rest.dropLast()) : String(rest)
    }

    /// Shortens a text to a maximum length by omitting its middle.
    func shortened(to length: Int) -> String {
        count <= length ? self : "\(prefix(length * 2 / 3))…\(suffix(length / 3))"
    }
}
