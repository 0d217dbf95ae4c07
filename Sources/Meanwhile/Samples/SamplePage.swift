import Capture
import Foundation
import Loading
import OfflineLibraryModel
import OfflineLibraryStore
import Persistence

/// The page that Offline Library has as sample data: it needs no network, because it is part of the program.
enum SamplePage {
    private static let address = "https://example.com/"

    private static let html = """
        <!doctype html>
        <html lang="en">
        <head><meta charset="utf-8"><title>\(LibraryWords.sampleTitle)</title>
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <style>
        body { max-width: 38rem; margin: 2rem auto; padding: 0 1rem; font: 1.1rem/1.6 Georgia, serif; }
        body { color: #222; background: #fff; }
        h1 { line-height: 1.2; }
        </style></head>
        <body>
        <h1>\(LibraryWords.sampleHeading)</h1>
        \(LibraryWords.sampleParagraphs.map { "<p>\($0)</p>" }.joined(separator: "\n"))
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
            requestedURL: url, url: url, title: LibraryWords.sampleTitle, httpStatus: 200,
            contentSize: (width: 800, height: 600),
            readiness: .almostIdle, data: [.webArchive: try archive.propertyList()], resources: [], warnings: [],
            duration: .zero)
        let time = Date()
        let request = CaptureRequest(url: url, formats: [.webArchive])
        let page = SavedPage(id: id, request: request, requestedAt: time, state: .fetching(request, previous: nil))
        try await store.add(page, owner: .local)
        _ = try await store.save(capture, as: id, owner: .local, attempt: page.attempt, at: time)
    }
}
