import Capture
import Foundation
import Loading
import OfflineLibraryModel
import Site

/// Renders the library's pages as HTML.
struct LibraryTemplates: Sendable {
    /// The number of pages that the list shows at a time.
    static let listLength = 50
    /// The number of other pages' tags that a page's form offers.
    private static let offeredTags = 60

    /// Orders the list.
    let ordering = LibraryOrdering()
    private let templates: Templates

    /// Throws an error that describes an invalid template.
    init() throws { templates = try Self.parsed.get() }

    /// Parsed once, because parsing takes longer than rendering a page.
    private static let parsed = Result {
        try Templates(
            [
                "library": PackageResources.library_mustache, "list": PackageResources.list_mustache,
                "item": PackageResources.item_mustache, "progress": PackageResources.progress_mustache,
                "sharedpage": PackageResources.sharedpage_mustache,
                "viewer": PackageResources.viewer_mustache, "downloads": PackageResources.downloads_mustache,
                "older": PackageResources.older_mustache, "search": PackageResources.search_mustache,
                "found": PackageResources.found_mustache, "formats": PackageResources.formats_mustache,
                "marks": PackageResources.marks_mustache, "keys": PackageResources.keys_mustache,
                "tags": PackageResources.tags_mustache,
                "importform": PackageResources.importform_mustache, "selected": PackageResources.selected_mustache,
                "time": PackageResources.time_mustache,
                "original": PackageResources.original_mustache, "outside": PackageResources.outside_mustache,
                "offline": PackageResources.offline_mustache,
            ], words: LibraryWords.templates)
    }

    /// The entire page.
    ///
    /// - Parameters:
    ///   - snapshot: The pages in their order.
    ///   - filledIn: The address with which the form is filled in.
    ///   - saved: The page that is already saved at that address.
    ///   - notice: A notice to every visitor.
    /// - Returns: The content of the page.
    func page(
        _ snapshot: LibrarySnapshot, filledIn: String, saved: LibraryItem?, notice: String?
    ) -> HTML {
        let formats = PageFormat.allCases.map {
            FormatView(name: $0.rawValue, label: $0.label, isChosen: snapshot.formats.contains($0))
        }
        return templates.render(
            "library",
            LibraryView(
                list: list(snapshot), notice: notice, isEmpty: snapshot.items.isEmpty,
                hasSearch: snapshot.items.count > 1, search: searchView(nil, tags: snapshot.items.tags),
                filledIn: filledIn,
                saved: saved.map { view(of: $0) },
                formats: formats))
    }

    /// The first pages of the list, and its order.
    func list(_ snapshot: LibrarySnapshot) -> HTML {
        let first = Array(snapshot.items.prefix(Self.listLength))
        var view = view(of: first, hasMore: snapshot.items.count > first.count, in: snapshot)
        view.problem = snapshot.problem
        view.imports = snapshot.imports.filter { !$0.counts.isFinished }.map { ImportTemplates.running($0) }
        view.undo = undo(of: snapshot.items.deletedTogether, or: snapshot.marking)
        if snapshot.items.count > 1 {
            view.isOrdered = true
            view.isSelectable = true
            view.orderLabel = snapshot.order.label
            view.orders = LibrarySettings.Order.allCases.map {
                OrderView(value: $0.rawValue, label: $0.label, isChosen: $0 == snapshot.order)
            }
        }
        return templates.render("list", view)
    }

    /// The later one of a deletion and a change of marks.
    private func undo(of pages: [LibraryItem], or marking: Marking?) -> UndoView? {
        if let marking, marking.time >= pages.first?.deletedAt ?? .distantPast {
            return UndoView(
                text: LibraryWords.marked(marking), action: Link("/library/selection/unmark"), change: "\(marking.id)",
                count: marking.count)
        }
        guard let first = pages.first, let time = first.deletedAt else { return nil }
        return UndoView(
            text: LibraryWords.pagesDeleted(pages.count), action: Link("/library/selection/restore"),
            change: "\(time.timeIntervalSinceReferenceDate)", count: pages.count, first: first.id)
    }

