import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OfflineLibraryModel
import Persistence
import Site

// The reader view, and how far pages have been read.

extension LibraryPages {
    func addReadingRoutes(to library: RouterGroup<SiteContext>, layout: Layout) {
        library.get("/article.css") { request, _ in Self.articleStyle.response(to: request) }
        let page = library.group("/pages/:id")
        page.get("/reader") { _, context in try await viewer(.reader, context, layout: layout) }
        page.get("/article") { request, context in try await file(.article, request, context) }
        page.post("/position") { request, context in
            let form = try await request.decode(as: PositionForm.self, context: context)
            let id = try Self.page(in: context)
            guard let (view, position) = form.position else { throw LibraryError.notFound }
            try await libraries.use(owner) { try await $0.library.setPosition(position, in: view, of: id) }
            return Response(status: .noContent)
        }
    }

    /// How far a page has been read, as the viewer's script sends it.
    private struct PositionForm: Decodable {
        var view: String?
        var share: String?
        var paragraph: String?
        /// In milliseconds since 1970, by the browser's clock.
        var time: String?

        var position: (ReadingView, ReadingPosition)? {
            guard let view = view.flatMap(ReadingView.init(rawValue:)), ReadingView.scrolled.contains(view),
                let share = share.flatMap({ Double($0) }),
                let time = time.flatMap({ Double($0) }), share.isFinite, time.isFinite, time > 0
            else { return nil }
            return (
                view,
                ReadingPosition(
                    share: share, paragraph: paragraph.flatMap { Int($0) },
                    changedAt: Date(timeIntervalSince1970: time / 1000))
            )
        }
    }

    private static let articleStyle = UnversionedFile(PackageResources.article_css, type: "text/css; charset=utf-8")
}
