import CoffeeTrackerModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import Site

// The level for watch faces and widgets: an image and JSON for each family, and a page with all of them.

extension CoffeePages {
    static let complicationsPath = "/coffee/complications"

    /// A browser treats an SVG opened directly as a document, so this policy blocks scripts and all loading.
    private static let svgPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

    func addComplicationRoutes(to coffee: RouterGroup<SiteContext>, layout: Layout) {
        coffee.get("/complications") { _, _ in
            page(layout, ComplicationsView(try await view(), head: head(.settings)))
        }
        addComplications(to: coffee)
    }

    /// Adds the image and the JSON of each family.
    func addComplications(to routes: RouterGroup<SiteContext>) {
        routes.get("/complications/{family}.svg") { request, context in
            try await complication(request, context, type: "image/svg+xml", [.contentSecurityPolicy: Self.svgPolicy]) {
                complication, _ in Array(ComplicationSVG(complication: complication).document.utf8)
            }
        }
        routes.get("/complications/{family}.json") { request, context in
            try await complication(request, context, type: "application/json") { complication, entry in
                Array(try ComplicationDocument(complication, expires: entry.expires).json)
            }
        }
    }

    /// Responds with a complication, which a client may cache until the next timeline entry.
    ///
    /// A server can't invalidate a cached copy: after a change, such as a new drink, a copy is stale until its entry ends, at
    /// most five minutes later. A client that needs the change at once revalidates when `/coffee/events` reports it
    /// (`Cache-Control: no-cache`; an unchanged complication gets a response 304 without a body).
    private func complication(
        _ request: Request, _ context: SiteContext, type: String, _ headers: HTTPFields = [:],
        content: (Complication, ComplicationEntry) throws -> [UInt8]
    ) async throws -> Response {
        guard let family = context.parameters.get("family").flatMap(Complication.Family.init(rawValue:)) else {
            throw Problem.unknownFamily
        }
        let view = try await view()
        let entry = view.complicationEntry
        let bytes = try content(Complication(family, showing: entry), entry)
        var headers = headers
        headers[.contentType] = type
        headers[.vary] = "Accept-Language"
        // Rounded down, so that no copy outlives its entry. No `Expires`: `max-age` overrides it (RFC 9111, 5.3).
        let seconds = Int(min(max(0, entry.expires.timeIntervalSince(view.now)), Timeline.step))
        headers[.cacheControl] = "private, max-age=\(seconds), must-revalidate"
        return EntityTag(of: bytes).response(to: request, headers: headers, body: ByteBuffer(bytes: bytes))
    }
}

extension CoffeeView {
    /// The current entry for all complications.
    var complicationEntry: ComplicationEntry {
        ComplicationEntry(drinks: drinks, settings: settings, at: now)
    }
}

extension Problem {
    fileprivate static var unknownFamily: Problem {
        let families = Complication.Family.allCases.map(\.rawValue).joined(separator: ", ")
        return Problem(
            .notFound, title: CoffeeWords.unknownFamilyTitle, detail: CoffeeWords.unknownFamily(families))
    }
}