    /// The form that searches.
    private func searchView(_ search: LibrarySearchRequest?, tags: [TagCount]) -> SearchView {
        let filter = search?.filter ?? PageFilter()
        var choices = tags.map {
            ChoiceView(value: $0.tag.name, label: LibraryWords.tag($0), isChosen: $0.tag == filter.tag)
        }
        if let tag = filter.tag, !choices.contains(where: \.isChosen) {
            choices.append(ChoiceView(value: tag.name, label: tag.name, isChosen: true))
        }
        return SearchView(
            isSearch: search != nil, query: search?.text ?? "", isFiltered: !filter.isEmpty,
            isFavourite: filter.isFavourite,
            hasNote: filter.hasNote, isChanged: filter.isChanged, tags: choices,
            outcomes: PageFilter.Outcome.allCases.map {
                ChoiceView(value: $0.rawValue, label: $0.label, isChosen: $0 == filter.outcome)
            },
            readings: ReadingState.allCases.map {
                ChoiceView(value: $0.rawValue, label: $0.label, isChosen: $0 == filter.reading)
            }, host: filter.site?.description ?? "", since: search?.days.first ?? "", until: search?.days.last ?? "")
    }

    /// The choice of a tag in the form that searches, if it isn't filled in.
    func tags(_ tags: [TagCount]) -> HTML { templates.render("tags", searchView(nil, tags: tags)) }

