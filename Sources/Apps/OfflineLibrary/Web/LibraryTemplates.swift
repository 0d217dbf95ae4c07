import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Site

/// The library's pages as HTML.
struct LibraryTemplates: Sendable {
    /// How many pages the list shows at a time.
    static let listLength = 50

    /// The order of the list.
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

    /// The whole page, with the newest pages, and a note that everybody should read.
    func page(_ snapshot: LibrarySnapshot, notice: String?) -> HTML {
        var values: [String: Any] = ["list": list(snapshot)]
        values["notice"] = notice
        values["formats"] = PageFormat.allCases.map { format in
            [
                "name": format.rawValue, "label": format.label, "isChosen": snapshot.formats.contains(format),
            ] as [String: Any]
        }
        return render("library", values)
    }

    /// The first pages of the list, and how it is ordered.
    func list(_ snapshot: LibrarySnapshot) -> HTML {
        let first = Array(snapshot.items.prefix(Self.listLength))
        var values = listValues(first, hasMore: snapshot.items.count > first.count)
        values["problem"] = snapshot.problem
        if snapshot.items.count > 1 {
            values["isOrdered"] = true
            values["orders"] = LibrarySettings.Order.allCases.map { order in
                ["value": order.rawValue, "label": order.label, "isChosen": "\(order == snapshot.order)"]
            }
        }
        return render("list", values)
    }

    /// Pages further down.
    func olderPages(_ items: [LibraryItem], hasMore: Bool) -> HTML {
        var values = listValues(items, hasMore: hasMore)
        values["isOlder"] = true
        return render("older", ["list": render("list", values)])
    }

    private func listValues(_ items: [LibraryItem], hasMore: Bool) -> [String: Any] {
        var values: [String: Any] = ["items": items.map(values(of:)), "isEmpty": items.isEmpty]
        if hasMore, let last = items.last { values["after"] = Link("/library/?after=\(last.id)") }
        return values
    }

    /// How far each capture that runs is.
    func progress(of items: [LibraryItem]) -> [KeptPage.ID: HTML] {
        var progress: [KeptPage.ID: HTML] = [:]
        for item in items where item.state.isFetching && !item.isDeleted {
            progress[item.id] = self.progress(item.phase)
        }
        return progress
    }

    /// The page that shows an archive in a frame.
    func archive(_ item: LibraryItem) -> HTML {
        render("archive", values(of: item))
    }

    private func progress(_ phase: CapturePhase?) -> HTML {
        let shown = phase ?? .capturing(.starting)
        return render("progress", ["text": shown.text, "share": "\(shown.share)"])
    }

    private func render(_ name: String, _ values: [String: Any]) -> HTML {
        templates.render(name, values)
    }
}

// MARK: - One page of the list

extension LibraryTemplates {
    /// What a page is called: its title, or its address.
    func name(of item: LibraryItem) -> String {
        let title = item.state.value?.title ?? ""
        guard title.isEmpty else { return title.shortened(to: 160) }
        return (item.state.value?.url ?? item.request.url).absoluteString.withoutScheme.shortened(to: 160)
    }

    private func values(of item: LibraryItem) -> [String: Any] {
        let content = item.state.value
        let url = content?.url ?? item.request.url
        let address = url.absoluteString
        var values: [String: Any] = [
            "id": "\(item.id)", "path": Link("/library/pages/\(item.id)"), "name": name(of: item),
            "shownAddress": address.withoutScheme.shortened(to: 120), "isDeleted": item.isDeleted,
        ]
        values["address"] = Link(url)
        if !item.isDeleted {
            switch item.state {
            case .idle, .fetching:
                values["isFetching"] = true
                values["progress"] = progress(item.phase)
            case .found: values["isFound"] = true
            case .failed(let failure, _):
                values["isFailed"] = true
                values["reason"] = failure.message
                values["canRetry"] = failure.canRetry
            }
        }
        let time = content?.capturedAt ?? item.requestedAt
        values["time"] = time.formatted(.iso8601)
        values["shownTime"] = time.formatted(Self.timeFormat)
        if let content { add(content, to: &values) }
        return values
    }

    private func add(_ content: PageContent, to values: inout [String: Any]) {
        values["files"] = PageFormat.allCases.compactMap { format -> [String: Any]? in
            guard let size = content.sizes[FileKind(format)] else { return nil }
            return [
                "label": format.label, "size": size.formatted(.byteCount(style: .file)),
                "file": "page.\(format.rawValue)",
                "opens": format == .webArchive ? "archive" : "page.\(format.rawValue)",
            ]
        }
        values["hasThumbnail"] = content.sizes[.thumbnail] != nil
        values["warnings"] = content.warnings
        values["hasWarnings"] = !content.warnings.isEmpty
        values["warningCount"] = content.warnings.count == 1 ? "1 note" : "\(content.warnings.count) notes"
        if let status = content.httpStatus, status >= 400 { values["status"] = "\(status)" }
        let opens = [PageFormat.webArchive, .png, .pdf].first { content.sizes[FileKind($0)] != nil }
        if let opens { values["opens"] = opens == .webArchive ? "archive" : "page.\(opens.rawValue)" }
    }

    private static let timeFormat = Date.FormatStyle(locale: Locale(identifier: "en_GB"), timeZone: .current)
        .day().month(.abbreviated).year().hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)
}

extension PageFormat {
    /// What people call it.
    var label: String {
        switch self {
        case .png: "Picture"
        case .pdf: "PDF"
        case .webArchive: "Web archive"
        }
    }
}

extension LibrarySettings.Order {
    /// What people call it.
    var label: String {
        switch self {
        case .newest: "Newest first"
        case .oldest: "Oldest first"
        case .title: "By title"
        }
    }
}

extension CapturePhase {
    /// What is going on, in words.
    var text: String {
        switch self {
        case .capturing(.starting): "Waiting for the browser"
        case .capturing(.loading(_, started: 0, _)): "Asking for the page"
        case .capturing(.loading(let finished, let started, let bytes)):
            "Loading: \(finished) of \(started) parts, \(Int(bytes).formatted(.byteCount(style: .file)))"
        case .capturing(.settling): "Waiting until the page has come to rest"
        case .capturing(.rendering(.png)): "Making the picture"
        case .capturing(.rendering(.pdf)): "Making the PDF"
        case .capturing(.rendering(.webArchive)): "Making the web archive"
        case .keeping: "Writing it to the disk"
        }
    }

    /// How much of the whole is done: by what a page usually takes.
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
    /// An address as browsers show it.
    var withoutScheme: String {
        let rest = hasPrefix("https://") ? dropFirst(8) : hasPrefix("http://") ? dropFirst(7) : self[...]
        return rest.hasSuffix("/") && rest.dropLast().contains("/") == false ? String(rest.dropLast()) : String(rest)
    }

    /// No longer than so many characters; what is left out is in the middle.
    func shortened(to length: Int) -> String {
        count <= length ? self : "\(prefix(length * 2 / 3))…\(suffix(length / 3))"
    }
}
