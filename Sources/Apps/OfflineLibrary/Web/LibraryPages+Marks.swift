import Foundation
import Hummingbird
import OfflineLibraryModel
import Persistence
import Site

// Favourites, tags and notes.

extension LibraryPages {
    /// Adds the routes that change marks.
    func addMarkRoutes(to library: RouterGroup<SiteContext>, layout: Layout) {
        library.post("/selection/favourite") { request, context in
            try await mark(request, context) { _ in .favourite(true) }
        }
        library.post("/selection/ordinary") { request, context in
            try await mark(request, context) { _ in .favourite(false) }
        }
        library.post("/selection/read") { request, context in try await mark(request, context) { _ in .read(true) } }
        library.post("/selection/unread") { request, context in
            try await mark(request, context) { _ in .read(false) }
        }
        library.post("/selection/tag") { request, context in try await mark(request, context) { .add($0) } }
        library.post("/selection/untag") { request, context in try await mark(request, context) { .remove($0) } }
        library.post("/selection/unmark") { request, context in
            let form = try await request.decode(as: UndoForm.self, context: context)
            guard let id = form.change.flatMap({ UUID(uuidString: $0) }) else { throw LibraryError.tooLateToUndo }
            return try await act(request) { try await $0.undoMarking(id) }
        }
        let page = library.group("/pages/:id")
        page.post("/favourite") { request, context in
            let form = try await request.decode(as: FavouriteForm.self, context: context)
            return try await act(request, context) { try await $0.setFavourite($1, form.favourite == "1") }
        }
        page.get("/marks") { request, context in try await marks(request, context, layout: layout) }
        page.post("/marks") { request, context in
            let form = try await request.decode(as: MarksForm.self, context: context)
            let marks = try form.marks
            let id = try Self.page(in: context)
            try await libraries.use(owner) { try await $0.library.mark(id, marks) }
            return Response.redirect(to: Self.localPath(form.back) ?? Self.app.path, type: .normal)
        }
    }

    private struct FavouriteForm: Decodable {
        var favourite: String?
    }

    private struct MarksForm: Decodable {
        var favourite: String?
        /// The chosen tags, each in a field named `tag[]`.
        var tag: [String]?
        /// New tags as typed.
        var tags: String?
        var note: String?
        var back: String?

        var marks: PageMarks {
            get throws(LibraryError) {
                let chosen = (tag ?? []).compactMap { PageTag($0) }
                return try PageMarks(
                    isFavourite: favourite == "1", tags: chosen + PageTag.tags(in: tags ?? ""), note: note ?? "")
            }
        }
    }

    /// Changes the marks of the selected pages.
    private func mark(
        _ request: Request, _ context: SiteContext, _ change: ([PageTag]) -> MarkChange
    ) async throws -> Response {
        let form = try await request.decode(as: SelectionForm.self, context: context)
        let tags = PageTag.tags(in: form.tags ?? "")
        let change = change(tags)
        if change == .add([]) || change == .remove([]) { throw LibraryError.invalidMarks(LibraryWords.noTag) }
        return try await act(request) { try await $0.markAll(try await form.pages(of: $0), change) }
    }

    /// The page with the form for a page's marks.
    private func marks(_ request: Request, _ context: SiteContext, layout: Layout) async throws -> Response {
        let id = try Self.page(in: context)
        let (found, tags) = try await libraries.use(owner) { ($0.library.item(id), $0.library.tags) }
        guard let item = found, !item.isDeleted else { throw LibraryError.notFound }
        let origin = request.headers[.referer].flatMap { URLComponents(string: $0) }.flatMap { page in
            page.path.hasPrefix(LibraryTemplates.path(of: item)) && !page.path.hasSuffix("/marks")
                ? Self.localPath(page.path) : nil
        }
        return layout.page(
            title: LibraryWords.marks(of: templates.name(of: item)), heading: LibraryWords.marksTitle, app: Self.app,
            content: templates.marks(of: item, tags: tags, back: origin.map { Link($0) } ?? Self.origin(of: request)),
            styles: Self.styles)
    }

    /// A path of this app as a form returns it; `nil` if it leads elsewhere.
    static func localPath(_ text: String?) -> String? {
        guard let text, text.utf8.count <= 8_000, text.hasPrefix(app.path), !text.contains("//"), !text.contains("\\"),
            let components = URLComponents(string: text), components.host == nil, !components.path.contains("..")
        else { return nil }
        return components.string
    }
}