    /// Parses the time of a deletion, which identifies it in ``UndoView``.
    static func time(ofDeletion name: String) -> Date? {
        Double(name).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    /// A later part of the list.
    ///
    /// - Parameters:
    ///   - items: The pages of the part.
    ///   - hasMore: Whether another part follows.
    ///   - snapshot: The whole list.
    /// - Returns: The content of the page.
    func olderPages(_ items: [LibraryItem], hasMore: Bool, in snapshot: LibrarySnapshot) -> HTML {
        var view = view(of: items, hasMore: hasMore, in: snapshot)
        view.back = LibraryWords.backToStart
        view.isSelectable = !items.isEmpty
        return templates.render("older", ["list": templates.render("list", view)])
    }

    /// A part of the results of a search.
    ///
    /// - Parameters:
    ///   - items: The pages of the part.
    ///   - found: What the store says of all parts.
    ///   - search: The search.
    ///   - library: What else the page shows of the library.
    /// - Returns: The content of the page.
    func found(
        _ items: [FoundItem], of found: FoundPages, search: LibrarySearchRequest, in library: LibraryContext
    ) -> HTML {
        let form = searchView(search, tags: library.items.tags)
        guard !items.isEmpty else {
            return templates.render("found", FoundView(search: form, isFound: false, list: nil))
        }
        let count = found.isCutOff ? LibraryWords.morePagesFound(found.count) : LibraryWords.pagesFound(found.count)
        var view = ListView(items: items.map { self.view(of: $0) }, isEmpty: false, hasRows: true, count: count)
        view.back = LibraryWords.allPages
        view.export = search.export
        view.isSelectable = true
        view.undo = undo(of: library.items.deletedTogether, or: library.marking)
        if found.isCutOff { view.hint = LibraryWords.newestAreListed }
        if found.hasMore { view.after = search.link(from: search.offset + Self.listLength) }
        if found.count > items.count { view.every = every(found.count, of: search.query(from: 0)) }
        let list = templates.render("list", view)
        return templates.render("found", FoundView(search: form, isFound: true, list: list))
    }

    /// The form with the marks of a page.
    ///
    /// - Parameters:
    ///   - item: The page.
    ///   - tags: The tags of all pages.
    ///   - back: Where the form leads.
    /// - Returns: The content of the page.
    func marks(of item: LibraryItem, tags: [TagCount], back: Link) -> HTML {
        let own = item.marks.tags
        let others = tags.map(\.tag).filter { !own.contains($0) }.prefix(Self.offeredTags)
        let choices = (own + others).map { ChoiceView(value: $0.name, label: $0.name, isChosen: own.contains($0)) }
        return templates.render(
            "marks",
            MarksView(
                page: view(of: item), isFavourite: item.marks.isFavourite, tags: choices, hasTags: !choices.isEmpty,
                note: item.marks.note, back: back))
    }

    private func view(of found: FoundItem) -> ItemView {
        var view = view(of: found.item)
        view.excerpt = found.excerpt.map { ExcerptView(parts: $0.parts) }
        return view
    }

    private func view(of items: [LibraryItem], hasMore: Bool, in snapshot: LibrarySnapshot) -> ListView {
        var view = view(of: items, count: LibraryWords.pages(snapshot.items.countWithoutDeleted))
        view.isEmpty = items.isEmpty || snapshot.items.countWithoutDeleted == 0
        let count = snapshot.items.countWithoutDeleted
        if count > items.count { view.every = every(count, of: "") }
        if hasMore {
            // The other parts have the order of this one, whatever is chosen meanwhile: no page is skipped or repeated.
            view.after = items.last.map { Link("/library/?after=\($0.id)&order=\(snapshot.order.rawValue)") }
        }
        return view
    }

    private func every(_ count: Int, of query: String) -> EveryView {
        EveryView(query: query, count: count, label: LibraryWords.everyPage(count))
    }

    private func view(of items: [LibraryItem], count: String) -> ListView {
        ListView(
            items: items.map { view(of: $0) }, isEmpty: items.isEmpty, hasRows: !items.isEmpty, count: count)
    }

    /// The progress of each running capture.
    func progress(of items: PageList) -> [SavedPage.ID: HTML] {
        var progress: [SavedPage.ID: HTML] = [:]
        for item in items.fetchingItems { progress[item.id] = self.progress(item.phase) }
        return progress
    }

    /// The page that displays a file of a saved page, with tabs for its formats.
    ///
    /// - Parameters:
    ///   - item: The saved page.
    ///   - tab: What it shows.
    ///   - copies: All copies from the page's address, which the bar links to if there are several.
    ///   - tiles: The tiles of a tall picture.
    ///   - hasArticle: Whether the page has an article.
    ///   - interval: How often new versions of the page are saved; `nil` for never.
    /// - Returns: The content of the page.
    func viewer(
        _ item: LibraryItem, showing tab: ViewerTab, copies: [LibraryItem], tiles: PictureTiles?, hasArticle: Bool,
        interval: RecaptureSchedule.Interval?
    ) -> HTML {
        let position = tab.view.flatMap { item.positions[$0] }
        return templates.render(
            "viewer",
            ViewerView(
                page: view(of: item, showing: tab), hasCopies: copies.count > 1,
                copyCount: LibraryWords.copies(copies.count),
                copies: copies.compactMap { link(toCopy: $0, current: item) },
                content: Link("\(Self.path(of: item))/\(tab.content)"),
                tiles: (tiles?.heights ?? []).enumerated().map { index, height in
                    TileView(
                        content: Link("\(Self.path(of: item))/tiles/\(index)"), width: tiles?.width ?? 0,
                        height: height, isFirst: index == 0)
                }, hasTiles: tiles != nil,
                isPicture: tab == .file(.png), isPDF: tab == .file(.pdf), isArchive: tab == .file(.webArchive),
                isReader: tab == .reader && hasArticle, isWithoutArticle: tab == .reader && !hasArticle,
                archive: Link("\(Self.path(of: item))/archive"),
                share: position.map { "\($0.share)" } ?? "", paragraph: position?.paragraph.map { "\($0)" } ?? "",
                changed: position.map { "\(Int($0.changedAt.timeIntervalSince1970 * 1000))" } ?? "",
                settings: ReaderSetting.all, intervals: RecaptureSchedule.Interval.choices(interval),
                own: Link("\(Self.path(of: item))/\(tab.name)")))
    }

    /// The page of a visitor who has a link to a saved page.
    func render(_ shared: SharedPageView) -> HTML { templates.render("sharedpage", shared) }

    /// The page that a link of a saved page opens if its target isn't saved.
    func linkToUnsavedPage(_ live: Link) -> HTML {
        templates.render(
            "outside",
            OutsideView(shownAddress: live.url.shortened(to: 1_000), live: live, form: Self.form(for: live.url)))
    }

    /// The page for a browser without a connection; its script fills it in.
    func offline() -> HTML { templates.render("offline", [String: String]()) }

    func progress(_ phase: CapturePhase?) -> HTML {
        let shown = phase ?? .capturing(.starting)
        return templates.render("progress", ProgressView(text: shown.text, share: shown.share))
    }
}
