import Capture
import HTTPTypes
public import Hummingbird
import Loading
import OfflineLibraryModel
public import Persistence
public import Site

// Saved pages that their owner shares by a link: the files of one page, without notes, tags and other copies.

extension LibraryPages {
    /// What people can share: saved pages.
    ///
    /// - Parameter pages: Returns the pages of an owner.
    /// - Returns: The kind of thing.
    public static func shareablePages(
        _ pages: @escaping @Sendable (_ owner: OwnerID) async throws -> LibraryPages
    ) -> ShareableKind {
        ShareableKind(
            "page", word: LibraryWords.sharedKind, allowsEditing: false,
            name: { id, owner in
                guard let id = SavedPage.ID(id) else { return nil }
                let pages = try await pages(owner)
                return try await pages.shared(id).map { pages.templates.name(of: $0) }
            }, path: { "\(app.path)#page-\($0)" })
    }

    /// Adds the routes of shared pages.
    ///
    /// - Parameters:
    ///   - router: The site's router.
    ///   - sharing: What is shared.
    ///   - kind: The kind of saved pages.
    ///   - layout: The layout of pages.
    ///   - pages: Returns the pages of an owner.
    public static func addSharedRoutes(
        to router: SiteRouter, _ sharing: SiteSharing, of kind: ShareableKind, layout: Layout,
        pages: @escaping @Sendable (_ owner: OwnerID) async throws -> LibraryPages
    ) {
        let routes = SharedRoutes(sharing, of: kind)
        routes.get("", on: router) { _, _, access in
            let pages = try await pages(access.owner)
            guard let item = try await pages.shared(Self.page(of: access)), let tab = ViewerTab.all(of: item).first
            else {
                throw LibraryError.notFound
            }
            return .redirect(to: "\(access.path)/\(tab.name)", type: .normal)
        }
        for tab in ViewerTab.all {
            routes.get("/\(tab.name)", on: router) { _, _, access in
                try await pages(access.owner).sharedPage(tab, access, layout: layout)
            }
        }
        for (path, kind) in [
            ("/article", FileKind.article), ("/view", .viewer), ("/page.png", .png), ("/page.pdf", .pdf),
        ] {
            routes.get(path, on: router) { request, context, access in
                try await pages(access.owner).file(kind, of: Self.page(of: access), request, context)
            }
        }
        routes.get("/tiles/:tile", on: router) { request, context, access in
            try await pages(access.owner).tile(of: Self.page(of: access), request, context)
        }
    }

    private static func page(of access: SharedAccess) throws(LibraryError) -> SavedPage.ID {
        guard let id = SavedPage.ID(access.item) else { throw .notFound }
        return id
    }

    /// The page with an identifier, unless it's deleted or has no files.
    private func shared(_ id: SavedPage.ID) async throws -> LibraryItem? {
        let item = try await libraries.use(owner) { $0.library.item(id) }
        guard let item, !item.isDeleted, !ViewerTab.all(of: item).isEmpty else { return nil }
        return item
    }

    private func sharedPage(_ tab: ViewerTab, _ access: SharedAccess, layout: Layout) async throws -> Response {
        let id = try Self.page(of: access)
        guard let item = try await shared(id), ViewerTab.all(of: item).contains(tab) else {
            throw LibraryError.notFound
        }
        let tiles = tab == .file(.png) ? try await picture(of: id).tiles : nil
        let article = tab == .reader ? try await libraries.use(owner) { try await $0.library.article(of: id) } : nil
        let content = templates.sharedPage(
            item, at: access.path, showing: tab, tiles: tiles, hasArticle: article != nil)
        return layout.guestPage(
            title: templates.name(of: item), heading: nil, content: content, styles: Self.viewerStyles)
    }
}

extension ViewerTab {
    /// All tabs, the one that is shown first at the beginning.
    static let all: [ViewerTab] = [.file(.webArchive), .file(.png), .file(.pdf), .reader]

    /// The tabs for which a page has a file.
    static func all(of item: LibraryItem) -> [ViewerTab] {
        all.filter { item.state.value?.sizes[FileKind($0.format)] != nil }
    }

    var label: String {
        switch self {
        case .reader: LibraryWords.reader
        case .file(let format): format.shortLabel
        }
    }
}

extension LibraryTemplates {
    /// The page that displays a file of a shared page.
    func sharedPage(
        _ item: LibraryItem, at path: String, showing tab: ViewerTab, tiles: PictureTiles?, hasArticle: Bool
    ) -> HTML {
        var view = view(of: item, showing: tab)
        view.formats = ViewerTab.all(of: item).map {
            ViewerLinkView(label: $0.label, opens: Link("\(path)/\($0.name)"), isCurrent: $0 == tab)
        }
        return render(
            SharedPageView(
                page: view, content: Link("\(path)/\(tab.content)"),
                tiles: (tiles?.heights ?? []).enumerated().map { index, height in
                    TileView(
                        content: Link("\(path)/tiles/\(index)"), width: tiles?.width ?? 0, height: height,
                        isFirst: index == 0)
                }, hasTiles: tiles != nil, isPicture: tab == .file(.png), isPDF: tab == .file(.pdf),
                isArchive: tab == .file(.webArchive), isReader: tab == .reader && hasArticle,
                isWithoutArticle: tab == .reader && !hasArticle))
    }
}

/// The values of the template `sharedpage`.
struct SharedPageView {
    let page: ItemView
    let content: Link
    let tiles: [TileView]
    let hasTiles, isPicture, isPDF, isArchive, isReader, isWithoutArticle: Bool
}
