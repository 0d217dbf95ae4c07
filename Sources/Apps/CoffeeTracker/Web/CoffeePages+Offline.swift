import Accounts
import CaffeineModule
import CoffeeTrackerModel
import Foundation
import HTTPTypes
import Hummingbird
import ModelJSON
import NIOCore
import Persistence
import Site

// Coffee Tracker without a connection: what a browser stores to install the app and to open it, and the drinks that were
// logged meanwhile.

extension CoffeePages {
    /// The path of the manifest.
    static let manifestPath = "/coffee/app.webmanifest"

    /// The caffeine model as a WebAssembly module.
    static let model = caffeineModule.withUTF8Buffer { text in
        Array(Data(base64Encoded: Data(text)) ?? Data())
    }

    private struct ChangeForm: Decodable, Sendable {
        /// A change of the page's outbox, as JSON.
        var change: String?
    }

    private struct Confirmation: Encodable {
        /// The revision of the drinks that includes the change.
        var revision: Int
    }

    func addOfflineRoutes(to coffee: RouterGroup<SiteContext>, layout: Layout) {
        let worker = UnversionedFile(serviceWorker: PackageResources.service_worker_js)
        let manifest = WebAppManifest(Self.app, shortName: CoffeeWords.shortName, layout: layout).file
        coffee.get("/offline") { _, _ in
            let view = OfflineView(model: Link(layout.files.path(of: "coffee/caffeine.wasm")))
            return layout.page(
                title: view.pageTitle, heading: nil, app: Self.app, content: templates.html(view),
                styles: ["coffee/gauge.css", "coffee/coffee.css"], scripts: ["coffee/offline.js"])
        }
        coffee.get("/offline.json") { _, _ in
            Self.json(try OfflineDocument(try await view()).json)
        }
        coffee.post("/offline") { request, context in
            let form = try await request.decode(as: ChangeForm.self, context: context)
            let change = try Self.change(form.change ?? "")
            let revision = try await documents.use(owner) { document in
                try await document.data.receive(change)
                return document.data.revision
            }
            if change.isDeleted { context.record(.deleted, CoffeeWords.drink) }
            return Self.json(try JSONEncoder().encode(Confirmation(revision: revision)))
        }
        // Outside the static files: a worker controls the pages below its own path.
        coffee.get("/service-worker.js") { request, _ in worker.response(to: request) }
        coffee.get("/app.webmanifest") { request, _ in manifest.response(to: request) }
    }

    private static func json(_ bytes: Data) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    private static func change(_ text: String) throws(Problem) -> DrinkOutbox.Request {
        if let json = try? JSON(Array(text.utf8)), let change = try? DrinkOutbox.Request(json) { return change }
        throw Problem(
            .unprocessableContent, title: CoffeeWords.unreadableChangeTitle, detail: CoffeeWords.unreadableChange)
    }
}

/// The page for a browser without a connection; its script fills it in.
struct OfflineView: PageView {
    static let template = "offline"
    var pageTitle: String { CoffeeWords.name }

    let model: Link
    let source = CoffeeWords.source
}
