import Foundation
import HTTPTypes
import Hummingbird
import Loading
import NIOCore
import OfflineLibraryModel
import Persistence
import Site

// The library without a connection: what a browser stores to install the app and to keep pages, and the addresses that
// were saved meanwhile.

extension LibraryPages {
    /// The path of the manifest.
    static let manifestPath = "/library/app.webmanifest"
    /// The path of the page that a browser shows without a connection.
    static let offlinePath = "/library/offline"
    /// The number of pages, the newest ones, that a browser can list without a connection.
    private static let listedPages = 5_000

    private static let worker = UnversionedFile(serviceWorker: PackageResources.service_worker_js)

    private struct WaitingForm: Decodable {
        /// The page's identifier, which the browser has chosen.
        var id: String?
        var address: String?
    }

    func addOfflineRoutes(to library: RouterGroup<SiteContext>, layout: Layout) {
        let manifest = WebAppManifest(
            Self.app, shortName: LibraryWords.shortName, layout: layout, isShareTarget: true
        ).file
        library.get("/offline") { _, _ in
            layout.page(
                title: LibraryWords.onThisDevice, heading: LibraryWords.onThisDevice, app: Self.app,
                content: templates.offline(), styles: Self.styles, scripts: ["library/offline.js"])
        }
        library.get("/offline.json") { request, _ in
            let items = try await libraries.use(owner) { $0.library.newest }
            let body = try await templates.offlineList(of: items, limit: Self.listedPages)
            return EntityTag(of: body).response(
                to: request, headers: [.contentType: "application/json", .cacheControl: "private, no-cache"],
                body: ByteBuffer(bytes: body))
        }
        // Outside the static files: a worker controls the pages below its own path.
        library.get("/service-worker.js") { request, _ in Self.worker.response(to: request) }
        library.get("/app.webmanifest") { request, _ in manifest.response(to: request) }
        library.post("/pages/waiting") { request, context in
            let form = try await request.decode(as: WaitingForm.self, context: context)
            guard let id = form.id.flatMap({ SavedPage.ID($0) }) else { throw LibraryError.notFound }
            _ = try await libraries.use(owner) { open in
                try await open.library.save(
                    form.address ?? "", formats: open.library.settings.value.formats, id: id)
            }
            return Response(status: .noContent)
        }
    }
}

extension LibraryTemplates {
    /// The list of all pages for browsers that keep some of them, as JSON.
    @concurrent
    func offlineList(of items: PageList, limit: Int) async throws -> [UInt8] {
        var pages: [OfflinePage] = []
        for item in items where !item.isDeleted {
            guard pages.count < limit else { break }
            guard let content = item.state.value else { continue }
            pages.append(
                OfflinePage(
                    id: "\(item.id)", name: name(of: item),
                    address: content.url.absoluteString.withoutScheme.shortened(to: 120),
                    version: content.capturedAt.formatted(.iso8601), saved: content.capturedAt.formatted(.iso8601),
                    isFavourite: item.marks.isFavourite, tags: item.marks.tags.map(\.name),
                    views: Self.keptViews(of: content), pdf: content.sizes[.pdf]))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return [UInt8](try encoder.encode(["pages": pages]))
    }

    /// The last components of the paths of the viewers that a browser keeps, without the PDF, which is chosen.
    private static func keptViews(of content: PageContent) -> [String] {
        var views: [String] = []
        if content.sizes[.webArchive] != nil { views += [ViewerTab.readerName, "archive"] }
        if content.sizes[.png] != nil { views.append("picture") }
        return views
    }
}

/// A page in the list for browsers without a connection.
private struct OfflinePage: Encodable {
    var id: String
    var name: String
    var address: String
    /// What changes when the page is saved again.
    var version: String
    var saved: String
    var isFavourite: Bool
    var tags: [String]
    var views: [String]
    /// The size of the PDF in bytes; `nil` if there is none.
    var pdf: Int?
}
