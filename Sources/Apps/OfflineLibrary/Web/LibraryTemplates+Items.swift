import Capture
import Formats
import Foundation
import Loading
import OfflineLibraryModel
import Site

// The items of the list.

extension LibraryTemplates {
    /// The path of a page's files.
    static func path(of item: LibraryItem) -> String { "/library/pages/\(item.id)" }

    /// The time, in seconds, from which a page counts as bookmarked earlier than saved: a day.
    private static let longestCapture: TimeInterval = 24 * 3_600

    /// The link to the list with an address filled in its form; `nil` if it would be too long for a proxy.
    static func form(for address: String) -> Link? {
        let encoded = address.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return encoded.utf8.count <= 4_000 ? Link("/library/?url=\(encoded)") : nil
    }

    /// The path that shows a page in the best of its formats; `nil` if it has none.
    func viewerPath(of item: LibraryItem) -> String? {
        let sizes = item.state.value?.sizes ?? [:]
        let name = [PageFormat.webArchive, .png, .pdf].first { sizes[FileKind($0)] != nil }?.viewerName
        return name.map { "\(Self.path(of: item))/\($0)" }
    }

    /// The link to another copy of a page, labelled with the time of the copy; `nil` if the copy has no file.
    func link(toCopy copy: LibraryItem, current: LibraryItem) -> ViewerLinkView? {
        viewerPath(of: copy).map { path in
            let time = copy.state.value?.capturedAt ?? copy.requestedAt
            return ViewerLinkView(
                label: ReaderFormats.current.dateAndTime(time), opens: Link(path), isCurrent: copy.id == current.id)
        }
    }

    /// The name of a page: its title, or its URL if it has no title; until it is saved, the title that an import gives it.
    func name(of item: LibraryItem) -> String {
        let title = item.state.value?.title ?? item.givenTitle
        guard title.isEmpty else { return title.shortened(to: 160) }
        return (item.state.value?.url ?? item.request.url).absoluteString.withoutScheme.shortened(to: 160)
    }

    /// The values of an item.
    ///
    /// - Parameters:
    ///   - item: The item.
    ///   - tab: What a viewer shows; `nil` in the list.
    /// - Returns: The values.
    func view(of item: LibraryItem, showing tab: ViewerTab? = nil) -> ItemView {
        let content = item.state.value
        let url = content?.url ?? item.request.url
        let time = content?.capturedAt ?? item.requestedAt
        var view = ItemView(
            id: item.id, path: Link(Self.path(of: item)), name: name(of: item), address: Link(url),
            shownAddress: url.absoluteString.withoutScheme.shortened(to: 120), isDeleted: item.isDeleted,
            time: time.formatted(.iso8601), shownTime: ReaderFormats.current.dateAndTime(time))
        if let content, content.capturedAt.timeIntervalSince(item.requestedAt) >= Self.longestCapture {
            view.shownBookmarked = ReaderFormats.current.dateAndTime(item.requestedAt)
        }
        guard !item.isDeleted else { return view }
        view.isFavourite = item.marks.isFavourite
        view.tags = item.marks.tags.map {
            TagView(name: $0.name, pages: LibrarySearchRequest(tag: $0).link(from: 0))
        }
        view.hasTags = !view.tags.isEmpty
        view.note = item.marks.note.isEmpty ? nil : item.marks.note.shortened(to: 300)
        view.canRetry = item.canRetry
        switch item.state {
        case .idle, .fetching:
            view.isFetching = true
            view.progress = progress(item.phase)
        case .found(let content):
            view.reason = content.errorText
            view.isFolded = !item.canRetry
        case .failed(let failure, _):
            view.isFailed = true
            view.isStopped = failure.code == CaptureFailure.stopped.code
            view.reason = failure.message
        }
        if let content {
            add(content, of: item, showing: tab, to: &view)
        } else if view.isFailed {
            view.original = view.address
        }
        return view
    }

    private func add(
        _ content: PageContent, of item: LibraryItem, showing tab: ViewerTab?, to view: inout ItemView
    ) {
        let path = Self.path(of: item)
        let formats = PageFormat.allCases.filter { content.sizes[FileKind($0)] != nil }
        view.formats = formats.compactMap { one in
            one.viewerName.map {
                ViewerLinkView(label: one.shortLabel, opens: Link("\(path)/\($0)"), isCurrent: tab == .file(one))
            }
        }
        if formats.contains(.webArchive) {
            let reader = Link("\(path)/\(ViewerTab.readerName)")
            if tab == nil {
                view.reader = reader
            } else {
                view.formats.insert(
                    ViewerLinkView(label: LibraryWords.reader, opens: reader, isCurrent: tab == .reader), at: 0)
            }
        }
        if let position = item.lastPosition, position.share >= 0.01 {
            view.percentRead = Int((position.share * 100).rounded())
            view.shownRead = LibraryWords.read(position)
        }
        view.opens = viewerPath(of: item).map { Link($0) }
        view.hasFiles = !formats.isEmpty
        view.downloads = formats.map {
            DownloadView(
                label: $0.downloadLabel, note: LibraryWords.size(content.sizes[FileKind($0)] ?? 0),
                file: Link("\(path)/page.\($0.rawValue)?download"))
        }
        if formats.contains(.webArchive) {
            view.downloads.append(
                DownloadView(
                    label: LibraryWords.downloadHTML, note: LibraryWords.opensInAnyBrowser,
                    file: Link("\(path)/view?download")))
        }
        view.versions = Link("\(path)/versions")
        view.again = Self.form(for: item.request.url.absoluteString)
        if view.hasFiles, content.sizes[.thumbnail] != nil {
            // A new capture has a new path, so that the browser loads its picture.
            view.thumbnail = Link("\(path)/thumbnail.png?\(view.time)")
        }
        view.completeness = content.isComplete.map { $0 ? LibraryWords.complete : LibraryWords.partial }
        view.isPartial = content.isComplete == false
        view.warnings = content.warnings
        view.hasWarnings = !content.warnings.isEmpty
        view.warningCount = LibraryWords.notes(content.warnings.count)
    }
}
