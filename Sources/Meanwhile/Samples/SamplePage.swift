import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence

/// The page that Offline Library has as sample data: it needs no network, because it is part of the program.
enum SamplePage {
    private static let title = "Sample: a saved page"
    private static let address = "https://example.com/"

    private static let html = """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(title)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <style>
        body { max-width: 38rem; margin: 2rem auto; padding: 0 1rem; font: 1.1rem/1.6 Georgia, serif; }
        body { color: #222; background: #fff; }
        h1 { line-height: 1.2; }
        </style></head>
        <body>
        <h1>This page is stored on your computer</h1>
        <p>Offline Library saves web pages with their pictures and styles. You can read them without a network, and they
        stay as they were when you saved them.</p>
        <p>To save one of your own, copy its address, go back to the list, paste the address and press Save. Delete this
        sample whenever you like.</p>
        </body>
        </html>
        """

    /// Stores the page.
    ///
    /// - Parameters:
    ///   - id: The page's identifier.
    ///   - store: A store without a queue of captures: the page is stored as it is, and not captured.
    /// - Throws: ``LibraryError``, or an error in encoding the archive.
    static func add(as id: SavedPage.ID, to store: SQLiteLibraryStore) async throws {
        guard let url = URL(string: address) else { throw LibraryError.notFound }
        let archive = WebArchive(
            mainResource: WebArchive.Resource(
                data: Data(html.utf8), url: address, mediaType: "text/html", textEncodingName: "UTF-8",
                frameName: ""))
        let capture = PageCapture(
            requestedURL: url, url: url, title: title, httpStatus: 200, contentSize: (width: 800, height: 600),
            readiness: .almostIdle, data: [.webArchive: try archive.propertyList()], resources: [], warnings: [],
            duration: .zero)
        let time = Date()
        let request = CaptureRequest(url: url, formats: [.webArchive])
        let page = SavedPage(id: id, request: request, requestedAt: time, state: .fetching(request, previous: nil))
        try await store.add(page, owner: .local)
        _ = try await store.save(capture, as: id, owner: .local, attempt: page.attempt, at: time)
    }
}
